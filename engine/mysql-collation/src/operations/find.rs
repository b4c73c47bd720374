//! The first occurrence of a string in another, as `LOCATE` finds it.
//!
//! The servers have two rules. Both try every character of the text as the beginning.
//!
//! - Equal length: an occurrence has as many bytes as the string that is searched for, and equal
//!   weights. `ß` is found in `ss`, which has two bytes, too; `é` isn't found in `e`. MariaDB,
//!   MySQL up to 8.0.12, and later MySQL in collations without weights of code points.
//! - Weights: at each level, the weights of the text from there on begin with the weights of the
//!   string that is searched for. `é` is found in `e`, and `f` in `ﬁ`. Observed on MySQL 9.7.4.

use alloc::vec::Vec;

use super::compare::compare_level;
use crate::charset::{CharacterShape, Encoding, TextEncoding};
use crate::dispatch::{Descriptor, Kind, Operation};
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, CharacterLevel, CharacterWeights, LevelWeights, Mapped, TextWeights};

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
    /// Returns the first beginning of a character at which `matches` returns `true`.
    fn first(&self, mut matches: impl FnMut(usize) -> bool) -> Option<usize> {
        let length = |at: usize| match self.descriptor.encoding {
            TextEncoding::Bytes => 1,
            TextEncoding::Utf8(encoding) => encoding.length(self.text, at),
            TextEncoding::MultiByte(encoding) => encoding.length(&self.text[at..]),
        };
        let mut at = 0;
        while at < self.text.len() {
            if matches(at) {
                return Some(at);
            }
            at += length(at);
        }
        None
    }

    fn first_of_equal_length(&self, mut equal: impl FnMut(&[u8]) -> bool) -> Option<usize> {
        self.first(|at| self.text.get(at..at + self.needle.len()).is_some_and(&mut equal))
    }
}

impl Operation for Find<'_> {
    type Output = Option<usize>;

    /// Spaces at the end of the string that is searched for count.
    const PADS: bool = false;

    fn bytes<B: ByteWeights>(self, weights: B, _: bool) -> Option<usize> {
        self.first_of_equal_length(|part| {
            part.iter().zip(self.needle).all(|(&x, &y)| weights.weight(x) == weights.weight(y))
        })
    }

    fn code_points<E: Encoding>(self, _: E, _: bool) -> Option<usize> {
        self.first_of_equal_length(|part| part == self.needle)
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> Option<usize> {
        self.bytes(Mapped(weights.locate()), padded)
    }

    fn characters<T: CharacterWeights, S: CharacterShape>(self, level: CharacterLevel<T, S>) -> Option<usize> {
        self.first_of_equal_length(|part| compare_level(level, part, self.needle, 0).is_eq())
    }

    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> Option<usize> {
        if self.rule == Rule::EqualLength || matches!(self.descriptor.kind, Kind::Bytes(_)) {
            return self.first_of_equal_length(|part| {
                levels.clone().all(|level| compare_level(level, part, self.needle, 0).is_eq())
            });
        }
        let needles: Vec<(L, Vec<u16>)> = levels.map(|level| (level, all_weights(level, self.needle))).collect();
        self.first(|at| needles.iter().all(|(level, needle)| begins_with(*level, &self.text[at..], needle)))
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

/// Returns `true` if the weights of `text` at a level begin with `needle`.
fn begins_with<L: LevelWeights>(level: L, text: &[u8], mut needle: &[u16]) -> bool {
    let mut at = 0;
    while !needle.is_empty() && at < text.len() {
        let mut out = [0; LONGEST];
        let next = level.next(text, at, &mut out);
        let common = next.weights.min(needle.len());
        if out[..common] != needle[..common] {
            return false;
        }
        needle = &needle[common..];
        at += next.bytes;
    }
    needle.is_empty()
}
