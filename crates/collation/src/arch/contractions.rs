//! Contractions of short characters, at one level, found by their bytes.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::iter;

use super::scalar::few_bytes;
use crate::table::Pairs;

/// The most bytes of a contraction that is told here, and so the most characters.
const BYTES: usize = size_of::<u64>();
/// The most weights.
const WEIGHTS: usize = 8;
/// How many lists there are, by first bytes, one of which is looked through.
const BUCKETS: usize = 512;

/// The contractions that begin with a character of one or two bytes of UTF-8, at one level.
#[derive(Debug)]
pub(crate) struct ShortContractions {
    /// Which bytes may be within one.
    pairs: &'static Pairs,
    /// By [`bucket`], in each the longest first.
    all: Vec<ShortContraction>,
    /// Where those of each [`bucket`] begin in `all`; its end where there is none.
    buckets: [u16; BUCKETS],
}

/// One of them.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct ShortContraction {
    /// Its first bytes of UTF-8, as a number of which the first byte is the lowest.
    bytes: u64,
    /// All bits of these bytes.
    mask: u64,
    /// How many bytes it has; none if it is left to the full table, as one with a character of three bytes is.
    pub(super) length: u8,
    /// The same, if it has as many weights at most; else more than a block has lanes.
    pub(super) span: u8,
    count: u8,
    is_last_of_bucket: bool,
    weights: [u16; WEIGHTS],
    /// All bits for each of its bytes, the high bytes of the weights, and their low bytes.
    pub(super) windows: [Window; 3],
}

/// A byte for each byte of a contraction, with so many zeros around them that a vector of up to [`Window::LEFT`] bytes can be loaded with them
/// in any of its lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window([u8; 2 * Self::LEFT]);

impl Window {
    const LEFT: usize = 32;

    fn of(bytes: impl Iterator<Item = u8>) -> Self {
        let mut window = [0; 2 * Self::LEFT];
        window[Self::LEFT..].iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
        Self(window)
    }

    /// Where a vector begins that has the first byte in this lane. A wider one than that can be read only as far as the contraction's bytes go.
    #[inline(always)]
    pub(super) const fn at_lane(&self, lane: usize) -> *const u8 {
        self.0.as_ptr().wrapping_add(Self::LEFT).wrapping_sub(lane)
    }
}

impl ShortContraction {
    fn of(code_points: &[u32], weights: Option<&[u16]>) -> Self {
        let (mut bytes, mut length) = ([0; BYTES], 0);
        for character in code_points.iter().filter_map(|&code_point| char::from_u32(code_point)) {
            for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                bytes.iter_mut().skip(length).take(1).for_each(|slot| *slot = byte);
                length += 1;
            }
        }
        let bits = 8 * length.min(BYTES) as u32;
        let is_short = length <= BYTES && code_points.iter().all(|&code_point| code_point < 0x800);
        // A weight of zero would be none.
        let is_plain = |weights: &&[u16]| weights.len() <= WEIGHTS.min(2 * length) && !weights.contains(&0);
        let known = weights.filter(|_| is_short).filter(is_plain);
        let length = known.map_or(0, |_| length);
        let weights = known.unwrap_or_default();
        let mut all = [0; WEIGHTS];
        all[..weights.len()].copy_from_slice(weights);
        let bytes_of = |which: usize| Window::of(weights.iter().map(move |weight| weight.to_be_bytes()[which]));
        Self {
            bytes: u64::from_le_bytes(bytes),
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or_default(),
            length: length as u8,
            span: if length > 0 && weights.len() <= length { length as u8 } else { u8::MAX },
            count: weights.len() as u8,
            is_last_of_bucket: false,
            weights: all,
            windows: [Window::of(iter::repeat_n(u8::MAX, length)), bytes_of(0), bytes_of(1)],
        }
    }

    /// Its bytes, the first eight of them if there are more.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bytes.to_le_bytes()[..self.mask.count_ones() as usize / 8].to_vec()
    }

    /// Its weights; none if it is left to the full table.
    #[inline(always)]
    pub(super) fn weights(&self) -> &[u16] {
        &self.weights[..self.count.into()]
    }

    /// Those for which its bytes have no lanes.
    #[inline(always)]
    pub(super) fn weights_beyond_lanes(&self) -> &[u16] {
        self.weights().get(self.length.into()..).unwrap_or_default()
    }
}

impl ShortContractions {
    /// Of these, each with its weights, if they are known. Those that begin with a longer character are left out.
    pub(crate) fn of<'c>(
        pairs: &'static Pairs,
        contractions: impl Iterator<Item = (&'c [u32], Option<Vec<u16>>)>,
    ) -> Self {
        let short = contractions.filter(|(code_points, _)| code_points.first().is_some_and(|&first| first < 0x800));
        let mut all: Vec<_> = short
            .map(|(code_points, weights)| {
                (Reverse(code_points.len()), ShortContraction::of(code_points, weights.as_deref()))
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
    pub(super) const fn pairs(&self) -> &'static Pairs {
        self.pairs
    }

    #[cfg(target_arch = "x86_64")]
    pub(super) fn all(&self) -> &[ShortContraction] {
        &self.all
    }

    /// Whether those of printable ASCII have weights, all above that of a space, and none has a space in it.
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

    /// Whether there are two letters with two weights.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn have_two_weights(&self) -> bool {
        self.all.iter().any(|contraction| contraction.length == 2 && contraction.count == 2)
    }

    /// The longest contraction at `at`.
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

/// The number of a bucket of contractions, by the first two of these bytes.
#[inline(always)]
const fn bucket(bytes: u64) -> usize {
    let [first, second, ..] = bytes.to_le_bytes();
    (first as usize * 5 + second as usize * 16) % BUCKETS
}

/// The bytes from `at` on, which is within the text, zeros after the end.
#[inline(always)]
fn bytes_at(text: &[u8], at: usize) -> u64 {
    let rest = &text[at..];
    match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        // SAFETY: those are the bytes that can be read.
        None => unsafe { few_bytes(rest.as_ptr(), rest.len()) as u64 },
    }
}
