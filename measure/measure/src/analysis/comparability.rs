//! Comparability of the two sides of a pair. If they differ in weights, plans, rows or work besides
//! what the pair compares, the ratio does not measure the collation alone, and outputs say so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Pair, PairKind, PlanStep, QueryPlan, Run, Side, has_same_name_but_different_weights};
use crate::pairing::SidePair;

/// Relative difference in rows per statement above which the sides are not comparable. Random
/// differences stay below this limit: some ranges are cut short at the end of the table.
const MAX_ROW_DIFFERENCE: f64 = 0.03;

/// Relative difference of a status counter above which the sides are not comparable, if the
/// difference also exceeds [`MIN_WORK_DIFFERENCE`] per statement. Random differences stay below
/// this limit: statements choose their rows at random.
const MAX_WORK_DIFFERENCE: f64 = 0.05;
const MIN_WORK_DIFFERENCE: f64 = 0.1;

/// A reason why the two sides of a pair are not comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Incomparability {
    /// A cross-server pair with two collations: two differences at once.
    Collation,
    /// The collations have the same name, but different weights on the two servers.
    Weights,
    /// The statements returned different numbers of rows.
    Rows {
        /// Rows per statement of the variant.
        variant: f64,
        /// Rows per statement of the baseline.
        baseline: f64,
    },
    /// A statement has different query plans, so the difference is not due to the collation alone.
    Plan {
        statement: String,
        /// The variant's plan per table: access type, index, extra information.
        variant: String,
        /// The baseline's plan in the same form.
        baseline: String,
    },
    /// The statements caused different amounts of work in the server.
    Work {
        /// Status counter with the largest relative difference.
        counter: String,
        /// Count per statement of the variant.
        variant: f64,
        /// Count per statement of the baseline.
        baseline: f64,
    },
}

impl fmt::Display for Incomparability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparability::Collation => f.write_str("another server and another collation, two differences at once"),
            Incomparability::Weights => {
                f.write_str("the name is the same, the weights are not: MySQL's are of UCA 9.0.0, MariaDB's of 14.0.0")
            }
            Incomparability::Plan { statement, variant, baseline } => {
                write!(
                    f,
                    "the plans differ, so it is not the collation alone: {statement}: {variant} against {baseline}"
                )
            }
            Incomparability::Work { counter, variant, baseline } => {
                write!(
                    f,
                    "the work differs, so it is not the collation alone: {counter} {variant:.2} a statement against {baseline:.2}"
                )?;
                self.explain().map_or(Ok(()), |explanation| write!(f, " ({explanation})"))
            }
            Incomparability::Rows { variant, baseline } => {
                write!(f, "{variant:.1} rows a statement against {baseline:.1}")
            }
        }
    }
}

impl Incomparability {
    /// Says in words what a status counter means that differs. `None` for other reasons, and for
    /// counters whose names say it.
    pub fn explain(&self) -> Option<&'static str> {
        let Self::Work { counter, variant, baseline } = self else { return None };
        match (counter.as_str(), variant > baseline) {
            ("Handler_read_rnd", true) => Some(
                "the server sorts row ids and fetches the rows again, instead of carrying their columns in the sort",
            ),
            ("Handler_read_rnd", false) => Some(
                "the baseline sorts row ids and fetches the rows again, instead of carrying their columns in the sort",
            ),
            ("Created_tmp_disk_tables", _) => Some("temporary tables on disk instead of in memory"),
            ("Sort_merge_passes", _) => Some("sorts that exceed the sort buffer, and so merge files"),
            _ => None,
        }
    }
}

/// Returns the reasons why the sides of a pair are not comparable: collation, query plans, rows
/// returned, work in the server.
pub(crate) fn find_incomparabilities(run: &Run, pair: &Pair, sides: &[SidePair<'_>]) -> Vec<Incomparability> {
    // Blocks of a mix contain different calls by chance. The pairs of the single classes are
    // checked instead.
    let has_same_calls = !is_mix(run, pair);
    let by_rows = compare_row_counts(sides).filter(|_| has_same_calls);
    // Different rows explain different work, so work is compared only if the rows agree.
    let by_work = if by_rows.is_some() || !has_same_calls { None } else { compare_work(run, pair, sides) };
    compare_collations(run, pair).into_iter().chain(compare_plans(run, pair)).chain(by_rows).chain(by_work).collect()
}

/// Whether a pair measures several statement classes of a workload folder together (a mix).
fn is_mix(run: &Run, pair: &Pair) -> bool {
    let name = &run.conditions[pair.condition].workload;
    run.workload_folder.as_ref().is_some_and(|folder| folder.find_class(name).is_none() && folder.classes.len() > 1)
}

fn compare_collations(run: &Run, pair: &Pair) -> Option<Incomparability> {
    let (variant, baseline) = (run.variants.get(pair.variant)?, run.variants.get(pair.baseline)?);
    if pair.kind != PairKind::Server {
        None
    } else if !server::is_same_collation(&variant.collation, &baseline.collation) {
        Some(Incomparability::Collation)
    } else {
        has_same_name_but_different_weights(run, variant, baseline).then_some(Incomparability::Weights)
    }
}

fn compare_row_counts(sides: &[SidePair<'_>]) -> Option<Incomparability> {
    let variant = rows_per_statement(sides.iter().map(|own| own.variant))?;
    let baseline = rows_per_statement(sides.iter().map(|own| own.baseline))?;
    ((variant - baseline).abs() > MAX_ROW_DIFFERENCE * baseline).then_some(Incomparability::Rows { variant, baseline })
}

fn rows_per_statement<'a>(sides: impl Iterator<Item = &'a Side>) -> Option<f64> {
    let (mut rows, mut queries) = (0.0, 0.0);
    for side in sides {
        rows += side.rows? as f64;
        queries += side.queries as f64;
    }
    (queries > 0.0).then(|| rows / queries)
}

/// Returns the first statement whose plans differ in table, access type, index or extra
/// information. For a cross-server pair, the extra information is not compared: versions and
/// flavours word the extra information differently.
fn compare_plans(run: &Run, pair: &Pair) -> Option<Incomparability> {
    let plans_of = |variant: usize| {
        run.plans.iter().filter(move |plan| plan.condition == pair.condition && plan.variant == variant)
    };
    let differs = |one: &QueryPlan, other: &QueryPlan| {
        let step = |step: &PlanStep| {
            let extra = if pair.kind == PairKind::Server { None } else { step.extra.clone() };
            (step.table.clone(), step.access.clone(), step.key.clone(), extra)
        };
        !one.steps.iter().map(step).eq(other.steps.iter().map(step))
    };
    plans_of(pair.variant).find_map(|variant| {
        let baseline = plans_of(pair.baseline).find(|plan| plan.statement == variant.statement)?;
        let format_plan = |plan: &QueryPlan| plan.steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        differs(variant, baseline).then(|| Incomparability::Plan {
            statement: variant.statement.clone(),
            variant: format_plan(variant),
            baseline: format_plan(baseline),
        })
    })
}

/// Returns the counter with the largest relative difference beyond chance. `None` for a
/// cross-server pair, since servers count differently, and for a pair with injected extra work.
fn compare_work(run: &Run, pair: &Pair, sides: &[SidePair<'_>]) -> Option<Incomparability> {
    let has_extra_work = |variant: usize| run.variants.get(variant).is_some_and(|variant| variant.extra_work.is_some());
    if pair.kind == PairKind::Server || has_extra_work(pair.variant) || has_extra_work(pair.baseline) {
        return None;
    }
    let known: Vec<(&Side, &Side)> = sides.iter().map(|own| (own.baseline, own.variant)).collect();
    let known: Vec<_> =
        known.into_iter().filter(|(one, other)| !one.work.is_empty() && !other.work.is_empty()).collect();
    let variant = mean_work(known.iter().map(|(_, variant)| *variant));
    let baseline = mean_work(known.iter().map(|(baseline, _)| *baseline));
    find_different_work(&variant, &baseline)
}

/// Returns the mean of each status counter over blocks.
fn mean_work<'s>(blocks: impl ExactSizeIterator<Item = &'s Side>) -> BTreeMap<String, f64> {
    let number = blocks.len() as f64;
    let mut means = BTreeMap::new();
    for (counter, count) in blocks.flat_map(|side| &side.work) {
        *means.entry(counter.clone()).or_default() += count / number;
    }
    means
}

/// Compares status counters per statement. Returns the counter with the largest relative difference
/// beyond chance.
pub fn find_different_work(
    variant: &BTreeMap<String, f64>,
    baseline: &BTreeMap<String, f64>,
) -> Option<Incomparability> {
    let count_of = |work: &BTreeMap<String, f64>, counter: &String| work.get(counter).copied().unwrap_or(0.0);
    let counters: BTreeSet<&String> = variant.keys().chain(baseline.keys()).collect();
    let differences = counters.into_iter().filter_map(|counter| {
        let (variant, baseline) = (count_of(variant, counter), count_of(baseline, counter));
        let difference = (variant - baseline).abs();
        let most = variant.max(baseline);
        let is_beyond_chance = difference > MAX_WORK_DIFFERENCE * most && difference > MIN_WORK_DIFFERENCE;
        is_beyond_chance.then_some((difference / most, counter, variant, baseline))
    });
    let (_, counter, variant, baseline) = differences.max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Incomparability::Work { counter: counter.clone(), variant, baseline })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_fetched_again_are_explained() {
        let work = |again: f64| BTreeMap::from([("Handler_read_rnd".into(), again), ("Sort_rows".into(), 10.0)]);
        let found = find_different_work(&work(12.5), &work(6.2)).unwrap();
        assert!(found.explain().unwrap().starts_with("the server sorts row ids"), "{found}");
        let found = find_different_work(&work(6.2), &work(12.5)).unwrap();
        assert!(found.to_string().contains("6.20 a statement against 12.50 (the baseline sorts row ids"), "{found}");
        assert_eq!(find_different_work(&work(6.2), &work(6.3)), None);
    }
}
