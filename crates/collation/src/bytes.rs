//! Collations of bytes: each has one weight, itself or by a table.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::arch;
use crate::runs;
use crate::table::ByteOrder;

/// The weights of bytes.
pub(crate) trait Bytes: Copy {
    fn weight(self, byte: u8) -> u8;

    /// The first index at which weights differ, or the shorter text's length. The texts begin with bytes that differ.
    fn mismatch(self, a: &[u8], b: &[u8]) -> usize;

    /// Appends the weights of `text`.
    fn append(self, text: &[u8], key: &mut Vec<u8>);

    /// Whether no space has to be marked in a key of this text, as is easily told ([`crate::runs`]). May say no where it is so.
    #[inline(always)]
    fn has_plain_spaces(self, _text: &[u8]) -> bool {
        false
    }
}

/// Maps each byte to itself.
pub(crate) static ITSELF: ByteOrder = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = byte as u8;
        byte += 1;
    }
    ByteOrder::of(&all)
};

/// A byte is its own weight.
#[derive(Clone, Copy)]
pub(crate) struct Itself;

impl Bytes for Itself {
    #[inline(always)]
    fn weight(self, byte: u8) -> u8 {
        byte
    }

    #[inline(always)]
    fn mismatch(self, _: &[u8], _: &[u8]) -> usize {
        // Called only for texts that begin with bytes that differ.
        0
    }

    fn append(self, text: &[u8], key: &mut Vec<u8>) {
        key.extend_from_slice(text);
    }

    #[inline(always)]
    fn has_plain_spaces(self, text: &[u8]) -> bool {
        arch::get().is_words(text)
    }
}

/// A byte has its weight from a table.
#[derive(Clone, Copy)]
pub(crate) struct Ordered(pub &'static ByteOrder);

impl Bytes for Ordered {
    #[inline(always)]
    fn weight(self, byte: u8) -> u8 {
        self.0.weight(byte)
    }

    #[inline(always)]
    fn mismatch(self, a: &[u8], b: &[u8]) -> usize {
        match (a.first(), b.first()) {
            // Mostly so, and told without vectors. The two cases of a letter are left to those, which pass many at a time.
            (Some(&x), Some(&y)) if x ^ y != ByteOrder::CASE && self.weight(x) != self.weight(y) => 0,
            _ => arch::get().mismatch_mapped(self.0, a, b),
        }
    }

    fn append(self, text: &[u8], key: &mut Vec<u8>) {
        arch::get().append_mapped(&self.0.weights, text, key);
    }
}

/// The order of two texts that are equal before `mismatch`. Under PAD SPACE (`padded`) the shorter one counts as followed by spaces.
#[inline(always)]
pub(crate) fn compare<B: Bytes>(weights: B, padded: bool, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    let at = mismatch + weights.mismatch(&a[mismatch..], &b[mismatch..]);
    match (a.get(at), b.get(at)) {
        (None, None) => Ordering::Equal,
        (Some(&x), Some(&y)) => weights.weight(x).cmp(&weights.weight(y)),
        (Some(_), None) => past_the_end(weights, padded, &a[at..]),
        (None, Some(_)) => past_the_end(weights, padded, &b[at..]).reverse(),
    }
}

/// The order of what is left of one text against the end of the other.
fn past_the_end<B: Bytes>(weights: B, padded: bool, rest: &[u8]) -> Ordering {
    if !padded {
        return Ordering::Greater;
    }
    let space = weights.weight(b' ');
    let rest = &rest[arch::get().run_of(b' ', rest)..];
    let other = rest.iter().map(|&byte| weights.weight(byte)).find(|&weight| weight != space);
    other.map_or(Ordering::Equal, |weight| weight.cmp(&space))
}

/// The text without the bytes at its end that weigh what a space does.
pub(crate) fn trimmed<B: Bytes>(weights: B, text: &[u8]) -> &[u8] {
    let space = weights.weight(b' ');
    let kept = text.iter().rposition(|&byte| weights.weight(byte) != space).map_or(0, |last| last + 1);
    &text[..kept]
}

/// Appends a key: the weights, under PAD SPACE with runs of spaces as [`runs`] has them.
pub(crate) fn sort_key<B: Bytes>(weights: B, padded: bool, text: &[u8], key: &mut Vec<u8>) {
    let from = key.len();
    key.reserve(text.len() + runs::END_ROOM);
    weights.append(text, key);
    if padded {
        if !weights.has_plain_spaces(text) {
            runs::mark(weights.weight(b' '), from, key);
        }
        runs::put_end(weights.weight(b' '), key);
    }
}
