//! What a self-test found against what is true: copies of a baseline that do a known share of more work. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::analysis::{Analysis, Comparison};
use crate::model::Run;
use crate::stats::{Estimate, LEVEL};
use crate::verdict::Verdict;

/// The shares of more work that a self-test measures. The first is none: a copy that is judged as any variant is, by the A/A bound of
/// another copy.
pub const EXTRA_WORK: [f64; 4] = [0.0, 0.03, 0.10, 0.50];

/// As many misses as chance alone gives less often than this are too many.
const CHANCE: f64 = 0.01;

/// What a self-test found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Experiments, each with rows loaded anew.
    pub rounds: usize,
    /// One entry for each share of extra work.
    pub found: Vec<Found>,
    /// Whether intervals miss the truth, and differences are seen where there are none, no more often than they say they do.
    pub sound: bool,
}

/// What was found of one share of extra work, over all rounds, servers and conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Share of transactions that was done beside those that were counted.
    pub more_work: f64,
    /// The true ratio of throughputs, by construction.
    pub truth: f64,
    /// The ratios found, in their order.
    pub ratios: Vec<Estimate>,
    /// Intervals that hold the truth.
    pub holds: usize,
    /// Ratios called a loss.
    pub slower: usize,
    /// Ratios called a gain.
    pub faster: usize,
    /// Ratios called no difference.
    pub no_difference: usize,
    /// Pairs that time was too short for.
    pub not_measured: usize,
}

impl Found {
    /// The ratio in the middle; `None` where there is none.
    pub fn median(&self) -> Option<f64> {
        let mut values: Vec<f64> = self.ratios.iter().map(|ratio| ratio.value).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (half, last) = (values.len() / 2, values.len().checked_sub(1)?);
        Some((values[half] + values[last - half]) / 2.0)
    }

    fn is_sound(&self) -> bool {
        let wrongly_called = if self.more_work == 0.0 { self.slower + self.faster } else { 0 };
        let misses = self.ratios.len() - self.holds;
        !self.ratios.is_empty() && [misses, wrongly_called].iter().all(|&count| !is_too_many(count, self.ratios.len()))
    }
}

/// Whether so many of `all` can hardly be chance where each is one with the probability that an interval leaves.
fn is_too_many(count: usize, all: usize) -> bool {
    match (count.checked_sub(1), Binomial::new(1.0 - LEVEL, all as u64)) {
        (Some(fewer), Ok(chance)) => 1.0 - chance.cdf(fewer as u64) < CHANCE,
        _ => false,
    }
}

/// Sums up the rounds of a self-test.
pub fn self_test(rounds: &[(Run, Analysis)]) -> SelfTest {
    let found: Vec<Found> = EXTRA_WORK.iter().map(|&share| sum_up(share, rounds)).collect();
    SelfTest { rounds: rounds.len(), sound: found.iter().all(Found::is_sound), found }
}

fn sum_up(more_work: f64, rounds: &[(Run, Analysis)]) -> Found {
    let own: Vec<&Comparison> = rounds
        .iter()
        .flat_map(|(run, analysis)| {
            analysis.conditions.iter().flat_map(|condition| &condition.comparisons).map(move |c| (run, c))
        })
        .filter(|(run, comparison)| run.variants[comparison.variant].extra_work == Some(more_work))
        .map(|(_, comparison)| comparison)
        .collect();
    let called = |wanted: fn(&Verdict) -> bool| own.iter().filter(|comparison| wanted(&comparison.verdict)).count();
    // With one more for each, a transaction takes twice as long: throughput is divided by one more than the share.
    let truth = 1.0 / (1.0 + more_work);
    let ratios: Vec<Estimate> = own.iter().filter_map(|comparison| comparison.throughput).collect();
    Found {
        more_work,
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

    fn found(more_work: f64, holds: usize, all: usize, faster: usize) -> Found {
        let ratios = vec![Estimate { value: 1.0, low: 0.99, high: 1.01 }; all];
        let no_difference = all - faster;
        Found { more_work, truth: 1.0, ratios, holds, slower: 0, faster, no_difference, not_measured: 0 }
    }

    #[test]
    fn misses_beyond_chance_are_unsound() {
        // Of 20 intervals of 95 %, chance alone leaves out 4 or more in 1.6 % of all cases, 5 or more in 0.3 %.
        assert!(found(0.1, 20, 20, 0).is_sound() && found(0.1, 16, 20, 0).is_sound());
        assert!(!found(0.1, 15, 20, 0).is_sound());
        assert!(found(0.1, 0, 1, 0).is_sound(), "one miss may be chance");
        assert!(!found(0.1, 1, 3, 0).is_sound());
        assert!(!found(0.1, 0, 0, 0).is_sound(), "nothing measured shows nothing");
    }

    #[test]
    fn a_difference_seen_where_there_is_none_counts_against_it() {
        assert!(found(0.0, 20, 20, 1).is_sound());
        assert!(!found(0.0, 20, 20, 5).is_sound());
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let ratios = |values: &[f64]| {
            let ratios = values.iter().map(|&value| Estimate { value, low: value, high: value }).collect();
            Found { ratios, ..found(0.0, 0, 0, 0) }.median()
        };
        assert_eq!((ratios(&[]), ratios(&[3.0]), ratios(&[4.0, 1.0])), (None, Some(3.0), Some(2.5)));
        assert_eq!(ratios(&[4.0, 1.0, 2.0]), Some(2.0));
    }
}
