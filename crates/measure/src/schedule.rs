//! Which variants are under load when, and when to stop. Generic over who puts the load on, so that it can be tested against
//! made-up servers whose true ratios are known.
//!
//! ```text
//! for each replicate                 experiment: servers started, rows loaded, connections made anew
//!   for each condition               experiment
//!     for each round, until its time is up
//!       for each pair that is not precise enough yet, the A/A pairs among them
//!         block                      measure()
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use crate::model::{Block, Mode, Pair, Side};
use crate::nested::{Design, Nested};
use crate::pairing::paired;
use crate::stats::Estimate;
use crate::turn;

/// Intervals over fewer blocks than this are too uncertain themselves to stop on, where there is only one replicate.
const MIN_BLOCKS: usize = 6;

/// The same of replicates. Stopping on an interval makes it hold the truth less often, from six replicates on a little less than from four on;
/// intervals over replicates are wider for it.
const MIN_REPLICATES: u32 = 6;

/// More blocks of a pair than this tell little more of a replicate: where blocks differ by 1.5 % and replicates by 0.8 %, six leave 0.6 % of
/// the former in a replicate's mean, and the next replicate tells more than the next block.
const MOST_ROUNDS: u32 = 6;

/// Who puts variants under load.
pub trait Executor {
    /// What can go wrong.
    type Error;
    /// Puts the variants (indices in the run) under load together, for one block, and returns what each did in their order.
    fn block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Self::Error>;
    /// Share of the time of this machine's cores that a hypervisor gave to others during the last block, where that is known.
    fn stolen(&self) -> Option<f64> {
        None
    }
    /// Time since the run began.
    fn elapsed(&self) -> Duration;
}

/// How long, and how precise.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Half-width of the intervals of throughput and CPU at which a pair is done, as a fraction of the ratio.
    pub precision: f64,
    /// Length of a block.
    pub block: Duration,
    /// Uncounted load before the first block of a pair in each replicate.
    pub warmup: Duration,
    /// The most replicates.
    pub replicates: u32,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Limits {
    /// The rounds of a replicate, where there are several.
    fn rounds(&self) -> Range<u32> {
        0..if self.replicates > 1 { MOST_ROUNDS } else { u32::MAX }
    }

    fn design(&self) -> Design {
        Design { replicates: Some(self.replicates), seed: self.seed }
    }
}

/// A condition to be measured in one replicate.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Index of the condition in the run.
    pub condition: usize,
    /// The run's pairs with their indices, those of other conditions left out.
    pub pairs: &'a [(usize, &'a Pair)],
    /// Duet or solo.
    pub mode: Mode,
    /// The replicate, from 0.
    pub replicate: u32,
    /// Time since the run began at which the condition must be done in this replicate.
    pub deadline: Duration,
}

/// Where a pair stands after a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Index of the pair in the run.
    pub pair: usize,
    /// Counted blocks so far.
    pub blocks: usize,
    /// The ratio so far.
    pub ratio: Option<Estimate>,
}

/// Takes each block as it is measured.
pub trait Sink<E> {
    /// Takes a block and how the pairs that it belongs to stand now.
    fn take(&mut self, block: &Block, standings: &[Standing]) -> Result<(), E>;
}

impl<E, F: FnMut(&Block, &[Standing]) -> Result<(), E>> Sink<E> for F {
    fn take(&mut self, block: &Block, standings: &[Standing]) -> Result<(), E> {
        self(block, standings)
    }
}

/// What was found of each pair so far, over all replicates.
pub(crate) struct Ledger {
    pub(crate) limits: Limits,
    /// By the pair's index in the run.
    pairs: BTreeMap<usize, Series>,
}

/// The ratios of one pair.
#[derive(Default)]
struct Series {
    throughput: Nested,
    cpu: Nested,
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, pairs: BTreeMap::new() }
    }

    /// Takes a block's ratios; none comes of one in which a side completed nothing, as a machine that stood still leaves it.
    fn push(&mut self, pair: usize, replicate: u32, baseline: &Side, variant: &Side) -> Standing {
        let series = self.pairs.entry(pair).or_default();
        let mut push = |nested: fn(&mut Series) -> &mut Nested, ratio: f64| {
            if ratio.is_finite() && ratio > 0.0 {
                nested(series).push(Some(replicate), ratio);
            }
        };
        push(|series| &mut series.throughput, ratio_of(baseline, variant));
        if let Some(ratio) = cpu_ratio_of(baseline, variant) {
            push(|series| &mut series.cpu, ratio);
        }
        Standing { pair, blocks: series.throughput.blocks(), ratio: series.throughput.ratio(self.limits.design()) }
    }

    /// Takes the ratios of a condition's blocks that were measured before.
    pub(crate) fn refill(&mut self, mode: Mode, pairs: &[(usize, &Pair)], blocks: &[&Block]) {
        for &(index, pair) in pairs {
            for own in paired(mode, index, pair, blocks) {
                self.push(index, own.replicate.unwrap_or_default(), own.baseline, own.variant);
            }
        }
    }

    /// Whether a pair is precise enough, in throughput and, where it is told, in CPU. With several replicates it is asked between them.
    pub(crate) fn is_done(&self, pair: usize) -> bool {
        let Limits { precision, replicates, .. } = self.limits;
        let Some(series) = self.pairs.get(&pair) else { return false };
        let (measured, least) = match replicates {
            1 => (series.throughput.blocks(), MIN_BLOCKS),
            all => (series.throughput.replicates(), MIN_REPLICATES.min(all) as usize),
        };
        let is_precise =
            |nested: &Nested| nested.ratio(self.limits.design()).is_some_and(|ratio| ratio.precision() <= precision);
        measured >= least && is_precise(&series.throughput) && (series.cpu.blocks() == 0 || is_precise(&series.cpu))
    }
}

/// Throughput of the variant for each unit of the baseline's: by how much of the same work each did, where their calls were not the same.
pub(crate) fn ratio_of(baseline: &Side, variant: &Side) -> f64 {
    let rate = |side: &Side| side.events as f64 / side.seconds;
    rate(variant) / rate(baseline) * effort_ratio(baseline.effort, variant.effort)
}

/// Server CPU time a statement of the variant for each unit of the baseline's, where it is told; for the same work, likewise.
pub(crate) fn cpu_ratio_of(baseline: &Side, variant: &Side) -> Option<f64> {
    let efforts = effort_ratio(baseline.statement_effort, variant.statement_effort);
    Some(variant.server_cpu_us? / baseline.server_cpu_us? / efforts)
}

/// By how much the variant's calls take more than the baseline's because they are others.
fn effort_ratio(baseline: Option<f64>, variant: Option<f64>) -> f64 {
    variant.zip(baseline).map_or(1.0, |(variant, baseline)| variant / baseline)
}

/// By how many µs of server CPU a statement of the variant takes more, where it is told; each as it would be with the calls that both had on
/// average.
pub(crate) fn cpu_difference_of(baseline: &Side, variant: &Side) -> Option<f64> {
    let (of_baseline, of_variant) = (baseline.server_cpu_us?, variant.server_cpu_us?);
    let Some((own, other)) = variant.statement_effort.zip(baseline.statement_effort) else {
        return Some(of_variant - of_baseline);
    };
    let both = (own + other) / 2.0;
    Some(of_variant * both / own - of_baseline * both / other)
}

/// Measures a condition in one replicate: block by block, the pairs in turn, the A/A pairs among them, until time is up. Pairs that were
/// precise enough when the replicate began are passed over.
pub(crate) fn measure<X: Executor>(
    executor: &mut X,
    task: Task<'_>,
    ledger: &mut Ledger,
    sink: &mut dyn Sink<X::Error>,
) -> Result<(), X::Error> {
    let mut open: Vec<(usize, &Pair)> =
        task.pairs.iter().copied().filter(|(index, _)| !ledger.is_done(*index)).collect();
    if open.is_empty() {
        return Ok(());
    }
    // Each replicate begins with another pair, so that where time is short it is not the same that goes without.
    turn::rotate(&mut open, task.replicate);
    let mut measurement = Measurement { executor, task: Task { pairs: &open, ..task }, ledger, sink };
    match task.mode {
        Mode::Duet => measurement.duets(),
        Mode::Solo => measurement.solos(),
    }
}

/// A condition that is being measured.
struct Measurement<'a, X: Executor> {
    executor: &'a mut X,
    task: Task<'a>,
    ledger: &'a mut Ledger,
    sink: &'a mut dyn Sink<X::Error>,
}

impl<X: Executor> Measurement<'_, X> {
    fn duets(&mut self) -> Result<(), X::Error> {
        let limits = self.ledger.limits;
        for round in limits.rounds() {
            let mut rested = true;
            for &(index, pair) in self.task.pairs {
                if limits.replicates == 1 && self.ledger.is_done(index) {
                    continue;
                }
                if !self.has_time(round, 1) {
                    return Ok(());
                }
                rested = false;
                let block = self.block(round, Some(index), &[pair.baseline, pair.variant])?;
                let standing = self.ledger.push(index, self.task.replicate, &block.sides[0], &block.sides[1]);
                self.sink.take(&block, &[standing])?;
            }
            if rested {
                break;
            }
        }
        Ok(())
    }

    fn solos(&mut self) -> Result<(), X::Error> {
        for round in self.ledger.limits.rounds() {
            let mut variants = self.open_variants();
            if variants.is_empty() || !self.has_time(round, variants.len()) {
                return Ok(());
            }
            if self.is_turned(round) {
                variants.reverse();
            }
            let mut sides = BTreeMap::new();
            for variant in variants {
                let block = self.block(round, None, &[variant])?;
                sides.insert(variant, block.sides[0].clone());
                let standings = self.standings(variant, &sides);
                self.sink.take(&block, &standings)?;
            }
        }
        Ok(())
    }

    /// The variants of the pairs that are still measured, each once.
    fn open_variants(&self) -> Vec<usize> {
        let is_open = |index: usize| self.ledger.limits.replicates > 1 || !self.ledger.is_done(index);
        let open = self.task.pairs.iter().filter(|(index, _)| is_open(*index));
        let mut variants: Vec<usize> = open.flat_map(|(_, pair)| [pair.baseline, pair.variant]).collect();
        variants.sort_unstable();
        variants.dedup();
        variants
    }

    /// Takes the ratios of the pairs that a variant's block completes in its round.
    fn standings(&mut self, variant: usize, sides: &BTreeMap<usize, Side>) -> Vec<Standing> {
        let own = self.task.pairs.iter().filter(|(_, pair)| variant == pair.baseline || variant == pair.variant);
        let complete =
            own.filter_map(|(index, pair)| Some((*index, sides.get(&pair.baseline)?, sides.get(&pair.variant)?)));
        complete.map(|(index, base, side)| self.ledger.push(index, self.task.replicate, base, side)).collect()
    }

    /// Whether a round has its variants the other way round: who connects first and has the first turn has neither the same memory in the server nor
    /// the same luck on a busy machine, and from round to round it is another.
    fn is_turned(&self, round: u32) -> bool {
        (round + self.task.replicate) % 2 == 1
    }

    /// Load before the first counted block of a replicate.
    fn warmup(&self, round: u32) -> Duration {
        if round == 0 { self.ledger.limits.warmup } else { Duration::ZERO }
    }

    /// Whether so many blocks, with their warm-ups, end before the deadline.
    fn has_time(&self, round: u32, blocks: usize) -> bool {
        let length = (self.warmup(round) + self.ledger.limits.block) * blocks as u32;
        self.executor.elapsed() + length <= self.task.deadline
    }

    /// Puts variants under load for a block, after their warm-up where they have one.
    fn block(&mut self, round: u32, pair: Option<usize>, variants: &[usize]) -> Result<Block, X::Error> {
        let warmup = self.warmup(round);
        if !warmup.is_zero() {
            let block = self.load(round, pair, variants, warmup, true)?;
            self.sink.take(&block, &[])?;
        }
        self.load(round, pair, variants, self.ledger.limits.block, false)
    }

    fn load(
        &mut self,
        round: u32,
        pair: Option<usize>,
        variants: &[usize],
        length: Duration,
        warm_up: bool,
    ) -> Result<Block, X::Error> {
        let sides = if pair.is_some() && self.is_turned(round) {
            let turned: Vec<usize> = variants.iter().rev().copied().collect();
            self.executor.block(&turned, length)?.into_iter().rev().collect()
        } else {
            self.executor.block(variants, length)?
        };
        let at_s = self.executor.elapsed().as_secs_f64();
        let Task { condition, replicate, .. } = self.task;
        let (replicate, stolen) = (Some(replicate), self.executor.stolen());
        Ok(Block { condition, pair, replicate, round, warm_up, at_s, seconds: length.as_secs_f64(), stolen, sides })
    }
}

#[cfg(test)]
mod tests;
