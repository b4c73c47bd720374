//! Collations of UTF-8. Vectors weigh long runs of characters of one and two bytes; other
//! characters are weighed one by one.

use alloc::vec::Vec;

use super::code_points::{CodePointWeights, find_contraction};
use super::{LevelWeights, NextCharacter, UcaContractions};
use crate::charset::{Encoding, Utf8, utf8};
use crate::simd::{self, FILL_ROOM, Filled, ShortWeights};
use crate::tables::LONGEST;

/// Least lead byte of characters with three bytes. Characters of four bytes have greater lead
/// bytes.
const LONG_LEAD: u8 = 0xE0;
/// Number of weights that [`Utf8Level::append_key`] buffers: room for at least a few characters.
const KEY_BUFFER: usize = 32 + LONGEST;

/// Returns `true` if vectors are faster than a loop over characters. Vectors stop at characters of
/// three bytes, and a short text doesn't repay a vector's table lookup. Bench: `realistic_text`,
/// Vietnamese.
#[inline(always)]
fn prefers_vectors(rest: &[u8]) -> bool {
    const NEAR: usize = 16;
    const SHORT: usize = 24;
    match rest.first_chunk::<NEAR>() {
        Some(near) if rest.len() >= SHORT => {
            let bytes = u128::from_ne_bytes(*near);
            // High bit of each byte whose three high bits are set.
            bytes & bytes << 1 & bytes << 2 & u128::from_ne_bytes([0x80; NEAR]) == 0
        }
        _ => rest.is_ascii(),
    }
}

/// Decodes a character of three bytes at the start; `None` if it is ill-formed. Surrogates count as
/// well-formed.
#[inline(always)]
fn decode_three_bytes(rest: &[u8]) -> Option<u32> {
    let [lead, second, third] = *rest.first_chunk::<3>()?;
    let code_point = u32::from(lead & 0xF) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
    let is_well_formed = lead & 0xF0 == LONG_LEAD && second & third & 0xC0 == 0x80 && (second | third) & 0x40 == 0;
    (is_well_formed && code_point >= 0x800).then_some(code_point)
}

/// A level of a collation of UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Utf8Level<C> {
    pub code_points: C,
    pub short: &'static ShortWeights,
    pub pad: Option<u16>,
    pub encoding: Utf8,
}

impl<C: CodePointWeights> Utf8Level<C> {
    /// Returns `true` if a contraction may cross the boundary at `at`.
    #[inline(always)]
    fn may_contract_at(self, text: &[u8], at: usize) -> bool {
        let Some((contractions, _)) = self.code_points.contractions() else { return false };
        let (Some(&before), Some(&after)) = (text.get(at.wrapping_sub(1)), text.get(at)) else { return false };
        let rest = &text[at..];
        contractions.pairs.may_contract(before, after)
            && may_end_like_continuation(contractions, rest)
            && may_continue(contractions, rest)
    }

    /// Finds the contraction at `at`, whose first character is `first`, and writes its weights to
    /// `out`.
    #[inline(never)]
    fn find_contraction(self, text: &[u8], at: usize, first: (u32, usize), out: &mut [u16]) -> Option<NextCharacter> {
        let decode = |at| (at < text.len()).then(|| self.encoding.decode(text, at)).flatten();
        find_contraction(self.code_points, decode, at, first, out)
    }

    /// Drops the last character filled from `at` on if it may begin a contraction that vectors
    /// don't detect.
    #[inline(always)]
    fn drop_contraction_start(self, text: &[u8], at: usize, filled: Filled) -> Filled {
        let end = at + filled.consumed;
        if filled.consumed == 0 || self.short.pairs().is_some() || !self.may_contract_at(text, end) {
            return filled;
        }
        let length = if text[end - 1].is_ascii() { 1 } else { 2 };
        let first = self.encoding.decode(text, end - length);
        let weights = first.map_or(0, |(code_point, _)| self.code_points.weights(code_point, &mut [0; LONGEST]));
        Filled { consumed: filled.consumed - length, produced: filled.produced - weights }
    }

    /// Writes the weights of characters from `at` on, one by one. Stops where vectors are faster,
    /// where `out` has no room for another character, and where a character needs
    /// [`LevelWeights::next`]: an ill-formed byte, a character below U+0800 with several weights or
    /// deferred to the full table, the start of a contraction.
    #[inline(never)]
    fn fill_mixed(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled {
        let (mut consumed, mut produced) = (0, 0);
        while let Some(room) = out.get_mut(produced..).and_then(|rest| rest.first_chunk_mut::<LONGEST>()) {
            let rest = &text[at + consumed..];
            let Some(&first) = rest.first() else { break };
            let (length, weights) = if first < LONG_LEAD {
                if prefers_vectors(rest) {
                    break;
                }
                let Some((code_point, length)) = simd::decode_short(rest, 0) else { break };
                let entry = self.short.entry(code_point);
                if entry >= ShortWeights::MULTIPLE {
                    break;
                }
                room[0] = entry;
                (length, usize::from(entry != 0))
            } else {
                let decoded = match decode_three_bytes(rest) {
                    Some(code_point) if code_point >> 11 != 0x1B || self.encoding.surrogates => Some((code_point, 3)),
                    _ => self.encoding.decode(rest, 0),
                };
                let Some((code_point, length)) = decoded else { break };
                (length, self.code_points.script_weights(code_point, room))
            };
            if Self::may_contract_at(self, text, at + consumed + length) {
                break;
            }
            consumed += length;
            produced += weights;
        }
        Filled { consumed, produced }
    }

    /// Goes back from `at`, a boundary of both texts, to a boundary that no contraction crosses.
    #[inline(always)]
    fn boundary_without_contraction(self, a: &[u8], b: &[u8], mut at: usize) -> usize {
        while at > 0 && (self.may_contract_at(a, at) || self.may_contract_at(b, at)) {
            at = self.encoding.start_before(a, at);
        }
        at
    }
}

impl<C: CodePointWeights> LevelWeights for Utf8Level<C> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (x, y) = (&a[at..], &b[at..]);
        let (Some(first_x), Some(first_y)) = (x.first(), y.first()) else { return at };
        // The next byte usually shows that nothing can be skipped, which saves a call.
        let may_skip = if first_x == first_y {
            first_x.is_ascii() || x.get(1) == y.get(1)
        } else {
            self.short.folds() && first_x.eq_ignore_ascii_case(first_y)
        };
        if !may_skip {
            return at;
        }
        let backend = simd::get();
        let same = match (self.short.folds(), self.short.pairs()) {
            (false, _) => backend.mismatch(x, y),
            (true, None) => backend.mismatch_folded(x, y),
            (true, Some(pairs)) => backend.mismatch_contractible(pairs, self.short.variants(), x, y),
        };
        self.boundary(a, b, at + same)
    }

    #[inline(always)]
    fn skip_characters(self, a: &[u8], b: &[u8]) -> [usize; 2] {
        let [mut x, mut y] = simd::get().skip_equal(self.short, self.encoding.longest, a, b);
        // The last skipped characters may begin a contraction. Earlier ones can't be part of one,
        // except characters of three or more bytes, which are in equal runs of both texts.
        while x > 0 && y > 0 && (self.may_contract_at(a, x) || self.may_contract_at(b, y)) {
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
        self.boundary_without_contraction(a, b, self.encoding.boundary(a, b, at))
    }

    #[inline(always)]
    fn may_contract_at(self, text: &[u8], at: usize) -> bool {
        Self::may_contract_at(self, text, at)
    }

    #[inline(always)]
    fn fill(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled {
        let mut filled = Filled { consumed: 0, produced: 0 };
        loop {
            let from = at + filled.consumed;
            if prefers_vectors(&text[from..]) {
                let next = simd::get().fill(self.short, &text[from..], &mut out[filled.produced..]);
                let next = self.drop_contraction_start(text, from, next);
                filled =
                    Filled { consumed: filled.consumed + next.consumed, produced: filled.produced + next.produced };
            }
            let from = at + filled.consumed;
            if from == text.len() || out.len() - filled.produced < FILL_ROOM {
                return filled;
            }
            let next = self.fill_mixed(text, from, &mut out[filled.produced..]);
            if next.consumed == 0 {
                return filled;
            }
            filled = Filled { consumed: filled.consumed + next.consumed, produced: filled.produced + next.produced };
        }
    }

    #[inline(always)]
    fn append_key(self, text: &[u8], at: usize, key: &mut Vec<u8>) -> usize {
        let mut consumed = 0;
        loop {
            let from = at + consumed;
            if prefers_vectors(&text[from..]) {
                let filled = simd::get().append_key(self.short, &text[from..], key);
                let kept = self.drop_contraction_start(text, from, filled);
                key.truncate(key.len() - 2 * (filled.produced - kept.produced));
                consumed += kept.consumed;
            }
            if at + consumed == text.len() {
                return consumed;
            }
            let mut weights = [0; KEY_BUFFER];
            let next = self.fill_mixed(text, at + consumed, &mut weights);
            if next.consumed == 0 {
                return consumed;
            }
            let weights = &mut weights[..next.produced];
            weights.iter_mut().for_each(|weight| *weight = weight.to_be());
            key.extend_from_slice(simd::as_bytes(weights));
            consumed += next.consumed;
        }
    }

    #[inline(always)]
    fn needs_no_marks(self, text: &[u8]) -> bool {
        self.short.spaces_are_least() && simd::get().is_words(text)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> NextCharacter {
        let byte = text[at];
        if byte.is_ascii() {
            let entry = self.short.entry(usize::from(byte));
            if entry < ShortWeights::MULTIPLE && !self.may_contract_at(text, at + 1) {
                out[0] = entry;
                return NextCharacter { bytes: 1, weights: usize::from(entry != 0) };
            }
        }
        let Some(first) = decode(self.encoding, text, at) else {
            if self.code_points.ends_at_errors() {
                return NextCharacter { bytes: text.len() - at, weights: 0 };
            }
            return NextCharacter { bytes: 1, weights: self.code_points.ill_formed(byte, out) };
        };
        if self.may_contract_at(text, at + first.1)
            && let Some(next) = self.find_contraction(text, at, first, out)
        {
            return next;
        }
        if let Some(expansions) = self.short.expansions()
            && first.0 < 0x800
        {
            let [one, other] = expansions.weights(first.0 as usize);
            if other != 0 {
                (out[0], out[1]) = (one, other);
                return NextCharacter { bytes: first.1, weights: 2 };
            }
        }
        NextCharacter { bytes: first.1, weights: self.code_points.weights(first.0, out) }
    }

    #[inline(always)]
    fn single_weight(self, text: &[u8], at: usize) -> Option<u16> {
        let (code_point, length) = simd::decode_short(text, at)?;
        self.short.weight(code_point).filter(|_| !self.may_contract_at(text, at + length))
    }

    #[inline(always)]
    fn has_equal_first(self, a: &[u8], b: &[u8]) -> bool {
        let first = |text: &[u8]| {
            let (code_point, length) = simd::decode_short(text, 0)?;
            let entry = self.short.entry(code_point);
            (entry != ShortWeights::DEFER && !self.may_contract_at(text, length)).then_some(entry)
        };
        first(a).is_some_and(|entry| first(b) == Some(entry))
    }

    #[inline(always)]
    fn may_fill(self, _: &[u8], _: usize) -> bool {
        true
    }
}

/// Decodes the character at `at`. Not inlined, because a comparison needs the registers.
#[inline(never)]
fn decode(encoding: Utf8, text: &[u8], at: usize) -> Option<(u32, usize)> {
    encoding.decode(text, at)
}

/// Returns `false` if the low bits of a character of three bytes show that it continues no
/// contraction. Returns `true` for other characters. Saves a call to [`may_continue`] for most
/// kana.
#[inline(always)]
fn may_end_like_continuation(contractions: &UcaContractions, text: &[u8]) -> bool {
    match *text {
        [0xE0..0xF0, second, third, ..] => contractions.all.later.may_have_lowest(second, third),
        _ => true,
    }
}

/// Returns `true` if the first character of `text` may continue a contraction. Not inlined, because
/// a comparison needs the registers.
#[inline(never)]
fn may_continue(contractions: &UcaContractions, text: &[u8]) -> bool {
    utf8::decode_well_formed(text).is_some_and(|code_point| contractions.all.later.may_have(code_point))
}
