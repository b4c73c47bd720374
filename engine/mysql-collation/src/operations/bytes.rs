//! Operations of collations with one weight per byte: the byte itself, or a byte from a table.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::padding;
use crate::simd;
use crate::weights::ByteWeights;

/// Compares two texts that are equal before `mismatch`. If `padded`, the shorter text compares as
/// if followed by spaces.
#[inline(always)]
pub(crate) fn compare<B: ByteWeights>(weights: B, padded: bool, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    let at = mismatch + weights.mismatch(&a[mismatch..], &b[mismatch..]);
    match (a.get(at), b.get(at)) {
        (None, None) => Ordering::Equal,
        (Some(&x), Some(&y)) => weights.weight(x).cmp(&weights.weight(y)),
        (Some(_), None) => past_the_end(weights, padded, &a[at..]),
        (None, Some(_)) => past_the_end(weights, padded, &b[at..]).reverse(),
    }
}

/// Compares the rest of a text with the end of the other text.
fn past_the_end<B: ByteWeights>(weights: B, padded: bool, rest: &[u8]) -> Ordering {
    if !padded {
        return Ordering::Greater;
    }
    let space = weights.weight(b' ');
    let rest = &rest[simd::get().run_of(b' ', rest)..];
    let other = rest.iter().map(|&byte| weights.weight(byte)).find(|&weight| weight != space);
    other.map_or(Ordering::Equal, |weight| weight.cmp(&space))
}

/// Returns the text without trailing bytes that weigh the same as a space.
pub(crate) fn trimmed<B: ByteWeights>(weights: B, text: &[u8]) -> &[u8] {
    let space = weights.weight(b' ');
    let kept = text.iter().rposition(|&byte| weights.weight(byte) != space).map_or(0, |last| last + 1);
    &text[..kept]
}

/// Appends a sort key: the weights of `text`. If `padded`, spaces are marked as in [`padding`].
pub(crate) fn sort_key<B: ByteWeights>(weights: B, padded: bool, text: &[u8], key: &mut Vec<u8>) {
    let from = key.len();
    key.reserve(text.len() + padding::END_ROOM);
    weights.append(text, key);
    if padded {
        if !weights.needs_no_marks(text) {
            padding::mark(weights.weight(b' '), from, key);
        }
        padding::put_end(weights.weight(b' '), key);
    }
}
