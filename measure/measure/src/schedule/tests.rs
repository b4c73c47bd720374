use super::ledger::{MIN_BLOCKS, MIN_REPLICATES};
use super::*;
use crate::model::{Latency, PairKind};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use statrs::distribution::{ContinuousCDF, Normal};
use stats::Estimate;
use std::convert::Infallible;

/// A simulated machine: variants of known speed, a machine speed that varies, and a clock that only
/// blocks advance. Each replicate gives each variant a random offset that lasts for the replicate.
struct Machine {
    speeds: Vec<f64>,
    /// Factors of each variant's throughput and CPU time in this replicate.
    offsets: Vec<(f64, f64)>,
    random: Xoshiro256PlusPlus,
    clock: Duration,
    noise: Noise,
    /// Factor of the throughput of the variant that runs first.
    first: f64,
}

/// Standard deviations, as fractions.
#[derive(Clone, Copy)]
struct Noise {
    /// Of the machine's speed between blocks; equal for both sides of a duet.
    machine: f64,
    /// Of each side between blocks.
    block: f64,
    /// Of a throughput ratio between replicates.
    replicate: f64,
    /// Of a CPU ratio between replicates.
    cpu_replicate: f64,
}

/// Measured on a quiet machine (docs/explanation/measurement.md).
const QUIET: Noise = Noise { machine: 0.1, block: 0.01, replicate: 0.008, cpu_replicate: 0.012 };

impl Machine {
    fn new(speeds: &[f64], noise: Noise, seed: u64) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut machine =
            Self { speeds: speeds.to_vec(), offsets: Vec::new(), random, clock: Duration::ZERO, noise, first: 1.0 };
        machine.renew();
        machine
    }

    /// Starts a new replicate.
    fn renew(&mut self) {
        // A ratio has the offsets of both sides, so its deviation is √2 times that of one side.
        let Noise { replicate, cpu_replicate, .. } = self.noise;
        let half = 0.5f64.sqrt();
        self.offsets = (0..self.speeds.len())
            .map(|_| (self.factor(replicate * half), self.factor(cpu_replicate * half)))
            .collect();
    }

    /// Returns a log-normal factor with median 1.
    fn factor(&mut self, spread: f64) -> f64 {
        let uniform = (self.random.next_u64() as f64 + 0.5) / 2f64.powi(64);
        (spread * Normal::standard().inverse_cdf(uniform)).exp()
    }
}

impl Executor for Machine {
    type Error = Infallible;

    fn run_block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Infallible> {
        self.clock += length;
        let machine = self.factor(self.noise.machine);
        let sides = variants.iter().enumerate().map(|(place, &variant)| {
            let (speed, cpu) = self.offsets[variant];
            let speed = if place == 0 { speed * self.first } else { speed };
            let speed = 1e6 * self.speeds[variant] * speed * machine * self.factor(self.noise.block);
            let cpu = 20.0 / self.speeds[variant] * cpu * self.factor(self.noise.block);
            side(variant, (speed * length.as_secs_f64()) as u64, cpu, length)
        });
        Ok(sides.collect())
    }

    fn elapsed(&self) -> Duration {
        self.clock
    }
}

fn side(variant: usize, events: u64, cpu: f64, length: Duration) -> Side {
    Side {
        variant,
        seconds: length.as_secs_f64(),
        events,
        queries: events,
        rows: None,
        errors: BTreeMap::new(),
        lost_connections: 0,
        unbound: false,
        missed: 0,
        effort: None,
        statement_effort: None,
        work: BTreeMap::new(),
        server_cpu_us: Some(cpu),
        pages_read: None,
        client_cpu_us: None,
        latency: Latency { p50_ms: None, p95_ms: None, p99_ms: None, hdr: None },
        log: None,
    }
}

/// Results of a simulated run.
struct SimulatedRun {
    blocks: Vec<Block>,
    standings: BTreeMap<usize, PairProgress>,
    ledger: Ledger,
    replicates: u32,
}

impl SimulatedRun {
    /// Returns the throughput and CPU ratio of a pair.
    fn ratios(&self, pair: usize) -> [Estimate; 2] {
        let (series, design) = (&self.ledger.pairs[&pair], self.ledger.limits.design());
        [&series.throughput, &series.cpu].map(|nested| nested.mean_ratio(design).expect("there are enough replicates"))
    }
}

/// Measures variants 1… against variant 0 for `seconds` per replicate. Variant 1 is the copy of
/// variant 0.
fn run(machine: &mut Machine, mode: Mode, precision: f64, replicates: u32, seconds: f64) -> SimulatedRun {
    let kind = |variant| if variant == 1 { PairKind::AA } else { PairKind::Collation };
    let pairs: Vec<Pair> = (1..machine.speeds.len())
        .map(|variant| Pair { condition: 0, variant, baseline: 0, kind: kind(variant) })
        .collect();
    let indexed: Vec<(usize, &Pair)> = pairs.iter().enumerate().collect();
    let limits =
        Limits { precision, block: Duration::from_secs(1), warmup: Duration::from_millis(250), replicates, seed: 5 };
    let mut ledger = Ledger::new(limits);
    let (mut blocks, mut standings) = (Vec::new(), BTreeMap::new());
    let mut sink = |block: &Block, now: &[PairProgress]| -> Result<(), Infallible> {
        blocks.push(block.clone());
        standings.extend(now.iter().map(|standing| (standing.pair, *standing)));
        Ok(())
    };
    let mut replicate = 0;
    while replicate < replicates && !pairs.iter().enumerate().all(|(index, _)| ledger.is_done(index)) {
        if replicate > 0 {
            machine.renew();
        }
        let deadline = machine.clock + Duration::from_secs_f64(seconds);
        let task = ConditionTask { condition: 0, pairs: &indexed, mode, replicate, deadline };
        measure_condition(machine, task, &mut ledger, &mut sink).unwrap_or_else(|never| match never {});
        replicate += 1;
    }
    SimulatedRun { blocks, standings, ledger, replicates: replicate }
}

/// Returns how many intervals of `runs` runs contain the truth, for an A/A pair and a variant of
/// 0.7, each in throughput and CPU.
fn coverage(noise: Noise, replicates: u32, precision: f64, runs: u64) -> [[u64; 2]; 2] {
    let mut held = [[0; 2]; 2];
    for seed in 0..runs {
        let mut machine = Machine::new(&[1.0, 1.0, 0.7], noise, seed);
        let ran = run(&mut machine, Mode::Duet, precision, replicates, 7.0);
        for (pair, truth) in [(0, [1.0, 1.0]), (1, [0.7, 1.0 / 0.7])] {
            let ratios = ran.ratios(pair);
            (0..2).for_each(|at| held[pair][at] += u64::from(ratios[at].contains(truth[at])));
        }
    }
    held
}

const NEVER: f64 = 1e-9;

#[test]
fn duet_finds_the_true_ratio_on_a_machine_of_varying_speed() {
    let mut machine = Machine::new(&[1.0, 1.0, 0.55], QUIET, 11);
    let ran = run(&mut machine, Mode::Duet, 0.01, 10, 7.0);
    let ([aa, aa_cpu], [ratio, cpu]) = (ran.ratios(0), ran.ratios(1));
    assert!(aa.contains(1.0) && aa_cpu.contains(1.0), "{aa:?} {aa_cpu:?}");
    assert!(ratio.contains(0.55) && cpu.contains(1.0 / 0.55), "{ratio:?} {cpu:?}");
    assert!(ratio.precision() <= 0.02, "{ratio:?}");
}

#[test]
fn intervals_hold_the_truth_between_fresh_runs() {
    // The range of replicate deviations that was measured.
    for (replicate, cpu_replicate) in [(0.005, 0.003), (0.008, 0.012), (0.012, 0.018)] {
        for replicates in [3, 5, 10] {
            let noise = Noise { replicate, cpu_replicate, ..QUIET };
            let held = coverage(noise, replicates, NEVER, 400);
            // Intervals 10 % wider than Student's cover in 96 to 97 % of cases: 384 to 388 of 400.
            // Three standard deviations are 12 at 384 and 10 at 388.
            let all = held.as_flattened();
            assert!(all.iter().all(|held| (372..=398).contains(held)), "{held:?} of 400, {replicates} replicates");
        }
    }
}

#[test]
fn stopping_early_keeps_coverage() {
    for precision in [0.006, 0.01, 0.02] {
        let held = coverage(QUIET, 10, precision, 400);
        // 95 % of 400 is 380; three standard deviations are 13.
        assert!(held.as_flattened().iter().all(|held| *held >= 367), "{held:?} of 400 at ± {precision}");
    }
}

#[test]
fn blocks_without_a_transaction_add_no_ratio() {
    let second = Duration::from_secs(1);
    let limits = Limits { precision: 0.01, block: second, warmup: Duration::ZERO, replicates: 2, seed: 1 };
    let mut ledger = Ledger::new(limits);
    for (one, other) in [(100, 0), (0, 100), (100, 100)] {
        ledger.add_ratios(0, 0, &side(0, one, 5.0, second), &side(1, other, 6.0, second));
    }
    let series = &ledger.pairs[&0];
    assert_eq!((series.throughput.block_count(), series.cpu.block_count()), (1, 1));
}

#[test]
fn order_within_a_pair_alternates() {
    let still = Noise { machine: 0.1, block: 1e-6, replicate: 1e-6, cpu_replicate: 1e-6 };
    let mut machine = Machine { first: 0.96, ..Machine::new(&[1.0, 1.0, 0.5], still, 11) };
    let ran = run(&mut machine, Mode::Duet, NEVER, 6, 10.5);
    let [aa, _] = ran.ratios(0);
    assert!((aa.value - 1.0).abs() < 0.001, "{aa:?}");
    assert!(ran.blocks.iter().all(|block| block.sides[0].variant == 0), "the baseline stands first in every block");
}

#[test]
fn intervals_over_blocks_of_one_replicate_do_not_cover_the_next() {
    let held = |seed| {
        let mut machine = Machine::new(&[1.0, 1.0, 0.7], QUIET, seed);
        run(&mut machine, Mode::Duet, NEVER, 1, 60.0).ratios(1)[0].contains(0.7)
    };
    let held = (0..60).filter(|seed| held(*seed)).count();
    // About half, given these deviations.
    assert!(held < 42, "{held} of 60: then replicates would not be needed");
}

#[test]
fn aa_pairs_run_among_the_others_in_every_replicate() {
    let mut machine = Machine::new(&[1.0, 1.0, 0.5, 0.7], QUIET, 11);
    let ran = run(&mut machine, Mode::Duet, NEVER, 4, 8.0);
    for replicate in 0..4 {
        let own = ran.blocks.iter().filter(|block| block.replicate == Some(replicate) && !block.warm_up);
        let order: Vec<usize> = own.map(|block| block.pair.unwrap()).collect();
        let first = replicate as usize % 3;
        assert_eq!(order[..3], [first, (first + 1) % 3, (first + 2) % 3], "each begins with another pair");
        assert!(order.len() >= 6 && order.chunks_exact(3).all(|round| round == &order[..3]), "{order:?}");
    }
}

#[test]
fn precise_pairs_stop_after_the_minimum_of_replicates() {
    let still = Noise { machine: 0.1, block: 0.0001, replicate: 0.0001, cpu_replicate: 0.0001 };
    let mut machine = Machine::new(&[1.0, 1.0, 0.5], still, 11);
    let ran = run(&mut machine, Mode::Duet, 0.02, 10, 4.0);
    assert_eq!(ran.replicates, MIN_REPLICATES);
    // With one replicate, blocks are counted.
    let ran = run(&mut Machine::new(&[1.0, 1.0, 0.5], still, 11), Mode::Duet, 0.02, 1, 1000.0);
    assert!(ran.standings.values().all(|standing| standing.blocks == MIN_BLOCKS), "{:?}", ran.standings);
}

#[test]
fn pair_continues_until_cpu_is_precise() {
    let noise = Noise { machine: 0.1, block: 0.0001, replicate: 0.0001, cpu_replicate: 0.05 };
    let ran = run(&mut Machine::new(&[1.0, 1.0, 0.5], noise, 11), Mode::Duet, 0.005, 9, 4.0);
    assert_eq!(ran.replicates, 9);
}

#[test]
fn time_is_kept_in_both_modes() {
    for mode in [Mode::Duet, Mode::Solo] {
        let mut machine = Machine::new(&[1.0, 1.0, 0.5, 0.6, 0.7], QUIET, 11);
        run(&mut machine, mode, NEVER, 3, 11.0);
        assert!(machine.clock <= Duration::from_secs(33), "{mode:?} took {:?}", machine.clock);
    }
}

#[test]
fn short_time_skips_a_different_pair_in_each_replicate() {
    let mut machine = Machine::new(&[1.0, 1.0, 0.5, 0.6, 0.7], QUIET, 11);
    let ran = run(&mut machine, Mode::Duet, NEVER, 4, 1.5);
    let blocks: Vec<usize> = ran.standings.values().map(|standing| standing.blocks).collect();
    assert_eq!(blocks, [1, 1, 1, 1]);
}

#[test]
fn each_pair_begins_with_an_uncounted_warm_up() {
    let mut machine = Machine::new(&[1.0, 1.0, 0.5], QUIET, 11);
    let ran = run(&mut machine, Mode::Duet, NEVER, 3, 7.0);
    for (pair, replicate) in [(0, 0), (1, 0), (0, 2), (1, 2)] {
        let is_mine = |block: &&Block| (block.pair, block.replicate) == (Some(pair), Some(replicate));
        let mine: Vec<&Block> = ran.blocks.iter().filter(is_mine).collect();
        assert!(mine[0].warm_up && mine[1..].iter().all(|block| !block.warm_up));
    }
    let counted = ran.blocks.iter().filter(|block| !block.warm_up && block.pair == Some(0)).count();
    assert_eq!(ran.standings[&0].blocks, counted);
}

#[test]
fn solos_take_turns_in_alternating_order() {
    let mut machine = Machine::new(&[1.0, 1.0, 0.5], Noise { machine: 0.001, ..QUIET }, 11);
    let ran = run(&mut machine, Mode::Solo, NEVER, 4, 8.0);
    let order = |replicate: u32, round: u32| -> Vec<usize> {
        let own = ran.blocks.iter().filter(|b| (b.replicate, b.round, b.warm_up) == (Some(replicate), round, false));
        own.map(|block| block.sides[0].variant).collect()
    };
    assert_eq!((order(0, 0), order(0, 1), order(1, 0)), (vec![0, 1, 2], vec![2, 1, 0], vec![2, 1, 0]));
    assert!(ran.ratios(1)[0].contains(0.5));
}
