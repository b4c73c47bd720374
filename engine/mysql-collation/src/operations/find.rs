//! The first occurrence of a string in another, as `LOCATE` finds it, and its end, which no server
//! returns.
//!
//! The servers have two rules. Both try every character of the text as the beginning.
//!
//! - Equal length: an occurrence has as many bytes as the string that is searched for, and equal
//!   weights. `ß` is found in `ss`, which has two bytes, too; `é` isn't found in `e`. The rule of
//!   MariaDB, of MySQL up to 8.0.12, and of MySQL 9.7.4 in collations that don't weigh code points.
//! - Weights: at each level, the weights of the text from that character on begin with the weights
//!   of the string that is searched for. In `ai_ci`, `é` is found in `e`, and `f` in `ﬁ`. Observed
//!   on MySQL 9.7.4. The occurrence ends with the character that has the last of these weights, or
//!   with characters without weights after it, such as combining accents in `ai`.

use alloc::vec::Vec;
use core::ops::Range;

use super::compare::compare_level;
use crate::charset::{CharacterShape, Encoding, TextEncoding};
use crate::dispatch::{Descriptor, Kind, Operation};
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, CharacterLevel, CharacterWeights, LevelWeights, Mapped, NextCharacter, TextWeights};

/// A search for `needle`, which must not be empty.
pub(crate) struct Find<'t> {
    pub descriptor: &'static Descriptor,
    pub text: &'t [u8],
    pub needle: &'t [u8],
    pub rule: Rule,
}

/// How occurrences are found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    EqualLength,
    /// By weights if the collation has weights of code points, else by equal length.
    Weights,
}

impl Find<'_> {
    /// Returns the first occurrence. `end_at` returns its end if one begins at a character.
    fn first(&self, mut end_at: impl FnMut(usize) -> Option<usize>) -> Option<Range<usize>> {
        let length = |at: usize| match self.descriptor.encoding {
            TextEncoding::Bytes => 1,
            TextEncoding::Utf8(encoding) => encoding.length(self.text, at),
            TextEncoding::MultiByte(encoding) => encoding.length(&self.text[at..]),
        };
        let mut at = 0;
        while at < self.text.len() {
            if let Some(end) = end_at(at) {
                return Some(at..end);
            }
            at += length(at);
        }
        None
    }

    fn first_of_equal_length(&self, mut equal: impl FnMut(&[u8]) -> bool) -> Option<Range<usize>> {
        self.first(|at| {
            let end = at + self.needle.len();
            self.text.get(at..end).is_some_and(&mut equal).then_some(end)
        })
    }

    /// Returns the position after the characters from `at` on that have no weights at any level.
    fn skip_weightless<L: LevelWeights>(&self, levels: impl Iterator<Item = L> + Clone, mut at: usize) -> usize {
        let Descriptor { codec, info, .. } = self.descriptor;
        while let Some(length) = self.text.get(at..).and_then(|rest| codec.length(info.flavour, rest)) {
            let weightless = NextCharacter { bytes: length, weights: 0 };
            if !levels.clone().all(|level| level.next(self.text, at, &mut [0; LONGEST]) == weightless) {
                break;
            }
            at += length;
        }
        at
    }
}

impl Operation for Find<'_> {
    type Output = Option<Range<usize>>;

    /// Spaces at the end of the string that is searched for count.
    const PADS: bool = false;

    fn bytes<B: ByteWeights>(self, weights: B, _: bool) -> Option<Range<usize>> {
        self.first_of_equal_length(|part| {
            part.iter().zip(self.needle).all(|(&x, &y)| weights.weight(x) == weights.weight(y))
        })
    }

    fn code_points<E: Encoding>(self, _: E, _: bool) -> Option<Range<usize>> {
        self.first_of_equal_length(|part| part == self.needle)
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> Option<Range<usize>> {
        self.bytes(Mapped(weights.locate()), padded)
    }

    fn characters<T: CharacterWeights, S: CharacterShape>(self, level: CharacterLevel<T, S>) -> Option<Range<usize>> {
        self.first_of_equal_length(|part| compare_level(level, part, self.needle, 0).is_eq())
    }

    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> Option<Range<usize>> {
        if self.rule == Rule::EqualLength || matches!(self.descriptor.kind, Kind::Bytes(_)) {
            return self.first_of_equal_length(|part| {
                levels.clone().all(|level| compare_level(level, part, self.needle, 0).is_eq())
            });
        }
        let needles: Vec<(L, Vec<u16>)> =
            levels.clone().map(|level| (level, all_weights(level, self.needle))).collect();
        let found = self.first(|at| {
            let mut ends = needles.iter().map(|(level, needle)| length_of_match(*level, &self.text[at..], needle));
            ends.try_fold(at, |end, length| Some(end.max(at + length?)))
        });
        found.map(|Range { start, end }| start..self.skip_weightless(levels, end))
    }
}

fn all_weights<L: LevelWeights>(level: L, text: &[u8]) -> Vec<u16> {
    let (mut at, mut all) = (0, Vec::new());
    while at < text.len() {
        let mut out = [0; LONGEST];
        let next = level.next(text, at, &mut out);
        all.extend_from_slice(&out[..next.weights]);
        at += next.bytes;
    }
    all
}

/// Returns the length in bytes of the characters at the start of `text` whose weights begin with
/// `needle`; `None` if they don't.
fn length_of_match<L: LevelWeights>(level: L, text: &[u8], mut needle: &[u16]) -> Option<usize> {
    let mut at = 0;
    while !needle.is_empty() && at < text.len() {
        let mut out = [0; LONGEST];
        let next = level.next(text, at, &mut out);
        let common = next.weights.min(needle.len());
        if out[..common] != needle[..common] {
            return None;
        }
        needle = &needle[common..];
        at += next.bytes;
    }
    needle.is_empty().then_some(at)
}
