//! A text as blocks of weights.

use crate::arch::FILL_ROOM;
use crate::source::{LONGEST, Source};

/// The room of a block: enough to make a call worth its while, little enough to stay in the nearest cache.
pub(crate) const BLOCK: usize = 128 + FILL_ROOM;

/// The weights of a text.
pub(crate) struct Stream<'t, S> {
    source: S,
    text: &'t [u8],
    at: usize,
    block: [u16; BLOCK],
    from: usize,
    to: usize,
}

impl<'t, S: Source> Stream<'t, S> {
    pub fn new(source: S, text: &'t [u8]) -> Self {
        Self { source, text, at: 0, block: [0; BLOCK], from: 0, to: 0 }
    }

    /// The weights that come next; none at the end of the text.
    #[inline(always)]
    pub fn block(&mut self) -> &[u16] {
        while self.from == self.to && self.at < self.text.len() {
            self.from = 0;
            (self.at, self.to) = weigh(self.source, self.text, self.at, &mut self.block);
        }
        self.block.get(self.from..self.to).unwrap_or_default()
    }

    /// Takes the first `count` weights of the block away.
    #[inline(always)]
    pub fn take(&mut self, count: usize) {
        self.from += count;
    }
}

/// Turns text from `at` on into weights, as many as `out` has room for. Answers where the rest of the text begins, and how many
/// weights there are.
#[inline(always)]
pub(crate) fn weigh<S: Source>(source: S, text: &[u8], mut at: usize, out: &mut [u16]) -> (usize, usize) {
    const { assert!(FILL_ROOM >= LONGEST) }
    let mut to = 0;
    while at < text.len() && out.len() - to >= FILL_ROOM {
        if source.is_plain(text, at) {
            let filled = source.fill(text, at, &mut out[to..]);
            at += filled.consumed;
            to += filled.produced;
        }
        while at < text.len() && out.len() - to >= FILL_ROOM {
            let next = source.next(text, at, &mut out[to..]);
            at += next.bytes;
            to += next.weights;
            if source.is_plain(text, at) {
                break;
            }
        }
    }
    (at, to)
}
