//! Sources of weights. A source is one level of one collation.
//!
//! A source weighs one character at a time, or many characters at once by vectors. Operations are
//! generic over [`LevelWeights`] and compiled for each implementation, so that no indirect call is
//! made per character.

use alloc::vec::Vec;

mod bytes;
mod code_points;
mod expanding;
pub(crate) mod files;
mod lazy;
pub(crate) mod legacy;
mod multi_byte;
mod scalars;
mod single;
mod uca;
mod utf8;
pub(crate) mod whole_text;

pub(crate) use bytes::{ByteWeights, Identity, Mapped};
pub(crate) use code_points::{CodePointNumbers, FoldedCodePoints, SimpleCodePoints, UcaCodePoints};
pub(crate) use expanding::ExpandedBytes;
pub(crate) use lazy::Lazy;
pub(crate) use multi_byte::{CharacterLevel, CharacterWeights};
pub(crate) use scalars::ScalarLevel;
pub(crate) use single::LazySingleWeightTable;
pub(crate) use uca::{UcaContractions, UcaLevel, UcaTable};
pub(crate) use utf8::Utf8Level;
pub(crate) use whole_text::TextWeights;

use crate::simd::Filled;

/// The length of a character or contraction, and the number of its weights at one level. An
/// ill-formed byte that ends the text has the length of the rest of the text, and no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextCharacter {
    /// Length in bytes, at least 1.
    pub bytes: usize,
    /// 0 if the character is ignorable at the level, at most [`LONGEST`](crate::tables::LONGEST).
    pub weights: usize,
}

/// One level of a collation as a source of weights.
pub(crate) trait LevelWeights: Copy {
    /// Returns the weight of the spaces that follow the end of a text; `None` without padding at
    /// this level.
    fn pad(self) -> Option<u16>;

    /// Skips bytes from `at` on that are equal, except for ASCII case if case has no weight, and
    /// returns the position after them. Both positions are character boundaries in both texts.
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Returns the number of bytes at the start of each text that are characters of equal weights.
    /// The skipped bytes end at a character boundary. May skip less than possible.
    #[inline(always)]
    fn skip_characters(self, _a: &[u8], _b: &[u8]) -> [usize; 2] {
        [0; 2]
    }

    /// Returns `true` if the text ends before `at` because of an ill-formed byte.
    #[inline(always)]
    fn ends_before(self, _text: &[u8], _at: usize) -> bool {
        false
    }

    /// Returns a common character boundary that is not after `at`, near it and not inside a
    /// contraction. The texts are equal before `at`, except for the case of ASCII letters.
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Returns `true` if a contraction may cross the boundary at `at`.
    #[inline(always)]
    fn may_contract_at(self, _text: &[u8], _at: usize) -> bool {
        false
    }

    /// Writes the weights of characters from `at` on to the start of `out`, stopping at characters
    /// that need [`LevelWeights::next`]. May do nothing.
    #[inline(always)]
    fn fill(self, _text: &[u8], _at: usize, _out: &mut [u16]) -> Filled {
        Filled { consumed: 0, produced: 0 }
    }

    /// Appends the weights of characters from `at` on to a sort key and returns the number of bytes
    /// of text consumed. May do nothing.
    #[inline(always)]
    fn append_key(self, _text: &[u8], _at: usize, _key: &mut Vec<u8>) -> usize {
        0
    }

    /// Returns `true` if a quick check shows that no space in a sort key of `text` needs a mark
    /// (operations/padding.rs). `false` is always correct.
    #[inline(always)]
    fn needs_no_marks(self, _text: &[u8]) -> bool {
        false
    }

    /// Writes the weights of the character at `at` to the start of `out`. `at` must be inside the
    /// text, and `out` needs room for [`LONGEST`](crate::tables::LONGEST) weights.
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> NextCharacter;

    /// Returns the weight of the character at `at` if a quick check finds that it has one weight
    /// and begins no contraction. `None` is always correct. `at` must be inside the text.
    fn single_weight(self, text: &[u8], at: usize) -> Option<u16>;

    /// Returns `true` if a quick check finds that both texts begin with characters below U+0800
    /// that have the same weights and begin no contraction. `false` is always correct.
    #[inline(always)]
    fn has_equal_first(self, _a: &[u8], _b: &[u8]) -> bool {
        false
    }

    /// Returns `true` if [`LevelWeights::fill`] is worth trying at `at`.
    fn may_fill(self, text: &[u8], at: usize) -> bool;
}
