//! What a run records of the recipe that it follows: enough to judge the study's claims from the run's folder alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::Flavour;

/// The recipe of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRecord {
    /// Its name, such as `percona-2019`, or the path of a recipe of the user's.
    pub name: String,
    /// What it is about, in one line.
    pub title: String,
    /// The study that it repeats: who, when, where published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<String>,
    /// The versions of servers that the study measured, such as `5.7`; another one stands in for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The scale that it was run at, such as `laptop`.
    pub scale: String,
    /// What the study found, to be judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSpec>,
    /// The figures that the study published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedFigure>,
}

/// A finding of a study in words, and as a range that ratios of throughput must be in.
///
/// It is held against every two variants of one condition of which one is what `variant` selects, the other what `against` selects, and
/// which are alike in all that neither names. It holds where each of those ratios is in the range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimSpec {
    /// The finding, as the study has it.
    pub text: String,
    /// Where it was read; the recipe's study where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The workloads that it is about, with or without their range sizes; all where empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<String>,
    /// What both variants are.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub on: Selector,
    /// The variant whose throughput the ratio is of.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub variant: Selector,
    /// The variant that it is held against.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub against: Selector,
    /// What the ratio of their throughputs must be in.
    pub ratio: Range,
}

/// A choice of variants: those that have all the properties named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// MySQL or MariaDB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flavour: Option<Flavour>,
    /// Server version, from this one on, such as `8.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Server version, before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Charset that the server is set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_charset: Option<String>,
    /// Charset of the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Collation of the tables: one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collations: Vec<String>,
    /// Charset of the connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
}

impl Selector {
    /// Whether it names nothing, and so selects everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An open range of ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Its lower end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Its upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

/// A figure that a study published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigure {
    /// The study.
    pub source: String,
    /// The server that it was measured on, such as `mysql-5.7.25`.
    pub server: String,
    /// The workload, under `weigh`'s name.
    pub workload: String,
    /// Charset, where the study told it by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Collation, in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<String>,
    /// What else it was measured under, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Connections.
    pub threads: u32,
    /// The figure.
    pub value: f64,
    /// Its unit, such as `transactions/s`.
    pub unit: String,
}
