//! From samples to results: a pure function of a run and its blocks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::latency;
use crate::likeness::{self, Unlike};
use crate::model::{Block, Mode, Pair, PairKind, Run, Side};
use crate::schedule::ratio_of;
use crate::stats::{self, Estimate, mean};

/// All results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// One entry a cell of the run, in its order.
    pub cells: Vec<CellResult>,
}

/// The results of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// Index in `run.cells`.
    pub cell: usize,
    /// The largest of the A/A pairs' noise floors. Absent where no A/A pair was measured.
    pub noise_floor: Option<f64>,
    /// What each variant did, in the order of `run.variants`.
    pub variants: Vec<VariantResult>,
    /// How the pairs compare, in the order of `run.pairs`, the A/A pairs among them.
    pub comparisons: Vec<Comparison>,
}

/// What one variant did: in a duet, beside its baseline; the baseline itself beside its copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantResult {
    /// Index in `run.variants`.
    pub variant: usize,
    /// Counted blocks.
    pub blocks: usize,
    /// Statements a second.
    pub queries_per_s: f64,
    /// Transactions a second.
    pub transactions_per_s: f64,
    /// Latency of a transaction in milliseconds, median.
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Server CPU time in µs a statement.
    pub server_cpu_us: Option<f64>,
    /// Client CPU time in µs a statement.
    pub client_cpu_us: Option<f64>,
    /// Rows a statement.
    pub rows_per_query: Option<f64>,
    /// Failed transactions by the server's error number.
    pub errors: BTreeMap<u16, u64>,
}

/// How a variant compares with its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Index in `run.pairs`.
    pub pair: usize,
    /// Index in `run.variants`.
    pub variant: usize,
    /// Index in `run.variants`.
    pub baseline: usize,
    /// What the pair is for.
    pub kind: PairKind,
    /// Blocks, or rounds of solos, that the ratios were taken over.
    pub blocks: usize,
    /// Throughput of the variant for each unit of the baseline's; absent with fewer than two blocks.
    pub throughput: Option<Estimate>,
    /// Server CPU time a statement, in the same way.
    pub server_cpu: Option<Estimate>,
    /// How far from 1 the intervals of A/A pairs reach on the servers of this pair, or in the whole cell where there was no time for
    /// theirs: a smaller difference is not told apart from noise. Absent where no A/A pair was measured.
    pub noise_floor: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
    /// In what the two sides are unlike beyond what the pair is about; a ratio of unlike sides answers another question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlike: Vec<Unlike>,
}

/// What can be said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Verdict {
    /// The variant has less throughput.
    Slower,
    /// The variant has more throughput.
    Faster,
    /// No difference was found; one of up to this fraction would not have been seen.
    NoDifference {
        /// The larger of the interval's half-width and the noise floor.
        within: f64,
    },
    /// Too few blocks to say anything.
    NotMeasured,
}

/// Computes a run's results.
pub fn analyse(run: &Run, blocks: &[Block]) -> Analysis {
    let counted: Vec<&Block> = blocks.iter().filter(|block| !block.warm_up).collect();
    let cells = (0..run.cells.len()).map(|cell| {
        let own: Vec<&Block> = counted.iter().copied().filter(|block| block.cell == cell).collect();
        analyse_cell(run, cell, &own)
    });
    Analysis { cells: cells.collect() }
}

fn analyse_cell(run: &Run, cell: usize, blocks: &[&Block]) -> CellResult {
    let pairs: Vec<(usize, &Pair)> = run.pairs.iter().enumerate().filter(|(_, pair)| pair.cell == cell).collect();
    let mut comparisons: Vec<Comparison> =
        pairs.iter().map(|&(index, pair)| compare(run, index, pair, blocks)).collect();
    let noise = Noise::of(run, &comparisons);
    for comparison in &mut comparisons {
        comparison.noise_floor = noise.floor(run, comparison);
        comparison.verdict = verdict(comparison.throughput, comparison.noise_floor.unwrap_or(0.0));
    }
    let mut variants: Vec<usize> = pairs.iter().flat_map(|(_, pair)| [pair.baseline, pair.variant]).collect();
    variants.sort_unstable();
    variants.dedup();
    let variants = variants.into_iter().filter_map(|variant| summarise(run, cell, variant, blocks)).collect();
    CellResult { cell, noise_floor: noise.largest(), variants, comparisons }
}

/// How far from 1 the intervals of A/A pairs reach, by server.
struct Noise(Vec<(Option<usize>, f64)>);

impl Noise {
    fn of(run: &Run, comparisons: &[Comparison]) -> Self {
        let controls = comparisons.iter().filter(|comparison| comparison.kind == PairKind::AA);
        let floor = |control: &Comparison| {
            let ratio = control.throughput?;
            Some((server_of(run, control.baseline), (1.0 - ratio.low).abs().max((ratio.high - 1.0).abs())))
        };
        Self(controls.filter_map(floor).collect())
    }

    fn largest(&self) -> Option<f64> {
        self.0.iter().map(|(_, floor)| *floor).reduce(f64::max)
    }

    fn floor(&self, run: &Run, comparison: &Comparison) -> Option<f64> {
        let servers = [comparison.variant, comparison.baseline].map(|variant| server_of(run, variant));
        let own = self.0.iter().filter(|(server, _)| servers.contains(server)).map(|(_, floor)| *floor);
        own.reduce(f64::max).or_else(|| self.largest())
    }
}

fn server_of(run: &Run, variant: usize) -> Option<usize> {
    run.variants.get(variant).map(|variant| variant.server)
}

fn compare(run: &Run, index: usize, pair: &Pair, blocks: &[&Block]) -> Comparison {
    let sides = paired_sides(run.options.mode, index, pair, blocks);
    let throughputs = paired_ratios(run, index, blocks);
    let cpu: Option<Vec<f64>> =
        sides.iter().map(|(baseline, variant)| Some(variant.server_cpu_us? / baseline.server_cpu_us?)).collect();
    let seed = run.options.seed;
    Comparison {
        pair: index,
        variant: pair.variant,
        baseline: pair.baseline,
        kind: pair.kind,
        blocks: sides.len(),
        throughput: stats::ratio(&throughputs, seed).or_else(|| of_logs(&sides)),
        server_cpu: cpu.and_then(|cpu| stats::ratio(&cpu, seed)),
        noise_floor: None,
        verdict: Verdict::NotMeasured,
        unlike: likeness::unlike(run, pair, &sides),
    }
}

/// The ratio of two logs of which there is one each: that of their totals, with what their own intervals vary. What changed on the machine
/// between the two is not in it.
fn of_logs(sides: &[(&Side, &Side)]) -> Option<Estimate> {
    let [(baseline, variant)] = sides else { return None };
    let rates = |side: &Side| -> Option<Vec<f64>> {
        Some(side.log.as_ref()?.intervals.iter().map(|interval| interval.transactions_per_s).collect())
    };
    stats::unpaired(ratio_of(baseline, variant), &rates(variant)?, &rates(baseline)?)
}

/// Whether anything was counted: a machine that stood still can use up a side's part of a block before its first transaction.
fn has_counted(side: &Side) -> bool {
    side.seconds > 0.0
}

/// Baseline's and variant's sides that belong together: of one duet block, or of one round of solos.
fn paired_sides<'a>(mode: Mode, index: usize, pair: &Pair, blocks: &[&'a Block]) -> Vec<(&'a Side, &'a Side)> {
    let sides: Vec<(&'a Side, &'a Side)> = match mode {
        Mode::Duet => {
            let own = blocks.iter().filter(|block| block.pair == Some(index));
            own.filter_map(|block| Some((block.sides.first()?, block.sides.get(1)?))).collect()
        }
        Mode::Solo => {
            let rounds = |variant: usize| -> BTreeMap<u32, &'a Side> {
                let sides = blocks.iter().flat_map(|block| block.sides.iter().map(|side| (block.round, side)));
                sides.filter(|(_, side)| side.variant == variant).collect()
            };
            let (baseline, variant) = (rounds(pair.baseline), rounds(pair.variant));
            baseline.iter().filter_map(|(round, side)| Some((*side, *variant.get(round)?))).collect()
        }
    };
    let has_rate = |side: &Side| has_counted(side) && side.events > 0;
    sides.into_iter().filter(|(baseline, variant)| has_rate(baseline) && has_rate(variant)).collect()
}

pub(crate) fn verdict(ratio: Option<Estimate>, noise_floor: f64) -> Verdict {
    let Some(ratio) = ratio else { return Verdict::NotMeasured };
    if ratio.contains(1.0) || (ratio.value - 1.0).abs() <= noise_floor {
        let half_width = (ratio.high - ratio.low) / 2.0;
        Verdict::NoDifference { within: half_width.max(noise_floor) }
    } else if ratio.value < 1.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    }
}

/// The sides that a variant's own figures are of.
pub(crate) fn home_sides<'a>(run: &Run, cell: usize, variant: usize, blocks: &[&'a Block]) -> Vec<&'a Side> {
    let pairs: Vec<(usize, &Pair)> = run.pairs.iter().enumerate().filter(|(_, pair)| pair.cell == cell).collect();
    let home = match run.options.mode {
        Mode::Duet => match home_pair(variant, &pairs) {
            Some(pair) => Some(pair),
            None => return Vec::new(),
        },
        Mode::Solo => None,
    };
    let own = blocks.iter().filter(|block| block.cell == cell && block.pair == home).flat_map(|block| &block.sides);
    own.filter(|side| side.variant == variant && has_counted(side)).collect()
}

/// The throughput ratios of a pair, block by block or round by round.
pub(crate) fn paired_ratios(run: &Run, pair: usize, blocks: &[&Block]) -> Vec<f64> {
    let own = &run.pairs[pair];
    let blocks: Vec<&Block> = blocks.iter().copied().filter(|block| block.cell == own.cell).collect();
    let sides = paired_sides(run.options.mode, pair, own, &blocks);
    sides.iter().map(|(baseline, variant)| ratio_of(baseline, variant)).collect()
}

fn summarise(run: &Run, cell: usize, variant: usize, blocks: &[&Block]) -> Option<VariantResult> {
    let sides = home_sides(run, cell, variant, blocks);
    if sides.is_empty() {
        return None;
    }
    let seconds: f64 = sides.iter().map(|side| side.seconds).sum();
    let total = |count: fn(&Side) -> u64| sides.iter().map(|side| count(side) as f64).sum::<f64>();
    let queries = total(|side| side.queries);
    let average = |figure: fn(&Side) -> Option<f64>| {
        let all: Option<Vec<f64>> = sides.iter().map(|side| figure(side)).collect();
        all.map(|all| mean(&all))
    };
    let rows: Option<f64> = sides.iter().map(|side| side.rows.map(|rows| rows as f64)).sum();
    let mut errors: BTreeMap<u16, u64> = BTreeMap::new();
    for (&code, &count) in sides.iter().flat_map(|side| &side.errors) {
        let sum = errors.entry(code).or_default();
        *sum = sum.saturating_add(count);
    }
    let latency = latency::merge(sides.iter().map(|side| &side.latency));
    Some(VariantResult {
        variant,
        blocks: sides.len(),
        queries_per_s: queries / seconds,
        transactions_per_s: total(|side| side.events) / seconds,
        p50_ms: latency.p50_ms,
        p95_ms: latency.p95_ms,
        p99_ms: latency.p99_ms,
        server_cpu_us: average(|side| side.server_cpu_us),
        client_cpu_us: average(|side| side.client_cpu_us),
        rows_per_query: rows.filter(|_| queries > 0.0).map(|rows| rows / queries),
        errors,
    })
}

/// The pair in whose blocks a variant's own figures are taken: the A/A pair for a baseline, the first pair against a baseline
/// for the others.
fn home_pair(variant: usize, pairs: &[(usize, &Pair)]) -> Option<usize> {
    let find = |wanted: &dyn Fn(&Pair) -> bool| pairs.iter().find(|(_, pair)| wanted(pair)).map(|(index, _)| *index);
    find(&|pair| pair.kind == PairKind::AA && (pair.baseline == variant || pair.variant == variant))
        .or_else(|| find(&|pair| pair.variant == variant))
        .or_else(|| find(&|pair| pair.baseline == variant))
}

#[cfg(test)]
mod tests;
