//! Where an operation takes its weights from: one level of one collation, one character at a time where it must be, whole stretches
//! where it can be. Operations are generic over [`Source`] and compiled for each one, so that no call is made for a character.

use core::mem::MaybeUninit;

mod expanding;
mod utf8;

pub(crate) use expanding::German;
pub(crate) use utf8::{Encoding, General, Unicode, Utf8, character_border};

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

    /// Skips bytes that are alike, from `at` on, which is a border in both texts, as is the answer.
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// How many bytes at the start of each text are characters that are alike. Both begin at a border, and go on at one. May skip less
    /// than it could.
    fn skip_characters(self, a: &[u8], b: &[u8]) -> [usize; 2];

    /// Whether a text has ended before `at` because something there is ill-formed.
    fn ends_before(self, text: &[u8], at: usize) -> bool;

    /// The last border between characters, of both, that is no later than `at`. The texts are alike before `at`.
    fn border(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Turns a stretch of plain characters from `at` on into weights, at the start of `out`. May do nothing.
    fn fill(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled;

    /// The same as bytes of a sort key.
    fn fill_key(self, text: &[u8], at: usize, out: &mut [MaybeUninit<u8>]) -> Filled;

    /// The weights of the character at `at`, which is within the text, at the start of `out`, where there is room for [`LONGEST`].
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next;

    /// The weight of the character at `at`, which is within the text, if it is easily told: it is short, has one weight, and nothing
    /// after it makes a contraction of it.
    fn plain(self, text: &[u8], at: usize) -> Option<u16>;

    /// Whether [`Source::fill`] is worth trying at `at`.
    fn is_plain(self, text: &[u8], at: usize) -> bool;
}
