//! A claim and what became of it.

use measure::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A finding of a study, held against a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The finding, as the study has it.
    pub text: String,
    /// Where it was read.
    pub source: String,
    /// Whether it holds on the servers measured.
    pub verdict: ClaimVerdict,
    /// Versions of the servers that it was judged on, where those stand in for what the study measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<String>,
    /// The figures that say so, or why there are none, in words.
    pub evidence: String,
    /// The same figures.
    pub findings: Vec<Finding>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// Every interval lies in the range claimed.
    Confirmed,
    /// An interval lies outside of it, beyond what so many chances explain.
    Refuted,
    /// An interval reaches over the range's end, and none lies outside.
    NotDistinguishable,
    /// Nothing that it speaks of was measured.
    NotMeasured,
}

/// One ratio that a claim speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Index in `run.conditions`.
    pub condition: usize,
    /// Index in `run.variants`: the variant whose throughput it is.
    pub variant: usize,
    /// Index in `run.variants`: what it is held against.
    pub against: usize,
    /// The ratio with its 95 % interval.
    pub ratio: Estimate,
    /// A difference from 1 of less than this is not told apart from noise.
    pub aa_bound: f64,
    /// Whether the two were under load in the same blocks; else the ratio is a product of such ratios.
    pub direct: bool,
    /// What this ratio alone says of the claim.
    pub verdict: ClaimVerdict,
}
