//! The request: what to measure, and how.

mod axes;
pub(crate) mod buffer_pool;
mod measured_folder;
mod quantity;
mod workload_source;

use std::time::Duration;

use load::SysbenchScript;
use workload::{Text, Workload};

use crate::model::{Condition, Driver, Mode, OWN_TEXT, Options, RecipeRecord};

pub use axes::{Axes, CrossServer, DEFAULT_BASELINE, DEFAULT_COLLATIONS};
pub use buffer_pool::BufferPool;
pub use measured_folder::{ClassMix, FolderOptions, MeasuredFolder};
pub use quantity::{parse_duration, parse_percent};
pub(crate) use workload_source::WorkloadSource;

#[derive(Clone, Debug)]
pub struct Request {
    pub axes: Axes,
    /// Built-in workloads. Empty with a workload folder or a script.
    pub workloads: Vec<Workload>,
    /// Workload folder in place of built-in workloads. Each variant converts the folder's columns
    /// to a collation of the axes, or keeps them (`as-is`).
    pub workload_folder: Option<MeasuredFolder>,
    /// Custom sysbench script in place of built-in workloads. The script prepares its rows.
    pub script: Option<SysbenchScript>,
    /// Numbers of connections per variant. Each number has its own conditions.
    pub threads: Vec<u32>,
    /// Options of rows and statements. The axes' texts replace the text in these options.
    pub rows: workload::Options,
    pub protocol: load::Protocol,
    pub mode: Mode,
    pub driver: Driver,
    /// Half-width of a ratio's interval at which a pair is done, as a fraction.
    pub precision: f64,
    /// Measuring time over all conditions.
    pub max_time: Duration,
    pub block: Duration,
    /// Uncounted load before a pair's first block in each replicate.
    pub warmup: Duration,
    /// Number of replicates. `None`: the time is divided among up to ten; further replicates follow
    /// if time is left.
    pub replicates: Option<u32>,
    /// Command line without passwords, to be recorded in the run.
    pub command: Option<String>,
    /// Servers whose threads may be bound to cores.
    pub pin: Pin,
    /// Transactions per second of an open loop, in solo mode only. `None`: a closed loop.
    pub rate: Option<f64>,
    /// Whether to use only protocol features that MySQL and MariaDB share.
    pub common_features_only: bool,
    pub ignored_errors: load::IgnoredErrors,
    /// Buffer pool of each variant's own instance. `None`: the variants of a server share its
    /// instance.
    pub buffer_pool: Option<BufferPool>,
    /// Recipe of this request, to be recorded in the run.
    pub recipe: Option<RecipeRecord>,
    /// Whether to measure pairs. If not, rows are loaded and the load is connected for a
    /// [`Probe`](crate::Probe) only.
    pub ratios: bool,
}

/// The servers whose threads may be bound to cores. Binding applies to all servers of a run or to
/// none: binding one side of a duet would favour one of the sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    Never,
    /// Private servers.
    Private,
    /// Private and attached servers. On an attached server, the owner must agree to binding its
    /// threads.
    Attached,
}

/// Maximum number of replicates among which the time is divided by default. The half-width of
/// Student's interval is 0.72 standard deviations with ten replicates and 1.24 with five.
/// Between replicates, ratios of throughput vary by 0.5 to 1.2 %, and of CPU by 0.3 to 1.8 %
/// (docs/explanation/measurement.md).
pub(crate) const DEFAULT_REPLICATES: u32 = 10;

/// Duets of the default collations over the default text with one connection and the native client,
/// for three minutes. No workload is set.
impl Default for Request {
    fn default() -> Self {
        Self {
            axes: Axes { connections: vec![None], texts: vec![Text::default()], ..Axes::default() },
            workloads: Vec::new(),
            workload_folder: None,
            script: None,
            threads: vec![1],
            rows: workload::Options::default(),
            protocol: load::Protocol::Prepared,
            mode: Mode::Duet,
            driver: Driver::Native,
            precision: 0.015,
            max_time: Duration::from_secs(180),
            block: Duration::from_secs(1),
            warmup: Duration::from_millis(250),
            replicates: None,
            command: None,
            pin: Pin::Private,
            rate: None,
            common_features_only: false,
            ignored_errors: load::IgnoredErrors::default(),
            buffer_pool: None,
            recipe: None,
            ratios: true,
        }
    }
}

impl Request {
    /// Who may read the results: see [`Run::access`](crate::Run::access).
    pub fn access(&self) -> files::Access {
        crate::model::run::access_for(self.workload_folder.is_some())
    }

    /// Maximum number of connections that the load opens on one server at a time.
    pub fn max_connections(&self) -> u32 {
        let collations = self.axes.collations.as_ref().map_or(DEFAULT_COLLATIONS.len(), Vec::len);
        // Two more: a baseline that is not in the list, and its copy.
        let variants = (collations + 2 + self.axes.extra_work.len()) * self.axes.connections.len().max(1);
        self.threads.iter().max().copied().unwrap_or(1).saturating_mul(variants as u32)
    }

    /// Whether a workload changes rows, or may change rows.
    pub fn writes(&self) -> bool {
        self.workloads.iter().any(Workload::writes)
            || self.workload_folder.as_ref().is_some_and(MeasuredFolder::writes)
            || self.script.is_some()
    }

    /// Whether variants that differ only in their connections have separate schemas. Sides that
    /// write to the same rows would wait for each other and see each other's changes. Sides that
    /// share a buffer pool would load pages for each other.
    pub(crate) fn separates_variants(&self) -> bool {
        self.writes() || self.buffer_pool.is_some()
    }

    /// Whether the run can be resumed. Self-tests and runs for a probe cannot.
    pub(crate) fn is_resumable(&self) -> bool {
        self.ratios && self.axes.extra_work.is_empty()
    }

    /// Number of workloads, each of which has its own conditions.
    pub fn workload_count(&self) -> usize {
        self.workload_sources().len()
    }

    /// Returns the workload sources, each of which has its own conditions.
    pub(crate) fn workload_sources(&self) -> Vec<WorkloadSource> {
        let recorded = self.workload_folder.iter().flat_map(|folder| &folder.loads);
        let built_in = self.workloads.iter().copied().map(WorkloadSource::BuiltIn);
        let script = self.script.iter().cloned().map(WorkloadSource::Lua);
        built_in.chain(recorded.map(WorkloadSource::from)).chain(script).collect()
    }

    /// Returns the text's name, or [`OWN_TEXT`] where a folder or script brings its own rows.
    pub(crate) fn text_name(&self, text: Text) -> String {
        if self.workload_folder.is_some() || self.script.is_some() { OWN_TEXT.into() } else { text.to_string() }
    }

    /// Returns all conditions in measuring order.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for &text in &self.axes.texts {
            for source in self.workload_sources() {
                let condition = |&threads| Condition { workload: source.name(), text: self.text_name(text), threads };
                conditions.extend(self.threads.iter().map(condition));
            }
        }
        conditions
    }

    pub(crate) fn max_replicates(&self) -> u32 {
        // Without ratios there is nothing to repeat.
        if self.ratios { self.replicates.unwrap_or(DEFAULT_REPLICATES) } else { 1 }
    }

    /// Returns the options to record in the run. The caller sets `pinned` and `turns` to what is in
    /// effect.
    pub(crate) fn to_options(&self) -> Options {
        let name = |protocol| match protocol {
            load::Protocol::Prepared => "prepared",
            load::Protocol::Text => "text",
        };
        Options {
            mode: self.mode,
            driver: self.driver,
            precision: self.precision,
            max_time_s: self.max_time.as_secs_f64(),
            block_s: self.block.as_secs_f64(),
            warmup_s: self.warmup.as_secs_f64(),
            replicates: Some(self.max_replicates()),
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
            buffer_pool: self.buffer_pool.map(|requested| requested.to_string()),
        }
    }
}
