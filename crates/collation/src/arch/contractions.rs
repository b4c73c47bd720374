//! Contractions of short characters, at one level, found by their bytes.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::scalar::short;
use crate::table::Pairs;

/// The most bytes of a contraction that is told here, and so the most characters.
const BYTES: usize = size_of::<u64>();
/// The most weights.
const WEIGHTS: usize = 8;

/// The contractions that begin with a character of one or two bytes of UTF-8, at one level.
#[derive(Debug)]
pub(crate) struct ShortContractions {
    /// Which bytes may be within one.
    pairs: &'static Pairs,
    /// By their first characters, of each the longest first.
    pub(super) all: Vec<ShortContraction>,
    /// Where those of each first character begin in `all`, and their end.
    of_first: [u16; 0x801],
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortContraction {
    /// Its first bytes of UTF-8, as a number of which the first byte is the lowest.
    bytes: u64,
    /// All bits of these bytes.
    mask: u64,
    /// How many bytes; none if it is left to the full table, as one with a character of three bytes is.
    pub(super) length: u8,
    count: u8,
    weights: [u16; WEIGHTS],
    /// Where among the bytes the characters begin whose first weights' places are taken, and those whose second ones' are.
    pub(super) places: [u8; 2],
}

impl ShortContraction {
    fn of(code_points: &[u32], weights: Option<&[u16]>) -> Self {
        let (mut bytes, mut length, mut starts) = ([0; BYTES], 0, Vec::new());
        for character in code_points.iter().filter_map(|&code_point| char::from_u32(code_point)) {
            starts.push(length);
            for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                bytes.iter_mut().skip(length).take(1).for_each(|slot| *slot = byte);
                length += 1;
            }
        }
        let bits = 8 * length.min(BYTES) as u32;
        let mut contraction = Self {
            bytes: u64::from_le_bytes(bytes),
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or_default(),
            length: 0,
            count: 0,
            weights: [0; WEIGHTS],
            places: [0; 2],
        };
        let is_short = length <= BYTES && code_points.iter().all(|&code_point| code_point < 0x800);
        if let Some(weights) = weights.filter(|weights| is_short && weights.len() <= WEIGHTS.min(2 * starts.len())) {
            contraction.length = length as u8;
            contraction.count = weights.len() as u8;
            contraction.weights[..weights.len()].copy_from_slice(weights);
            for (index, _) in weights.iter().enumerate() {
                contraction.places[index / starts.len()] |= 1 << starts[index % starts.len()];
            }
        }
        contraction
    }

    /// Its weights; none if it is left to the full table.
    #[inline(always)]
    pub(super) fn weights(&self) -> &[u16] {
        &self.weights[..self.count.into()]
    }
}

impl ShortContractions {
    /// Of these, each with its weights, if they are known. Those that begin with a longer character are left out.
    pub(crate) fn of<'c>(
        pairs: &'static Pairs,
        contractions: impl Iterator<Item = (&'c [u32], Option<Vec<u16>>)>,
    ) -> Self {
        let short = contractions.filter_map(|(code_points, weights)| {
            let first = *code_points.first().filter(|&&first| first < 0x800)? as usize;
            Some(((first, Reverse(code_points.len())), ShortContraction::of(code_points, weights.as_deref())))
        });
        let mut all: Vec<_> = short.collect();
        all.sort_by_key(|&(order, _)| order);
        let of_first = core::array::from_fn(|first| all.partition_point(|&((of, _), _)| of < first) as u16);
        Self { pairs, all: all.into_iter().map(|(_, contraction)| contraction).collect(), of_first }
    }

    /// Leaves to the full table what has more weights than characters, where no character has two.
    pub(super) fn without_second_places(mut self) -> Self {
        self.all.iter_mut().filter(|contraction| contraction.places[1] != 0).for_each(|long| long.length = 0);
        self
    }

    #[inline(always)]
    pub(super) const fn pairs(&self) -> &'static Pairs {
        self.pairs
    }

    /// The longest contraction at `at`, by its index.
    #[inline(always)]
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        let (first, _) = short(text, at)?;
        let (from, to) = (usize::from(self.of_first[first]), usize::from(self.of_first[first + 1]));
        let bytes = bytes_at(text, at);
        let is_here = |contraction: &ShortContraction| bytes & contraction.mask == contraction.bytes;
        self.all[from..to].iter().position(is_here).map(|index| from + index)
    }
}

/// The bytes from `at` on, zeros after the end.
#[inline(always)]
fn bytes_at(text: &[u8], at: usize) -> u64 {
    match text[at..].first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => text[at..].iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)),
    }
}
