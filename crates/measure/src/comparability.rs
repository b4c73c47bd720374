//! What makes the two sides of a pair not comparable, beyond what the pair is about. Such a pair answers another question than it seems to, so
//! every output names it.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Pair, PairKind, Plan, PlanStep, Run, Side, Variant};
use crate::pairing::Paired;

/// Rows a statement that differ by more than this fraction are not chance: ranges that end with the table move it by less.
const SAME_ROWS: f64 = 0.03;

/// A counter that differs by more than this fraction, and by more than [`LEAST_WORK`] a statement, is not chance: statements draw their
/// rows at random.
const SAME_WORK: f64 = 0.05;
const LEAST_WORK: f64 = 0.1;

/// Collation names that MariaDB (since 11.4) answers to for MySQL's sake, with weights of its own: those of UCA 14.0.0, not 9.0.0.
const BORROWED: &str = "_0900_";

/// What makes the two sides of a pair not comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Incomparability {
    /// Server against server under two collations: two differences at once.
    Collation,
    /// The same name stands for other weights on the other server.
    Weights,
    /// The statements gave so many rows each, which is not the same work.
    Rows {
        /// The variant's, a statement.
        variant: f64,
        /// The baseline's.
        baseline: f64,
    },
    /// The servers carry out a statement by other plans: then it is not the collation alone.
    Plan {
        /// The statement.
        statement: String,
        /// The variant's plan, by table: how it is read, by which index, and what else is done.
        variant: String,
        /// The baseline's.
        baseline: String,
    },
    /// The statements made the servers do another amount of work.
    Work {
        /// The status counter that differs most.
        counter: String,
        /// The variant's, a statement.
        variant: f64,
        /// The baseline's.
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
                )
            }
            Incomparability::Rows { variant, baseline } => {
                write!(f, "{variant:.1} rows a statement against {baseline:.1}")
            }
        }
    }
}

/// What makes the sides of a pair not comparable: by what they are, by their plans, and by the rows that they gave and the work that they did.
pub(crate) fn not_comparable(run: &Run, pair: &Pair, sides: &[Paired<'_>]) -> Vec<Incomparability> {
    // Blocks of a mix happen to have other calls; what each class does is told by the class.
    let has_same_calls = !is_mix(run, pair);
    let by_rows = by_rows(sides).filter(|_| has_same_calls);
    // Where other rows come back, other work is what to expect.
    let by_work = if by_rows.is_some() || !has_same_calls { None } else { by_work(run, pair, sides) };
    by_collation(run, pair).into_iter().chain(by_plan(run, pair)).chain(by_rows).chain(by_work).collect()
}

/// Whether what is compared are several classes of a workload's folder together.
fn is_mix(run: &Run, pair: &Pair) -> bool {
    let name = &run.conditions[pair.condition].workload;
    run.recording.as_ref().is_some_and(|recording| recording.class_of(name).is_none() && recording.classes.len() > 1)
}

fn by_collation(run: &Run, pair: &Pair) -> Option<Incomparability> {
    let (variant, baseline) = (run.variants.get(pair.variant)?, run.variants.get(pair.baseline)?);
    if pair.kind != PairKind::Server {
        None
    } else if variant.collation != baseline.collation {
        Some(Incomparability::Collation)
    } else {
        is_only_a_namesake(run, variant, baseline).then_some(Incomparability::Weights)
    }
}

/// Whether MariaDB answers to a name with weights of its own.
pub(crate) fn is_borrowed(collation: &str) -> bool {
    collation.contains(BORROWED)
}

/// Whether the collations of two variants have one name and different weights.
pub fn is_only_a_namesake(run: &Run, one: &Variant, other: &Variant) -> bool {
    let flavour = |variant: &Variant| run.servers[variant.server].flavour;
    one.collation == other.collation && is_borrowed(&one.collation) && flavour(one) != flavour(other)
}

fn by_rows(sides: &[Paired<'_>]) -> Option<Incomparability> {
    let variant = rows_a_statement(sides.iter().map(|own| own.variant))?;
    let baseline = rows_a_statement(sides.iter().map(|own| own.baseline))?;
    ((variant - baseline).abs() > SAME_ROWS * baseline).then_some(Incomparability::Rows { variant, baseline })
}

fn rows_a_statement<'a>(sides: impl Iterator<Item = &'a Side>) -> Option<f64> {
    let (mut rows, mut queries) = (0.0, 0.0);
    for side in sides {
        rows += side.rows? as f64;
        queries += side.queries as f64;
    }
    (queries > 0.0).then(|| rows / queries)
}

/// The first statement whose plans differ: in how a table is read, by which index, or in what else is done. Servers of other flavours and
/// versions word their plans in other ways, so of two servers only the access and the index are held against each other.
fn by_plan(run: &Run, pair: &Pair) -> Option<Incomparability> {
    let of = |variant: usize| {
        run.plans.iter().filter(move |plan| plan.condition == pair.condition && plan.variant == variant)
    };
    let differs = |one: &Plan, other: &Plan| {
        let step = |step: &PlanStep| {
            let extra = if pair.kind == PairKind::Server { None } else { step.extra.clone() };
            (step.table.clone(), step.access.clone(), step.key.clone(), extra)
        };
        !one.steps.iter().map(step).eq(other.steps.iter().map(step))
    };
    of(pair.variant).find_map(|variant| {
        let baseline = of(pair.baseline).find(|plan| plan.statement == variant.statement)?;
        let told = |plan: &Plan| plan.steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        differs(variant, baseline).then(|| Incomparability::Plan {
            statement: variant.statement.clone(),
            variant: told(variant),
            baseline: told(baseline),
        })
    })
}

/// The counter that differs most, beyond chance. Of two servers nothing is said: each counts in its own way.
fn by_work(run: &Run, pair: &Pair, sides: &[Paired<'_>]) -> Option<Incomparability> {
    let has_extra_work = |variant: usize| run.variants.get(variant).is_some_and(|variant| variant.extra_work.is_some());
    if pair.kind == PairKind::Server || has_extra_work(pair.variant) || has_extra_work(pair.baseline) {
        return None;
    }
    let known: Vec<(&Side, &Side)> = sides.iter().map(|own| (own.baseline, own.variant)).collect();
    let known: Vec<_> =
        known.into_iter().filter(|(one, other)| !one.work.is_empty() && !other.work.is_empty()).collect();
    let counters: BTreeSet<&String> =
        known.iter().flat_map(|(one, other)| one.work.keys().chain(other.work.keys())).collect();
    let mean = |work: &dyn Fn(&(&Side, &Side)) -> f64| known.iter().map(work).sum::<f64>() / known.len() as f64;
    let of = |side: &Side, counter: &String| side.work.get(counter).copied().unwrap_or(0.0);
    let differences = counters.into_iter().filter_map(|counter| {
        let baseline = mean(&|(baseline, _)| of(baseline, counter));
        let variant = mean(&|(_, variant)| of(variant, counter));
        let difference = (variant - baseline).abs();
        let most = variant.max(baseline);
        let is_beyond_chance = difference > SAME_WORK * most && difference > LEAST_WORK;
        is_beyond_chance.then_some((difference / most, counter, variant, baseline))
    });
    let (_, counter, variant, baseline) = differences.max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Incomparability::Work { counter: counter.clone(), variant, baseline })
}
