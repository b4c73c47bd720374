//! Hashes: equal strings have equal ones. Not meant to withstand somebody who wants collisions.

use crate::bytes::{Bytes, Itself, trimmed};
use crate::dispatch::Work;
use crate::encoding::Encoding;
use crate::source::Source;
use crate::stream::Stream;
use crate::whole::Whole;

/// Fractional digits of pi, odd.
const FACTOR: u64 = 0x243F_6A88_85A3_08D3;
const SEED: u64 = 0x1319_8A2E_0370_7344;

/// A hash of words, one at a time, four of them in turn to a multiplication.
#[derive(Clone, Copy)]
struct State {
    hash: u64,
    pending: u64,
    count: u64,
}

impl State {
    const NEW: Self = Self { hash: SEED, pending: 0, count: 0 };

    #[inline(always)]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.hash ^ word) * u128::from(FACTOR);
        self.hash = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32);
    }

    #[inline(always)]
    fn weight(&mut self, weight: u16) {
        self.pending = self.pending << 16 | u64::from(weight);
        self.count += 1;
        if self.count.is_multiple_of(4) {
            self.mix(self.pending);
            self.pending = 0;
        }
    }

    fn weights(&mut self, mut weights: &[u16]) {
        while !self.count.is_multiple_of(4) {
            let Some((&first, rest)) = weights.split_first() else { return };
            self.weight(first);
            weights = rest;
        }
        let mut fours = weights.chunks_exact(4);
        for four in &mut fours {
            self.mix(four.iter().fold(0, |word, &weight| word << 16 | u64::from(weight)));
            self.count += 4;
        }
        for &weight in fours.remainder() {
            self.weight(weight);
        }
    }

    fn finish(mut self) -> u64 {
        self.mix(self.pending);
        self.mix(self.count);
        self.mix(FACTOR);
        self.hash
    }
}

/// What is asked: the hash of `text`.
pub(crate) struct Hash<'t> {
    pub text: &'t [u8],
}

// Inlined into the one branch that chooses: what describes a level stays in registers.
impl Work for Hash<'_> {
    type Output = u64;

    #[inline(always)]
    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> u64 {
        bytes(weights, if padded { trimmed(weights, self.text) } else { self.text })
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, _: E, padded: bool) -> u64 {
        // Texts are equal where their bytes are, but for spaces.
        self.bytes(Itself, padded)
    }

    fn whole(self, whole: &'static Whole, padded: bool) -> u64 {
        let key = whole.key(self.text);
        bytes(Itself, if padded { trimmed(Itself, &key) } else { &key })
    }

    #[inline(always)]
    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) -> u64 {
        let mut state = State::NEW;
        for source in levels {
            level(source, self.text, &mut state);
            state.mix(FACTOR ^ state.count);
        }
        state.finish()
    }
}

/// The hash of the weights of each level, as a collation without padding has it.
pub(crate) fn of_levels(levels: &[alloc::vec::Vec<u16>]) -> u64 {
    let mut state = State::NEW;
    for weights in levels {
        state.weights(weights);
        state.mix(FACTOR ^ state.count);
    }
    state.finish()
}

/// Under PAD SPACE, spaces at the end of a level don't count.
#[inline(never)]
fn level<S: Source>(source: S, text: &[u8], state: &mut State) {
    let mut stream = Stream::new(source, text);
    let mut spaces = 0;
    loop {
        let block = stream.block();
        if block.is_empty() {
            return;
        }
        let count = block.len();
        let kept = match source.pad() {
            Some(space) => block.iter().rposition(|&weight| weight != space).map_or(0, |last| last + 1),
            None => count,
        };
        if kept > 0 {
            // Spaces at the end of a block were not at the end of the text.
            for _ in 0..core::mem::take(&mut spaces) {
                state.weight(source.pad().unwrap_or_default());
            }
            state.weights(&block[..kept]);
        }
        spaces += count - kept;
        stream.take(count);
    }
}

/// The hash of weights of bytes.
fn bytes<B: Bytes>(weights: B, text: &[u8]) -> u64 {
    let mut state = State::NEW;
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        state.mix(word.iter().fold(0, |word, &byte| word << 8 | u64::from(weights.weight(byte))));
    }
    state.pending = words.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(weights.weight(byte)));
    state.count = text.len() as u64;
    state.finish()
}
