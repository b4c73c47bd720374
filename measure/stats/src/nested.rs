//! Values of blocks, nested in replicates.
//!
//! ```text
//! run ─┬─ replicate 0: new servers, rows and connections ─┬─ block
//!      │                                                  └─ block
//!      └─ replicate 1: new servers, rows and connections ─── block
//! ```
//!
//! Most of the variation between two runs arises between starts of servers and loads of rows. The
//! blocks of one start do not show it. Therefore each replicate's mean is one value, and an
//! interval is over these means (Kalibera & Jones, "Rigorous Benchmarking in Reasonable Time",
//! 2013).

use std::collections::BTreeMap;

use crate::Estimate;
use crate::interval::{self, mean};

/// Values of the blocks of one pair, by replicate. The key `None` is the only replicate of a run
/// without replicates.
#[derive(Clone, Debug, Default)]
pub struct ReplicateValues(BTreeMap<Option<u32>, Vec<f64>>);

impl ReplicateValues {
    pub fn push(&mut self, replicate: Option<u32>, value: f64) {
        self.0.entry(replicate).or_default().push(value);
    }

    /// Number of replicates with a value.
    pub fn replicate_count(&self) -> usize {
        self.0.len()
    }

    /// Number of values in all replicates.
    pub fn block_count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Returns the values of the only replicate. `None` if there are several or none.
    fn single_replicate(&self) -> Option<&[f64]> {
        let mut groups = self.0.values();
        groups.next().filter(|_| groups.len() == 0).map(Vec::as_slice)
    }

    /// Returns the geometric mean of ratios with its interval, over replicates, or over blocks if
    /// the run was planned with one replicate. Over two replicates, the interval is at least as
    /// wide as that over their blocks. `None` if there are too few values, or if a ratio is not
    /// positive and finite.
    pub fn mean_ratio(&self, design: Design) -> Option<Estimate> {
        match self.single_replicate() {
            Some(_) if design.is_replicated() => None,
            Some(blocks) => interval::mean_ratio(blocks, design.seed),
            None => {
                let ratio = interval::mean_ratio_over_replicates(&self.geometric_means()?)?;
                Some(self.at_least_as_blocks(ratio, |blocks| interval::mean_ratio(blocks, design.seed)))
            }
        }
    }

    /// Returns the mean of differences with its interval, over replicates or blocks as
    /// [`Self::mean_ratio`] chooses them. No spread between two starts is assumed. `None` if there
    /// are too few values, or if one is not finite.
    pub fn mean_difference(&self, design: Design) -> Option<Estimate> {
        match self.single_replicate() {
            Some(_) if design.is_replicated() => None,
            Some(blocks) => interval::mean_with_interval(blocks),
            None => {
                let means: Vec<f64> = self.0.values().map(|values| mean(values)).collect();
                let difference = interval::mean_over_replicates(&means)?;
                Some(self.at_least_as_blocks(difference, interval::mean_with_interval))
            }
        }
    }

    /// Widens the interval of two replicates to that of their blocks. Two means of noisy blocks can
    /// agree by chance.
    fn at_least_as_blocks(&self, estimate: Estimate, over: impl Fn(&[f64]) -> Option<Estimate>) -> Estimate {
        if self.0.len() != 2 {
            return estimate;
        }
        let blocks: Vec<f64> = self.0.values().flatten().copied().collect();
        over(&blocks).map_or(estimate, |blocks| Estimate {
            low: estimate.low.min(blocks.low),
            high: estimate.high.max(blocks.high),
            ..estimate
        })
    }

    /// Returns independent values to compare with those of another run: the replicates' geometric
    /// means, or the block values if there is only one replicate. `None` if a geometric mean does
    /// not exist.
    pub fn independent_values(&self) -> Option<Vec<f64>> {
        match self.single_replicate() {
            Some(blocks) => Some(blocks.to_vec()),
            None => self.geometric_means(),
        }
    }

    /// Returns the geometric mean of each replicate, in order. `None` if a value is not positive
    /// and finite.
    pub fn geometric_means(&self) -> Option<Vec<f64>> {
        self.0.values().map(|values| interval::geometric_mean(values)).collect()
    }

    /// Values of each replicate with its number. Empty for a run without replicates.
    pub fn by_replicate(&self) -> impl Iterator<Item = (u32, &[f64])> {
        self.0.iter().filter_map(|(replicate, values)| Some(((*replicate)?, values.as_slice())))
    }
}

impl FromIterator<(Option<u32>, f64)> for ReplicateValues {
    fn from_iter<I: IntoIterator<Item = (Option<u32>, f64)>>(values: I) -> Self {
        let mut nested = Self::default();
        values.into_iter().for_each(|(replicate, value)| nested.push(replicate, value));
        nested
    }
}

/// Parameters of an interval besides the values.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// Maximum number of replicates of the run. `None` in runs without replicates.
    pub replicates: Option<u32>,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Design {
    /// Whether one replicate is too few for an interval, because more were planned.
    fn is_replicated(self) -> bool {
        self.replicates.is_some_and(|replicates| replicates > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLICATED: Design = Design { replicates: Some(8), seed: 1 };
    const SINGLE: Design = Design { replicates: None, seed: 1 };

    fn nested(groups: &[&[f64]]) -> ReplicateValues {
        let all = groups.iter().enumerate();
        all.flat_map(|(at, values)| values.iter().map(move |value| (Some(at as u32), *value))).collect()
    }

    #[test]
    fn interval_covers_the_spread_between_replicates() {
        let still = nested(&[&[1.0; 50], &[1.1; 50], &[1.2; 50]]);
        let ratio = still.mean_ratio(REPLICATED).unwrap();
        assert!(ratio.low < 0.9 && ratio.high > 1.3, "{ratio:?}");
        let blocks = still.0.values().flatten().map(|value| (None, *value)).collect::<ReplicateValues>();
        assert!(blocks.mean_ratio(SINGLE).unwrap().precision() < 0.02);
    }

    #[test]
    fn two_replicates_that_agree_by_chance_are_not_precise() {
        let calm = nested(&[&[1.3; 20], &[1.3; 20]]).mean_ratio(REPLICATED).unwrap();
        assert!((0.01..0.02).contains(&calm.precision()), "{calm:?}");
        let noisy = nested(&[&[1.0, 1.6, 1.3], &[1.6, 1.3, 1.0]]);
        assert!(noisy.mean_ratio(REPLICATED).unwrap().precision() > 0.15);
        let difference = noisy.mean_difference(REPLICATED).unwrap();
        assert!(difference.high - difference.low > 0.4, "{difference:?}");
        let three = nested(&[&[1.3; 20], &[1.3; 20], &[1.3; 20]]).mean_ratio(REPLICATED).unwrap();
        assert!(three.precision() < 1e-9, "{three:?}");
    }

    #[test]
    fn replicates_have_equal_weight() {
        let ratio = nested(&[&[1.0; 100], &[4.0]]).mean_ratio(REPLICATED).unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-12, "{ratio:?}");
        let difference = nested(&[&[1.0; 100], &[4.0]]).mean_difference(REPLICATED).unwrap();
        assert!((difference.value - 2.5).abs() < 1e-12, "{difference:?}");
    }

    #[test]
    fn single_replicate_has_an_interval_only_if_planned() {
        let one = nested(&[&[1.0, 1.01, 0.99, 1.0, 1.0, 1.0]]);
        assert_eq!(one.mean_ratio(REPLICATED), None);
        assert!(one.mean_ratio(SINGLE).is_some() && one.mean_ratio(Design { replicates: Some(1), seed: 1 }).is_some());
        assert_eq!(one.mean_difference(REPLICATED), None);
    }
}
