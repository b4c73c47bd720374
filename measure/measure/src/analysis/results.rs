//! The results of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::Estimate;

use super::comparability::Incomparability;
use super::verdict::Verdict;
use crate::model::{PairKind, is_zero};

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// One entry per condition, in the order of the run.
    pub conditions: Vec<ConditionResult>,
    /// Share of CPU time that a hypervisor gave to other machines, mean over the counted blocks
    /// (steal time). `null` if unknown.
    #[serde(default)]
    pub stolen: Option<f64>,
    /// Variation of a baseline's server CPU time per statement between blocks: 90th percentile /
    /// 10th percentile − 1, in the condition where it is largest. `null` with CPU times of fewer
    /// than ten blocks, for workload folders, and for imported runs.
    #[serde(rename = "unsteady", default)]
    pub cpu_spread: Option<f64>,
}

/// Results of one condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionResult {
    /// Index in `run.conditions`.
    pub condition: usize,
    /// Largest A/A bound of throughput. `null` if no A/A pair of the condition has a ratio.
    pub aa_bound: Option<f64>,
    /// Results of each variant, in the order of `run.variants`.
    pub variants: Vec<VariantResult>,
    /// Comparisons of the pairs, in the order of `run.pairs`, including A/A pairs.
    pub comparisons: Vec<Comparison>,
}

/// Results of one variant. In a duet, from its blocks against the baseline; a baseline's own
/// results are from its blocks against its copy, if it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantResult {
    /// Index in `run.variants`.
    pub variant: usize,
    /// Number of counted blocks.
    pub blocks: usize,
    /// Statements per second.
    pub queries_per_s: f64,
    /// Statements per second without BEGIN, COMMIT and similar. Absent unless imported from a log
    /// that distinguishes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_and_writes_per_s: Option<f64>,
    /// Transactions per second.
    pub transactions_per_s: f64,
    /// Median transaction latency in milliseconds.
    pub p50_ms: Option<f64>,
    /// 95th percentile of transaction latency in milliseconds.
    pub p95_ms: Option<f64>,
    /// 99th percentile of transaction latency in milliseconds.
    pub p99_ms: Option<f64>,
    /// Server CPU time per statement in µs.
    pub server_cpu_us: Option<f64>,
    /// Pages that the server read from disk, per statement. Absent unless each variant has its own
    /// instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<f64>,
    /// Client CPU time per statement in µs.
    pub client_cpu_us: Option<f64>,
    /// Transactions of an open loop that were due but did not begin, because the server was too
    /// slow. Above 0, latencies are those of a growing queue.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// Rows per statement.
    pub rows_per_query: Option<f64>,
    /// Failed transactions by server error number; 0 for errors that sysbench ignored.
    pub errors: BTreeMap<u16, u64>,
}

/// Comparison of a variant with its baseline. Intervals are over replicates, or over blocks in runs
/// without replicates. Intervals of ratios include the variation between fresh runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Index in `run.pairs`.
    pub pair: usize,
    /// Index of the variant in `run.variants`.
    pub variant: usize,
    /// Index of the baseline in `run.variants`.
    pub baseline: usize,
    /// Purpose of the pair.
    pub kind: PairKind,
    /// Number of blocks, or of rounds of solos, behind the ratios.
    pub blocks: usize,
    /// Result of each replicate, in order. Empty for a run without replicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicates: Vec<ReplicateResult>,
    /// Throughput ratio, variant / baseline. `null` in an open loop, and with fewer than two
    /// replicates (or blocks), unless imported logs have intermediate reports.
    pub throughput: Option<Estimate>,
    /// Ratio of server CPU time per statement, variant / baseline. `null` if CPU time is unknown,
    /// and with fewer than two replicates (or blocks).
    pub server_cpu: Option<Estimate>,
    /// Difference of server CPU time per statement in µs, variant − baseline. It applies to other
    /// workloads better than a ratio does.
    pub server_cpu_difference_us: Option<Estimate>,
    /// Ratios of transaction latency, variant / baseline.
    pub latency: LatencyRatios,
    /// A/A bound of throughput: how far from 1 the intervals of A/A pairs on the pair's servers
    /// reach. Without such a pair, the largest of the condition. A difference below the bound
    /// cannot be distinguished from noise. `null` if no A/A pair has a ratio.
    pub aa_bound: Option<f64>,
    /// A/A bound of server CPU.
    pub cpu_aa_bound: Option<f64>,
    /// Verdict on throughput. For an A/A pair, from its own interval alone.
    pub verdict: Verdict,
    /// Verdict on server CPU.
    pub cpu_verdict: Verdict,
    /// Reasons why the two sides are not comparable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_comparable: Vec<Incomparability>,
}

impl Comparison {
    /// Whether there is a ratio with an interval: of throughput, or in an open loop of latency.
    pub fn is_measured(&self) -> bool {
        self.throughput.is_some() || self.latency.p95.is_some()
    }
}

/// Result of one replicate for a pair: means over its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicateResult {
    /// Number of the replicate, from 0.
    pub replicate: u32,
    /// Throughput ratio, variant / baseline.
    pub throughput: f64,
    /// Ratio of server CPU time per statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu: Option<f64>,
}

/// Ratios of latency percentiles, variant / baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRatios {
    /// Median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<Estimate>,
    /// 95th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95: Option<Estimate>,
    /// 99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<Estimate>,
}
