//! Which variants are under load when, and when to stop. Generic over who puts the load on, so that it can be tested against
//! made-up servers whose true ratios are known.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{Block, Mode, Pair, PairKind, Side};
use crate::stats::{self, Estimate};

/// Intervals over fewer blocks than this are too uncertain themselves to stop on.
const MIN_BLOCKS: usize = 6;

/// Who puts variants under load.
pub trait Executor {
    /// What can go wrong.
    type Error;
    /// Puts the variants (indices in the run) under load together, for one block.
    fn block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Self::Error>;
    /// Time since the run began.
    fn elapsed(&self) -> Duration;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Half-width of the interval at which a pair is done, as a fraction of the ratio.
    pub precision: f64,
    /// Length of a block.
    pub block: Duration,
    /// Uncounted load before the first block of a pair.
    pub warmup: Duration,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// A cell to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Index of the cell in the run.
    pub cell: usize,
    /// The run's pairs with their indices, those of other cells left out.
    pub pairs: &'a [(usize, &'a Pair)],
    /// Duet or solo.
    pub mode: Mode,
    /// When to stop.
    pub limits: Limits,
    /// Time since the run began at which the cell must be done.
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

/// Measures a cell: the A/A pair first, then the others in turn, block by block, until each is precise enough or time is up.
pub fn measure<X: Executor>(executor: &mut X, task: Task<'_>, sink: &mut dyn Sink<X::Error>) -> Result<(), X::Error> {
    match task.mode {
        Mode::Duet => {
            let (controls, others): (Vec<_>, Vec<_>) =
                task.pairs.iter().copied().partition(|(_, pair)| pair.kind == PairKind::AA);
            let share = share(executor.elapsed(), task.deadline, controls.len(), task.pairs.len());
            duets(executor, &Task { pairs: &controls, deadline: share, ..task }, sink)?;
            duets(executor, &Task { pairs: &others, ..task }, sink)
        }
        Mode::Solo => solos(executor, &task, sink),
    }
}

/// The deadline for the first `part` of `all` pairs, so that each has the same time.
fn share(now: Duration, deadline: Duration, part: usize, all: usize) -> Duration {
    now + deadline.saturating_sub(now).mul_f64(part as f64 / all.max(1) as f64)
}

/// The ratios of one pair, block by block.
#[derive(Default)]
struct Series {
    ratios: Vec<f64>,
    ratio: Option<Estimate>,
}

impl Series {
    /// Takes the ratio of a block; none comes of one in which a side completed nothing, as a machine that stood still leaves it.
    fn push(&mut self, ratio: f64, seed: u64) {
        if !(ratio.is_finite() && ratio > 0.0) {
            return;
        }
        self.ratios.push(ratio);
        self.ratio = stats::ratio(&self.ratios, seed);
    }

    fn is_done(&self, precision: f64) -> bool {
        self.ratios.len() >= MIN_BLOCKS && self.ratio.is_some_and(|ratio| ratio.precision() <= precision)
    }

    fn standing(&self, pair: usize) -> Standing {
        Standing { pair, blocks: self.ratios.len(), ratio: self.ratio }
    }
}

/// Throughput of the variant for each unit of the baseline's.
pub(crate) fn ratio_of(baseline: &Side, variant: &Side) -> f64 {
    let rate = |side: &Side| side.events as f64 / side.seconds;
    rate(variant) / rate(baseline)
}

fn duets<X: Executor>(executor: &mut X, task: &Task<'_>, sink: &mut dyn Sink<X::Error>) -> Result<(), X::Error> {
    let limits = task.limits;
    let mut series: Vec<Series> = task.pairs.iter().map(|_| Series::default()).collect();
    for round in 0.. {
        let mut rested = true;
        for ((index, pair), series) in task.pairs.iter().zip(&mut series) {
            if series.is_done(limits.precision) {
                continue;
            }
            if executor.elapsed() + limits.block > task.deadline {
                return Ok(());
            }
            rested = false;
            let sides = [pair.baseline, pair.variant];
            let at = Place { cell: task.cell, pair: Some(*index), round };
            if round == 0 {
                let block = at.run(executor, &sides, limits.warmup, true)?;
                sink.take(&block, &[])?;
            }
            let block = at.run(executor, &sides, limits.block, false)?;
            series.push(ratio_of(&block.sides[0], &block.sides[1]), limits.seed);
            sink.take(&block, &[series.standing(*index)])?;
        }
        if rested {
            break;
        }
    }
    Ok(())
}

fn solos<X: Executor>(executor: &mut X, task: &Task<'_>, sink: &mut dyn Sink<X::Error>) -> Result<(), X::Error> {
    let limits = task.limits;
    let mut series: Vec<Series> = task.pairs.iter().map(|_| Series::default()).collect();
    for round in 0.. {
        let mut variants: Vec<usize> = task
            .pairs
            .iter()
            .zip(&series)
            .filter(|(_, series)| !series.is_done(limits.precision))
            .flat_map(|((_, pair), _)| [pair.baseline, pair.variant])
            .collect();
        variants.sort_unstable();
        variants.dedup();
        if variants.is_empty() || executor.elapsed() + limits.block * variants.len() as u32 > task.deadline {
            return Ok(());
        }
        // Turning the order round from round to round keeps a drift of the machine from favouring anyone.
        if round % 2 == 1 {
            variants.reverse();
        }
        let mut sides = BTreeMap::new();
        let at = Place { cell: task.cell, pair: None, round };
        for &variant in &variants {
            if round == 0 {
                let block = at.run(executor, &[variant], limits.warmup, true)?;
                sink.take(&block, &[])?;
            }
            let block = at.run(executor, &[variant], limits.block, false)?;
            sides.insert(variant, block.sides[0].clone());
            let mut standings = Vec::new();
            for ((index, pair), series) in task.pairs.iter().zip(&mut series) {
                let completes = variant == pair.baseline || variant == pair.variant;
                if let (true, Some(base), Some(side)) = (completes, sides.get(&pair.baseline), sides.get(&pair.variant))
                {
                    series.push(ratio_of(base, side), limits.seed);
                    standings.push(series.standing(*index));
                }
            }
            sink.take(&block, &standings)?;
        }
    }
    Ok(())
}

/// Where a block belongs.
#[derive(Clone, Copy)]
struct Place {
    cell: usize,
    pair: Option<usize>,
    round: u32,
}

impl Place {
    fn run<X: Executor>(
        self,
        executor: &mut X,
        variants: &[usize],
        length: Duration,
        warm_up: bool,
    ) -> Result<Block, X::Error> {
        let sides = executor.block(variants, length)?;
        let at_s = executor.elapsed().as_secs_f64();
        let Place { cell, pair, round } = self;
        Ok(Block { cell, pair, round, warm_up, at_s, seconds: length.as_secs_f64(), sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Latency;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use std::convert::Infallible;

    /// Variants of known speed on a machine whose own speed wanders, under a clock that only blocks move.
    struct Machine {
        speeds: Vec<f64>,
        random: Xoshiro256PlusPlus,
        clock: Duration,
        wander: f64,
        jitter: f64,
    }

    impl Machine {
        fn new(speeds: &[f64], wander: f64, jitter: f64) -> Self {
            let random = Xoshiro256PlusPlus::seed_from_u64(11);
            Self { speeds: speeds.to_vec(), random, clock: Duration::ZERO, wander, jitter }
        }

        fn noise(&mut self, size: f64) -> f64 {
            1.0 + size * (self.random.next_u64() as f64 / u64::MAX as f64 - 0.5)
        }
    }

    impl Executor for Machine {
        type Error = Infallible;

        fn block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Infallible> {
            self.clock += length;
            let machine = self.noise(self.wander);
            let sides = variants.iter().map(|&variant| {
                let events = 1e6 * self.speeds[variant] * machine * self.noise(self.jitter) * length.as_secs_f64();
                side(variant, events as u64, length)
            });
            Ok(sides.collect())
        }

        fn elapsed(&self) -> Duration {
            self.clock
        }
    }

    fn side(variant: usize, events: u64, length: Duration) -> Side {
        Side {
            variant,
            seconds: length.as_secs_f64(),
            events,
            queries: events,
            rows: None,
            errors: BTreeMap::new(),
            lost_connections: 0,
            server_cpu_us: None,
            client_cpu_us: None,
            latency: Latency { p50_ms: None, p95_ms: None, p99_ms: None, hdr: None },
            log: None,
        }
    }

    fn pair(variant: usize, kind: PairKind) -> Pair {
        Pair { cell: 0, variant, baseline: 0, kind }
    }

    /// Measures variants 1… against variant 0, variant 1 being its copy; returns all blocks and each pair's last standing.
    fn run(machine: &mut Machine, mode: Mode, precision: f64, seconds: u64) -> (Vec<Block>, BTreeMap<usize, Standing>) {
        let pairs: Vec<Pair> = (1..machine.speeds.len())
            .map(|variant| pair(variant, if variant == 1 { PairKind::AA } else { PairKind::Collation }))
            .collect();
        let indexed: Vec<(usize, &Pair)> = pairs.iter().enumerate().collect();
        let limits = Limits { precision, block: Duration::from_secs(1), warmup: Duration::from_millis(500), seed: 5 };
        let task = Task { cell: 0, pairs: &indexed, mode, limits, deadline: Duration::from_secs(seconds) };
        let (mut blocks, mut standings) = (Vec::new(), BTreeMap::new());
        let mut sink = |block: &Block, now: &[Standing]| -> Result<(), Infallible> {
            blocks.push(block.clone());
            standings.extend(now.iter().map(|standing| (standing.pair, *standing)));
            Ok(())
        };
        measure(machine, task, &mut sink).unwrap_or_else(|never| match never {});
        (blocks, standings)
    }

    #[test]
    fn a_duet_finds_the_true_ratio_on_a_machine_that_wanders() {
        let mut machine = Machine::new(&[1.0, 1.0, 0.55], 0.6, 0.05);
        let (_, standings) = run(&mut machine, Mode::Duet, 0.01, 200);
        assert!(standings[&0].ratio.unwrap().contains(1.0));
        assert!(standings[&1].ratio.unwrap().contains(0.55));
        assert!(standings[&1].ratio.unwrap().precision() <= 0.01);
    }

    #[test]
    fn the_control_goes_first_and_the_others_take_turns() {
        let mut machine = Machine::new(&[1.0, 1.0, 0.5, 0.7], 0.3, 0.2);
        let (blocks, _) = run(&mut machine, Mode::Duet, 0.0001, 40);
        let order: Vec<usize> = blocks.iter().filter(|block| !block.warm_up).map(|block| block.pair.unwrap()).collect();
        let first_other = order.iter().position(|&pair| pair != 0).unwrap();
        assert!(order[first_other..].iter().all(|&pair| pair != 0));
        assert!(order[first_other..].chunks_exact(2).all(|turn| turn == [1, 2]), "{order:?}");
        assert!((first_other as i64 - order[first_other..].len() as i64 / 2).abs() <= 1, "time is shared: {order:?}");
    }

    #[test]
    fn precise_pairs_stop_early_and_none_before_the_least_number_of_blocks() {
        let mut machine = Machine::new(&[1.0, 1.0, 0.5], 0.5, 0.0001);
        let (_, standings) = run(&mut machine, Mode::Duet, 0.02, 1000);
        assert!(standings.values().all(|standing| standing.blocks == MIN_BLOCKS), "{standings:?}");
    }

    #[test]
    fn time_is_kept_in_both_modes() {
        for mode in [Mode::Duet, Mode::Solo] {
            let mut machine = Machine::new(&[1.0, 1.0, 0.5, 0.6, 0.7], 0.5, 0.5);
            run(&mut machine, mode, 0.00001, 33);
            assert!(machine.clock <= Duration::from_secs(34), "{mode:?} took {:?}", machine.clock);
        }
    }

    #[test]
    fn a_warm_up_goes_before_each_pair_and_is_not_counted() {
        let mut machine = Machine::new(&[1.0, 1.0, 0.5], 0.1, 0.01);
        let (blocks, standings) = run(&mut machine, Mode::Duet, 0.01, 100);
        for pair in [0, 1] {
            let mine: Vec<&Block> = blocks.iter().filter(|block| block.pair == Some(pair)).collect();
            assert!(mine[0].warm_up && mine[1..].iter().all(|block| !block.warm_up));
            assert_eq!(standings[&pair].blocks, mine.len() - 1);
        }
    }

    #[test]
    fn solos_take_turns_in_alternating_order() {
        let mut machine = Machine::new(&[1.0, 1.0, 0.5], 0.0, 0.01);
        let (blocks, standings) = run(&mut machine, Mode::Solo, 0.01, 100);
        let order = |round: u32| -> Vec<usize> {
            blocks.iter().filter(|b| b.round == round && !b.warm_up).map(|b| b.sides[0].variant).collect()
        };
        assert_eq!(order(0), [0, 1, 2]);
        assert_eq!(order(1), [2, 1, 0]);
        assert!(standings[&1].ratio.unwrap().contains(0.5));
    }
}
