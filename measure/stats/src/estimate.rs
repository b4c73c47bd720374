//! An estimate with its interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Confidence level of intervals.
pub const CONFIDENCE_LEVEL: f64 = 0.95;

/// Half-width of a normal distribution's 95 % interval, in standard deviations.
pub(crate) const NORMAL_TWO_SIDED: f64 = 1.959_964;

/// Standard deviation of a variant's cost between runs on one machine, as a share of the cost. The
/// cost is the logarithm of the ratio to the baseline. Other users of the CPU caches stay the same
/// throughout a run and affect some collations more than others; no replicate within a run shows
/// that. From twenty runs of three workloads
/// (docs/decisions/005-a-variance-that-no-run-can-measure.md).
pub(crate) const RUN_TO_RUN_SPREAD: f64 = 0.02;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Estimate {
    /// Half-width of the interval, as a fraction of the estimate.
    pub fn precision(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value
    }

    /// Returns the two-sided p-value of the hypothesis that the true value is `other`. Assumes a
    /// Student interval on a log scale with these degrees of freedom; normal if `None`. The p-value
    /// is 0.05 if `other` is an end of the interval.
    pub fn p_value(&self, other: f64, freedom: Option<f64>) -> f64 {
        let end = if other < self.value { self.low } else { self.high };
        let (distance, half) = ((other / self.value).ln().abs(), (end / self.value).ln().abs());
        if half == 0.0 {
            return if distance == 0.0 { 1.0 } else { 0.0 };
        }
        match freedom.and_then(|freedom| StudentsT::new(0.0, 1.0, freedom).ok()) {
            Some(student) => {
                2.0 * student.cdf(-distance / half * student.inverse_cdf(1.0 - (1.0 - CONFIDENCE_LEVEL) / 2.0))
            }
            None => {
                let normal = Normal::standard();
                2.0 * normal.cdf(-distance / half * normal.inverse_cdf(1.0 - (1.0 - CONFIDENCE_LEVEL) / 2.0))
            }
        }
    }

    /// Widens the interval of a ratio by the variation between runs ([`RUN_TO_RUN_SPREAD`]). The
    /// two variances add up. A ratio of exactly 1 is not changed.
    pub fn with_run_to_run_spread(self) -> Self {
        self.with_spread_of_costs(self.value.ln().abs())
    }

    /// Widens the interval of a ratio made of several costs, each measured in its own run. `costs`
    /// is the root of the sum of their squares.
    pub fn with_spread_of_costs(self, costs: f64) -> Self {
        let state = NORMAL_TWO_SIDED * RUN_TO_RUN_SPREAD * costs;
        let distance_from_one = |end: f64| (end / self.value).ln().hypot(state).exp();
        Self {
            value: self.value,
            low: self.value / distance_from_one(self.low),
            high: self.value * distance_from_one(self.high),
        }
    }

    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}
