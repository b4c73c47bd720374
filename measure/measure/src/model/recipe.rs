//! The recipe of a run as recorded in `run.json`: enough to judge the study's claims from the run
//! folder alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::Flavour;

/// The recipe of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRecord {
    /// Name, such as `percona-2019`, or the path of a custom recipe.
    pub name: String,
    /// Title in one line.
    pub title: String,
    /// The study that the recipe repeats: author, date, place of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<String>,
    /// Server versions that the study measured, such as `mysql-5.7`. A run may use different ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Scale of the run, such as `laptop`.
    pub scale: String,
    /// Claims of the study to be judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSpec>,
    /// Figures that the study published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedFigure>,
}

/// A claim of a study: a text, and a range for throughput ratios.
///
/// The claim applies to every two variants of one condition if `variant` selects one of them,
/// `against` selects the other, and the two are equal in all properties that neither selector
/// names. The claim holds if each of these ratios is in the range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimSpec {
    /// The claim in the study's words.
    pub text: String,
    /// Source of the claim. Absent: the recipe's study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Workloads that the claim is about, with or without range size. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<String>,
    /// Properties of both variants.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub on: Selector,
    /// Variant in the numerator of the ratio.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub variant: Selector,
    /// Variant in the denominator of the ratio.
    #[serde(default, skip_serializing_if = "Selector::is_empty")]
    pub against: Selector,
    /// Range for the throughput ratio.
    pub ratio: Range,
}

/// Selects the variants that have all named properties.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// MySQL or MariaDB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flavour: Option<Flavour>,
    /// Minimum server version, inclusive, such as `8.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Upper limit of the server version, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Default charset of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_charset: Option<String>,
    /// Charset of the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Collations of the tables: a table has one of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collations: Vec<String>,
    /// Charset of the connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
}

impl Selector {
    /// Whether no property is named, so that every variant is selected.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An open range of ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Lower end, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Upper end, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Unit that the study rounded the ends to, such as 0.01 for whole percents. A ratio is in the
    /// range if it is after rounding. Absent: the ends are exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounded_to: Option<f64>,
}

impl Range {
    /// Returns both ends, widened by half the unit of rounding. A missing end is infinite.
    pub fn ends(&self) -> (f64, f64) {
        let half = self.rounded_to.unwrap_or(0.0) / 2.0;
        (self.above.map_or(f64::NEG_INFINITY, |end| end - half), self.below.map_or(f64::INFINITY, |end| end + half))
    }
}

/// A figure that a study published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigure {
    /// The study.
    pub source: String,
    /// Server that was measured, such as `mysql-5.7.25`.
    pub server: String,
    /// Workload, under its name in `weigh`.
    pub workload: String,
    /// Charset, if the study names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Collation, if the study names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<String>,
    /// Further conditions of the measurement, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Number of connections.
    pub threads: u32,
    /// Value of the figure.
    pub value: f64,
    /// Unit, such as `transactions/s`.
    pub unit: String,
}
