//! A judged claim.

use measure::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A claim of a study, judged by a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The claim in words.
    pub text: String,
    /// Study that the claim is from.
    pub source: String,
    /// Whether the claim holds on the measured servers.
    pub verdict: ClaimVerdict,
    /// Measured servers that represent versions of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<StandIn>,
    /// Ratios in words, those with the claim's verdict first. For a claim without ratios, the
    /// reason.
    pub evidence: String,
    /// Ratios that the claim is about.
    #[serde(rename = "findings")]
    pub ratios: Vec<ClaimRatio>,
}

/// A measured server that represents another version, which the study measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandIn {
    /// Flavour and version of the measured server, such as `MySQL 5.6.24`.
    pub measured: String,
    /// Version that the study measured, such as `5.7`.
    pub studied: String,
}

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// Every interval, widened to at least the A/A bound, lies in the claimed range.
    Confirmed,
    /// An interval, widened to at least the A/A bound, lies outside the claimed range, beyond
    /// chance over all ratios of the claim (Holm, 5 %).
    Refuted,
    /// No ratio refutes the claim. An interval crosses an end of the claimed range, or lies outside
    /// the range by chance.
    NotDistinguishable,
    /// No pair that the claim is about was measured.
    NotMeasured,
}

/// One ratio that a claim is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRatio {
    /// Index in `run.conditions`.
    pub condition: usize,
    /// Index in `run.variants` of the variant in the ratio's numerator.
    pub variant: usize,
    /// Index in `run.variants` of the variant in the ratio's denominator.
    pub against: usize,
    /// Throughput ratio with its 95 % interval.
    pub ratio: Estimate,
    /// A/A bound: noise explains a smaller difference from 1.
    pub aa_bound: f64,
    /// True if the pair itself was measured. Otherwise the ratio is a product of ratios of measured
    /// pairs.
    pub direct: bool,
    /// Verdict by this ratio, corrected for the number of the claim's ratios.
    pub verdict: ClaimVerdict,
}
