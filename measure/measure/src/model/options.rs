//! The options of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of a run, after defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    pub mode: Mode,
    pub driver: Driver,
    /// Half-width of a ratio's interval at which a pair is done, as a fraction.
    pub precision: f64,
    /// Total measuring time in seconds, over all pairs.
    pub max_time_s: f64,
    /// Length of a block in seconds.
    pub block_s: f64,
    /// Warm-up before a pair's first counted block in each replicate, in seconds.
    pub warmup_s: f64,
    /// Requested number of replicates, otherwise the default 10. Pairs that are precise enough end
    /// earlier. Absent in imported runs and in runs of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicates: Option<u32>,
    /// Whether each connection's client and server thread was bound to one core, as read back from
    /// the operating system.
    pub pinned: bool,
    /// Whether the two sides of a duet ran in turns. If `false`, both ran at the same time. Absent
    /// in older runs, where it equals `pinned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<bool>,
    /// Transactions per second of an open loop. Absent for a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Tables of each kind. With a workload folder, the number of all its tables; 0 with a script.
    pub tables: u32,
    /// Rows per table. 0 with a workload folder or a script.
    pub table_size: u32,
    /// Rows per range statement, unless the workload sets its own range.
    pub range_size: u32,
    /// `prepared` or `text`.
    pub protocol: String,
    /// Whether statements run without BEGIN and COMMIT.
    pub skip_trx: bool,
    /// Distribution of row numbers.
    pub rand_type: String,
    /// Seed of rows, statements, and the resampling that gives intervals.
    pub seed: u64,
    /// Requested buffer pool of each variant's instance, in bytes or as a share of the baseline's
    /// tables. The size in force is in the servers' settings. Absent if the variants of a server
    /// shared one instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_pool: Option<String>,
}

impl Options {
    /// Whether the two sides of a duet ran in turns.
    pub fn took_turns(&self) -> bool {
        self.turns.unwrap_or(self.pinned) && self.mode == Mode::Duet && self.driver == Driver::Native
    }
}

/// How variants are put under load (docs/reference/bench.md). Results of the two modes are not
/// comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Two variants under load in the same block.
    Duet,
    /// One variant at a time, in interleaved rounds.
    Solo,
}

/// The load generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// Weighbridge's own client.
    Native,
    /// sysbench.
    Sysbench,
}
