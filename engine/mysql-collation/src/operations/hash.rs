//! Hashes of texts: equal strings have equal hashes. The function doesn't resist deliberate
//! collisions.

use super::bytes::trimmed;
use super::stream::WeightStream;
use super::wrapped_mark::{self, WrappedMark};
use crate::charset::Encoding;
use crate::dispatch::{Descriptor, Operation};
use crate::weights::{ByteWeights, Identity, LevelWeights, TextWeights};

/// Hexadecimal digits of pi's fraction. The factor is odd.
const FACTOR: u64 = 0x243F_6A88_85A3_08D3;
const SEED: u64 = 0x1319_8A2E_0370_7344;

/// Number of weights mixed by one multiplication.
const BATCH: usize = 8;

/// Unfinished hash of the weights of a text's levels.
#[derive(Clone, Copy)]
struct State {
    hash: u64,
    /// Weights of an incomplete batch, followed by zeros.
    pending: [u16; BATCH],
    /// Number of weights of the current level added so far.
    count: u64,
}

impl State {
    const NEW: Self = Self { hash: SEED, pending: [0; BATCH], count: 0 };

    #[inline(always)]
    fn mix(&mut self, first: u64, second: u64) {
        let product = u128::from(self.hash ^ first) * u128::from(FACTOR ^ second);
        self.hash = (product as u64) ^ (product >> 64) as u64 ^ second.rotate_left(32);
    }

    #[inline(always)]
    fn mix_batch(&mut self, weights: &[u16; BATCH]) {
        let word = |four: &[u16]| four.iter().fold(0, |word, &weight| word << 16 | u64::from(weight));
        self.mix(word(&weights[..4]), word(&weights[4..]));
    }

    fn add_weights(&mut self, mut weights: &[u16]) {
        let pending = self.count as usize % BATCH;
        self.count += weights.len() as u64;
        if pending > 0 {
            let (completing, rest) = weights.split_at(weights.len().min(BATCH - pending));
            self.pending[pending..][..completing.len()].copy_from_slice(completing);
            if pending + completing.len() < BATCH {
                return;
            }
            let full = core::mem::take(&mut self.pending);
            self.mix_batch(&full);
            weights = rest;
        }
        let (batches, rest) = weights.as_chunks::<BATCH>();
        for batch in batches {
            self.mix_batch(batch);
        }
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    /// Mixes the pending weights of a level, and the number of all its weights.
    #[inline(always)]
    fn end_level(&mut self) {
        let pending = core::mem::take(&mut self.pending);
        self.mix_batch(&pending);
        self.mix(self.count, FACTOR.rotate_left(1));
        self.count = 0;
    }

    #[inline(always)]
    const fn finish(self) -> u64 {
        self.hash
    }
}

pub(crate) struct Hash<'t> {
    pub text: &'t [u8],
}

impl Operation for Hash<'_> {
    type Output = u64;

    #[inline(always)]
    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) -> u64 {
        hash_bytes(weights, if padded { trimmed(weights, self.text) } else { self.text })
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, _: E, padded: bool) -> u64 {
        // Under `bin` collations texts are equal if their bytes are equal, except for trailing
        // spaces.
        self.bytes(Identity, padded)
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> u64 {
        let key = weights.key(self.text);
        hash_bytes(Identity, if padded { trimmed(Identity, &key) } else { &key })
    }

    #[inline(always)]
    fn wrapped_mark(self, descriptor: &'static Descriptor) -> Result<u64, Self> {
        match WrappedMark::find(descriptor, self.text) {
            Some(_) => Ok(hash_levels(&wrapped_mark::levels(descriptor, self.text))),
            None => Err(self),
        }
    }

    #[inline(always)]
    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> u64 {
        let mut state = State::NEW;
        for level in levels {
            hash_level(level, self.text, &mut state);
            state.end_level();
        }
        state.finish()
    }
}

/// Returns the hash of the weights of each level, as in a collation with NO PAD.
fn hash_levels(levels: &[alloc::vec::Vec<u16>]) -> u64 {
    let mut state = State::NEW;
    for weights in levels {
        state.add_weights(weights);
        state.end_level();
    }
    state.finish()
}

/// Adds the weights of a level to the hash. With padding, trailing spaces are left out.
#[inline(never)]
fn hash_level<L: LevelWeights>(level: L, text: &[u8], state: &mut State) {
    let mut stream = WeightStream::new(level, text);
    let mut spaces = 0;
    loop {
        let block = stream.block();
        if block.is_empty() {
            return;
        }
        let count = block.len();
        let kept = match level.pad() {
            Some(space) => block.iter().rposition(|&weight| weight != space).map_or(0, |last| last + 1),
            None => count,
        };
        if kept > 0 {
            // The spaces at the end of the previous blocks are not trailing spaces of the text.
            for _ in 0..core::mem::take(&mut spaces) {
                state.add_weights(&[level.pad().unwrap_or_default()]);
            }
            state.add_weights(&block[..kept]);
        }
        spaces += count - kept;
        stream.take(count);
    }
}

/// Returns the hash of a text whose weights are bytes.
fn hash_bytes<B: ByteWeights>(weights: B, text: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(weights.weight(byte)));
    let mut state = State::NEW;
    let (batches, rest) = text.as_chunks::<16>();
    for batch in batches {
        state.mix(word(&batch[..8]), word(&batch[8..]));
    }
    let (first, second) = rest.split_at(rest.len().min(8));
    state.mix(word(first), word(second));
    state.mix(text.len() as u64, FACTOR.rotate_left(1));
    state.finish()
}
