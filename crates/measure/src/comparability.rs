//! What makes the two sides of a pair not comparable, beyond what the pair is about. Such a pair answers another question than it seems to, so
//! every output names it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Pair, PairKind, Run, Side, Variant};
use crate::pairing::Paired;

/// Rows a statement that differ by more than this fraction are not chance: ranges that end with the table move it by less.
const SAME_ROWS: f64 = 0.03;

/// Collation names that MariaDB (since 11.4) answers to for MySQL's sake, with weights of its own: those of UCA 14.0.0, not 9.0.0.
const BORROWED: &str = "_0900_";

/// What makes the two sides of a pair not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
}

impl fmt::Display for Incomparability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparability::Collation => f.write_str("another server and another collation, two differences at once"),
            Incomparability::Weights => {
                f.write_str("the name is the same, the weights are not: MySQL's are of UCA 9.0.0, MariaDB's of 14.0.0")
            }
            Incomparability::Rows { variant, baseline } => {
                write!(f, "{variant:.1} rows a statement against {baseline:.1}")
            }
        }
    }
}

/// What makes the sides of a pair not comparable: by what they are, and by the rows that they gave.
pub(crate) fn not_comparable(run: &Run, pair: &Pair, sides: &[Paired<'_>]) -> Vec<Incomparability> {
    by_collation(run, pair).into_iter().chain(by_rows(sides)).collect()
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
