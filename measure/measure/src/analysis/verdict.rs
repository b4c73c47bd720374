//! Verdicts on ratios: one rule for `weigh bench`, recipe claims and `weigh compare`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use stats::Estimate;

/// Verdict on a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Verdict {
    /// The ratio is below 1.
    Less,
    /// The ratio is above 1.
    More,
    /// The ratio cannot be distinguished from 1.
    NoDifference {
        /// Largest decrease that is not excluded, as a fraction.
        less: f64,
        /// Largest increase that is not excluded, as a fraction.
        more: f64,
    },
    /// There is no interval.
    NotMeasured,
}

/// Judges a ratio: it differs from 1 if its plausible range excludes 1.
pub fn judge(ratio: Option<Estimate>, aa_bound: f64) -> Verdict {
    let Some(ratio) = ratio else { return Verdict::NotMeasured };
    let (low, high) = plausible_range(ratio, aa_bound);
    if high < 1.0 {
        Verdict::Less
    } else if low > 1.0 {
        Verdict::More
    } else {
        Verdict::NoDifference { less: 1.0 - low, more: high - 1.0 }
    }
}

/// Returns the range in which the true ratio can lie: the interval, widened where it does not reach
/// value / (1 + `aa_bound`) and value × (1 + `aa_bound`).
pub fn plausible_range(ratio: Estimate, aa_bound: f64) -> (f64, f64) {
    let Estimate { value, low, high } = ratio;
    (low.min(value / (1.0 + aa_bound)), high.max(value * (1.0 + aa_bound)))
}

/// Returns how far an interval reaches from 1. For an A/A pair, that is the A/A bound.
pub(crate) fn distance_from_one(ratio: Estimate) -> f64 {
    (1.0 - ratio.low).abs().max((ratio.high - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(value: f64, half: f64) -> Option<Estimate> {
        Some(Estimate { value, low: value - half, high: value + half })
    }

    #[test]
    fn difference_exceeds_interval_and_aa_bound() {
        assert_eq!(judge(ratio(0.9, 0.02), 0.04), Verdict::Less);
        assert_eq!(judge(ratio(1.2, 0.02), 0.04), Verdict::More);
        assert_eq!(judge(None, 0.04), Verdict::NotMeasured);
    }

    #[test]
    fn no_difference_names_the_range_that_is_not_excluded() {
        assert_eq!(judge(ratio(1.0, 0.125), 0.0), Verdict::NoDifference { less: 0.125, more: 0.125 });
        // The interval excludes 1, but the difference is within the A/A bound.
        assert_eq!(
            judge(ratio(1.125, 0.0625), 0.25),
            Verdict::NoDifference { less: 1.0 - 1.125 / 1.25, more: 0.40625 }
        );
        let lopsided = judge(Some(Estimate { value: 1.0, low: 0.75, high: 1.125 }), 0.0625);
        assert_eq!(lopsided, Verdict::NoDifference { less: 0.25, more: 0.125 });
    }
}
