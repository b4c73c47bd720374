//! What is asked of a run, and who watches it.

use std::collections::BTreeMap;
use std::time::Duration;

use drive::{Load, SysbenchScript};
use workload::{Text, Workload};

use crate::buffer_pool::BufferPool;
use crate::error::Error;
use crate::model::{Block, Condition, Driver, Mode, OWN_TEXT, Options, Run};
use crate::plan::{Axes, DEFAULT_COLLATIONS};
use crate::recipe::RecipeRecord;
use crate::recording::Recording;
use crate::schedule::Standing;
use crate::subject::Subject;
use crate::time::DEFAULT_REPLICATES;

/// What to measure, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The axes that make variants.
    pub axes: Axes,
    /// The built-in workloads; none where a folder takes their place.
    pub workloads: Vec<Workload>,
    /// A workload's folder in their place, whose sides stand among the axes' collations as `as-is` or a collation.
    pub recording: Option<Recording>,
    /// A script of the user's in their place, which sysbench runs, over rows that the script prepares.
    pub script: Option<SysbenchScript>,
    /// Connections to each variant; a condition each.
    pub threads: Vec<u32>,
    /// Rows and statements; each of the axes' texts takes the place of its text.
    pub rows: workload::Options,
    /// How statements travel.
    pub protocol: drive::Protocol,
    /// Duet or solo.
    pub mode: Mode,
    /// Who puts the load on.
    pub driver: Driver,
    /// Half-width of a ratio's interval by what replicates differ, at which a pair is done, as a fraction.
    pub precision: f64,
    /// Time for measuring, all conditions together.
    pub max_time: Duration,
    /// Length of a block.
    pub block: Duration,
    /// Uncounted load before a pair's first block in each replicate.
    pub warmup: Duration,
    /// Replicates, each with servers started, rows loaded and connections made anew; as many as time is enough for where absent, up to ten.
    pub replicates: Option<u32>,
    /// The command line that asks for all this, without passwords; written down with the run.
    pub command: Option<String>,
    /// Which connections of a duet may be bound to cores, so that they meet there.
    pub pin: Pin,
    /// Transactions a second of an open loop, with solos only; a closed loop where absent.
    pub rate: Option<f64>,
    /// Whether connections agree on nothing that only some servers have.
    pub level: bool,
    /// The servers' errors that the load passes over.
    pub ignored_errors: drive::IgnoredErrors,
    /// The buffer pool of each variant's instance, where each has one of its own; else the variants of a server share the server's.
    pub buffer_pool: Option<BufferPool>,
    /// The recipe that it comes from, to be written down.
    pub recipe: Option<RecipeRecord>,
    /// Whether pairs are measured. Without, rows are loaded and the load is connected, for a [`Probe`] alone.
    pub ratios: bool,
}

/// Which servers' threads may be bound to cores. It is all servers of a run or none: a duet of a bound and an unbound side would favour
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// None: the operating system places them.
    Never,
    /// Those of private instances.
    Private,
    /// Those behind `weigh`'s own connections to servers that run anyway, too: where a stranger's server runs its threads is for its owner
    /// to say.
    Attached,
}

impl Request {
    /// The most connections that the load holds open on one server at a time.
    pub fn most_connections(&self) -> u32 {
        let collations = self.axes.collations.as_ref().map_or(DEFAULT_COLLATIONS.len(), Vec::len);
        // One more for a baseline that was not named, and one for its copy.
        let variants = (collations + 2 + self.axes.extra_work.len()) * self.axes.connections.len().max(1);
        self.threads.iter().max().copied().unwrap_or(1).saturating_mul(variants as u32)
    }

    /// Whether a workload changes rows, or may.
    pub fn writes(&self) -> bool {
        self.workloads.iter().any(Workload::writes)
            || self.recording.as_ref().is_some_and(Recording::writes)
            || self.script.is_some()
    }

    /// Whether variants that differ only in their connections have schemas of their own: of two sides that write to the same rows, each
    /// would wait for the other and change what it finds, and of two that read from the same buffer pool one would warm it for the other.
    pub(crate) fn keeps_apart(&self) -> bool {
        self.writes() || self.buffer_pool.is_some()
    }

    /// Whether a run of it can be resumed: a self-test's and a probe's alone can't.
    pub(crate) fn can_be_resumed(&self) -> bool {
        self.ratios && self.axes.extra_work.is_empty()
    }

    /// What is put under load, each with its conditions.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let recorded = self.recording.iter().flat_map(|recording| &recording.loads);
        let built_in = self.workloads.iter().copied().map(Subject::BuiltIn);
        let script = self.script.iter().cloned().map(Subject::Lua);
        built_in.chain(recorded.map(Subject::from)).chain(script).collect()
    }

    /// What the text of the rows is called.
    pub(crate) fn text_name(&self, text: Text) -> String {
        if self.recording.is_some() || self.script.is_some() { OWN_TEXT.into() } else { text.to_string() }
    }

    /// All conditions, in the order in which they are measured.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for &text in &self.axes.texts {
            for subject in self.subjects() {
                let condition = |&threads| Condition { workload: subject.name(), text: self.text_name(text), threads };
                conditions.extend(self.threads.iter().map(condition));
            }
        }
        conditions
    }

    /// The most replicates that there will be.
    pub(crate) fn most_replicates(&self) -> u32 {
        // Without ratios there is nothing to repeat.
        if self.ratios { self.replicates.unwrap_or(DEFAULT_REPLICATES) } else { 1 }
    }

    /// The options as they are written down.
    pub(crate) fn options(&self) -> Options {
        let name = |protocol| match protocol {
            drive::Protocol::Prepared => "prepared",
            drive::Protocol::Text => "text",
        };
        Options {
            mode: self.mode,
            driver: self.driver,
            precision: self.precision,
            max_time_s: self.max_time.as_secs_f64(),
            block_s: self.block.as_secs_f64(),
            warmup_s: self.warmup.as_secs_f64(),
            replicates: Some(self.most_replicates()),
            pinned: self.pin != Pin::Never,
            turns: Some(true),
            rate: self.rate,
            tables: self.rows.tables,
            table_size: self.rows.table_size,
            range_size: self.rows.range_size,
            protocol: name(self.protocol).into(),
            skip_trx: self.rows.skip_trx,
            rand_type: self.rows.distribution.to_string(),
            seed: self.rows.seed,
            buffer_pool: self.buffer_pool.map(|asked| asked.to_string()),
        }
    }
}

/// Does something else with the load of each condition, once its pairs are measured and while it is connected: takes samples of the servers, for instance.
pub trait Probe {
    /// Takes the loads of a condition by variant, and says whether the run's folder has something of it to keep. What the probe itself can't
    /// do is its own to tell; an error ends the run.
    fn condition(
        &mut self,
        run: &Run,
        condition: usize,
        loads: &BTreeMap<usize, Load>,
        observer: &dyn Observer,
    ) -> Result<bool, Error>;
}

/// Watches a run.
pub trait Observer: Sync {
    /// Something that takes a while has begun.
    fn stage(&self, what: &str);
    /// How much of it is done, from 0 to 1.
    fn fraction(&self, done: f64);
    /// Measuring begins, or goes on in this replicate of so many; with fewer once all ratios are precise enough.
    fn measuring(&self, max_time: Duration, replicate: u32, replicates: u32);
    /// A block was measured; `spent` of the time for measuring is used.
    fn block(&self, run: &Run, block: &Block, standings: &[Standing], spent: Duration);
}
