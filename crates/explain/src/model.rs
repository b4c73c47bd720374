//! An explanation, as it is printed and as it is written.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format that this version writes.
pub const FORMAT: &str = "weighbridge-explain/1";

/// Two strings under several collations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The format's name and version.
    pub format: String,
    /// The first string as given, with what is no UTF-8 replaced.
    pub a: String,
    /// The second.
    pub b: String,
    /// One for each collation.
    pub views: Vec<View>,
    /// Collations that can't hold the strings, and what else a reader must know.
    pub notes: Vec<String>,
}

/// Two strings under one collation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The collation.
    pub collation: String,
    /// The servers that see the strings so: "MySQL", "MariaDB", or "MySQL, MariaDB".
    pub servers: String,
    /// The character set of the strings.
    pub charset: String,
    /// Whether a string counts as followed by endlessly many spaces (PAD SPACE).
    pub pads: bool,
    /// The levels at which it compares.
    pub levels: Vec<Level>,
    /// How the first string compares to the second.
    pub verdict: Verdict,
    /// Where they part; absent where they are equal.
    pub parting: Option<Parting>,
    /// Whether they are equal only because trailing spaces don't count.
    pub equal_by_padding: bool,
    /// The first string, character by character.
    pub a: Vec<Step>,
    /// The second.
    pub b: Vec<Step>,
}

/// A level of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Letters.
    Primary,
    /// Accents.
    Secondary,
    /// Case.
    Tertiary,
    /// Kana.
    Quaternary,
}

impl Level {
    /// From 0, the primary.
    pub(crate) fn of(index: usize) -> Self {
        match index {
            0 => Self::Primary,
            1 => Self::Secondary,
            2 => Self::Tertiary,
            _ => Self::Quaternary,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Tertiary => "tertiary",
            Self::Quaternary => "quaternary",
        }
    }
}

/// How two strings compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The first comes first.
    Less,
    /// They are equal.
    Equal,
    /// The second comes first.
    Greater,
}

impl Verdict {
    /// As a sign between the two.
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
pub struct Parting {
    /// At which level.
    pub level: Level,
    /// In the first string.
    pub a: Part,
    /// In the second.
    pub b: Part,
}

/// Where in a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which step has the weight; absent at the string's end.
    pub step: Option<usize>,
    /// The weight, in hexadecimal; at the end the space's under PAD SPACE, else none.
    pub weight: Option<String>,
}

/// A character of a string, or a contraction of several, and its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its bytes in hexadecimal.
    pub bytes: String,
    /// Its characters; empty for a byte that is no part of one.
    pub text: String,
    /// Their code points, such as `U+00DF`.
    pub code_points: Vec<String>,
    /// Its weights in hexadecimal, for each of the collation's levels.
    pub weights: Vec<Vec<String>>,
    /// What is particular to it.
    pub features: Vec<Feature>,
}

/// What is particular to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    /// Several characters weigh as one.
    Contraction,
    /// One character weighs as several.
    Expansion,
    /// It has no weight at any level of the collation.
    Ignorable,
    /// A byte that is no part of a character.
    Malformed,
}

impl Feature {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contraction => "contraction",
            Self::Expansion => "expansion",
            Self::Ignorable => "ignorable",
            Self::Malformed => "ill-formed",
        }
    }
}
