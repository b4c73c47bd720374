//! Collations of UTF-8: long runs of characters of one and two bytes by vectors, others one by one.

use alloc::vec::Vec;

use super::{LONGEST, Next, Source};
use crate::arch::{self, Filled, Low};
use crate::charset::utf8;
use crate::encoding::{self, Encoding};
use crate::source::code_points::{CodePoints, contraction};
use crate::table::{Contractions, LowOf};

/// A level of a collation of UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Utf8<C> {
    pub code_points: C,
    pub low: &'static LowOf,
    pub pad: Option<u16>,
    pub encoding: encoding::Utf8,
}

impl<C: CodePoints> Utf8<C> {
    /// Whether a contraction may reach over the boundary at `at`.
    #[inline(always)]
    fn is_joined(self, text: &[u8], at: usize) -> bool {
        let Some((contractions, _)) = self.code_points.contractions() else { return false };
        let (Some(&before), Some(&after)) = (text.get(at.wrapping_sub(1)), text.get(at)) else { return false };
        let rest = &text[at..];
        contractions.pairs.may_join(before, after)
            && ends_like_later(contractions, rest)
            && may_continue(contractions, rest)
    }

    /// The contraction at `at`, whose first character is `first`.
    #[inline(never)]
    fn contraction(self, text: &[u8], at: usize, first: (u32, usize), out: &mut [u16]) -> Option<Next> {
        let decode = |at| (at < text.len()).then(|| self.encoding.decode(text, at)).flatten();
        contraction(self.code_points, decode, at, first, out)
    }

    /// Takes back the last character that was filled in from `at` on, if it may begin a contraction of which the vectors don't know.
    #[inline(always)]
    fn before_contraction(self, text: &[u8], at: usize, filled: Filled) -> Filled {
        let end = at + filled.consumed;
        if filled.consumed == 0 || self.low.low.pairs().is_some() || !self.is_joined(text, end) {
            return filled;
        }
        let length = if text[end - 1].is_ascii() { 1 } else { 2 };
        let first = self.encoding.decode(text, end - length);
        let weights = first.map_or(0, |(code_point, _)| self.code_points.weights(code_point, &mut [0; LONGEST]));
        Filled { consumed: filled.consumed - length, produced: filled.produced - weights }
    }

    /// The last boundary of both texts, no later than `at`, over which no contraction reaches.
    #[inline(always)]
    fn unjoined(self, a: &[u8], b: &[u8], mut at: usize) -> usize {
        while at > 0 && (self.is_joined(a, at) || self.is_joined(b, at)) {
            at = self.encoding.start_before(a, at);
        }
        at
    }
}

impl<C: CodePoints> Source for Utf8<C> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (x, y) = (&a[at..], &b[at..]);
        let (Some(first_x), Some(first_y)) = (x.first(), y.first()) else { return at };
        // Mostly the next byte tells that there is nothing to skip, and no call is needed.
        let may_skip = if first_x == first_y {
            first_x.is_ascii() || x.get(1) == y.get(1)
        } else {
            self.low.low.folds() && first_x.eq_ignore_ascii_case(first_y)
        };
        if !may_skip {
            return at;
        }
        let backend = arch::get();
        let same = match (self.low.low.folds(), self.low.low.pairs()) {
            (false, _) => backend.mismatch(x, y),
            (true, None) => backend.mismatch_folded(x, y),
            (true, Some(pairs)) => backend.mismatch_joined(pairs, self.low.low.variants(), x, y),
        };
        self.boundary(a, b, at + same)
    }

    #[inline(always)]
    fn skip_characters(self, a: &[u8], b: &[u8]) -> [usize; 2] {
        let [mut x, mut y] = arch::get().skip_equal(&self.low.low, self.encoding.longest, a, b);
        // The last characters of each may begin a contraction. In between none was cut: characters that may be in one were not
        // skipped, but for those of three bytes and more that follow one another in both texts alike.
        while x > 0 && y > 0 && (self.is_joined(a, x) || self.is_joined(b, y)) {
            (x, y) = (self.encoding.start_before(a, x), self.encoding.start_before(b, y));
        }
        [x, y]
    }

    #[inline(always)]
    fn ends_before(self, text: &[u8], at: usize) -> bool {
        self.code_points.ends_at_errors() && self.encoding.well_formed_prefix(&text[..at]) < at
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        self.unjoined(a, b, self.encoding.boundary(a, b, at))
    }

    #[inline(always)]
    fn is_joined(self, text: &[u8], at: usize) -> bool {
        Self::is_joined(self, text, at)
    }

    #[inline(always)]
    fn fill(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled {
        let filled = arch::get().fill(&self.low.low, &text[at..], out);
        self.before_contraction(text, at, filled)
    }

    #[inline(always)]
    fn append_key(self, text: &[u8], at: usize, key: &mut Vec<u8>) -> usize {
        let filled = arch::get().append_key(&self.low.low, &text[at..], key);
        let kept = self.before_contraction(text, at, filled);
        key.truncate(key.len() - 2 * (filled.produced - kept.produced));
        kept.consumed
    }

    #[inline(always)]
    fn has_plain_spaces(self, text: &[u8]) -> bool {
        self.low.low.spaces_are_least() && arch::get().is_words(text)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next {
        let byte = text[at];
        if byte.is_ascii() {
            let entry = self.low.low.entry(usize::from(byte));
            if entry < Low::SEVERAL && !self.is_joined(text, at + 1) {
                out[0] = entry;
                return Next { bytes: 1, weights: usize::from(entry != 0) };
            }
        }
        let Some(first) = decode(self.encoding, text, at) else {
            if self.code_points.ends_at_errors() {
                return Next { bytes: text.len() - at, weights: 0 };
            }
            return Next { bytes: 1, weights: self.code_points.ill_formed(byte, out) };
        };
        if self.is_joined(text, at + first.1)
            && let Some(next) = self.contraction(text, at, first, out)
        {
            return next;
        }
        if let Some(expansions) = self.low.low.expansions()
            && first.0 < 0x800
        {
            let [one, other] = expansions.weights(first.0 as usize);
            if other != 0 {
                (out[0], out[1]) = (one, other);
                return Next { bytes: first.1, weights: 2 };
            }
        }
        Next { bytes: first.1, weights: self.code_points.weights(first.0, out) }
    }

    #[inline(always)]
    fn plain(self, text: &[u8], at: usize) -> Option<u16> {
        let (code_point, length) = arch::short(text, at)?;
        self.low.low.weight(code_point).filter(|_| !self.is_joined(text, at + length))
    }

    #[inline(always)]
    fn has_same_first(self, a: &[u8], b: &[u8]) -> bool {
        let first = |text: &[u8]| {
            let (code_point, length) = arch::short(text, 0)?;
            let entry = self.low.low.entry(code_point);
            (entry != Low::MARK && !self.is_joined(text, length)).then_some(entry)
        };
        first(a).is_some_and(|entry| first(b) == Some(entry))
    }

    #[inline(always)]
    fn is_plain(self, text: &[u8], at: usize) -> bool {
        text.get(at).is_none_or(|&byte| byte < 0xE0)
    }
}

/// The code point at `at` and its length, called: a comparison needs the registers for other things.
#[inline(never)]
fn decode(encoding: encoding::Utf8, text: &[u8], at: usize) -> Option<(u32, usize)> {
    encoding.decode(text, at)
}

/// Whether the lowest bits of a character of three bytes are those of one that continues a contraction; of others nothing is said. Most kana
/// need no call by it.
#[inline(always)]
fn ends_like_later(contractions: &Contractions, text: &[u8]) -> bool {
    match *text {
        [0xE0..0xF0, second, third, ..] => contractions.later.may_have_lowest(second, third),
        _ => true,
    }
}

/// Whether the character that a text begins with may continue a contraction. Called, for the same reason.
#[inline(never)]
fn may_continue(contractions: &Contractions, text: &[u8]) -> bool {
    utf8::supposed(text).is_some_and(|code_point| contractions.later.may_have(code_point))
}
