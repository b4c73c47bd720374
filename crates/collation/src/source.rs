//! Where an operation takes its weights from: one level of one collation, one character at a time where it must be, many at once
//! where they can be. Operations are generic over [`Source`] and compiled for each one, so that no call is made for a character.

use alloc::vec::Vec;

mod code_points;
mod expanding;
mod multi_byte;
mod scalars;
mod utf8;

pub(crate) use code_points::{Folded, General, Numbers, Unicode};
pub(crate) use expanding::German;
pub(crate) use multi_byte::{CharacterWeights, Characters};
pub(crate) use scalars::Scalars;
pub(crate) use utf8::Utf8;

use crate::arch::Filled;

/// The most weights that a code point or contraction has at one level.
pub(crate) const LONGEST: usize = crate::table::LONGEST;

/// What one character, or contraction, is at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    /// Its length in bytes, at least one.
    pub bytes: usize,
    /// How many weights it has.
    pub weights: usize,
}

/// One level of a collation, as a source of weights.
pub(crate) trait Source: Copy {
    /// The weight that a text which has ended is followed by, endlessly, under PAD SPACE.
    fn pad(self) -> Option<u16>;

    /// Skips equal bytes, from `at` on, which is a boundary in both texts, as is the answer.
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// How many bytes at the start of each text are characters of equal weights. Both begin at a boundary, and go on at one. May skip
    /// less than it could.
    #[inline(always)]
    fn skip_characters(self, _a: &[u8], _b: &[u8]) -> [usize; 2] {
        [0; 2]
    }

    /// Whether a text has ended before `at` because something there is ill-formed.
    #[inline(always)]
    fn ends_before(self, _text: &[u8], _at: usize) -> bool {
        false
    }

    /// The last boundary between characters, of both, that is no later than `at` and within no contraction. The texts are equal before
    /// `at`, but for the case of ASCII.
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Whether a contraction may reach over the boundary at `at`.
    #[inline(always)]
    fn is_joined(self, _text: &[u8], _at: usize) -> bool {
        false
    }

    /// Turns plain characters from `at` on into weights, at the start of `out`. May do nothing.
    #[inline(always)]
    fn fill(self, _text: &[u8], _at: usize, _out: &mut [u16]) -> Filled {
        Filled { consumed: 0, produced: 0 }
    }

    /// Appends the weights of plain characters from `at` on to a sort key, and says how many bytes of text these are. May do nothing.
    #[inline(always)]
    fn append_key(self, _text: &[u8], _at: usize, _key: &mut Vec<u8>) -> usize {
        0
    }

    /// Whether no space has to be marked in a key of this text, as is easily told ([`crate::runs`]). May say no where it is so.
    #[inline(always)]
    fn has_plain_spaces(self, _text: &[u8]) -> bool {
        false
    }

    /// The weights of the character at `at`, which is within the text, at the start of `out`, where there is room for [`LONGEST`].
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next;

    /// The weight of the character at `at`, which is within the text, if it is easily told: it is short, has one weight, and nothing
    /// after it makes a contraction of it.
    fn plain(self, text: &[u8], at: usize) -> Option<u16>;

    /// Whether both texts begin with a short character of the same weights, as is easily told, after which nothing makes a contraction of
    /// it. May say no where it is so.
    #[inline(always)]
    fn has_same_first(self, _a: &[u8], _b: &[u8]) -> bool {
        false
    }

    /// Whether [`Source::fill`] is worth trying at `at`.
    fn is_plain(self, text: &[u8], at: usize) -> bool;
}
