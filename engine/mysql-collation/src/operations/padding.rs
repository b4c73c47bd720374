//! Spaces in sort keys, at levels with padding.
//!
//! A text compares as if followed by infinitely many spaces, which a key can't hold. A key consists
//! of the weights and of marks. A mark begins with the weight just below the space's weight, so
//! that it sorts before a space and after everything less. A class byte follows:
//!
//! ```text
//! 0             the weight just below the space's weight itself
//! 1 · length    a run of spaces before a lesser weight
//! 2             the end of the text; trailing spaces are left out
//! 3 · ~length   a run of two or more spaces before a greater weight
//! length        1 byte up to 254, else 255 and 8 bytes, big-endian
//! ```
//!
//! A single space before a greater weight, as between words, is not marked and takes only its
//! weight.
//!
//! Of two runs before a lesser weight, the longer is greater: its next space is compared with the
//! lesser weight after the shorter run. Before a greater weight, the longer run is less.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::simd;

const ESCAPED: u8 = 0;
const BEFORE_LESS: u8 = 1;
const END: u8 = 2;
const BEFORE_GREATER: u8 = 3;

/// Maximum size in bytes of the marks of a text whose only mark is the end mark.
pub(crate) const END_ROOM: usize = 3;

/// A weight in a key, big-endian.
pub(crate) trait Weight: Copy + Ord {
    const BYTES: usize;

    /// Returns the first weight of `bytes`, if any.
    fn read_first(bytes: &[u8]) -> Option<Self>;

    /// Returns the last weight of `bytes`, if any.
    fn last(bytes: &[u8]) -> Option<Self>;

    fn put(self, key: &mut Vec<u8>);

    /// Passes the weight's bytes to `out`.
    fn put_to(self, out: &mut impl FnMut(&[u8]));

    /// Returns the weight just below a space's weight. A space weighs more than zero at every level
    /// with padding.
    fn below(self) -> Self;

    /// Returns the byte offset of the first weight that needs a mark; the length of `weights` if no
    /// weight needs one. The last weight must not be a space.
    fn find_mark(space: Self, weights: &[u8]) -> usize;
}

impl Weight for u8 {
    const BYTES: usize = 1;

    fn read_first(bytes: &[u8]) -> Option<Self> {
        bytes.first().copied()
    }

    fn last(bytes: &[u8]) -> Option<Self> {
        bytes.last().copied()
    }

    fn put(self, key: &mut Vec<u8>) {
        key.push(self);
    }

    fn put_to(self, out: &mut impl FnMut(&[u8])) {
        out(&[self]);
    }

    fn below(self) -> Self {
        self.saturating_sub(1)
    }

    #[inline]
    fn find_mark(space: Self, weights: &[u8]) -> usize {
        simd::get().find_marked_byte(space, weights)
    }
}

impl Weight for u16 {
    const BYTES: usize = 2;

    fn read_first(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().map(|&weight| Self::from_be_bytes(weight))
    }

    fn last(bytes: &[u8]) -> Option<Self> {
        bytes.last_chunk().map(|&weight| Self::from_be_bytes(weight))
    }

    fn put(self, key: &mut Vec<u8>) {
        key.extend_from_slice(&self.to_be_bytes());
    }

    fn put_to(self, out: &mut impl FnMut(&[u8])) {
        out(&self.to_be_bytes());
    }

    fn below(self) -> Self {
        self.saturating_sub(1)
    }

    #[inline]
    fn find_mark(space: Self, weights: &[u8]) -> usize {
        simd::get().find_marked_word(space, weights)
    }
}

/// Removes trailing spaces of the key and marks the weights from `from` on that need a mark.
#[inline]
pub(crate) fn mark<W: Weight>(space: W, from: usize, key: &mut Vec<u8>) {
    while key.len() > from && W::last(key) == Some(space) {
        key.truncate(key.len() - W::BYTES);
    }
    let found = from + W::find_mark(space, &key[from..]);
    if found < key.len() {
        mark_from(space, found, key);
    }
}

/// Appends the end mark.
#[inline]
pub(crate) fn put_end<W: Weight>(space: W, key: &mut Vec<u8>) {
    space.below().put(key);
    key.push(END);
}

/// Marks the weights from `from` on. The first of these weights needs a mark.
#[inline(never)]
fn mark_from<W: Weight>(space: W, from: usize, key: &mut Vec<u8>) {
    let weights = key.split_off(from);
    let mut rest = weights.as_slice();
    loop {
        let (kept, marked) = rest.split_at(W::find_mark(space, rest));
        key.extend_from_slice(kept);
        let mut after = marked;
        while W::read_first(after) == Some(space) {
            after = &after[W::BYTES..];
        }
        let run = (marked.len() - after.len()) / W::BYTES;
        let Some(next) = W::read_first(after) else { break };
        space.below().put(key);
        if run > 0 {
            put_run(run, next.cmp(&space), key);
            rest = after;
        } else {
            key.push(ESCAPED);
            rest = &after[W::BYTES..];
        }
    }
}

/// Appends the rest of the mark of a run of spaces. `next` compares the weight after the run with a
/// space.
fn put_run(length: usize, next: Ordering, key: &mut Vec<u8>) {
    let (class, flip) = if next.is_lt() { (BEFORE_LESS, 0) } else { (BEFORE_GREATER, 0xFF) };
    key.push(class);
    match u8::try_from(length) {
        Ok(short) if short < 255 => key.push(short ^ flip),
        _ => {
            key.push(255 ^ flip);
            key.extend((length as u64).to_be_bytes().map(|byte| byte ^ flip));
        }
    }
}

/// Writes weights one after the other, with marks, to a function that takes bytes.
pub(crate) struct Marker<W> {
    space: W,
    /// Number of spaces that are not written yet.
    run: usize,
}

impl<W: Weight> Marker<W> {
    pub fn new(space: W) -> Self {
        Self { space, run: 0 }
    }

    #[inline]
    pub fn put(&mut self, weight: W, out: &mut impl FnMut(&[u8])) {
        if weight == self.space {
            self.run += 1;
            return;
        }
        match core::mem::take(&mut self.run) {
            0 => {}
            1 if weight > self.space => self.space.put_to(out),
            run => {
                self.space.below().put_to(out);
                put_run_to(run, weight.cmp(&self.space), out);
            }
        }
        weight.put_to(out);
        if weight == self.space.below() {
            out(&[ESCAPED]);
        }
    }

    /// Writes the end mark. Spaces before it are left out.
    pub fn end(self, out: &mut impl FnMut(&[u8])) {
        self.space.below().put_to(out);
        out(&[END]);
    }
}

/// Writes what [`put_run`] appends.
fn put_run_to(length: usize, next: Ordering, out: &mut impl FnMut(&[u8])) {
    let (class, flip) = if next.is_lt() { (BEFORE_LESS, 0) } else { (BEFORE_GREATER, 0xFF) };
    match u8::try_from(length) {
        Ok(short) if short < 255 => out(&[class, short ^ flip]),
        _ => {
            out(&[class, 255 ^ flip]);
            out(&(length as u64).to_be_bytes().map(|byte| byte ^ flip));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use proptest::prelude::*;

    use super::*;

    const SPACE: u8 = 7;

    /// Returns the keys of weights with one byte and of the same weights with two bytes.
    fn keys(weights: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut bytes = [&[9, SPACE], weights].concat();
        mark(SPACE, 2, &mut bytes);
        put_end(SPACE, &mut bytes);
        let mut pairs = [&[9, SPACE][..], &weights.iter().flat_map(|&weight| [0, weight]).collect::<Vec<_>>()].concat();
        mark(u16::from(SPACE), 2, &mut pairs);
        put_end(u16::from(SPACE), &mut pairs);
        (bytes, pairs)
    }

    /// Compares weights as if followed by infinitely many spaces.
    fn padded(a: &[u8], b: &[u8]) -> Ordering {
        let at = |weights: &[u8], index: usize| weights.get(index).copied().unwrap_or(SPACE);
        (0..a.len().max(b.len()))
            .map(|index| at(a, index).cmp(&at(b, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    #[test]
    fn words_take_their_weights_and_an_end() {
        assert_eq!(keys(b"ab\x07cd").0, b"\x09\x07ab\x07cd\x06\x02");
        assert_eq!(keys(b"ab\x07\x07\x07").0, b"\x09\x07ab\x06\x02");
        assert_eq!(keys(b"\x07\x07b\x06").0, [9, 7, 6, 3, !2, b'b', 6, 0, 6, 2]);
        assert_eq!(keys(b"\x07\x06").1, [9, 7, 0, 6, 1, 1, 0, 6, 0, 0, 6, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        #[test]
        fn keys_have_the_order_of_padded_weights(
            a in proptest::collection::vec(prop_oneof![3 => Just(SPACE), 2 => 5..10u8], 0..80),
            b in proptest::collection::vec(prop_oneof![3 => Just(SPACE), 2 => 5..10u8], 0..80),
            shared in 0..80usize,
        ) {
            let b = [&a[..shared.min(a.len())], &b].concat();
            let order = padded(&a, &b);
            let (x, y) = (keys(&a), keys(&b));
            prop_assert_eq!(x.0.cmp(&y.0), order);
            prop_assert_eq!(x.1.cmp(&y.1), order);
        }

        #[test]
        fn keys_of_long_runs_have_the_order_of_padded_weights(lengths in [200..300usize, 200..300usize], next in prop_oneof![Just(5_u8), Just(9_u8)]) {
            let weights = lengths.map(|length| [vec![SPACE; length], vec![next]].concat());
            let order = padded(&weights[0], &weights[1]);
            let [x, y] = weights.map(|weights| keys(&weights));
            prop_assert_eq!(x.0.cmp(&y.0), order);
            prop_assert_eq!(x.1.cmp(&y.1), order);
        }
    }
}
