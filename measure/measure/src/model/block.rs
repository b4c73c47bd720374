//! A block of load: one line of `samples.jsonl`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{is_false, is_zero};

/// A block of load with the counts of each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Index in [`Run::conditions`](super::Run::conditions).
    #[serde(alias = "cell")]
    pub condition: usize,
    /// Index in [`Run::pairs`](super::Run::pairs). Absent for a solo block, which belongs to every
    /// pair of its variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
    /// Number of the replicate, from 0. Rows, connections and private servers are new in each
    /// replicate. Absent in imported runs and in runs of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicate: Option<u32>,
    /// Round within condition and replicate, from 0. Solo blocks of the same round belong together.
    pub round: u32,
    /// Whether the block is an uncounted warm-up.
    pub warm_up: bool,
    /// End of the block, in seconds since the start of the run.
    pub at_s: f64,
    /// Length of the block in seconds.
    pub seconds: f64,
    /// Share of CPU time that a hypervisor gave to other machines during the block (steal time).
    /// Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen: Option<f64>,
    /// One side in a solo block; baseline, then variant in a duet block.
    pub sides: Vec<Side>,
}

/// Counts of one variant in a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Index in [`Run::variants`](super::Run::variants).
    pub variant: usize,
    /// Counted time under load in seconds, mean over the connections: about the block's length, or
    /// the sum of this side's counted turns.
    pub seconds: f64,
    /// Completed transactions.
    pub events: u64,
    /// Statements of the completed transactions. In turns, all counted statements.
    pub queries: u64,
    /// Rows received for the statements of `queries`. Absent with sysbench and in imported runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Failed transactions by server error number; 0 for errors that sysbench ignored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<u16, u64>,
    /// Session status counters (`Handler_read_key`, `Created_tmp_disk_tables`, …) per statement,
    /// read on at most two connections. Counters that did not grow are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub work: BTreeMap<String, f64>,
    /// Whether the server threads of the connections could not be identified or bound, unlike in
    /// other blocks. The block is excluded and its counts are 0.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unbound: bool,
    /// Number of lost connections, which were reopened afterwards. If not 0, the block is excluded
    /// and its counts are 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_connections: u32,
    /// Transactions of an open loop that were due but did not begin, because the server was too
    /// slow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// CPU time of the server threads per statement in µs, including the lead-in. By the server's
    /// own accounting if the threads are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_us: Option<f64>,
    /// Pages that the server read from disk, per statement, including the lead-in. Absent unless
    /// each variant has its own instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<f64>,
    /// Expected time per transaction in seconds, from calls of each statement class before the
    /// load. Blocks of a mix differ by chance in how many slow calls they contain; ratios are
    /// corrected by this value. Absent for built-in workloads and scripts, and if the time of a
    /// class is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<f64>,
    /// Expected time per statement in seconds, including the lead-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_effort: Option<f64>,
    /// CPU time of the client threads per statement in µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cpu_us: Option<f64>,
    /// Transaction latency.
    pub latency: Latency,
    /// Further figures of an imported log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogFigures>,
}

/// Transaction latency of one side of a block, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// Histogram in nanoseconds: HdrHistogram's compressed V2 encoding in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdr: Option<String>,
}

/// Figures of an imported log that have no other field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogFigures {
    /// Read statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// Write statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<u64>,
    /// Other statements, such as BEGIN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<u64>,
    /// Reconnects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnects: Option<u64>,
    /// Minimum latency in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<f64>,
    /// Mean latency in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avg_ms: Option<f64>,
    /// Maximum latency in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<f64>,
    /// The percentile that the log reports, such as 95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
    /// Value of that percentile in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile_ms: Option<f64>,
    /// Intermediate reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<LogInterval>,
}

/// An intermediate report: figures since the previous report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogInterval {
    /// End of the interval, in seconds since the start of the load.
    pub until_s: f64,
    /// Transactions per second.
    pub transactions_per_s: f64,
    /// Latency in milliseconds, at the log's percentile.
    pub latency_ms: f64,
    /// Errors per second. Absent if the log does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_per_s: Option<f64>,
}
