//! What changed from one run to another: a pure function of two runs and their blocks.
//!
//! Two runs are not paired: whatever moved the machine in between is in the throughput of both, and no interval over the blocks of each
//! knows of it. A ratio to the baseline is of one run, so what moved both sides of it cancels; that is why both are compared.

mod environment;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, Comparison, ConditionResult, analyse, home_sides, of_all};
use crate::model::{Block, Condition, PairKind, Run, Side};
use crate::nested::Nested;
use crate::pairing::paired;
use crate::schedule::ratio_of;
use crate::stats::{self, Estimate};
use crate::verdict::{Verdict, verdict};

pub use environment::Difference;
pub(crate) use environment::differences;

/// What changed from a run to another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunChange {
    /// Whether both ran on a machine of the same description. Where not, throughput is not judged, ratios are.
    pub same_machine: bool,
    /// How machine, servers, settings and options differ.
    pub environment: Vec<Difference>,
    /// The throughput of each variant that both runs have, in each condition that both have.
    pub throughputs: Vec<ThroughputChange>,
    /// The ratio of each pair that both runs have.
    pub ratios: Vec<RatioChange>,
    /// What only the earlier run has measured, in words.
    pub only_before: Vec<String>,
    /// What only the later run has measured, in words.
    pub only_after: Vec<String>,
}

/// How the throughput of a variant changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputChange {
    /// The condition.
    pub condition: Condition,
    /// The server's name in the earlier run.
    pub server: String,
    /// The collation.
    pub collation: String,
    /// Charset of the connections.
    pub connection_charset: String,
    /// Queries a second, before and after.
    pub queries_per_s: [f64; 2],
    /// The throughput after for each unit before.
    pub throughput: Estimate,
    /// Server CPU time a statement, in the same way.
    pub server_cpu: Option<Estimate>,
    /// What can be said of the throughput.
    pub verdict: Verdict,
}

/// How the ratio of a variant to its baseline changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioChange {
    /// The condition.
    pub condition: Condition,
    /// The server's name in the earlier run.
    pub server: String,
    /// The collation.
    pub collation: String,
    /// Charset of the connections.
    pub connection_charset: String,
    /// What it is held against: a collation, or with a pair of servers, a server.
    pub baseline: String,
    /// The ratio before.
    pub before: Estimate,
    /// The ratio after.
    pub after: Estimate,
    /// The ratio after for each unit of the one before.
    pub change: Estimate,
    /// By how many µs of server CPU a statement took more than one of the baseline, before and after.
    #[serde(default)]
    pub server_cpu_more_us: [Option<Estimate>; 2],
    /// What can be said of the ratio of throughputs.
    pub verdict: Verdict,
}

/// A run with what follows from it.
struct Measured<'a> {
    run: &'a Run,
    blocks: Vec<&'a Block>,
    analysis: Analysis,
}

impl<'a> Measured<'a> {
    fn new((run, blocks): (&'a Run, &'a [Block])) -> Self {
        let counted = blocks.iter().filter(|block| !block.warm_up).collect();
        Self { run, blocks: counted, analysis: analyse(run, blocks) }
    }

    /// The independent ratios of a pair: its replicates, or its blocks where there is only one replicate.
    fn ratios(&self, index: usize) -> Option<Vec<f64>> {
        let pair = &self.run.pairs[index];
        let own: Vec<&Block> = self.blocks.iter().copied().filter(|block| block.condition == pair.condition).collect();
        let sides = paired(self.run.options.mode, index, pair, &own);
        of_all(&sides, |baseline, variant| Some(ratio_of(baseline, variant)))?.independent()
    }

    fn condition(&self, wanted: &Condition) -> Option<&ConditionResult> {
        self.analysis.conditions.iter().find(|result| self.run.conditions[result.condition] == *wanted)
    }
}

/// Tells what changed from an earlier run to a later one.
///
/// Variants are joined by server, collation and connection charset; conditions by workload, text and threads. Servers are joined by their
/// names, and those whose name the other run does not have in their order.
pub fn change(before: (&Run, &[Block]), after: (&Run, &[Block])) -> RunChange {
    let (before, after) = (Measured::new(before), Measured::new(after));
    let servers = join_servers(before.run, after.run);
    let mut change = RunChange {
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
        let join = Join { before: &before, after: &after, old, new, servers: &servers };
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

/// The server of the later run for each of the earlier.
fn join_servers(before: &Run, after: &Run) -> Vec<Option<usize>> {
    let by_name = |label: &str| after.servers.iter().position(|server| server.label == label);
    let named: Vec<Option<usize>> = before.servers.iter().map(|server| by_name(&server.label)).collect();
    let mut rest =
        (0..after.servers.len()).filter(|index| !named.contains(&Some(*index))).collect::<Vec<_>>().into_iter();
    named.iter().map(|server| server.or_else(|| rest.next())).collect()
}

/// One condition that both runs have.
struct Join<'a> {
    before: &'a Measured<'a>,
    after: &'a Measured<'a>,
    old: &'a ConditionResult,
    new: &'a ConditionResult,
    servers: &'a [Option<usize>],
}

impl Join<'_> {
    fn throughputs(&self, change: &mut RunChange) {
        let mut joined = Vec::new();
        for result in self.old.variants.iter().filter(|result| !self.before.run.variants[result.variant].copy) {
            let later = self.new.variants.iter().find(|later| self.is_same(result.variant, later.variant));
            match later {
                Some(later) => {
                    joined.push(later.variant);
                    change.throughputs.extend(self.throughput(result.variant, later.variant));
                }
                None => change.only_before.push(in_words(self.before.run, result.variant, self.old)),
            }
        }
        let new = self.new.variants.iter().map(|result| result.variant);
        let others = new.filter(|variant| !joined.contains(variant) && !self.after.run.variants[*variant].copy);
        change.only_after.extend(others.map(|variant| in_words(self.after.run, variant, self.new)));
    }

    /// Whether a variant of the earlier run and one of the later are the same but for the time.
    fn is_same(&self, old: usize, new: usize) -> bool {
        let (one, other) = (&self.before.run.variants[old], &self.after.run.variants[new]);
        self.servers[one.server] == Some(other.server)
            && one.copy == other.copy
            && (&one.collation, &one.connection_charset, &one.text)
                == (&other.collation, &other.connection_charset, &other.text)
    }

    fn throughput(&self, old: usize, new: usize) -> Option<ThroughputChange> {
        let sides = [
            home_sides(self.before.run, self.old.condition, old, &self.before.blocks),
            home_sides(self.after.run, self.new.condition, new, &self.after.blocks),
        ];
        let throughput = of_sides(&sides, |side| Some(side.queries as f64 / side.seconds))?;
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
            server_cpu: of_sides(&sides, |side| side.server_cpu_us),
            verdict: verdict(Some(throughput), self.aa_bound()),
        })
    }

    /// The larger of what identical variants differed by in either run.
    fn aa_bound(&self) -> f64 {
        self.old.aa_bound.unwrap_or(0.0).max(self.new.aa_bound.unwrap_or(0.0))
    }

    fn ratios(&self, change: &mut RunChange) {
        let asked = self.old.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
        let joined = asked.filter_map(|old| Some((old, self.later(old)?)));
        change.ratios.extend(joined.filter_map(|(old, new)| self.ratio(old, new)));
    }

    fn later(&self, old: &Comparison) -> Option<&Comparison> {
        let is_twin = |new: &&Comparison| {
            new.kind == old.kind && self.is_same(old.variant, new.variant) && self.is_same(old.baseline, new.baseline)
        };
        self.new.comparisons.iter().find(is_twin)
    }

    fn ratio(&self, old: &Comparison, new: &Comparison) -> Option<RatioChange> {
        let run = self.before.run;
        let variant = &run.variants[old.variant];
        let baseline = &run.variants[old.baseline];
        let (before, after) = (old.throughput?, new.throughput?);
        let change = stats::change(&self.before.ratios(old.pair)?, &self.after.ratios(new.pair)?)?
            .with_costs(before.value.ln().hypot(after.value.ln()));
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
            verdict: verdict(Some(change), self.aa_bound()),
        })
    }
}

/// The change of a figure that every side tells, over replicates, or over blocks where there is only one replicate.
fn of_sides(sides: &[Vec<(Option<u32>, &Side)>; 2], figure: impl Fn(&Side) -> Option<f64>) -> Option<Estimate> {
    let values = |sides: &[(Option<u32>, &Side)]| -> Option<Vec<f64>> {
        let nested: Option<Nested> = sides.iter().map(|(replicate, side)| Some((*replicate, figure(side)?))).collect();
        nested?.independent()
    };
    stats::change(&values(&sides[0])?, &values(&sides[1])?)
}

fn in_words(run: &Run, variant: usize, condition: &ConditionResult) -> String {
    let own = &run.variants[variant];
    format!("{} on {}, {}", own.collation, run.servers[own.server].label, run.conditions[condition.condition])
}

#[cfg(test)]
mod tests;
