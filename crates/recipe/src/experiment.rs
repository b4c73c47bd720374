//! From a recipe to what is asked of a run.

use drive::Protocol as Travel;
use measure::{Axes, CrossServer, Driver, Mode, Pin, RecipeRecord, Request, default_connections};
use workload::{Options, Text};

use crate::error::RecipeError;
use crate::file::{Protocol, Recipe};

/// An instance of a server that a recipe wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which of the servers asked for.
    pub server: usize,
    /// The charset that it is set to, where the recipe sets one.
    pub charset: Option<String>,
    /// Which instance it is held against.
    pub control: usize,
}

impl Recipe {
    /// The instances of so many servers: one a charset of each server for which `settable` holds, else one.
    pub fn instances(&self, servers: usize, settable: impl Fn(usize) -> bool) -> Vec<Instance> {
        let mut instances: Vec<Instance> = Vec::new();
        for server in 0..servers {
            let first = instances.len();
            let charsets = if settable(server) { self.server_charsets.as_slice() } else { &[] };
            if charsets.is_empty() {
                instances.push(Instance { server, charset: None, control: 0 });
            }
            for (place, charset) in charsets.iter().enumerate() {
                // One program's charsets are held against its first, one program against another under the same charset.
                let control = if place > 0 { first } else { 0 };
                instances.push(Instance { server, charset: Some(charset.clone()), control });
            }
        }
        instances
    }

    /// What is asked of a run at a scale on these instances, but for what its caller knows better. `run_already`: some of the servers do.
    pub fn request(
        &self,
        scale: Option<&str>,
        instances: &[Instance],
        run_already: bool,
    ) -> Result<Request, RecipeError> {
        let (scale_name, scale) = self.scale(scale)?;
        let threads = match scale.threads.as_slice() {
            [] => vec![default_connections(run_already)],
            given => given.to_vec(),
        };
        Ok(Request {
            axes: self.axes(instances),
            workloads: self.workloads.clone(),
            recording: None,
            script: None,
            threads,
            rows: Options {
                tables: scale.tables,
                table_size: scale.table_size,
                text: Text::default(),
                distribution: scale.rand_type,
                ..Options::default()
            },
            protocol: match self.protocol {
                Protocol::Prepared => Travel::Prepared,
                Protocol::Text => Travel::Text,
            },
            mode: Mode::Duet,
            driver: Driver::Native,
            precision: scale.precision,
            max_time: scale.max_time,
            block: scale.block,
            warmup: scale.warmup,
            replicates: scale.replicates,
            pin: Pin::Private,
            rate: None,
            level: self.level,
            ignored_errors: drive::IgnoredErrors::default(),
            buffer_pool: None,
            command: None,
            recipe: Some(self.record(scale_name)),
            ratios: true,
        })
    }

    fn axes(&self, instances: &[Instance]) -> Axes {
        let connection = |name: &String| (name != "match").then(|| name.clone());
        let cross_server = |[one, other]: &[String; 2]| CrossServer { one: one.clone(), other: other.clone() };
        Axes {
            collations: (!self.collations.is_empty()).then(|| self.collations.clone()),
            baseline: self.baseline.clone(),
            connections: self.connections.iter().map(connection).collect(),
            texts: self.texts.clone(),
            lenient: true,
            extra_work: Vec::new(),
            controls: instances.iter().map(|instance| instance.control).collect(),
            cross_server: self.cross_server.iter().map(cross_server).collect(),
        }
    }

    fn record(&self, scale: &str) -> RecipeRecord {
        RecipeRecord {
            name: self.name.clone(),
            title: self.title.clone(),
            study: self.study.clone(),
            versions: self.versions.clone(),
            scale: scale.into(),
            claims: self.claims.clone(),
            published: self.figures.clone(),
        }
    }
}
