//! Which sides belong together.

use std::collections::BTreeMap;

use crate::model::{Block, Mode, Pair, Side};

/// Whether anything was counted: a machine that stood still can use up a side's part of a block before its first transaction.
pub(crate) fn has_counted(side: &Side) -> bool {
    side.seconds > 0.0
}

/// Baseline's and variant's sides of one duet block, or of one round of solos.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paired<'a> {
    /// The replicate that both are of; `None` where the run has none.
    pub(crate) replicate: Option<u32>,
    pub(crate) baseline: &'a Side,
    pub(crate) variant: &'a Side,
}

/// The sides of a pair that belong together, among the blocks of its condition. Those in which one of them completed nothing are left out.
pub(crate) fn paired<'a>(mode: Mode, index: usize, pair: &Pair, blocks: &[&'a Block]) -> Vec<Paired<'a>> {
    let sides: Vec<Paired<'a>> = match mode {
        Mode::Duet => {
            let own = blocks.iter().filter(|block| block.pair == Some(index));
            let paired = |block: &&'a Block| {
                let [baseline, variant] = [block.sides.first()?, block.sides.get(1)?];
                Some(Paired { replicate: block.replicate, baseline, variant })
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
                Some(Paired { replicate: round.0, baseline, variant: variant.get(round)? })
            };
            baseline.iter().filter_map(paired).collect()
        }
    };
    let has_rate = |side: &Side| has_counted(side) && side.events > 0;
    sides.into_iter().filter(|own| has_rate(own.baseline) && has_rate(own.variant)).collect()
}
