//! Comparing two texts: level by level, at each by what is fastest.

use core::cmp::Ordering;

use crate::bytes::{self, Bytes, Itself};
use crate::carried::{self, Carried};
use crate::charset::Shape;
use crate::dispatch::{self, Work};
use crate::encoding::Encoding;
use crate::source::{CharacterWeights, Characters, LONGEST, Source};
use crate::stream::Stream;
use crate::whole::Whole;
use crate::{Collation, arch, code_points};

/// Bytes that are worth another attempt at skipping: below that a skip costs more than it saves. Bench: `instruction_sets`, French.
const WORTHWHILE: usize = 16;
/// Give up on skipping after this many short skips. Bench: `instruction_sets`, another script with every word.
const ATTEMPTS: usize = 12;
/// Characters that are compared one at a time in between, at most. Bench: `instruction_sets`, German in other case.
const FEW: usize = 8;

/// How `a` compares to `b`, which is another string: their bytes first differ at `mismatch`.
#[inline(never)]
pub(crate) fn by_levels(collation: &Collation, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    dispatch::others(collation.descriptor(), Compare { a, b, mismatch })
}

/// As [`by_levels`], of a collation that `compares_apart`: what the tables of character sets need would wait for the registers to be saved
/// that levels need, and these would look for a context that they mostly don't have.
#[inline(never)]
pub(crate) fn apart(collation: &Collation, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    let compared = dispatch::by_tables(collation.descriptor(), Compare { a, b, mismatch });
    compared.unwrap_or_else(|_| in_context(collation, a, b, mismatch))
}

/// As [`by_levels`], where a level may begin in the context in which the one before ended.
#[inline(never)]
fn in_context(collation: &Collation, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    let descriptor = collation.descriptor();
    if descriptor.traits.carries_context && [a, b].iter().any(|text| Carried::of(descriptor, text).is_some()) {
        return carried::levels(descriptor, a).cmp(&carried::levels(descriptor, b));
    }
    by_levels(collation, a, b, mismatch)
}

/// What is asked.
struct Compare<'t> {
    a: &'t [u8],
    b: &'t [u8],
    mismatch: usize,
}

// Inlined into the one branch that chooses: what describes a level stays in registers.
impl Work for Compare<'_> {
    type Output = Ordering;

    #[inline(always)]
    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Ordering {
        bytes::compare(weights, padded, self.a, self.b, self.mismatch)
    }

    #[inline(always)]
    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Ordering {
        code_points::compare(encoding, padded, self.a, self.b, self.mismatch)
    }

    #[inline(never)]
    fn whole(self, whole: &'static Whole, padded: bool) -> Ordering {
        let (a, b) = (whole.key(self.a), whole.key(self.b));
        let mismatch = arch::get().mismatch(&a, &b);
        bytes::compare(Itself, padded, &a, &b, mismatch)
    }

    #[inline(always)]
    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) -> Ordering {
        // No adapter: its closure would be called, and what describes a level written to memory for it.
        for source in levels {
            let order = level(source, self.a, self.b, self.mismatch);
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    #[inline(always)]
    fn characters<T: CharacterWeights, S: Shape>(self, source: Characters<T, S>) -> Ordering {
        let Self { a, b, mismatch } = self;
        source.easy_order(a, b, mismatch).unwrap_or_else(|mismatch| characters(source, a, b, mismatch))
    }
}

/// Compares two texts character by character: the first ones that differ mostly settle it. Their bytes are equal before `mismatch` but for the
/// case of letters of ASCII that are characters.
#[inline(never)]
fn characters<T: CharacterWeights, S: Shape>(
    source: Characters<T, S>,
    a: &[u8],
    b: &[u8],
    mismatch: usize,
) -> Ordering {
    let near = source.shape.boundary_near(a, mismatch);
    source.first_order(a, b, near).unwrap_or_else(|| level_apart(source, a, b, mismatch))
}

/// As [`level`], called: what is mostly enough needs few registers.
#[inline(never)]
fn level_apart<S: Source>(source: S, a: &[u8], b: &[u8], mismatch: usize) -> Ordering {
    level(source, a, b, mismatch)
}

/// Compares two texts at one level. Their bytes are equal before `mismatch`.
#[inline(always)]
pub(crate) fn level<S: Source>(source: S, mut a: &[u8], mut b: &[u8], mismatch: usize) -> Ordering {
    let mut same = source.skip_bytes(a, b, source.boundary(a, b, mismatch));
    let mut attempts = ATTEMPTS;
    loop {
        // Where one ends in what both share, so does the other.
        if (same == a.len() && same == b.len()) || source.ends_before(a, same) {
            return Ordering::Equal;
        }
        (a, b) = (&a[same..], &b[same..]);
        if let Some(order) = first_weights(source, a, b) {
            return order;
        }
        let [of_a, of_b] = source.skip_characters(a, b);
        (a, b) = (&a[of_a..], &b[of_b..]);
        same = source.skip_bytes(a, b, 0);
        if of_a + same >= WORTHWHILE {
            continue;
        }
        attempts -= 1;
        if attempts == 0 {
            return streams(source, a, b);
        }
        if same == 0 {
            match few(source, a, b) {
                Few::Differ(order) => return order,
                Few::Equal(of_a, of_b) => (a, b) = (&a[of_a..], &b[of_b..]),
                Few::Open => return streams(source, a, b),
            }
        }
    }
}

/// The order of the next weight of each, or of the next character of each, which mostly settles it.
#[inline(always)]
fn first_weights<S: Source>(source: S, a: &[u8], b: &[u8]) -> Option<Ordering> {
    let plain = |text: &[u8]| if text.is_empty() { source.pad() } else { source.plain(text, 0) };
    let (x, y) = (plain(a), plain(b));
    if let (Some(x), Some(y)) = (x, y) {
        return (x != y).then(|| x.cmp(&y));
    }
    if x.is_none() && y.is_none() && source.has_same_first(a, b) {
        return None;
    }
    // Written in place: to hand on an array just written would wait for the memory.
    let write = |text: &[u8], plain: Option<u16>, out: &mut [u16; LONGEST]| match plain {
        Some(weight) => {
            out[0] = weight;
            1
        }
        None if text.is_empty() => 0,
        None => source.next(text, 0, out).weights,
    };
    let (mut of_a, mut of_b) = ([0; LONGEST], [0; LONGEST]);
    let common = write(a, x, &mut of_a).min(write(b, y, &mut of_b));
    first_difference(&of_a[..common], &of_b[..common])
}

/// The order of the first weights that differ, if two do.
fn first_difference(x: &[u16], y: &[u16]) -> Option<Ordering> {
    x.iter().zip(y).find(|(x, y)| x != y).map(|(x, y)| x.cmp(y))
}

/// What the next few characters of two texts tell.
enum Few {
    /// The order of the texts.
    Differ(Ordering),
    /// That many bytes of each have the same weights, as `ß` and `ss` may have.
    Equal(usize, usize),
    /// Nothing yet.
    Open,
}

/// Compares a few characters one at a time, up to where both have a boundary after the same weights.
#[inline(never)]
fn few<S: Source>(source: S, a: &[u8], b: &[u8]) -> Few {
    let (mut x, mut y) = (Pending::new(source, a), Pending::new(source, b));
    for _ in 0..FEW {
        let (p, q) = (x.weights(), y.weights());
        let common = p.len().min(q.len());
        if common == 0 {
            break;
        }
        if let Some(order) = first_difference(&p[..common], &q[..common]) {
            return Few::Differ(order);
        }
        x.from += common;
        y.from += common;
        if x.from == x.to && y.from == y.to {
            return Few::Equal(x.at, y.at);
        }
    }
    Few::Open
}

/// The weights of one character that were not compared yet.
struct Pending<'t, S> {
    source: S,
    text: &'t [u8],
    at: usize,
    weights: [u16; LONGEST],
    from: usize,
    to: usize,
}

impl<'t, S: Source> Pending<'t, S> {
    fn new(source: S, text: &'t [u8]) -> Self {
        Self { source, text, at: 0, weights: [0; LONGEST], from: 0, to: 0 }
    }

    /// Those left of this character, or those of the next one that has any; none at the end of the text.
    fn weights(&mut self) -> &[u16] {
        while self.from == self.to && self.at < self.text.len() {
            let next = self.source.next(self.text, self.at, &mut self.weights);
            self.at += next.bytes;
            (self.from, self.to) = (0, next.weights);
        }
        &self.weights[self.from..self.to]
    }
}

#[inline(never)]
fn streams<S: Source>(source: S, a: &[u8], b: &[u8]) -> Ordering {
    let (mut x, mut y) = (Stream::new(source, a), Stream::new(source, b));
    loop {
        let (p, q) = (x.block(), y.block());
        match (p.is_empty(), q.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return past_the_end(source, y).reverse(),
            (false, true) => return past_the_end(source, x),
            (false, false) => {}
        }
        let common = p.len().min(q.len());
        let mismatch = arch::get().mismatch_weights(p, q);
        if mismatch < common {
            return p[mismatch].cmp(&q[mismatch]);
        }
        x.take(common);
        y.take(common);
    }
}

/// The order of what is left of one text against the end of the other.
fn past_the_end<S: Source>(source: S, mut rest: Stream<'_, S>) -> Ordering {
    let Some(pad) = source.pad() else { return Ordering::Greater };
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
