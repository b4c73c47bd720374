//! Turns a recipe into the request of a run.

use load::Protocol as LoadProtocol;
use measure::{Axes, CrossServer, RecipeRecord, Request, default_connections};
use workload::{Options, Text};

use crate::error::RecipeError;
use crate::file::{Protocol, Recipe};

/// An instance of a server that a recipe needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Index of the requested server.
    pub server: usize,
    /// Server charset to set. `None`: the server's own default.
    pub charset: Option<String>,
    /// Index of the instance that this instance is compared with, or its own index if with none.
    pub control: usize,
}

impl Recipe {
    /// Returns the instances of `servers` servers. A server has one instance per server charset of
    /// the recipe if `settable` holds for the server. Otherwise, or without server charsets, it has
    /// one. `are_own`: the servers are those of the recipe, to which its controls apply.
    pub fn instances(&self, servers: usize, are_own: bool, settable: impl Fn(usize) -> bool) -> Vec<Instance> {
        let mut instances: Vec<Instance> = Vec::new();
        let mut firsts: Vec<usize> = Vec::new();
        for server in 0..servers {
            let first = instances.len();
            firsts.push(first);
            let control = self.controls.get(server).filter(|_| are_own).map_or(0, |&control| firsts[control]);
            let charsets = if settable(server) { self.server_charsets.as_slice() } else { &[] };
            if charsets.is_empty() {
                instances.push(Instance { server, charset: None, control });
            }
            for (place, charset) in charsets.iter().enumerate() {
                // A server's further instances are compared with its first.
                let control = if place > 0 { first } else { control };
                instances.push(Instance { server, charset: Some(charset.clone()), control });
            }
        }
        instances
    }

    /// Returns the request of a run at a scale on these instances. The caller adds the command line
    /// and options that the recipe lacks. `has_attached_server`: a server was not started by
    /// `weigh`.
    pub fn build_request(
        &self,
        scale: Option<&str>,
        instances: &[Instance],
        has_attached_server: bool,
    ) -> Result<Request, RecipeError> {
        let (scale_name, scale) = self.scale(scale)?;
        let threads = match scale.threads.as_slice() {
            [] => vec![default_connections(has_attached_server)],
            given => given.to_vec(),
        };
        Ok(Request {
            axes: self.build_axes(instances),
            workloads: self.workloads.clone(),
            threads,
            rows: Options {
                tables: scale.tables,
                table_size: scale.table_size,
                text: Text::default(),
                distribution: scale.rand_type,
                ..Options::default()
            },
            protocol: match self.protocol {
                Protocol::Prepared => LoadProtocol::Prepared,
                Protocol::Text => LoadProtocol::Text,
            },
            precision: scale.precision,
            max_time: scale.max_time,
            block: scale.block,
            warmup: scale.warmup,
            replicates: scale.replicates,
            common_features_only: self.level,
            recipe: Some(self.build_record(scale_name)),
            ..Request::default()
        })
    }

    fn build_axes(&self, instances: &[Instance]) -> Axes {
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

    fn build_record(&self, scale: &str) -> RecipeRecord {
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
