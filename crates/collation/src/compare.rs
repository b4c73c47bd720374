//! Comparing two texts: level by level, at each by what is fastest.

use core::cmp::Ordering;

use crate::bytes::{self, Bytes};
use crate::dispatch::Work;
use crate::source::{Encoding, LONGEST, Source};
use crate::stream::Stream;
use crate::{arch, code_points};

/// A stretch that is worth another attempt at skipping.
const WORTHWHILE: usize = 16;

/// What is asked: how `a` compares to `b`.
pub(crate) struct Compare<'t> {
    pub a: &'t [u8],
    pub b: &'t [u8],
}

impl Work for Compare<'_> {
    type Output = Ordering;

    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Ordering {
        bytes::compare(weights, padded, self.a, self.b)
    }

    fn code_points(self, encoding: Encoding, padded: bool) -> Ordering {
        code_points::compare(encoding, padded, self.a, self.b)
    }

    fn levels<S: Source>(self, mut levels: impl Iterator<Item = S> + Clone) -> Ordering {
        let order = levels.find_map(|source| {
            let order = level(source, self.a, self.b, 0);
            order.is_ne().then_some(order)
        });
        order.unwrap_or(Ordering::Equal)
    }
}

/// Compares two texts at one level, from `at` on, a border before which they are alike.
#[inline(always)]
pub(crate) fn level<S: Source>(source: S, a: &[u8], b: &[u8], mut at: usize) -> Ordering {
    loop {
        let next = source.skip_same(a, b, at);
        if next == a.len() && next == b.len() {
            return Ordering::Equal;
        }
        let skipped = next - at;
        at = next;
        if skipped < WORTHWHILE {
            break;
        }
    }
    first_weights(source, a, b, at).unwrap_or_else(|| streams(source, a, b, at))
}

/// The order of the next weight of each, which mostly settles it.
#[inline(always)]
fn first_weights<S: Source>(source: S, a: &[u8], b: &[u8], at: usize) -> Option<Ordering> {
    let first = |text: &[u8]| {
        if at == text.len() {
            return source.pad();
        }
        let mut weights = [0; LONGEST];
        let next = source.next(text, at, &mut weights);
        (next.weights > 0).then_some(weights[0])
    };
    let (x, y) = (first(a)?, first(b)?);
    (x != y).then(|| x.cmp(&y))
}

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
