//! The ratios of each pair measured so far (the ledger), and the stopping rule.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use stats::{Design, Estimate, ReplicateValues};

use crate::model::{Block, Mode, Pair, Side};
use crate::pairing::{cpu_ratio, has_rate, pair_sides, throughput_ratio};

/// Minimum number of blocks before a pair may stop, in a run with one replicate.
pub(super) const MIN_BLOCKS: usize = 6;

/// Minimum number of replicates before a pair may stop, if as many are planned. Stopping on a
/// narrow interval lowers its coverage, with six replicates less than with four. Intervals over
/// replicates are widened to compensate.
pub(super) const MIN_REPLICATES: u32 = 6;

/// Maximum number of blocks of a pair in a replicate, in a run with several replicates. If blocks
/// vary by 1.5 % and replicates by 0.8 %, the mean of six blocks has a standard error of 0.6 %.
/// Another replicate then narrows the interval more than another block does.
const MAX_ROUNDS: u32 = 6;

/// Limits of the schedule.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Half-width of the intervals of throughput and CPU at which a pair is done, as a fraction of
    /// the ratio.
    pub precision: f64,
    pub block: Duration,
    /// Uncounted load before the first block of a pair in each replicate.
    pub warmup: Duration,
    /// Planned number of replicates.
    pub replicates: u32,
    pub seed: u64,
}

impl Limits {
    /// Returns the rounds of a replicate: unlimited if there is only one replicate.
    pub(super) fn rounds(&self) -> Range<u32> {
        0..if self.replicates > 1 { MAX_ROUNDS } else { u32::MAX }
    }

    pub(super) fn design(&self) -> Design {
        Design { replicates: Some(self.replicates), seed: self.seed }
    }
}

/// Progress of a pair after a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairProgress {
    /// Index in the run.
    pub pair: usize,
    /// Blocks so far that gave a ratio.
    pub blocks: usize,
    /// Throughput ratio so far. `None` if there is no interval yet.
    pub ratio: Option<Estimate>,
    /// Ratio of CPU time per query so far. `None` if it is unknown or there is no interval yet.
    pub cpu: Option<Estimate>,
}

/// Ratios of each pair so far, over all replicates.
pub(crate) struct Ledger {
    pub(crate) limits: Limits,
    /// By index of the pair in the run.
    pub(super) pairs: BTreeMap<usize, PairRatios>,
}

#[derive(Default)]
pub(super) struct PairRatios {
    pub(super) throughput: ReplicateValues,
    pub(super) cpu: ReplicateValues,
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, pairs: BTreeMap::new() }
    }

    /// Adds the ratios of a block. A block in which a side completed nothing adds none, as in the
    /// analysis.
    pub(super) fn add_ratios(&mut self, pair: usize, replicate: u32, baseline: &Side, variant: &Side) -> PairProgress {
        let series = self.pairs.entry(pair).or_default();
        let mut push = |nested: fn(&mut PairRatios) -> &mut ReplicateValues, ratio: f64| {
            if ratio.is_finite() && ratio > 0.0 {
                nested(series).push(Some(replicate), ratio);
            }
        };
        if has_rate(baseline) && has_rate(variant) {
            push(|series| &mut series.throughput, throughput_ratio(baseline, variant));
            if let Some(ratio) = cpu_ratio(baseline, variant) {
                push(|series| &mut series.cpu, ratio);
            }
        }
        PairProgress {
            pair,
            blocks: series.throughput.block_count(),
            ratio: series.throughput.mean_ratio(self.limits.design()),
            cpu: series.cpu.mean_ratio(self.limits.design()),
        }
    }

    /// Adds the ratios of blocks measured earlier.
    pub(crate) fn add_blocks(&mut self, mode: Mode, pairs: &[(usize, &Pair)], blocks: &[&Block]) {
        for &(index, pair) in pairs {
            for own in pair_sides(mode, index, pair, blocks) {
                self.add_ratios(index, own.replicate.unwrap_or_default(), own.baseline, own.variant);
            }
        }
    }

    /// Whether the throughput ratio, and the CPU ratio if known, are precise enough. With several
    /// replicates this is used only between replicates, since the interval is over replicates.
    pub(crate) fn is_done(&self, pair: usize) -> bool {
        let Limits { precision, replicates, .. } = self.limits;
        let Some(series) = self.pairs.get(&pair) else { return false };
        let (measured, least) = match replicates {
            1 => (series.throughput.block_count(), MIN_BLOCKS),
            all => (series.throughput.replicate_count(), MIN_REPLICATES.min(all) as usize),
        };
        let is_precise = |nested: &ReplicateValues| {
            nested.mean_ratio(self.limits.design()).is_some_and(|ratio| ratio.precision() <= precision)
        };
        measured >= least
            && is_precise(&series.throughput)
            && (series.cpu.block_count() == 0 || is_precise(&series.cpu))
    }
}
