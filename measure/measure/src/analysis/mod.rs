//! Analysis: from blocks to results. A pure function of a run and its blocks.
//!
//! ```text
//! blocks ─▶ side pairs ─▶ ratio per block ─▶ mean per replicate ─▶ interval ─▶ verdict
//! ```

mod comparability;
mod multiple_testing;
mod results;
mod self_test;
mod summary;
mod verdict;

use std::collections::BTreeMap;

use stats::{Design, Estimate, ReplicateValues, quantile};

use crate::model::{Block, Pair, PairKind, Run, Side};
use crate::pairing::{SidePair, cpu_difference, cpu_ratio, pair_sides, throughput_ratio};
use verdict::distance_from_one;

pub use comparability::{Incomparability, find_different_work};
pub use results::{Analysis, Comparison, ConditionResult, LatencyRatios, ReplicateResult, VariantResult};
pub use self_test::{ExtraWorkResult, SELF_TEST_EXTRA_WORK, SelfTest, summarise_self_test};
pub(crate) use summary::representative_sides;
pub use verdict::{Verdict, judge, plausible_range};

pub fn analyse(run: &Run, blocks: &[Block]) -> Analysis {
    let counted: Vec<&Block> = blocks.iter().filter(|block| !block.warm_up).collect();
    let mut conditions: Vec<ConditionResult> = Vec::new();
    for condition in 0..run.conditions.len() {
        let own: Vec<&Block> = counted.iter().copied().filter(|block| block.condition == condition).collect();
        conditions.push(analyse_condition(run, condition, &own, find_mix(run, condition, &conditions)));
    }
    multiple_testing::withdraw_chance_verdicts(run, &mut conditions);
    let stolen: Vec<f64> = counted.iter().filter_map(|block| block.stolen).collect();
    let stolen = (!stolen.is_empty()).then(|| stolen.iter().sum::<f64>() / stolen.len() as f64);
    Analysis { conditions, stolen, cpu_spread: baseline_cpu_spread(run, &counted) }
}

/// Minimum number of blocks for the 10th and 90th percentile.
const MIN_BLOCKS_FOR_PERCENTILES: usize = 10;

/// Returns how much the machine's speed varied: the largest spread (90th percentile / 10th
/// percentile − 1) of a baseline's server CPU time per statement over the blocks of a condition.
/// `None` for workload folders, for imported runs, and with CPU times of fewer than ten blocks.
fn baseline_cpu_spread(run: &Run, counted: &[&Block]) -> Option<f64> {
    if run.workload_folder.is_some() || run.imported.is_some() {
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
    let spreads = baselines.into_values().filter(|values| values.len() >= MIN_BLOCKS_FOR_PERCENTILES).map(spread);
    spreads.filter(|spread| spread.is_finite()).max_by(f64::total_cmp)
}

/// If the condition measures a single statement class: returns the condition of all classes
/// together (the mix) with the same number of connections. The A/A pairs of the mix also apply to
/// the single class.
fn find_mix<'a>(run: &Run, condition: usize, before: &'a [ConditionResult]) -> Option<&'a ConditionResult> {
    let (folder, own) = (run.workload_folder.as_ref()?, &run.conditions[condition]);
    folder.find_class(&own.workload)?;
    let is_mix = |result: &&ConditionResult| {
        let other = &run.conditions[result.condition];
        other.workload == folder.name && other.threads == own.threads
    };
    before.iter().find(is_mix)
}

fn analyse_condition(run: &Run, condition: usize, blocks: &[&Block], mix: Option<&ConditionResult>) -> ConditionResult {
    let pairs: Vec<(usize, &Pair)> =
        run.pairs.iter().enumerate().filter(|(_, pair)| pair.condition == condition).collect();
    let mut comparisons: Vec<Comparison> =
        pairs.iter().map(|&(index, pair)| compare(run, index, pair, blocks)).collect();
    let controlled = mix.map_or(&comparisons, |mix| &mix.comparisons);
    let throughput = AaBounds::from_comparisons(run, controlled, |comparison| comparison.throughput);
    let cpu = AaBounds::from_comparisons(run, controlled, |comparison| comparison.server_cpu);
    for comparison in &mut comparisons {
        comparison.aa_bound = throughput.bound(run, comparison);
        comparison.cpu_aa_bound = cpu.bound(run, comparison);
        // The verdict of an A/A pair does not use its own bound.
        let judged_by = |bound: Option<f64>| if comparison.kind == PairKind::AA { 0.0 } else { bound.unwrap_or(0.0) };
        comparison.verdict = judge(comparison.throughput, judged_by(comparison.aa_bound));
        comparison.cpu_verdict = judge(comparison.server_cpu, judged_by(comparison.cpu_aa_bound));
    }
    let mut variants: Vec<usize> = pairs.iter().flat_map(|(_, pair)| [pair.baseline, pair.variant]).collect();
    variants.sort_unstable();
    variants.dedup();
    let variants =
        variants.into_iter().filter_map(|variant| summary::summarise(run, condition, variant, blocks)).collect();
    let aa_bound = throughput.largest().filter(|_| mix.is_none());
    ConditionResult { condition, aa_bound, variants, comparisons }
}

/// A/A bounds by server: how far the intervals of A/A pairs reach from 1.
struct AaBounds(Vec<(Option<usize>, f64)>);

impl AaBounds {
    fn from_comparisons(run: &Run, comparisons: &[Comparison], ratio: fn(&Comparison) -> Option<Estimate>) -> Self {
        let controls = comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
        let bound =
            |control: &Comparison| Some((server_index(run, control.baseline), distance_from_one(ratio(control)?)));
        Self(controls.filter_map(bound).collect())
    }

    fn largest(&self) -> Option<f64> {
        self.0.iter().map(|(_, bound)| *bound).reduce(f64::max)
    }

    fn bound(&self, run: &Run, comparison: &Comparison) -> Option<f64> {
        let servers = [comparison.variant, comparison.baseline].map(|variant| server_index(run, variant));
        let own = self.0.iter().filter(|(server, _)| servers.contains(server)).map(|(_, bound)| *bound);
        own.reduce(f64::max).or_else(|| self.largest())
    }
}

fn server_index(run: &Run, variant: usize) -> Option<usize> {
    run.variants.get(variant).map(|variant| variant.server)
}

fn compare(run: &Run, index: usize, pair: &Pair, blocks: &[&Block]) -> Comparison {
    let sides = pair_sides(run.options.mode, index, pair, blocks);
    let design = design(run);
    let throughput =
        collect_by_replicate(&sides, |baseline, variant| Some(throughput_ratio(baseline, variant))).unwrap_or_default();
    let cpu = collect_by_replicate(&sides, cpu_ratio);
    let difference = collect_by_replicate(&sides, cpu_difference).unwrap_or_default();
    let latency = |percentile: fn(&Side) -> Option<f64>| {
        let ratios =
            collect_by_replicate(&sides, |baseline, variant| Some(percentile(variant)? / percentile(baseline)?))?;
        ratios.mean_ratio(design).map(Estimate::with_run_to_run_spread)
    };
    Comparison {
        pair: index,
        variant: pair.variant,
        baseline: pair.baseline,
        kind: pair.kind,
        blocks: sides.len(),
        replicates: replicate_results(&throughput, cpu.as_ref()),
        // In an open loop the rate is given, so throughput is not a result.
        throughput: if run.options.rate.is_some() {
            None
        } else {
            throughput.mean_ratio(design).or_else(|| ratio_from_logs(&sides)).map(Estimate::with_run_to_run_spread)
        },
        server_cpu: cpu.and_then(|cpu| cpu.mean_ratio(design)).map(Estimate::with_run_to_run_spread),
        server_cpu_difference_us: difference.mean_difference(design),
        latency: LatencyRatios {
            p50: latency(|side| side.latency.p50_ms),
            p95: latency(|side| side.latency.p95_ms),
            p99: latency(|side| side.latency.p99_ms),
        },
        aa_bound: None,
        cpu_aa_bound: None,
        verdict: Verdict::NotMeasured,
        cpu_verdict: Verdict::NotMeasured,
        not_comparable: comparability::find_incomparabilities(run, pair, &sides),
    }
}

pub(crate) fn design(run: &Run) -> Design {
    Design { replicates: run.options.replicates, seed: run.options.seed }
}

/// Computes a figure of each side pair and groups the values by replicate. `None` if a pair lacks
/// the figure.
pub(crate) fn collect_by_replicate(
    sides: &[SidePair<'_>],
    figure: impl Fn(&Side, &Side) -> Option<f64>,
) -> Option<ReplicateValues> {
    sides.iter().map(|own| Some((own.replicate, figure(own.baseline, own.variant)?))).collect()
}

fn replicate_results(throughput: &ReplicateValues, cpu: Option<&ReplicateValues>) -> Vec<ReplicateResult> {
    let cpu: BTreeMap<u32, f64> = cpu.map(replicate_means).unwrap_or_default();
    let all = replicate_means(throughput).into_iter();
    all.map(|(replicate, throughput)| ReplicateResult {
        replicate,
        throughput,
        server_cpu: cpu.get(&replicate).copied(),
    })
    .collect()
}

fn replicate_means(nested: &ReplicateValues) -> BTreeMap<u32, f64> {
    nested.by_replicate().filter_map(|(replicate, values)| Some((replicate, stats::geometric_mean(values)?))).collect()
}

/// Returns the ratio of the totals of two imported logs. The interval is from the variation of the
/// intermediate reports, and does not cover changes of the machine between the two logs.
fn ratio_from_logs(sides: &[SidePair<'_>]) -> Option<Estimate> {
    let [SidePair { baseline, variant, .. }] = sides else { return None };
    let rates = |side: &Side| -> Option<Vec<f64>> {
        Some(side.log.as_ref()?.intervals.iter().map(|interval| interval.transactions_per_s).collect())
    };
    stats::unpaired_ratio(throughput_ratio(baseline, variant), &rates(variant)?, &rates(baseline)?)
}

#[cfg(test)]
mod tests;
