//! Comparison of two strings, as `schemas/explain.schema.json` describes it.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the format.
pub const FORMAT: &str = "weighbridge-explain/1";

/// Comparison of two strings under several collations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Name and version of this format.
    pub format: String,
    /// The first string as given. Ill-formed UTF-8 is replaced by U+FFFD.
    pub a: String,
    /// The second string as given. Ill-formed UTF-8 is replaced by U+FFFD.
    pub b: String,
    /// Comparison under each collation.
    pub views: Vec<View>,
    /// Collations whose character set lacks a character of the strings.
    pub notes: Vec<String>,
}

/// Comparison of two strings under one collation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Name of the collation.
    pub collation: String,
    /// Servers that compare the strings this way: "MySQL", "MariaDB" or "MySQL, MariaDB".
    pub servers: String,
    /// Character set of the strings.
    pub charset: String,
    /// Whether trailing spaces are ignored (PAD SPACE).
    pub pads: bool,
    /// Levels of comparison.
    pub levels: Vec<Level>,
    /// Result of the comparison.
    pub verdict: Verdict,
    /// The first weights that differ. `null` if the strings are equal.
    #[serde(rename = "parting")]
    pub mismatch: Option<Mismatch>,
    /// Whether the strings are equal only because the end of a string compares as spaces: so that
    /// trailing spaces are ignored (PAD SPACE), or beyond the primary level (MariaDB's NO PAD).
    pub equal_by_padding: bool,
    /// The first string, character by character.
    pub a: Vec<Step>,
    /// The second string, character by character.
    pub b: Vec<Step>,
}

/// Level of comparison, as in UTS #10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Base letters.
    Primary,
    /// Accents.
    Secondary,
    /// Case.
    Tertiary,
    /// Kana.
    Quaternary,
}

impl Level {
    /// 0 is the primary level. 3 and above are the quaternary level.
    pub(crate) fn from_index(index: usize) -> Self {
        match index {
            0 => Self::Primary,
            1 => Self::Secondary,
            2 => Self::Tertiary,
            _ => Self::Quaternary,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Tertiary => "tertiary",
            Self::Quaternary => "quaternary",
        }
    }
}

/// Result of comparing two strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The first string sorts before the second.
    Less,
    /// The strings are equal.
    Equal,
    /// The first string sorts after the second.
    Greater,
}

impl Verdict {
    /// Returns `<`, `=` or `>`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::Equal => "=",
            Self::Greater => ">",
        }
    }
}

impl From<Ordering> for Verdict {
    fn from(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Less => Self::Less,
            Ordering::Equal => Self::Equal,
            Ordering::Greater => Self::Greater,
        }
    }
}

/// The first weights that differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mismatch {
    /// Level of the weights.
    pub level: Level,
    /// Position in the first string.
    pub a: MismatchPosition,
    /// Position in the second string.
    pub b: MismatchPosition,
}

/// Position in a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MismatchPosition {
    /// Index of the step with the weight. `null` at the end of the string.
    pub step: Option<usize>,
    /// Weight in hexadecimal. At the end of the string: the space's weight if the level is padded,
    /// else `null`.
    pub weight: Option<String>,
}

/// A character, contraction or ill-formed bytes of a string, with the weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Bytes in hexadecimal.
    pub bytes: String,
    /// Characters. Empty for ill-formed bytes and for an unassigned character.
    pub text: String,
    /// Code points, such as `U+00DF`.
    pub code_points: Vec<String>,
    /// Weights in hexadecimal for each level of the collation.
    pub weights: Vec<Vec<String>>,
    /// Properties of the step.
    pub features: Vec<Feature>,
}

/// Property of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    /// Several characters have common weights.
    Contraction,
    /// One character has several primary weights.
    Expansion,
    /// No weight at any level of the collation.
    Ignorable,
    /// Ill-formed bytes, or an unassigned character.
    Malformed,
}

impl Feature {
    pub fn name(self) -> &'static str {
        match self {
            Self::Contraction => "contraction",
            Self::Expansion => "expansion",
            Self::Ignorable => "ignorable",
            Self::Malformed => "ill-formed",
        }
    }
}
