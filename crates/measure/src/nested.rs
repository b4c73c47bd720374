//! Values of blocks, nested in replicates.
//!
//! ```text
//! run ─┬─ replicate 0: servers started, rows loaded, connections made ─┬─ block
//!      │                                                              └─ block
//!      └─ replicate 1: all of that anew ─────────────────────────────── block
//! ```
//!
//! Most of what differs between two runs lies between starts and loads, and blocks of one load of one start cannot tell it. So the mean of
//! a replicate is one value, and an interval is over those means (Kalibera & Jones, "Rigorous Benchmarking in Reasonable Time", 2013).

use std::collections::BTreeMap;

use crate::stats::{self, Estimate, mean};

/// Values of the blocks of one pair, by replicate; `None` is the only replicate of a run that has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nested(BTreeMap<Option<u32>, Vec<f64>>);

impl Nested {
    pub(crate) fn push(&mut self, replicate: Option<u32>, value: f64) {
        self.0.entry(replicate).or_default().push(value);
    }

    /// Replicates that have a value.
    pub(crate) fn replicates(&self) -> usize {
        self.0.len()
    }

    /// Blocks in all of them.
    pub(crate) fn blocks(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Values of the only replicate.
    fn only(&self) -> Option<&[f64]> {
        let mut groups = self.0.values();
        groups.next().filter(|_| groups.len() == 0).map(Vec::as_slice)
    }

    /// The geometric mean of ratios with its interval: over replicates, or over blocks where the run was to have only one replicate.
    /// `None` where there is too little, or a ratio is not positive.
    pub(crate) fn ratio(&self, design: Design) -> Option<Estimate> {
        match self.only() {
            Some(_) if design.is_replicated() => None,
            Some(blocks) => stats::ratio(blocks, design.seed),
            None => stats::ratio_of_replicates(&self.geometric_means()?),
        }
    }

    /// The mean of differences with its interval, in the same way.
    pub(crate) fn difference(&self, design: Design) -> Option<Estimate> {
        match self.only() {
            Some(_) if design.is_replicated() => None,
            Some(blocks) => stats::mean_with_interval(blocks),
            None => stats::mean_of_replicates(&self.0.values().map(|values| mean(values)).collect::<Vec<_>>()),
        }
    }

    /// What independent values there are to compare with those of another run: the replicates' geometric means, or blocks where there is only
    /// one replicate.
    pub(crate) fn independent(&self) -> Option<Vec<f64>> {
        match self.only() {
            Some(blocks) => Some(blocks.to_vec()),
            None => self.geometric_means(),
        }
    }

    /// The geometric mean of each replicate, in their order; `None` where a value is not positive.
    pub(crate) fn geometric_means(&self) -> Option<Vec<f64>> {
        self.0.values().map(|values| stats::geometric_mean(values)).collect()
    }

    /// The mean of each replicate by its number.
    pub(crate) fn by_replicate(&self) -> impl Iterator<Item = (u32, &[f64])> {
        self.0.iter().filter_map(|(replicate, values)| Some(((*replicate)?, values.as_slice())))
    }
}

impl FromIterator<(Option<u32>, f64)> for Nested {
    fn from_iter<I: IntoIterator<Item = (Option<u32>, f64)>>(values: I) -> Self {
        let mut nested = Self::default();
        values.into_iter().for_each(|(replicate, value)| nested.push(replicate, value));
        nested
    }
}

/// What an interval depends on beside the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Design {
    /// Replicates that the run was to have at most; absent in runs of versions that had none.
    pub(crate) replicates: Option<u32>,
    /// Seed of the bootstrap.
    pub(crate) seed: u64,
}

impl Design {
    /// Whether one replicate is too few for an interval, because there were to be more.
    fn is_replicated(self) -> bool {
        self.replicates.is_some_and(|replicates| replicates > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLICATED: Design = Design { replicates: Some(8), seed: 1 };
    const SINGLE: Design = Design { replicates: None, seed: 1 };

    fn nested(groups: &[&[f64]]) -> Nested {
        let all = groups.iter().enumerate();
        all.flat_map(|(at, values)| values.iter().map(move |value| (Some(at as u32), *value))).collect()
    }

    #[test]
    fn an_interval_knows_the_spread_between_replicates_however_still_their_blocks_are() {
        let still = nested(&[&[1.0; 50], &[1.1; 50], &[1.2; 50]]);
        let ratio = still.ratio(REPLICATED).unwrap();
        assert!(ratio.low < 0.9 && ratio.high > 1.3, "{ratio:?}");
        let blocks = still.0.values().flatten().map(|value| (None, *value)).collect::<Nested>();
        assert!(blocks.ratio(SINGLE).unwrap().precision() < 0.02);
    }

    #[test]
    fn a_replicate_weighs_the_same_however_many_blocks_it_has() {
        let ratio = nested(&[&[1.0; 100], &[4.0]]).ratio(REPLICATED).unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-12, "{ratio:?}");
        let difference = nested(&[&[1.0; 100], &[4.0]]).difference(REPLICATED).unwrap();
        assert!((difference.value - 2.5).abs() < 1e-12, "{difference:?}");
    }

    #[test]
    fn one_replicate_has_an_interval_only_where_there_was_to_be_no_other() {
        let one = nested(&[&[1.0, 1.01, 0.99, 1.0, 1.0, 1.0]]);
        assert_eq!(one.ratio(REPLICATED), None);
        assert!(one.ratio(SINGLE).is_some() && one.ratio(Design { replicates: Some(1), seed: 1 }).is_some());
        assert_eq!(one.difference(REPLICATED), None);
    }
}
