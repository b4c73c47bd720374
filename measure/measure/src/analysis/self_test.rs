//! Self-test: copies of a baseline with injected extra work, whose true ratio is known, are
//! measured and compared with the truth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::analysis::Verdict;
use crate::analysis::{Analysis, Comparison};
use crate::model::Run;
use stats::{CONFIDENCE_LEVEL, Estimate};

/// Shares of injected extra work in a self-test. The first is 0: a copy judged like any variant, by
/// the A/A bound of another copy.
pub const SELF_TEST_EXTRA_WORK: [f64; 4] = [0.0, 0.03, 0.10, 0.50];

/// Significance level for the number of misses.
const CHANCE_LEVEL: f64 = 0.01;

/// Name and version of the JSON format that this version of `weigh` writes.
const FORMAT: &str = "weighbridge-self-test/1";

/// Result of a self-test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Name and version of the format.
    pub format: String,
    /// Number of experiments, each with freshly loaded rows.
    pub rounds: usize,
    /// One entry per share of extra work.
    #[serde(rename = "found")]
    pub results: Vec<ExtraWorkResult>,
    /// Whether each share was measured, and the intervals miss the truth, and copies without extra
    /// work are called different, no more often than chance allows.
    pub sound: bool,
}

/// Result for one share of extra work, over all rounds, servers and conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtraWorkResult {
    /// Uncounted transactions per counted transaction.
    #[serde(rename = "more_work")]
    pub extra_work: f64,
    /// True throughput ratio: 1 / (1 + extra work).
    pub truth: f64,
    /// Measured ratios, round by round.
    pub ratios: Vec<Estimate>,
    /// Number of intervals that contain the true ratio.
    pub holds: usize,
    /// Number of ratios judged to be below 1.
    pub slower: usize,
    /// Number of ratios judged to be above 1.
    pub faster: usize,
    /// Number of ratios judged to be no difference.
    pub no_difference: usize,
    /// Number of pairs without an interval, for lack of time.
    pub not_measured: usize,
}

impl ExtraWorkResult {
    /// Returns the median of the measured ratios. `None` without ratios.
    pub fn median(&self) -> Option<f64> {
        let mut values: Vec<f64> = self.ratios.iter().map(|ratio| ratio.value).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (half, last) = (values.len() / 2, values.len().checked_sub(1)?);
        Some((values[half] + values[last - half]) / 2.0)
    }

    fn is_sound(&self) -> bool {
        let wrongly_called = if self.extra_work == 0.0 { self.slower + self.faster } else { 0 };
        let misses = self.ratios.len() - self.holds;
        !self.ratios.is_empty()
            && [misses, wrongly_called].iter().all(|&count| !exceeds_chance(count, self.ratios.len()))
    }
}

/// Whether `count` misses of `all` are too many to be chance, if each interval misses with
/// probability 5 %.
fn exceeds_chance(count: usize, all: usize) -> bool {
    match (count.checked_sub(1), Binomial::new(1.0 - CONFIDENCE_LEVEL, all as u64)) {
        (Some(fewer), Ok(chance)) => 1.0 - chance.cdf(fewer as u64) < CHANCE_LEVEL,
        _ => false,
    }
}

/// Summarises the rounds of a self-test.
pub fn summarise_self_test(rounds: &[(Run, Analysis)]) -> SelfTest {
    let results: Vec<ExtraWorkResult> =
        SELF_TEST_EXTRA_WORK.iter().map(|&share| summarise_extra_work(share, rounds)).collect();
    SelfTest {
        format: FORMAT.into(),
        rounds: rounds.len(),
        sound: results.iter().all(ExtraWorkResult::is_sound),
        results,
    }
}

fn summarise_extra_work(extra_work: f64, rounds: &[(Run, Analysis)]) -> ExtraWorkResult {
    let own: Vec<&Comparison> = rounds
        .iter()
        .flat_map(|(run, analysis)| {
            analysis.conditions.iter().flat_map(|condition| &condition.comparisons).map(move |c| (run, c))
        })
        .filter(|(run, comparison)| run.variants[comparison.variant].extra_work == Some(extra_work))
        .map(|(_, comparison)| comparison)
        .collect();
    let called = |wanted: fn(&Verdict) -> bool| own.iter().filter(|comparison| wanted(&comparison.verdict)).count();
    // With one extra transaction per transaction the work doubles and throughput halves.
    let truth = 1.0 / (1.0 + extra_work);
    let ratios: Vec<Estimate> = own.iter().filter_map(|comparison| comparison.throughput).collect();
    ExtraWorkResult {
        extra_work,
        truth,
        holds: ratios.iter().filter(|ratio| ratio.contains(truth)).count(),
        slower: called(|verdict| matches!(verdict, Verdict::Less)),
        faster: called(|verdict| matches!(verdict, Verdict::More)),
        no_difference: called(|verdict| matches!(verdict, Verdict::NoDifference { .. })),
        not_measured: called(|verdict| matches!(verdict, Verdict::NotMeasured)),
        ratios,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(extra_work: f64, holds: usize, all: usize, faster: usize) -> ExtraWorkResult {
        let ratios = vec![Estimate { value: 1.0, low: 0.99, high: 1.01 }; all];
        let no_difference = all - faster;
        ExtraWorkResult { extra_work, truth: 1.0, ratios, holds, slower: 0, faster, no_difference, not_measured: 0 }
    }

    #[test]
    fn misses_beyond_chance_are_unsound() {
        // Of 20 intervals at 95 %, 4 or more miss with probability 1.6 %, 5 or more with 0.3 %.
        assert!(result(0.1, 20, 20, 0).is_sound() && result(0.1, 16, 20, 0).is_sound());
        assert!(!result(0.1, 15, 20, 0).is_sound());
        assert!(result(0.1, 0, 1, 0).is_sound(), "one miss may be chance");
        assert!(!result(0.1, 1, 3, 0).is_sound());
        assert!(!result(0.1, 0, 0, 0).is_sound(), "nothing measured shows nothing");
    }

    #[test]
    fn false_difference_fails_the_self_test() {
        assert!(result(0.0, 20, 20, 1).is_sound());
        assert!(!result(0.0, 20, 20, 5).is_sound());
    }

    #[test]
    fn median_of_odd_and_even_counts() {
        let ratios = |values: &[f64]| {
            let ratios = values.iter().map(|&value| Estimate { value, low: value, high: value }).collect();
            ExtraWorkResult { ratios, ..result(0.0, 0, 0, 0) }.median()
        };
        assert_eq!((ratios(&[]), ratios(&[3.0]), ratios(&[4.0, 1.0])), (None, Some(3.0), Some(2.5)));
        assert_eq!(ratios(&[4.0, 1.0, 2.0]), Some(2.0));
    }
}
