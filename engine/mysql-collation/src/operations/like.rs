//! `LIKE`, character by character. Two characters match if their weights are equal at the first
//! three levels. The methods of [`Descriptor`] that end in `_in_like` name the exceptions.
//! Collations that weigh a text as a whole have separate weights for `LIKE`. Contractions and
//! padding have no effect.

use alloc::vec::Vec;

use super::compare::compare_level;
use crate::charset::{CharacterShape, Charset, Encoding, TextEncoding};
use crate::dispatch::{Descriptor, Operation};
use crate::weights::{ByteWeights, LevelWeights, Mapped, TextWeights};

/// Number of levels that `LIKE` compares. `utf8mb4_ja_0900_as_cs_ks` has four levels, and `LIKE`
/// ignores the fourth, which distinguishes hiragana from katakana. Measured on MySQL 9.7.4 with all
/// 286 pairs of characters that differ only at that level.
pub(crate) const LEVELS: usize = 3;

/// A match of a text with the parts of a pattern.
pub(crate) struct Like<'t, P> {
    pub text: &'t [u8],
    pub parts: P,
    pub descriptor: &'static Descriptor,
}

impl<'t, P: Parts<'t>> Operation for Like<'t, P> {
    type Output = bool;

    /// Trailing spaces count in `LIKE`, even under PAD SPACE.
    const PADS: bool = false;

    fn bytes<B: ByteWeights>(self, weights: B, _: bool) -> bool {
        // Multi-byte characters compare byte by byte, but `_` matches a whole character.
        let same = |a: &[u8], b: &[u8]| a.iter().map(|&x| weights.weight(x)).eq(b.iter().map(|&y| weights.weight(y)));
        match self.descriptor.encoding {
            TextEncoding::Bytes => self.matches(|_, _| 1, same),
            encoding => self.matches(|text, at| encoding.length(&text[at..]), same),
        }
    }

    fn text_weights(self, weights: &'static TextWeights, padded: bool) -> bool {
        self.bytes(Mapped(weights.like()), padded)
    }

    fn code_points<E: Encoding>(self, encoding: E, _: bool) -> bool {
        self.matches(|text, at| encoding.length(text, at), |a, b| a == b)
    }

    fn levels<L: LevelWeights>(self, levels: impl Iterator<Item = L> + Clone) -> bool {
        let alone = |character: &[u8]| self.descriptor.matches_only_itself_in_like(character);
        let have_same_weights =
            |a: &[u8], b: &[u8]| levels.clone().take(LEVELS).all(|level| compare_level(level, a, b, 0).is_eq());
        let match_by_weights = |a: &[u8], b: &[u8]| {
            have_same_weights(a, b) && !alone(a) && !alone(b) && !self.descriptor.differ_by_root_in_like(a, b)
        };
        let same = |a: &[u8], b: &[u8]| a == b || match_by_weights(a, b) || self.descriptor.match_in_like(a, b);
        match self.descriptor.encoding {
            TextEncoding::Bytes => self.matches(|_, _| 1, same),
            TextEncoding::Utf8(encoding) => self.matches(|text, at| encoding.length(text, at), same),
            TextEncoding::MultiByte(encoding) => self.matches(|text, at| encoding.length(&text[at..]), same),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Part<'t> {
    /// `%`.
    Any,
    /// `_`.
    One,
    Character(&'t [u8]),
}

/// A sequence of pattern parts, addressed by position.
pub(crate) trait Parts<'t>: Copy {
    /// Returns the part at position `at` and the position of the next part; `None` at the end.
    fn part(self, at: usize, length: impl Fn(&[u8], usize) -> usize) -> Option<(Part<'t>, usize)>;
}

/// Returns the bytes of `%` and of `_`.
pub(crate) const fn wildcards(charset: Charset) -> [&'static [u8]; 2] {
    match charset {
        Charset::Ucs2 | Charset::Utf16 => [b"\0%", b"\0_"],
        Charset::Utf16le => [b"%\0", b"_\0"],
        Charset::Utf32 => [b"\0\0\0%", b"\0\0\0_"],
        _ => [b"%", b"_"],
    }
}

/// An unparsed pattern. Positions are byte offsets.
#[derive(Clone, Copy)]
pub(crate) struct WrittenPattern<'t> {
    pub pattern: &'t [u8],
    /// Bytes of the escape character.
    pub escape: Option<&'t [u8]>,
    /// Bytes of `%` and of `_`.
    pub wildcards: [&'static [u8]; 2],
}

impl<'t> Parts<'t> for WrittenPattern<'t> {
    #[inline(always)]
    fn part(self, at: usize, length: impl Fn(&[u8], usize) -> usize) -> Option<(Part<'t>, usize)> {
        let pattern = self.pattern;
        if at == pattern.len() {
            return None;
        }
        let end = at + length(pattern, at);
        let character = &pattern[at..end];
        if self.escape == Some(character) && end < pattern.len() {
            let after = end + length(pattern, end);
            return Some((Part::Character(&pattern[end..after]), after));
        }
        let part = match character {
            // An escape character at the end of the pattern is a literal.
            _ if self.escape == Some(character) => Part::Character(character),
            _ if character == self.wildcards[0] => Part::Any,
            _ if character == self.wildcards[1] => Part::One,
            _ => Part::Character(character),
        };
        Some((part, end))
    }
}

/// A parsed pattern. Positions are indexes of parts.
#[derive(Clone, Copy)]
pub(crate) struct ReadPattern<'t> {
    pub pattern: &'t [u8],
    pub parts: &'t [ReadPart],
}

impl<'t> Parts<'t> for ReadPattern<'t> {
    #[inline(always)]
    fn part(self, at: usize, _: impl Fn(&[u8], usize) -> usize) -> Option<(Part<'t>, usize)> {
        let part = match *self.parts.get(at)? {
            ReadPart::Any => Part::Any,
            ReadPart::One => Part::One,
            ReadPart::Character(start, end) => Part::Character(self.pattern.get(start..end).unwrap_or_default()),
        };
        Some((part, at + 1))
    }
}

/// A pattern of literal characters, followed by `%`. Positions are byte offsets.
#[derive(Clone, Copy)]
pub(crate) struct PrefixPattern<'t>(pub &'t [u8]);

impl<'t> Parts<'t> for PrefixPattern<'t> {
    #[inline(always)]
    fn part(self, at: usize, length: impl Fn(&[u8], usize) -> usize) -> Option<(Part<'t>, usize)> {
        let Self(prefix) = self;
        if at >= prefix.len() {
            return (at == prefix.len()).then_some((Part::Any, at + 1));
        }
        let end = at + length(prefix, at);
        Some((Part::Character(&prefix[at..end]), end))
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ReadPart {
    Any,
    One,
    /// Start and end of the character in the pattern's bytes.
    Character(usize, usize),
}

pub(crate) fn read_parts(descriptor: &Descriptor, pattern: &[u8], escape: Option<&[u8]>) -> Vec<ReadPart> {
    let encoding = descriptor.encoding;
    let written = WrittenPattern { pattern, escape, wildcards: wildcards(descriptor.charset) };
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some((part, next)) = written.part(at, |text, at| encoding.length(&text[at..])) {
        parts.push(match part {
            Part::Any => ReadPart::Any,
            Part::One => ReadPart::One,
            Part::Character(character) => ReadPart::Character(next - character.len(), next),
        });
        at = next;
    }
    parts
}

impl<'t, P: Parts<'t>> Like<'t, P> {
    /// Returns `true` if the text matches. On a mismatch, the last `%` is tried with one more
    /// character. Earlier `%` need no retry: the last `%` can take any text that they could.
    #[inline(always)]
    fn matches(&self, length: impl Fn(&[u8], usize) -> usize, same: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let text = self.text;
        let (mut at, mut part_at) = (0, 0);
        // Position in the text and position in the pattern after the last `%`.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let part = self.parts.part(part_at, &length);
            if part.is_none() && at == text.len() {
                return true;
            }
            let taken = part.and_then(|(part, next)| match part {
                Part::Any => Some((at, next, true)),
                _ if at == text.len() => None,
                Part::One => Some((at + length(text, at), next, false)),
                Part::Character(character) => {
                    let end = at + length(text, at);
                    same(&text[at..end], character).then_some((end, next, false))
                }
            });
            if let Some((end, next, is_any)) = taken {
                (at, part_at) = (end, next);
                if is_any {
                    if self.parts.part(next, &length).is_none() {
                        return true;
                    }
                    retry = Some((at, next));
                }
                continue;
            }
            let Some((start, next)) = retry.filter(|&(start, _)| start < text.len()) else { return false };
            at = start + length(text, start);
            part_at = next;
            retry = Some((at, next));
        }
    }
}
