//! Collations that weigh code points, in encodings other than UTF-8: UTF-16, UTF-32, UCS-2,
//! GB 18030.

use super::code_points::{CodePointWeights, find_contraction};
use super::{LevelWeights, NextCharacter};
use crate::charset::{CharacterShape, MultiByteEncoding};
use crate::simd::{self, ShortWeights};

/// A level of a collation in an encoding other than UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct ScalarLevel<C> {
    pub code_points: C,
    /// Weights of the code points below U+0800. `None`: code points are their own weights.
    pub short: Option<&'static ShortWeights>,
    pub pad: Option<u16>,
    pub encoding: MultiByteEncoding,
}

impl<C: CodePointWeights> LevelWeights for ScalarLevel<C> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (a, b) = (&a[at..], &b[at..]);
        at + self.boundary(a, b, simd::get().mismatch(a, b))
    }

    #[inline(always)]
    fn ends_before(self, text: &[u8], at: usize) -> bool {
        let mut next = 0;
        while self.code_points.ends_at_errors() && next < at {
            let Some(length) = self.encoding.well_formed_length(&text[next..]) else { return true };
            next += length;
        }
        false
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        self.encoding.boundary(a, b, at, |at| !self.may_contract_at(a, at) && !self.may_contract_at(b, at))
    }

    /// Checks only the character after the boundary.
    #[inline(always)]
    fn may_contract_at(self, text: &[u8], at: usize) -> bool {
        let Some((contractions, _)) = self.code_points.contractions() else { return false };
        at > 0
            && text
                .get(at..)
                .and_then(|rest| self.encoding.decode(rest))
                .is_some_and(|(code_point, _)| contractions.all.later.may_have(code_point))
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> NextCharacter {
        let Some(first) = self.encoding.decode(&text[at..]) else {
            if self.code_points.ends_at_errors() {
                return NextCharacter { bytes: text.len() - at, weights: 0 };
            }
            return NextCharacter { bytes: 1, weights: self.code_points.ill_formed(text[at], out) };
        };
        if self.may_contract_at(text, at + first.1) {
            let decode = |at| text.get(at..).and_then(|rest| self.encoding.decode(rest));
            if let Some(next) = find_contraction(self.code_points, decode, at, first, out) {
                return next;
            }
        }
        NextCharacter { bytes: first.1, weights: self.code_points.weights(first.0, out) }
    }

    #[inline(always)]
    fn single_weight(self, text: &[u8], at: usize) -> Option<u16> {
        let (code_point, length) = self.encoding.decode(&text[at..]).filter(|&(code_point, _)| code_point < 0x800)?;
        if self.may_contract_at(text, at + length) {
            return None;
        }
        match self.short {
            Some(short) => short.weight(code_point as usize),
            None => Some(code_point as u16),
        }
    }

    #[inline(always)]
    fn may_fill(self, _: &[u8], _: usize) -> bool {
        false
    }
}
