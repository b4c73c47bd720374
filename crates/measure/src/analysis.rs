//! From samples to results: a pure function of a run and its blocks.

mod family;
mod summary;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparability::{self, Incomparability};
use crate::model::{Block, Pair, PairKind, Run, Side, is_zero};
use crate::nested::{Design, Nested};
use crate::pairing::{Paired, paired};
use crate::schedule::{cpu_difference_of, cpu_ratio_of, ratio_of};
use crate::stats::{self, Estimate, quantile};
use crate::verdict::{Verdict, reach, verdict};

pub(crate) use summary::home_sides;

/// All results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// One entry a condition of the run, in its order.
    pub conditions: Vec<ConditionResult>,
    /// Share of the time of this machine's cores that a hypervisor gave to others while blocks were measured: the mean over them. Absent where
    /// that is not known.
    #[serde(default)]
    pub stolen: Option<f64>,
    /// By how much a baseline's server CPU time a statement varied from block to block, as a fraction: how far the tenth block of a hundred is below the
    /// ninetieth, in the condition where that is most. Absent where there are fewer than ten blocks, or where blocks differ by what they call.
    #[serde(default)]
    pub unsteady: Option<f64>,
}

/// The results of one condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionResult {
    /// Index in `run.conditions`.
    pub condition: usize,
    /// The largest of the A/A pairs' bounds of throughput. Absent where no A/A pair was measured.
    pub aa_bound: Option<f64>,
    /// What each variant did, in the order of `run.variants`.
    pub variants: Vec<VariantResult>,
    /// How the pairs compare, in the order of `run.pairs`, the A/A pairs among them.
    pub comparisons: Vec<Comparison>,
}

/// What one variant did: in a duet, beside its baseline; the baseline itself beside its copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantResult {
    /// Index in `run.variants`.
    pub variant: usize,
    /// Counted blocks.
    pub blocks: usize,
    /// Statements a second.
    pub queries_per_s: f64,
    /// Statements a second without BEGIN, COMMIT and the like, where a log tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_and_writes_per_s: Option<f64>,
    /// Transactions a second.
    pub transactions_per_s: f64,
    /// Latency of a transaction in milliseconds, median.
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Server CPU time in µs a statement.
    pub server_cpu_us: Option<f64>,
    /// Pages that the server read from disk, a statement; where each variant has an instance of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<f64>,
    /// Client CPU time in µs a statement.
    pub client_cpu_us: Option<f64>,
    /// Transactions of an open loop that were due and could not begin, as the server fell too far behind: latencies are of a queue that grows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// Rows a statement.
    pub rows_per_query: Option<f64>,
    /// Failed transactions by the server's error number.
    pub errors: BTreeMap<u16, u64>,
}

/// How a variant compares with its baseline. Intervals are over replicates (in a run of a version that had none, over blocks), and a ratio's
/// has what fresh runs differ by in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Index in `run.pairs`.
    pub pair: usize,
    /// Index in `run.variants`.
    pub variant: usize,
    /// Index in `run.variants`.
    pub baseline: usize,
    /// What the pair is for.
    pub kind: PairKind,
    /// Blocks, or rounds of solos, that the ratios were taken over.
    pub blocks: usize,
    /// What each replicate found, in their order; empty for a run that has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicates: Vec<ReplicateResult>,
    /// Throughput of the variant for each unit of the baseline's; absent where there is too little for an interval: fewer than two
    /// replicates, or blocks. Absent in an open loop, too, whose rate is given.
    pub throughput: Option<Estimate>,
    /// Server CPU time a statement, in the same way.
    pub server_cpu: Option<Estimate>,
    /// By how many µs of server CPU a statement of the variant takes more than one of the baseline. It carries over to other loads better
    /// than a ratio does.
    pub server_cpu_difference_us: Option<Estimate>,
    /// Latency of a transaction, percentile by percentile, for each unit of the baseline's.
    pub latency: LatencyRatios,
    /// How far from 1 the intervals of A/A pairs reach on the servers of this pair, or in the whole condition where there was no time for
    /// theirs: a smaller difference of throughput is not told apart from noise. Absent where no A/A pair was measured.
    pub aa_bound: Option<f64>,
    /// The same of server CPU.
    pub cpu_aa_bound: Option<f64>,
    /// What can be said of throughput. For an A/A pair, whether its own interval holds 1.
    pub verdict: Verdict,
    /// What can be said of server CPU.
    pub cpu_verdict: Verdict,
    /// What makes the two sides not comparable beyond what the pair is about; such a ratio answers another question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_comparable: Vec<Incomparability>,
}

impl Comparison {
    /// Whether there is a ratio with an interval: of throughput, or in an open loop of latency.
    pub fn is_measured(&self) -> bool {
        self.throughput.is_some() || self.latency.p95.is_some()
    }
}

/// What one replicate found of a pair: means over its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicateResult {
    /// Its number, from 0.
    pub replicate: u32,
    /// Ratio of throughputs.
    pub throughput: f64,
    /// Ratio of server CPU a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu: Option<f64>,
}

/// Ratios of percentiles of latency.
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

/// Computes a run's results.
pub fn analyse(run: &Run, blocks: &[Block]) -> Analysis {
    let counted: Vec<&Block> = blocks.iter().filter(|block| !block.warm_up).collect();
    let mut conditions: Vec<ConditionResult> = Vec::new();
    for condition in 0..run.conditions.len() {
        let own: Vec<&Block> = counted.iter().copied().filter(|block| block.condition == condition).collect();
        conditions.push(analyse_condition(run, condition, &own, mix_of(run, condition, &conditions)));
    }
    family::hold(run, &mut conditions);
    let stolen: Vec<f64> = counted.iter().filter_map(|block| block.stolen).collect();
    let stolen = (!stolen.is_empty()).then(|| stolen.iter().sum::<f64>() / stolen.len() as f64);
    Analysis { conditions, stolen, unsteady: unsteady(run, &counted) }
}

/// Fewer blocks than this have no tenth and ninetieth of a hundred.
const ENOUGH_BLOCKS: usize = 10;

/// How much the machine's speed varied, by the baselines' own server CPU time a statement.
fn unsteady(run: &Run, counted: &[&Block]) -> Option<f64> {
    if run.recording.is_some() || run.imported.is_some() {
        return None;
    }
    let mut baselines: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for block in counted {
        let is_baseline = |side: &&Side| {
            run.pairs.iter().any(|pair| (pair.condition, pair.baseline) == (block.condition, side.variant))
        };
        let own = block.sides.iter().filter(is_baseline);
        for (side, cpu) in own.filter_map(|side| Some((side, side.server_cpu_us?))) {
            baselines.entry((block.condition, side.variant)).or_default().push(cpu);
        }
    }
    let spread = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        quantile(&values, 0.9) / quantile(&values, 0.1) - 1.0
    };
    let spreads = baselines.into_values().filter(|values| values.len() >= ENOUGH_BLOCKS).map(spread);
    spreads.filter(|spread| spread.is_finite()).max_by(f64::total_cmp)
}

/// Of a class by itself, the mix under as many connections, whose A/A pairs stand for it, too.
fn mix_of<'a>(run: &Run, condition: usize, before: &'a [ConditionResult]) -> Option<&'a ConditionResult> {
    let (recording, own) = (run.recording.as_ref()?, &run.conditions[condition]);
    recording.class_of(&own.workload)?;
    let is_mix = |result: &&ConditionResult| {
        let other = &run.conditions[result.condition];
        other.workload == recording.name && other.threads == own.threads
    };
    before.iter().find(is_mix)
}

fn analyse_condition(run: &Run, condition: usize, blocks: &[&Block], mix: Option<&ConditionResult>) -> ConditionResult {
    let pairs: Vec<(usize, &Pair)> =
        run.pairs.iter().enumerate().filter(|(_, pair)| pair.condition == condition).collect();
    let mut comparisons: Vec<Comparison> =
        pairs.iter().map(|&(index, pair)| compare(run, index, pair, blocks)).collect();
    let controlled = mix.map_or(&comparisons, |mix| &mix.comparisons);
    let throughput = AaBounds::of(run, controlled, |comparison| comparison.throughput);
    let cpu = AaBounds::of(run, controlled, |comparison| comparison.server_cpu);
    for comparison in &mut comparisons {
        comparison.aa_bound = throughput.bound(run, comparison);
        comparison.cpu_aa_bound = cpu.bound(run, comparison);
        // An A/A pair isn't judged by itself.
        let judged_by = |bound: Option<f64>| if comparison.kind == PairKind::AA { 0.0 } else { bound.unwrap_or(0.0) };
        comparison.verdict = verdict(comparison.throughput, judged_by(comparison.aa_bound));
        comparison.cpu_verdict = verdict(comparison.server_cpu, judged_by(comparison.cpu_aa_bound));
    }
    let mut variants: Vec<usize> = pairs.iter().flat_map(|(_, pair)| [pair.baseline, pair.variant]).collect();
    variants.sort_unstable();
    variants.dedup();
    let variants =
        variants.into_iter().filter_map(|variant| summary::summarise(run, condition, variant, blocks)).collect();
    let aa_bound = throughput.largest().filter(|_| mix.is_none());
    ConditionResult { condition, aa_bound, variants, comparisons }
}

/// How far from 1 the intervals of A/A pairs reach, by server.
struct AaBounds(Vec<(Option<usize>, f64)>);

impl AaBounds {
    fn of(run: &Run, comparisons: &[Comparison], ratio: fn(&Comparison) -> Option<Estimate>) -> Self {
        let controls = comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
        let bound = |control: &Comparison| Some((server_of(run, control.baseline), reach(ratio(control)?)));
        Self(controls.filter_map(bound).collect())
    }

    fn largest(&self) -> Option<f64> {
        self.0.iter().map(|(_, bound)| *bound).reduce(f64::max)
    }

    fn bound(&self, run: &Run, comparison: &Comparison) -> Option<f64> {
        let servers = [comparison.variant, comparison.baseline].map(|variant| server_of(run, variant));
        let own = self.0.iter().filter(|(server, _)| servers.contains(server)).map(|(_, bound)| *bound);
        own.reduce(f64::max).or_else(|| self.largest())
    }
}

fn server_of(run: &Run, variant: usize) -> Option<usize> {
    run.variants.get(variant).map(|variant| variant.server)
}

fn compare(run: &Run, index: usize, pair: &Pair, blocks: &[&Block]) -> Comparison {
    let sides = paired(run.options.mode, index, pair, blocks);
    let design = design(run);
    let throughput = of_all(&sides, |baseline, variant| Some(ratio_of(baseline, variant))).unwrap_or_default();
    let cpu = of_all(&sides, cpu_ratio_of);
    let difference = of_all(&sides, cpu_difference_of).unwrap_or_default();
    let latency = |percentile: fn(&Side) -> Option<f64>| {
        let ratios = of_all(&sides, |baseline, variant| Some(percentile(variant)? / percentile(baseline)?))?;
        ratios.ratio(design).map(Estimate::between_runs)
    };
    Comparison {
        pair: index,
        variant: pair.variant,
        baseline: pair.baseline,
        kind: pair.kind,
        blocks: sides.len(),
        replicates: by_replicate(&throughput, cpu.as_ref()),
        // The rate of an open loop is given.
        throughput: if run.options.rate.is_some() {
            None
        } else {
            throughput.ratio(design).or_else(|| of_logs(&sides)).map(Estimate::between_runs)
        },
        server_cpu: cpu.and_then(|cpu| cpu.ratio(design)).map(Estimate::between_runs),
        server_cpu_difference_us: difference.difference(design),
        latency: LatencyRatios {
            p50: latency(|side| side.latency.p50_ms),
            p95: latency(|side| side.latency.p95_ms),
            p99: latency(|side| side.latency.p99_ms),
        },
        aa_bound: None,
        cpu_aa_bound: None,
        verdict: Verdict::NotMeasured,
        cpu_verdict: Verdict::NotMeasured,
        not_comparable: comparability::not_comparable(run, pair, &sides),
    }
}

pub(crate) fn design(run: &Run) -> Design {
    Design { replicates: run.options.replicates, seed: run.options.seed }
}

/// A figure of each block; `None` where a block doesn't tell it.
pub(crate) fn of_all(sides: &[Paired<'_>], figure: impl Fn(&Side, &Side) -> Option<f64>) -> Option<Nested> {
    sides.iter().map(|own| Some((own.replicate, figure(own.baseline, own.variant)?))).collect()
}

fn by_replicate(throughput: &Nested, cpu: Option<&Nested>) -> Vec<ReplicateResult> {
    let cpu: BTreeMap<u32, f64> = cpu.map(means).unwrap_or_default();
    let all = means(throughput).into_iter();
    all.map(|(replicate, throughput)| ReplicateResult {
        replicate,
        throughput,
        server_cpu: cpu.get(&replicate).copied(),
    })
    .collect()
}

fn means(nested: &Nested) -> BTreeMap<u32, f64> {
    nested.by_replicate().filter_map(|(replicate, values)| Some((replicate, stats::geometric_mean(values)?))).collect()
}

/// The ratio of two logs of which there is one each: that of their totals, with what their own intervals vary. What changed on the machine
/// between the two is not in it.
fn of_logs(sides: &[Paired<'_>]) -> Option<Estimate> {
    let [Paired { baseline, variant, .. }] = sides else { return None };
    let rates = |side: &Side| -> Option<Vec<f64>> {
        Some(side.log.as_ref()?.intervals.iter().map(|interval| interval.transactions_per_s).collect())
    };
    stats::unpaired(ratio_of(baseline, variant), &rates(variant)?, &rates(baseline)?)
}

#[cfg(test)]
mod tests;
