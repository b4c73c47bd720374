//! Comparison of two runs: a pure function of both runs and their blocks.
//!
//! The runs are not paired. A change of the machine between the runs affects the throughput of
//! variants, and no interval over the blocks of one run covers such a change. A ratio to the
//! baseline is hardly affected, since both of its sides are from the same run. Therefore both
//! throughputs and ratios are compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::{Estimate, ReplicateValues};

use crate::analysis::{
    Analysis, Comparison, ConditionResult, Verdict, analyse, collect_by_replicate, judge, representative_sides,
};
use crate::environment::{self, EnvironmentDifference, differences};
use crate::model::{Block, Condition, PairKind, Run, Side};
use crate::pairing::{pair_sides, throughput_ratio};

/// Comparison of an earlier run with a later one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunComparison {
    /// Whether processor, cores and memory are the same. If not, verdicts on throughput are to be
    /// ignored, since the machine may be their cause.
    pub same_machine: bool,
    /// Differences in version of `weigh`, machine, servers, settings and options.
    pub environment: Vec<EnvironmentDifference>,
    /// Throughput of each variant and condition that both runs measured, without copies.
    pub throughputs: Vec<ThroughputChange>,
    /// Ratio of each pair that both runs measured, without A/A pairs.
    pub ratios: Vec<RatioChange>,
    /// Conditions and variants that only the earlier run has, as text.
    pub only_before: Vec<String>,
    /// Conditions and variants that only the later run has, as text.
    pub only_after: Vec<String>,
}

/// Change of a variant's throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputChange {
    pub condition: Condition,
    /// Server name in the earlier run.
    pub server: String,
    pub collation: String,
    pub connection_charset: String,
    /// Statements per second in the earlier and the later run.
    pub queries_per_s: [f64; 2],
    /// Throughput ratio, later / earlier run.
    pub throughput: Estimate,
    /// Ratio of server CPU time per statement, later / earlier run.
    pub server_cpu: Option<Estimate>,
    pub verdict: Verdict,
}

/// Change of the ratio of a variant to its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioChange {
    pub condition: Condition,
    /// Server name in the earlier run.
    pub server: String,
    pub collation: String,
    pub connection_charset: String,
    /// Baseline: a collation, or the control server in a cross-server pair.
    pub baseline: String,
    /// Throughput ratio in the earlier run.
    pub before: Estimate,
    /// Throughput ratio in the later run.
    pub after: Estimate,
    /// `after` / `before`.
    pub change: Estimate,
    /// Difference of server CPU time per statement in µs, variant − baseline, in the earlier and
    /// the later run.
    #[serde(default)]
    pub server_cpu_more_us: [Option<Estimate>; 2],
    /// Verdict on `change`.
    pub verdict: Verdict,
}

/// A run with its counted blocks and results.
struct AnalysedRun<'a> {
    run: &'a Run,
    blocks: Vec<&'a Block>,
    analysis: Analysis,
}

impl<'a> AnalysedRun<'a> {
    fn new((run, blocks): (&'a Run, &'a [Block])) -> Self {
        let counted = blocks.iter().filter(|block| !block.warm_up).collect();
        Self { run, blocks: counted, analysis: analyse(run, blocks) }
    }

    /// Returns the independent ratios of a pair: one per replicate, or one per block if there is
    /// only one replicate.
    fn ratios(&self, index: usize) -> Option<Vec<f64>> {
        let pair = &self.run.pairs[index];
        let own: Vec<&Block> = self.blocks.iter().copied().filter(|block| block.condition == pair.condition).collect();
        let sides = pair_sides(self.run.options.mode, index, pair, &own);
        collect_by_replicate(&sides, |baseline, variant| Some(throughput_ratio(baseline, variant)))?
            .independent_values()
    }

    fn condition(&self, wanted: &Condition) -> Option<&ConditionResult> {
        self.analysis.conditions.iter().find(|result| self.run.conditions[result.condition] == *wanted)
    }
}

/// Compares an earlier run with a later one.
///
/// Matches variants by server, collation, connection charset and text, and conditions by workload,
/// text and threads. Matches servers by name, and those without a match in their order.
pub fn compare_runs(before: (&Run, &[Block]), after: (&Run, &[Block])) -> RunComparison {
    let (before, after) = (AnalysedRun::new(before), AnalysedRun::new(after));
    let servers = match_servers(before.run, after.run);
    let mut change = RunComparison {
        same_machine: environment::is_same_machine(before.run, after.run),
        environment: differences(before.run, after.run, &servers),
        throughputs: Vec::new(),
        ratios: Vec::new(),
        only_before: Vec::new(),
        only_after: Vec::new(),
    };
    for old in &before.analysis.conditions {
        let condition = &before.run.conditions[old.condition];
        let Some(new) = after.condition(condition) else {
            change.only_before.push(condition.to_string());
            continue;
        };
        let join = ConditionJoin { before: &before, after: &after, old, new, servers: &servers };
        join.throughputs(&mut change);
        join.ratios(&mut change);
    }
    let missing = after
        .analysis
        .conditions
        .iter()
        .map(|condition| &after.run.conditions[condition.condition])
        .filter(|condition| before.condition(condition).is_none());
    change.only_after.extend(missing.map(ToString::to_string));
    change
}

/// Returns the later run's server for each server of the earlier run.
fn match_servers(before: &Run, after: &Run) -> Vec<Option<usize>> {
    let by_name = |label: &str| after.servers.iter().position(|server| server.label == label);
    let named: Vec<Option<usize>> = before.servers.iter().map(|server| by_name(&server.label)).collect();
    let mut rest =
        (0..after.servers.len()).filter(|index| !named.contains(&Some(*index))).collect::<Vec<_>>().into_iter();
    named.iter().map(|server| server.or_else(|| rest.next())).collect()
}

/// A condition that was measured in both runs.
struct ConditionJoin<'a> {
    before: &'a AnalysedRun<'a>,
    after: &'a AnalysedRun<'a>,
    old: &'a ConditionResult,
    new: &'a ConditionResult,
    servers: &'a [Option<usize>],
}

impl ConditionJoin<'_> {
    fn throughputs(&self, change: &mut RunComparison) {
        let mut joined = Vec::new();
        for result in self.old.variants.iter().filter(|result| !self.before.run.variants[result.variant].copy) {
            let later = self.new.variants.iter().find(|later| self.is_same_variant(result.variant, later.variant));
            match later {
                Some(later) => {
                    joined.push(later.variant);
                    change.throughputs.extend(self.throughput(result.variant, later.variant));
                }
                None => change.only_before.push(describe_variant(self.before.run, result.variant, self.old)),
            }
        }
        let new = self.new.variants.iter().map(|result| result.variant);
        let others = new.filter(|variant| !joined.contains(variant) && !self.after.run.variants[*variant].copy);
        change.only_after.extend(others.map(|variant| describe_variant(self.after.run, variant, self.new)));
    }

    /// Whether a variant of the earlier run is the same as one of the later run.
    fn is_same_variant(&self, old: usize, new: usize) -> bool {
        let (one, other) = (&self.before.run.variants[old], &self.after.run.variants[new]);
        self.servers[one.server] == Some(other.server)
            && one.copy == other.copy
            && (&one.collation, &one.connection_charset, &one.text)
                == (&other.collation, &other.connection_charset, &other.text)
    }

    fn throughput(&self, old: usize, new: usize) -> Option<ThroughputChange> {
        let sides = [
            representative_sides(self.before.run, self.old.condition, old, &self.before.blocks),
            representative_sides(self.after.run, self.new.condition, new, &self.after.blocks),
        ];
        let throughput = change_of_figure(&sides, |side| Some(side.queries as f64 / side.seconds))?;
        let rate = |sides: &[(Option<u32>, &Side)]| {
            sides.iter().map(|(_, side)| side.queries as f64).sum::<f64>()
                / sides.iter().map(|(_, side)| side.seconds).sum::<f64>()
        };
        let variant = &self.before.run.variants[old];
        Some(ThroughputChange {
            condition: self.before.run.conditions[self.old.condition].clone(),
            server: self.before.run.servers[variant.server].label.clone(),
            collation: variant.collation.clone(),
            connection_charset: variant.connection_charset.clone(),
            queries_per_s: [rate(&sides[0]), rate(&sides[1])],
            throughput,
            server_cpu: change_of_figure(&sides, |side| side.server_cpu_us),
            verdict: judge(Some(throughput), self.aa_bound()),
        })
    }

    /// The larger of the two runs' A/A bounds.
    fn aa_bound(&self) -> f64 {
        self.old.aa_bound.unwrap_or(0.0).max(self.new.aa_bound.unwrap_or(0.0))
    }

    fn ratios(&self, change: &mut RunComparison) {
        let asked = self.old.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
        let joined = asked.filter_map(|old| Some((old, self.find_later_comparison(old)?)));
        change.ratios.extend(joined.filter_map(|(old, new)| self.ratio(old, new)));
    }

    fn find_later_comparison(&self, old: &Comparison) -> Option<&Comparison> {
        let is_match = |new: &&Comparison| {
            new.kind == old.kind
                && self.is_same_variant(old.variant, new.variant)
                && self.is_same_variant(old.baseline, new.baseline)
        };
        self.new.comparisons.iter().find(is_match)
    }

    fn ratio(&self, old: &Comparison, new: &Comparison) -> Option<RatioChange> {
        let run = self.before.run;
        let variant = &run.variants[old.variant];
        let baseline = &run.variants[old.baseline];
        let (before, after) = (old.throughput?, new.throughput?);
        let change = stats::change_ratio(&self.before.ratios(old.pair)?, &self.after.ratios(new.pair)?)?
            .with_spread_of_costs(before.value.ln().hypot(after.value.ln()));
        Some(RatioChange {
            condition: run.conditions[self.old.condition].clone(),
            server: run.servers[variant.server].label.clone(),
            collation: variant.collation.clone(),
            connection_charset: variant.connection_charset.clone(),
            baseline: match old.kind {
                PairKind::Server => run.servers[baseline.server].label.clone(),
                PairKind::AA | PairKind::Collation => baseline.collation.clone(),
            },
            before,
            after,
            change,
            server_cpu_more_us: [old.server_cpu_difference_us, new.server_cpu_difference_us],
            verdict: judge(Some(change), self.aa_bound()),
        })
    }
}

/// Computes the change of a figure over replicates, or over blocks if there is only one replicate.
/// `None` if a side lacks the figure, or a run has fewer than two values.
fn change_of_figure(sides: &[Vec<(Option<u32>, &Side)>; 2], figure: impl Fn(&Side) -> Option<f64>) -> Option<Estimate> {
    let values = |sides: &[(Option<u32>, &Side)]| -> Option<Vec<f64>> {
        let nested: Option<ReplicateValues> =
            sides.iter().map(|(replicate, side)| Some((*replicate, figure(side)?))).collect();
        nested?.independent_values()
    };
    stats::change_ratio(&values(&sides[0])?, &values(&sides[1])?)
}

fn describe_variant(run: &Run, variant: usize, condition: &ConditionResult) -> String {
    let own = &run.variants[variant];
    format!("{} on {}, {}", own.collation, run.servers[own.server].label, run.conditions[condition.condition])
}

#[cfg(test)]
mod tests;
