//! The schedule: which variants run in which block, and when a pair is precise enough. Generic over
//! the executor, so that tests can simulate servers with known ratios.
//!
//! ```text
//! for each replicate                            module experiment: new servers, rows, connections
//!   for each condition                          module experiment
//!     for each round, until its time is up      measure_condition()
//!       for each open pair, including A/A pairs
//!         block
//! ```
//!
//! A pair is open until it is precise enough. With one replicate that is tested before each block,
//! in solo mode before each round. With several replicates it is tested before each replicate.
//!
//! In solo mode a round has one block per variant instead of one per pair. Every other round
//! reverses the order: of the two variants of a duet, which run at the same time, or of all
//! variants in solo mode.

mod ledger;
pub(crate) mod rotation;
mod time_budget;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{Block, Mode, Pair, Side};

pub(crate) use ledger::Ledger;
pub use ledger::{Limits, PairProgress};
pub(crate) use time_budget::{Clock, TimeBudget};

/// The servers and clients of a run, or a simulation of them.
pub trait Executor {
    type Error;
    /// Runs one block with these variants (indices in the run). Returns one side per variant, in
    /// the same order.
    fn run_block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Self::Error>;
    /// Share of CPU time that a hypervisor gave to other machines during the last block. `None` if
    /// unknown.
    fn stolen_share(&self) -> Option<f64> {
        None
    }
    /// Time since the start of the run.
    fn elapsed(&self) -> Duration;
}

/// One condition to measure in one replicate.
#[derive(Clone, Copy, Debug)]
pub struct ConditionTask<'a> {
    /// Index of the condition in the run.
    pub condition: usize,
    /// Pairs of the condition, with their indices in the run.
    pub pairs: &'a [(usize, &'a Pair)],
    pub mode: Mode,
    /// Number of the replicate, from 0.
    pub replicate: u32,
    /// Deadline for the condition in this replicate, as time since the start of the run.
    pub deadline: Duration,
}

/// Receives each block at its end.
pub trait Sink<E> {
    /// Records a block and the progress of the pairs that it belongs to.
    fn record(&mut self, block: &Block, progress: &[PairProgress]) -> Result<(), E>;
}

impl<E, F: FnMut(&Block, &[PairProgress]) -> Result<(), E>> Sink<E> for F {
    fn record(&mut self, block: &Block, progress: &[PairProgress]) -> Result<(), E> {
        self(block, progress)
    }
}

/// Measures a condition in one replicate, in rounds over its pairs, until its time is up or
/// [`Limits::rounds`] end. Skips pairs that were precise enough at the start of the replicate, and
/// in a run with one replicate those that have become so.
pub(crate) fn measure_condition<X: Executor>(
    executor: &mut X,
    task: ConditionTask<'_>,
    ledger: &mut Ledger,
    sink: &mut dyn Sink<X::Error>,
) -> Result<(), X::Error> {
    let mut open: Vec<(usize, &Pair)> =
        task.pairs.iter().copied().filter(|(index, _)| !ledger.is_done(*index)).collect();
    if open.is_empty() {
        return Ok(());
    }
    // In duet mode, each replicate starts with a different pair. If time is short, a different pair
    // is skipped each time.
    rotation::rotate_for_replicate(&mut open, task.replicate);
    let mut measurement = Measurement { executor, task: ConditionTask { pairs: &open, ..task }, ledger, sink };
    match task.mode {
        Mode::Duet => measurement.run_duets(),
        Mode::Solo => measurement.run_solos(),
    }
}

struct Measurement<'a, X: Executor> {
    executor: &'a mut X,
    task: ConditionTask<'a>,
    ledger: &'a mut Ledger,
    sink: &'a mut dyn Sink<X::Error>,
}

impl<X: Executor> Measurement<'_, X> {
    fn run_duets(&mut self) -> Result<(), X::Error> {
        let limits = self.ledger.limits;
        for round in limits.rounds() {
            let mut all_done = true;
            for &(index, pair) in self.task.pairs {
                if limits.replicates == 1 && self.ledger.is_done(index) {
                    continue;
                }
                if !self.has_time(round, 1) {
                    return Ok(());
                }
                all_done = false;
                let block = self.run_block_after_warmup(round, Some(index), &[pair.baseline, pair.variant])?;
                let progress = self.ledger.add_ratios(index, self.task.replicate, &block.sides[0], &block.sides[1]);
                self.sink.record(&block, &[progress])?;
            }
            if all_done {
                break;
            }
        }
        Ok(())
    }

    fn run_solos(&mut self) -> Result<(), X::Error> {
        for round in self.ledger.limits.rounds() {
            let mut variants = self.open_variants();
            if variants.is_empty() || !self.has_time(round, variants.len()) {
                return Ok(());
            }
            if self.is_reversed(round) {
                variants.reverse();
            }
            let mut sides = BTreeMap::new();
            for variant in variants {
                let block = self.run_block_after_warmup(round, None, &[variant])?;
                sides.insert(variant, block.sides[0].clone());
                let progress = self.record_ratios(variant, &sides);
                self.sink.record(&block, &progress)?;
            }
        }
        Ok(())
    }

    /// Returns the variants of the pairs still to be measured, without duplicates.
    fn open_variants(&self) -> Vec<usize> {
        let is_open = |index: usize| self.ledger.limits.replicates > 1 || !self.ledger.is_done(index);
        let open = self.task.pairs.iter().filter(|(index, _)| is_open(*index));
        let mut variants: Vec<usize> = open.flat_map(|(_, pair)| [pair.baseline, pair.variant]).collect();
        variants.sort_unstable();
        variants.dedup();
        variants
    }

    /// Adds the ratios of the pairs that a variant's block completes in its round.
    fn record_ratios(&mut self, variant: usize, sides: &BTreeMap<usize, Side>) -> Vec<PairProgress> {
        let own = self.task.pairs.iter().filter(|(_, pair)| variant == pair.baseline || variant == pair.variant);
        let complete =
            own.filter_map(|(index, pair)| Some((*index, sides.get(&pair.baseline)?, sides.get(&pair.variant)?)));
        complete.map(|(index, base, side)| self.ledger.add_ratios(index, self.task.replicate, base, side)).collect()
    }

    /// Whether a round runs its variants in reverse order. The variant that connects or runs first
    /// has a different memory layout, and on a busy machine different neighbours, so the order
    /// alternates.
    fn is_reversed(&self, round: u32) -> bool {
        (round + self.task.replicate) % 2 == 1
    }

    /// Returns the warm-up time: none after the first round of a replicate.
    fn warmup(&self, round: u32) -> Duration {
        if round == 0 { self.ledger.limits.warmup } else { Duration::ZERO }
    }

    /// Whether `blocks` further blocks, with their warm-ups, end before the deadline.
    fn has_time(&self, round: u32, blocks: usize) -> bool {
        let length = (self.warmup(round) + self.ledger.limits.block) * blocks as u32;
        self.executor.elapsed() + length <= self.task.deadline
    }

    /// Runs a block, after a warm-up block if one is due.
    fn run_block_after_warmup(
        &mut self,
        round: u32,
        pair: Option<usize>,
        variants: &[usize],
    ) -> Result<Block, X::Error> {
        let warmup = self.warmup(round);
        if !warmup.is_zero() {
            let block = self.run_block(round, pair, variants, warmup, true)?;
            self.sink.record(&block, &[])?;
        }
        self.run_block(round, pair, variants, self.ledger.limits.block, false)
    }

    fn run_block(
        &mut self,
        round: u32,
        pair: Option<usize>,
        variants: &[usize],
        length: Duration,
        is_warmup: bool,
    ) -> Result<Block, X::Error> {
        let sides = if pair.is_some() && self.is_reversed(round) {
            let reversed: Vec<usize> = variants.iter().rev().copied().collect();
            self.executor.run_block(&reversed, length)?.into_iter().rev().collect()
        } else {
            self.executor.run_block(variants, length)?
        };
        let at_s = self.executor.elapsed().as_secs_f64();
        let ConditionTask { condition, replicate, .. } = self.task;
        let (replicate, stolen) = (Some(replicate), self.executor.stolen_share());
        Ok(Block {
            condition,
            pair,
            replicate,
            round,
            warm_up: is_warmup,
            at_s,
            seconds: length.as_secs_f64(),
            stolen,
            sides,
        })
    }
}

#[cfg(test)]
mod tests;
