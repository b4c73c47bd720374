//! Spaces in the sort keys of PAD SPACE collations.
//!
//! A text counts as followed by endlessly many spaces, which a key can't hold. A key has the weights as they are, and marks:
//! - the end, which is such a run of spaces; spaces before it are left out;
//! - in place of a run of spaces: where what comes after it is below a space, and where it is longer than one;
//! - after a weight that would look like a mark.
//!
//! So a single space before something greater, as between words, takes no more than its weight. A mark begins with the weight just below the
//! space's, so that it comes before a space and what is above, and after what is below. Then, as a byte, 0 stands for that weight itself, 1
//! for a run before something below, 2 for the end, 3 for a run before something above. Of two runs before something below, the longer one is
//! greater, since its next space meets what is below a space; before something above it is less. So the run's length follows, ascending
//! after 1, descending after 3: one byte up to 254, else 255 and eight bytes.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::arch;

const ITSELF: u8 = 0;
const BEFORE_LESS: u8 = 1;
const END: u8 = 2;
const BEFORE_GREATER: u8 = 3;

/// What marks take at most where a text has none but that of its end.
pub(crate) const END_ROOM: usize = 3;

/// A weight in a key, high byte first.
pub(crate) trait Weight: Copy + Ord {
    /// Its length in bytes.
    const BYTES: usize;

    /// The one that bytes begin with, if there is one.
    fn first(bytes: &[u8]) -> Option<Self>;

    /// The one that bytes end with, if there is one.
    fn last(bytes: &[u8]) -> Option<Self>;

    /// Appends it.
    fn put(self, key: &mut Vec<u8>);

    /// The weight just below a space's, which is above zero in all collations with padding.
    fn below(self) -> Self;

    /// Where in these weights the first one is that has to be marked, the last one being no space; their length, if none.
    fn find_mark(space: Self, weights: &[u8]) -> usize;
}

impl Weight for u8 {
    const BYTES: usize = 1;

    fn first(bytes: &[u8]) -> Option<Self> {
        bytes.first().copied()
    }

    fn last(bytes: &[u8]) -> Option<Self> {
        bytes.last().copied()
    }

    fn put(self, key: &mut Vec<u8>) {
        key.push(self);
    }

    fn below(self) -> Self {
        self.saturating_sub(1)
    }

    #[inline]
    fn find_mark(space: Self, weights: &[u8]) -> usize {
        arch::get().find_mark_of_bytes(space, weights)
    }
}

impl Weight for u16 {
    const BYTES: usize = 2;

    fn first(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().map(|&weight| Self::from_be_bytes(weight))
    }

    fn last(bytes: &[u8]) -> Option<Self> {
        bytes.last_chunk().map(|&weight| Self::from_be_bytes(weight))
    }

    fn put(self, key: &mut Vec<u8>) {
        key.extend_from_slice(&self.to_be_bytes());
    }

    fn below(self) -> Self {
        self.saturating_sub(1)
    }

    #[inline]
    fn find_mark(space: Self, weights: &[u8]) -> usize {
        arch::get().find_mark_of_pairs(space, weights)
    }
}

/// Marks the weights from `from` on that have to be, and takes spaces at the end away.
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

/// Marks the end.
#[inline]
pub(crate) fn put_end<W: Weight>(space: W, key: &mut Vec<u8>) {
    space.below().put(key);
    key.push(END);
}

/// Marks the weights from `from` on, of which the first one has to be.
#[inline(never)]
fn mark_from<W: Weight>(space: W, from: usize, key: &mut Vec<u8>) {
    let weights = key.split_off(from);
    let mut rest = weights.as_slice();
    loop {
        let (kept, marked) = rest.split_at(W::find_mark(space, rest));
        key.extend_from_slice(kept);
        let mut after = marked;
        while W::first(after) == Some(space) {
            after = &after[W::BYTES..];
        }
        let run = (marked.len() - after.len()) / W::BYTES;
        let Some(next) = W::first(after) else { break };
        space.below().put(key);
        if run > 0 {
            put_run(run, next.cmp(&space), key);
            rest = after;
        } else {
            key.push(ITSELF);
            rest = &after[W::BYTES..];
        }
    }
}

/// The rest of the mark of a run of `length` spaces, by the order of what comes after it against a space.
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

#[cfg(test)]
mod tests {
    use std::vec;

    use proptest::prelude::*;

    use super::*;

    const SPACE: u8 = 7;

    /// A key of weights of one byte, and of the same as two.
    fn keys(weights: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut bytes = [&[9, SPACE], weights].concat();
        mark(SPACE, 2, &mut bytes);
        put_end(SPACE, &mut bytes);
        let mut pairs = [&[9, SPACE][..], &weights.iter().flat_map(|&weight| [0, weight]).collect::<Vec<_>>()].concat();
        mark(u16::from(SPACE), 2, &mut pairs);
        put_end(u16::from(SPACE), &mut pairs);
        (bytes, pairs)
    }

    /// The order of weights that are followed by endlessly many spaces.
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
        fn long_runs_too(lengths in [200..300usize, 200..300usize], next in prop_oneof![Just(5_u8), Just(9_u8)]) {
            let weights = lengths.map(|length| [vec![SPACE; length], vec![next]].concat());
            let order = padded(&weights[0], &weights[1]);
            let [x, y] = weights.map(|weights| keys(&weights));
            prop_assert_eq!(x.0.cmp(&y.0), order);
            prop_assert_eq!(x.1.cmp(&y.1), order);
        }
    }
}
