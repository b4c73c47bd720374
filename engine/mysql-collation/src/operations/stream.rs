//! The weights of a text, in blocks.

use crate::simd::FILL_ROOM;
use crate::tables::LONGEST;
use crate::weights::LevelWeights;

/// Weights in a block: enough to repay a call, and few enough to fit in the L1 cache.
pub(crate) const BLOCK: usize = 128 + FILL_ROOM;

pub(crate) struct WeightStream<'t, L> {
    level: L,
    text: &'t [u8],
    at: usize,
    block: [u16; BLOCK],
    from: usize,
    to: usize,
}

impl<'t, L: LevelWeights> WeightStream<'t, L> {
    pub fn new(level: L, text: &'t [u8]) -> Self {
        Self { level, text, at: 0, block: [0; BLOCK], from: 0, to: 0 }
    }

    /// Returns the next weights; empty at the end of the text.
    #[inline(always)]
    pub fn block(&mut self) -> &[u16] {
        while self.from == self.to && self.at < self.text.len() {
            self.from = 0;
            (self.at, self.to) = weigh(self.level, self.text, self.at, &mut self.block);
        }
        self.block.get(self.from..self.to).unwrap_or_default()
    }

    /// Removes the first `count` weights of the block.
    #[inline(always)]
    pub fn take(&mut self, count: usize) {
        self.from += count;
    }
}

/// Writes the weights of `text` from `at` on to `out`, until `out` has room for less than
/// [`FILL_ROOM`] weights. Returns the position of the rest of the text and the number of weights.
#[inline(always)]
pub(crate) fn weigh<L: LevelWeights>(level: L, text: &[u8], mut at: usize, out: &mut [u16]) -> (usize, usize) {
    const { assert!(FILL_ROOM >= LONGEST) }
    let mut to = 0;
    while at < text.len() && out.len() - to >= FILL_ROOM {
        if level.may_fill(text, at) {
            let filled = level.fill(text, at, &mut out[to..]);
            at += filled.consumed;
            to += filled.produced;
        }
        while at < text.len() && out.len() - to >= FILL_ROOM {
            let next = level.next(text, at, &mut out[to..]);
            at += next.bytes;
            to += next.weights;
            if level.may_fill(text, at) {
                break;
            }
        }
    }
    (at, to)
}
