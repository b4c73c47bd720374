//! Collations of code points in encodings other than UTF-8: UTF-16, UTF-32, UCS-2, GB 18030.

use super::code_points::{CodePoints, contraction};
use super::{Next, Source};
use crate::arch;
use crate::charset::Shape;
use crate::encoding::Multi;
use crate::table::LowOf;

/// A level of such a collation.
#[derive(Clone, Copy)]
pub(crate) struct Scalars<C> {
    pub code_points: C,
    /// The weights of the first code points; without these, code points are their own weights.
    pub low: Option<&'static LowOf>,
    pub pad: Option<u16>,
    pub encoding: Multi,
}

impl<C: CodePoints> Source for Scalars<C> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (a, b) = (&a[at..], &b[at..]);
        at + self.boundary(a, b, arch::get().mismatch(a, b))
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
        self.encoding.boundary(a, b, at, |at| !self.is_joined(a, at) && !self.is_joined(b, at))
    }

    /// Told by the character after the boundary alone.
    #[inline(always)]
    fn is_joined(self, text: &[u8], at: usize) -> bool {
        let Some((contractions, _)) = self.code_points.contractions() else { return false };
        at > 0
            && text
                .get(at..)
                .and_then(|rest| self.encoding.decode(rest))
                .is_some_and(|(code_point, _)| contractions.later.may_have(code_point))
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next {
        let Some(first) = self.encoding.decode(&text[at..]) else {
            if self.code_points.ends_at_errors() {
                return Next { bytes: text.len() - at, weights: 0 };
            }
            return Next { bytes: 1, weights: self.code_points.ill_formed(text[at], out) };
        };
        if self.is_joined(text, at + first.1) {
            let decode = |at| text.get(at..).and_then(|rest| self.encoding.decode(rest));
            if let Some(next) = contraction(self.code_points, decode, at, first, out) {
                return next;
            }
        }
        Next { bytes: first.1, weights: self.code_points.weights(first.0, out) }
    }

    #[inline(always)]
    fn plain(self, text: &[u8], at: usize) -> Option<u16> {
        let (code_point, length) = self.encoding.decode(&text[at..]).filter(|&(code_point, _)| code_point < 0x800)?;
        if self.is_joined(text, at + length) {
            return None;
        }
        match self.low {
            Some(low) => low.low.weight(code_point as usize),
            None => Some(code_point as u16),
        }
    }

    #[inline(always)]
    fn is_plain(self, _: &[u8], _: usize) -> bool {
        false
    }
}
