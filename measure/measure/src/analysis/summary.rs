//! Results of a single variant.

use std::collections::BTreeMap;

use super::VariantResult;
use crate::model::latency;
use crate::model::{Block, Mode, Pair, PairKind, Run, Side};
use crate::pairing::has_counted_time;
use stats::mean;

pub(super) fn summarise(run: &Run, condition: usize, variant: usize, blocks: &[&Block]) -> Option<VariantResult> {
    let sides: Vec<&Side> =
        representative_sides(run, condition, variant, blocks).into_iter().map(|(_, side)| side).collect();
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
    let reads_and_writes: Option<f64> = sides
        .iter()
        .map(|side| side.log.as_ref().and_then(|log| Some((log.reads? + log.writes.unwrap_or(0)) as f64)))
        .sum();
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
        reads_and_writes_per_s: reads_and_writes.map(|count| count / seconds),
        transactions_per_s: total(|side| side.events) / seconds,
        p50_ms: latency.p50_ms,
        p95_ms: latency.p95_ms,
        p99_ms: latency.p99_ms,
        server_cpu_us: average(|side| side.server_cpu_us),
        pages_read: average(|side| side.pages_read),
        client_cpu_us: average(|side| side.client_cpu_us),
        missed: sides.iter().map(|side| side.missed).sum(),
        rows_per_query: rows.filter(|_| queries > 0.0).map(|rows| rows / queries),
        errors,
    })
}

/// Returns the sides that represent a variant, with their replicates. Leaves out sides without
/// counted time.
pub(crate) fn representative_sides<'a>(
    run: &Run,
    condition: usize,
    variant: usize,
    blocks: &[&'a Block],
) -> Vec<(Option<u32>, &'a Side)> {
    let pairs: Vec<(usize, &Pair)> =
        run.pairs.iter().enumerate().filter(|(_, pair)| pair.condition == condition).collect();
    let home = match run.options.mode {
        Mode::Duet => match representative_pair(variant, &pairs) {
            Some(pair) => Some(pair),
            None => return Vec::new(),
        },
        Mode::Solo => None,
    };
    let own = blocks.iter().filter(|block| block.condition == condition && block.pair == home);
    let sides = own.flat_map(|block| block.sides.iter().map(|side| (block.replicate, side)));
    sides.filter(|(_, side)| side.variant == variant && has_counted_time(side)).collect()
}

/// Returns the pair whose blocks represent a variant: the A/A pair for a baseline and for its copy,
/// otherwise the variant's first pair with a baseline, otherwise the first pair in which the
/// variant is the baseline. One pair only, since a variant's speed depends on the other side of the
/// duet.
fn representative_pair(variant: usize, pairs: &[(usize, &Pair)]) -> Option<usize> {
    let find = |wanted: &dyn Fn(&Pair) -> bool| pairs.iter().find(|(_, pair)| wanted(pair)).map(|(index, _)| *index);
    find(&|pair| pair.kind == PairKind::AA && (pair.baseline == variant || pair.variant == variant))
        .or_else(|| find(&|pair| pair.variant == variant))
        .or_else(|| find(&|pair| pair.baseline == variant))
}
