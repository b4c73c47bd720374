//! Pairs of sides that were measured together, and their ratios.

use std::collections::BTreeMap;

use crate::model::{Block, Mode, Pair, Side};

/// Whether the side has counted time. A stalled machine can use up a side's part of a block before
/// its first transaction.
pub(crate) fn has_counted_time(side: &Side) -> bool {
    side.seconds > 0.0
}

/// Whether the side has a rate: counted time and a completed transaction.
pub(crate) fn has_rate(side: &Side) -> bool {
    has_counted_time(side) && side.events > 0
}

/// The sides of baseline and variant in one duet block, or in one round of solos.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SidePair<'a> {
    /// Replicate of both sides. `None` in a run without replicates.
    pub(crate) replicate: Option<u32>,
    pub(crate) baseline: &'a Side,
    pub(crate) variant: &'a Side,
}

/// Returns the side pairs of a pair among the blocks of its condition. Leaves out those in which a
/// side has no counted time or completed no transaction.
pub(crate) fn pair_sides<'a>(mode: Mode, index: usize, pair: &Pair, blocks: &[&'a Block]) -> Vec<SidePair<'a>> {
    let sides: Vec<SidePair<'a>> = match mode {
        Mode::Duet => {
            let own = blocks.iter().filter(|block| block.pair == Some(index));
            let paired = |block: &&'a Block| {
                let [baseline, variant] = [block.sides.first()?, block.sides.get(1)?];
                Some(SidePair { replicate: block.replicate, baseline, variant })
            };
            own.filter_map(paired).collect()
        }
        Mode::Solo => {
            let rounds = |variant: usize| -> BTreeMap<(Option<u32>, u32), &'a Side> {
                let sides = blocks.iter().flat_map(|block| {
                    let round = (block.replicate, block.round);
                    block.sides.iter().map(move |side| (round, side))
                });
                sides.filter(|(_, side)| side.variant == variant).collect()
            };
            let (baseline, variant) = (rounds(pair.baseline), rounds(pair.variant));
            let paired = |(round, baseline): (&(Option<u32>, u32), &&'a Side)| {
                Some(SidePair { replicate: round.0, baseline, variant: variant.get(round)? })
            };
            baseline.iter().filter_map(paired).collect()
        }
    };
    sides.into_iter().filter(|own| has_rate(own.baseline) && has_rate(own.variant)).collect()
}

/// Throughput ratio, variant / baseline, corrected by the expected times of the two sides' calls.
pub(crate) fn throughput_ratio(baseline: &Side, variant: &Side) -> f64 {
    let rate = |side: &Side| side.events as f64 / side.seconds;
    rate(variant) / rate(baseline) * effort_ratio(baseline.effort, variant.effort)
}

/// Ratio of server CPU time per statement, variant / baseline, corrected by the expected times of
/// the two sides' statements. `None` if unknown.
pub(crate) fn cpu_ratio(baseline: &Side, variant: &Side) -> Option<f64> {
    let efforts = effort_ratio(baseline.statement_effort, variant.statement_effort);
    Some(variant.server_cpu_us? / baseline.server_cpu_us? / efforts)
}

/// Ratio of the expected times of the two sides' calls. 1 if unknown.
fn effort_ratio(baseline: Option<f64>, variant: Option<f64>) -> f64 {
    variant.zip(baseline).map_or(1.0, |(variant, baseline)| variant / baseline)
}

/// Difference of server CPU time per statement in µs, variant − baseline. Both sides are scaled to
/// the mean of their expected times, if these are known. `None` if CPU time is unknown.
pub(crate) fn cpu_difference(baseline: &Side, variant: &Side) -> Option<f64> {
    let (baseline_us, variant_us) = (baseline.server_cpu_us?, variant.server_cpu_us?);
    let Some((own, other)) = variant.statement_effort.zip(baseline.statement_effort) else {
        return Some(variant_us - baseline_us);
    };
    let both = (own + other) / 2.0;
    Some(variant_us * both / own - baseline_us * both / other)
}
