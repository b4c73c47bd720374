//! What can be said of a ratio: one rule for `weigh bench`, claims and `weigh compare`. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::Estimate;

/// What can be said of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Verdict {
    /// It is below 1.
    Less,
    /// It is above 1.
    More,
    /// It can't be told from 1.
    NoDifference {
        /// The largest decrease that is not excluded, as a fraction.
        less: f64,
        /// The largest increase that is not excluded, as a fraction.
        more: f64,
    },
    /// There is too little to say anything.
    NotMeasured,
}

/// Judges a ratio: it differs from 1 where 1 is excluded.
pub fn verdict(ratio: Option<Estimate>, aa_bound: f64) -> Verdict {
    let Some(ratio) = ratio else { return Verdict::NotMeasured };
    let (low, high) = not_excluded(ratio, aa_bound);
    if high < 1.0 {
        Verdict::Less
    } else if low > 1.0 {
        Verdict::More
    } else {
        Verdict::NoDifference { less: 1.0 - low, more: high - 1.0 }
    }
}

/// From where to where the truth can be: as far as the interval reaches, and as far as an A/A pair's bound from the value.
pub fn not_excluded(ratio: Estimate, aa_bound: f64) -> (f64, f64) {
    let Estimate { value, low, high } = ratio;
    (low.min(value / (1.0 + aa_bound)), high.max(value * (1.0 + aa_bound)))
}

/// How far from 1 an interval reaches: of an A/A pair, its bound.
pub(crate) fn reach(ratio: Estimate) -> f64 {
    (1.0 - ratio.low).abs().max((ratio.high - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(value: f64, half: f64) -> Option<Estimate> {
        Some(Estimate { value, low: value - half, high: value + half })
    }

    #[test]
    fn a_difference_is_beyond_its_interval_and_the_aa_bound() {
        assert_eq!(verdict(ratio(0.9, 0.02), 0.04), Verdict::Less);
        assert_eq!(verdict(ratio(1.2, 0.02), 0.04), Verdict::More);
        assert_eq!(verdict(None, 0.04), Verdict::NotMeasured);
    }

    #[test]
    fn no_difference_says_what_is_not_excluded() {
        assert_eq!(verdict(ratio(1.0, 0.125), 0.0), Verdict::NoDifference { less: 0.125, more: 0.125 });
        // The interval leaves out 1, but what it found is no more than copies differ by.
        assert_eq!(
            verdict(ratio(1.125, 0.0625), 0.25),
            Verdict::NoDifference { less: 1.0 - 1.125 / 1.25, more: 0.40625 }
        );
        let lopsided = verdict(Some(Estimate { value: 1.0, low: 0.75, high: 1.125 }), 0.0625);
        assert_eq!(lopsided, Verdict::NoDifference { less: 0.25, more: 0.125 });
    }
}
