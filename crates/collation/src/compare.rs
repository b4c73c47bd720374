//! Comparing two texts: level by level, at each by what is fastest.

use core::cmp::Ordering;

use crate::bytes::{self, Bytes};
use crate::dispatch::Work;
use crate::source::{Encoding, LONGEST, Source};
use crate::stream::Stream;
use crate::{arch, code_points};

/// A stretch that is worth another attempt at skipping.
const WORTHWHILE: usize = 16;

/// What is asked: how `a` compares to `b`, which is another string.
pub(crate) struct Compare<'t> {
    pub a: &'t [u8],
    pub b: &'t [u8],
    /// Where their bytes first differ.
    pub unlike: usize,
}

// Inlined into the one branch that chooses: what describes a level stays in registers.
impl Work for Compare<'_> {
    type Output = Ordering;

    #[inline(always)]
    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Ordering {
        bytes::compare(weights, padded, self.a, self.b, self.unlike)
    }

    #[inline(always)]
    fn code_points(self, encoding: Encoding, padded: bool) -> Ordering {
        code_points::compare(encoding, padded, self.a, self.b, self.unlike)
    }

    #[inline(always)]
    fn levels<S: Source>(self, mut levels: impl Iterator<Item = S> + Clone) -> Ordering {
        let order = levels.find_map(|source| {
            let order = level(source, self.a, self.b, self.unlike);
            order.is_ne().then_some(order)
        });
        order.unwrap_or(Ordering::Equal)
    }
}

/// Compares two texts at one level. Their bytes are equal before `unlike`.
#[inline(always)]
pub(crate) fn level<S: Source>(source: S, a: &[u8], b: &[u8], unlike: usize) -> Ordering {
    let mut at = source.skip_bytes(a, b, source.border(a, b, unlike));
    loop {
        // Where one ends in what both share, so does the other.
        if (at == a.len() && at == b.len()) || source.ends_before(a, at) {
            return Ordering::Equal;
        }
        if let Some(order) = first_weights(source, a, b, at) {
            return order;
        }
        let next = source.skip_characters(a, b, at);
        if next - at < WORTHWHILE {
            return streams(source, a, b, next);
        }
        at = source.skip_bytes(a, b, next);
    }
}

/// The order of the next weight of each, which mostly settles it.
#[inline(always)]
fn first_weights<S: Source>(source: S, a: &[u8], b: &[u8], at: usize) -> Option<Ordering> {
    let first = |text: &[u8]| {
        if at == text.len() {
            return source.pad();
        }
        if let Some(weight) = source.plain(text, at) {
            return Some(weight);
        }
        let mut weights = [0; LONGEST];
        let next = source.next(text, at, &mut weights);
        (next.weights > 0).then_some(weights[0])
    };
    let (x, y) = (first(a)?, first(b)?);
    (x != y).then(|| x.cmp(&y))
}

#[inline(never)]
fn streams<S: Source>(source: S, a: &[u8], b: &[u8], at: usize) -> Ordering {
    let (mut x, mut y) = (Stream::new(source, a, at), Stream::new(source, b, at));
    loop {
        let (p, q) = (x.block(), y.block());
        match (p.is_empty(), q.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return past_the_end(source, y).reverse(),
            (false, true) => return past_the_end(source, x),
            (false, false) => {}
        }
        let common = p.len().min(q.len());
        let unlike = arch::get().mismatch_weights(p, q);
        if unlike < common {
            return p[unlike].cmp(&q[unlike]);
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
