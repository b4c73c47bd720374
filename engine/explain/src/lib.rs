//! Explains how collations compare two strings, and how two collations differ. Does no I/O.
//!
//! - [`explain()`] compares two [`Text`]s under a collation and returns a [`View`].
//! - [`pair_steps()`] aligns the steps of a view, and [`explain_verdict()`] explains its verdict.
//! - [`explain_equality()`] lists the characters in which two equal strings differ.
//! - [`compare_collations()`] finds the characters that two collations order differently.

mod describe;
mod difference;
mod equality;
mod explain;
mod mismatch;
mod model;
mod pairing;
mod text;

pub use describe::{display_code_points, explain_verdict, visible_text};
pub use difference::{
    CharacterCounts, CollationDifference, CollationSummary, ContractionCounts, DIFFERENCE_FORMAT, DifferenceExample,
    NamedCollation, Position, ScriptDifference, compare_collations,
};
pub use equality::explain_equality;
pub use explain::explain;
pub use model::{Explanation, FORMAT, Feature, Level, Mismatch, MismatchPosition, Step, Verdict, View};
pub use pairing::{StepPair, pair_steps};
pub use text::{Text, UnsupportedCharacter};
