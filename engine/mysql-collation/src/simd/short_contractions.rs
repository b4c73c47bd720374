//! Contractions of short characters at one level, found by their bytes.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::iter;

use super::BytePairs;
use super::scalar::load_few;

/// Maximum length in bytes of a contraction whose weights are kept here.
const BYTES: usize = size_of::<u64>();
/// Maximum number of weights that are kept of a contraction.
const WEIGHTS: usize = 8;
/// Number of hash buckets.
const BUCKETS: usize = 512;

/// Contractions that begin with a character of one or two bytes of UTF-8, at one level.
#[derive(Debug)]
pub(crate) struct ShortContractions {
    pairs: &'static BytePairs,
    /// Sorted by [`bucket`]; in a bucket, those of most code points first.
    all: Vec<ShortContraction>,
    /// Start of each bucket in `all`; the end of `all` for an empty bucket.
    buckets: [u16; BUCKETS],
}

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct ShortContraction {
    /// First eight bytes of UTF-8, little-endian.
    bytes: u64,
    /// All bits of the bytes that the contraction has.
    mask: u64,
    /// Length in bytes; 0 if only the full table has its weights, as with a character of three
    /// bytes.
    pub(super) length: u8,
    /// The length, if it isn't 0 and there are no more weights than bytes; else `u8::MAX`, more
    /// than a block has lanes.
    pub(super) span: u8,
    count: u8,
    is_last_of_bucket: bool,
    weights: [u16; WEIGHTS],
    /// For each byte: all bits; the high byte of a weight; the low byte of a weight.
    pub(super) windows: [Window; 3],
}

/// A value for each byte of a contraction, with zeros around them. A vector of up to
/// [`Window::LEFT`] bytes can be loaded with them in any lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window([u8; 2 * Self::LEFT]);

impl Window {
    const LEFT: usize = 32;

    fn new(bytes: impl Iterator<Item = u8>) -> Self {
        let mut window = [0; 2 * Self::LEFT];
        window[Self::LEFT..].iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
        Self(window)
    }

    /// Address of a vector that has the first byte in this lane. Of a wider vector, only the lanes
    /// of the contraction may be read.
    #[inline(always)]
    pub(super) const fn at_lane(&self, lane: usize) -> *const u8 {
        self.0.as_ptr().wrapping_add(Self::LEFT).wrapping_sub(lane)
    }
}

impl ShortContraction {
    fn new(code_points: &[u32], weights: Option<&[u16]>) -> Self {
        let (mut bytes, mut length) = ([0; BYTES], 0);
        for character in code_points.iter().filter_map(|&code_point| char::from_u32(code_point)) {
            for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                bytes.iter_mut().skip(length).take(1).for_each(|slot| *slot = byte);
                length += 1;
            }
        }
        let bits = 8 * length.min(BYTES) as u32;
        let is_short = length <= BYTES && code_points.iter().all(|&code_point| code_point < 0x800);
        // A weight of zero would be dropped.
        let is_plain = |weights: &&[u16]| weights.len() <= WEIGHTS.min(2 * length) && !weights.contains(&0);
        let known = weights.filter(|_| is_short).filter(is_plain);
        let length = known.map_or(0, |_| length);
        let weights = known.unwrap_or_default();
        let mut all = [0; WEIGHTS];
        all[..weights.len()].copy_from_slice(weights);
        let bytes_of = |which: usize| Window::new(weights.iter().map(move |weight| weight.to_be_bytes()[which]));
        Self {
            bytes: u64::from_le_bytes(bytes),
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or_default(),
            length: length as u8,
            span: if length > 0 && weights.len() <= length { length as u8 } else { u8::MAX },
            count: weights.len() as u8,
            is_last_of_bucket: false,
            weights: all,
            windows: [Window::new(iter::repeat_n(u8::MAX, length)), bytes_of(0), bytes_of(1)],
        }
    }

    /// UTF-8 of the contraction, at most eight bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bytes.to_le_bytes()[..self.mask.count_ones() as usize / 8].to_vec()
    }

    /// Weights of the contraction; empty if only the full table has them.
    #[inline(always)]
    pub(super) fn weights(&self) -> &[u16] {
        &self.weights[..self.count.into()]
    }

    /// The weights beyond the number of its bytes.
    #[inline(always)]
    pub(super) fn weights_beyond_lanes(&self) -> &[u16] {
        self.weights().get(self.length.into()..).unwrap_or_default()
    }
}

impl ShortContractions {
    /// Keeps the contractions that begin with a short character. Weights are `None` if only the
    /// full table has them.
    pub(crate) fn new<'c>(
        pairs: &'static BytePairs,
        contractions: impl Iterator<Item = (&'c [u32], Option<Vec<u16>>)>,
    ) -> Self {
        let short = contractions.filter(|(code_points, _)| code_points.first().is_some_and(|&first| first < 0x800));
        let mut all: Vec<_> = short
            .map(|(code_points, weights)| {
                (Reverse(code_points.len()), ShortContraction::new(code_points, weights.as_deref()))
            })
            .collect();
        all.sort_by_key(|&(longest_first, contraction)| (bucket(contraction.bytes), longest_first));
        let mut all: Vec<_> = all.into_iter().map(|(_, contraction)| contraction).collect();
        let mut buckets = [all.len() as u16; BUCKETS];
        for list in all.chunk_by_mut(|one, other| bucket(one.bytes) == bucket(other.bytes)) {
            list.last_mut().into_iter().for_each(|last| last.is_last_of_bucket = true);
        }
        for (index, contraction) in all.iter().enumerate().rev() {
            buckets[bucket(contraction.bytes)] = index as u16;
        }
        Self { pairs, all, buckets }
    }

    #[inline(always)]
    pub(super) const fn pairs(&self) -> &'static BytePairs {
        self.pairs
    }

    /// Whether all contractions of printable ASCII have weights above that of a space, and none
    /// contains a space.
    pub(super) fn are_above(&self, space: u16) -> bool {
        let is_above = |contraction: &ShortContraction| {
            let weights = contraction.weights();
            !weights.is_empty() && weights.iter().all(|&weight| weight > space)
        };
        let is_printable = |bytes: &[u8]| bytes.iter().all(|byte| (b' '..0x7F).contains(byte));
        self.all.iter().all(|contraction| {
            let bytes = contraction.bytes();
            !is_printable(&bytes) || !bytes.contains(&b' ') && is_above(contraction)
        })
    }

    /// Whether a contraction of two ASCII characters has two weights.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn have_two_weights(&self) -> bool {
        self.all.iter().any(|contraction| contraction.length == 2 && contraction.count == 2)
    }

    /// The longest contraction at `at`, by its first eight bytes.
    #[inline(always)]
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<&ShortContraction> {
        let bytes = bytes_at(text, at);
        for contraction in self.all.get(self.buckets[bucket(bytes)].into()..)? {
            if bytes & contraction.mask == contraction.bytes {
                return Some(contraction);
            }
            if contraction.is_last_of_bucket {
                return None;
            }
        }
        None
    }
}

/// Bucket of a contraction, by its first two bytes.
#[inline(always)]
const fn bucket(bytes: u64) -> usize {
    let [first, second, ..] = bytes.to_le_bytes();
    (first as usize * 5 + second as usize * 16) % BUCKETS
}

/// Eight bytes from `at` on, which is within the text; zeros after the end.
#[inline(always)]
fn bytes_at(text: &[u8], at: usize) -> u64 {
    let rest = &text[at..];
    match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        // SAFETY: `rest` has as many bytes as its length says, fewer than eight.
        None => unsafe { load_few(rest.as_ptr(), rest.len()) as u64 },
    }
}
