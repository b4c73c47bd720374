//! Comparison of two texts, level by level. Equal bytes and equal characters are skipped by
//! vectors.

use core::cmp::Ordering;

use super::stream::WeightStream;
use super::wrapped_mark::{self, WrappedMark};
use super::{bytes, code_points};
use crate::charset::{CharacterShape, Encoding, Utf8};
use crate::dispatch::{self, CodePoints, Descriptor, Operation};
use crate::simd;
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, CharacterLevel, CharacterWeights, Identity, LevelWeights, TextWeights};

/// Minimum number of skipped bytes that justifies another skip. Below that, a skip costs more than
/// it saves. Bench: `instruction_sets`, French.
const MIN_SKIP: usize = 16;
/// Number of short skips after which skipping is given up. Bench: `instruction_sets`, a text whose
/// script changes with every word.
const MAX_SHORT_SKIPS: usize = 12;
/// Maximum number of steps of [`compare_few`] between two skips. Bench: `instruction_sets`, German,
/// case differs everywhere.
const MAX_SINGLE_CHARACTERS: usize = 8;

pub(crate) struct Compare<'t> {
    pub a: &'t [u8],
    pub b: &'t [u8],
    pub mismatch: usize,
}

/// Compares texts of UTF-8. A separate function whose arguments fit in registers: see
/// [`dispatch::run`].
#[inline(never)]
fn compare_utf8(code_points: &'static CodePoints<Utf8>, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    dispatch::run_utf8(code_points, Compare { a, b, mismatch })
}

/// Compares texts under a collation that [`dispatch::run`] doesn't pass to `run_utf8`.
#[inline(never)]
fn compare_others(descriptor: &'static Descriptor, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    dispatch::run_others(descriptor, Compare { a, b, mismatch })
}

// The operation is inlined into the branch on the kind of collation, so that a level stays in
// registers.
impl Operation for Compare<'_> {
    type Output = Ordering;

    #[inline(always)]
    fn run_utf8(self, code_points: &'static CodePoints<Utf8>) -> Ordering {
        compare_utf8(code_points, self.a, self.b, self.mismatch)
    }

    #[inline(always)]
    fn run_others(self, descriptor: &'static Descriptor) -> Ordering {
        compare_others(descriptor, self.a, self.b, self.mismatch)
    }

    #[inline(always)]
    fn wrapped_mark(self, descriptor: &'static Descriptor) -> Result<Ordering, Self> {
        if [self.a, self.b].iter().all(|text| WrappedMark::find(descriptor, text).is_none()) {
            return Err(self);
        }
        Ok(wrapped_mark::levels(descriptor, self.a).cmp(&wrapped_mark::levels(descriptor, self.b)))
    }

    #[inline(always)]
    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) -> Ordering {
        bytes::compare(weights, padded, self.a, self.b, self.mismatch)
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Ordering {
        code_points::compare(encoding, padded, self.a, self.b, self.mismatch)
    }

    #[inline(never)]
    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> Ordering {
        let (a, b) = (weights.key(self.a), weights.key(self.b));
        let mismatch = simd::get().mismatch(&a, &b);
        bytes::compare(Identity, padded, &a, &b, mismatch)
    }

    #[inline(always)]
    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> Ordering {
        // An iterator adapter would call its closure, and pass the level through memory.
        for level in levels {
            let order = compare_level(level, self.a, self.b, self.mismatch);
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    #[inline(always)]
    fn characters<T: CharacterWeights, S: CharacterShape>(self, level: CharacterLevel<T, S>) -> Ordering {
        let Self { a, b, mismatch } = self;
        level.order_by_bytes(a, b, mismatch).unwrap_or_else(|mismatch| compare_characters(level, a, b, mismatch))
    }
}

/// Compares two texts of a multi-byte character set. The characters at `mismatch` usually decide.
/// Before `mismatch`, the texts are equal except for the case of ASCII letters that are characters.
#[inline(never)]
fn compare_characters<T: CharacterWeights, S: CharacterShape>(
    level: CharacterLevel<T, S>,
    a: &[u8],
    b: &[u8],
    mismatch: usize,
) -> Ordering {
    let near = level.shape.boundary_near(a, mismatch);
    level.first_order(a, b, near).unwrap_or_else(|| compare_level_not_inlined(level, a, b, mismatch))
}

/// Not inlined, so that the usual path of [`compare_characters`] needs few registers.
#[inline(never)]
fn compare_level_not_inlined<L: LevelWeights>(level: L, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    compare_level(level, a, b, mismatch)
}

/// Compares two texts at one level. Before `mismatch`, the texts are equal except for the case of
/// ASCII letters that are characters.
#[inline(always)]
pub(crate) fn compare_level<L: LevelWeights>(level: L, mut a: &[u8], mut b: &[u8], mismatch: usize) -> Ordering {
    let mut same = level.skip_bytes(a, b, level.boundary(a, b, mismatch));
    let mut attempts = MAX_SHORT_SKIPS;
    loop {
        // An ill-formed byte in the equal part ends both texts.
        if (same == a.len() && same == b.len()) || level.ends_before(a, same) {
            return Ordering::Equal;
        }
        (a, b) = (&a[same..], &b[same..]);
        if let Some(order) = compare_first(level, a, b) {
            return order;
        }
        let [of_a, of_b] = level.skip_characters(a, b);
        (a, b) = (&a[of_a..], &b[of_b..]);
        same = level.skip_bytes(a, b, 0);
        if of_a + same >= MIN_SKIP {
            continue;
        }
        attempts -= 1;
        if attempts == 0 {
            return compare_streams(level, a, b);
        }
        if same == 0 {
            match compare_few(level, a, b) {
                FewCharacters::Differ(order) => return order,
                FewCharacters::Equal(of_a, of_b) => (a, b) = (&a[of_a..], &b[of_b..]),
                FewCharacters::Undecided => return compare_streams(level, a, b),
            }
        }
    }
}

/// Compares the first weight, or the weights of the first character, of two texts; `None` if all
/// weights are equal up to the end of the shorter sequence.
#[inline(always)]
fn compare_first<L: LevelWeights>(level: L, a: &[u8], b: &[u8]) -> Option<Ordering> {
    let single = |text: &[u8]| if text.is_empty() { level.pad() } else { level.single_weight(text, 0) };
    let (x, y) = (single(a), single(b));
    if let (Some(x), Some(y)) = (x, y) {
        return (x != y).then(|| x.cmp(&y));
    }
    if x.is_none() && y.is_none() && level.has_equal_first(a, b) {
        return None;
    }
    // Weights are written in place: copying an array right after writing it would stall on memory.
    let write = |text: &[u8], single: Option<u16>, out: &mut [u16; LONGEST]| match single {
        Some(weight) => {
            out[0] = weight;
            1
        }
        None if text.is_empty() => 0,
        None => level.next(text, 0, out).weights,
    };
    let (mut of_a, mut of_b) = ([0; LONGEST], [0; LONGEST]);
    let common = write(a, x, &mut of_a).min(write(b, y, &mut of_b));
    first_difference(&of_a[..common], &of_b[..common])
}

/// Compares the first differing weights; `None` if none differ.
fn first_difference(x: &[u16], y: &[u16]) -> Option<Ordering> {
    x.iter().zip(y).find(|(x, y)| x != y).map(|(x, y)| x.cmp(y))
}

/// The result of [`compare_few`].
enum FewCharacters {
    Differ(Ordering),
    /// The first `.0` bytes of `a` and the first `.1` bytes of `b` have the same weights, such as
    /// `ß` and `ss`.
    Equal(usize, usize),
    /// No difference, and no common boundary.
    Undecided,
}

/// Compares single characters in up to [`MAX_SINGLE_CHARACTERS`] steps, to the first difference or
/// to a character boundary of both texts after equal weights.
#[inline(never)]
fn compare_few<L: LevelWeights>(level: L, a: &[u8], b: &[u8]) -> FewCharacters {
    let (mut x, mut y) = (Pending::new(level, a), Pending::new(level, b));
    for _ in 0..MAX_SINGLE_CHARACTERS {
        let (p, q) = (x.weights(), y.weights());
        let common = p.len().min(q.len());
        if common == 0 {
            break;
        }
        if let Some(order) = first_difference(&p[..common], &q[..common]) {
            return FewCharacters::Differ(order);
        }
        x.from += common;
        y.from += common;
        if x.from == x.to && y.from == y.to {
            return FewCharacters::Equal(x.at, y.at);
        }
    }
    FewCharacters::Undecided
}

/// The weights of one character that are not compared yet.
struct Pending<'t, L> {
    level: L,
    text: &'t [u8],
    at: usize,
    weights: [u16; LONGEST],
    from: usize,
    to: usize,
}

impl<'t, L: LevelWeights> Pending<'t, L> {
    fn new(level: L, text: &'t [u8]) -> Self {
        Self { level, text, at: 0, weights: [0; LONGEST], from: 0, to: 0 }
    }

    /// Returns the remaining weights of the character, or the weights of the next character that
    /// has any. Empty at the end of the text.
    fn weights(&mut self) -> &[u16] {
        while self.from == self.to && self.at < self.text.len() {
            let next = self.level.next(self.text, self.at, &mut self.weights);
            self.at += next.bytes;
            (self.from, self.to) = (0, next.weights);
        }
        &self.weights[self.from..self.to]
    }
}

#[inline(never)]
fn compare_streams<L: LevelWeights>(level: L, a: &[u8], b: &[u8]) -> Ordering {
    let (mut x, mut y) = (WeightStream::new(level, a), WeightStream::new(level, b));
    loop {
        let (p, q) = (x.block(), y.block());
        match (p.is_empty(), q.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return past_the_end(level, y).reverse(),
            (false, true) => return past_the_end(level, x),
            (false, false) => {}
        }
        let common = p.len().min(q.len());
        let mismatch = simd::get().mismatch_weights(p, q);
        if mismatch < common {
            return p[mismatch].cmp(&q[mismatch]);
        }
        x.take(common);
        y.take(common);
    }
}

/// Compares the rest of a text with the end of the other text.
fn past_the_end<L: LevelWeights>(level: L, mut rest: WeightStream<'_, L>) -> Ordering {
    let Some(pad) = level.pad() else { return Ordering::Greater };
    loop {
        let block = rest.block();
        if block.is_empty() {
            return Ordering::Equal;
        }
        if let Some(other) = block.iter().find(|&&weight| weight != pad) {
            return other.cmp(&pad);
        }
        let count = block.len();
        rest.take(count);
    }
}
