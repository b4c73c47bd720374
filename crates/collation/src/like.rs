//! `LIKE`: character by character, a character being equal to another if all its weights are. Contractions don't count, nor does
//! padding.

use alloc::vec::Vec;

use crate::bytes::{Bytes, Ordered};
use crate::charset::Shape;
use crate::descriptor::Descriptor;
use crate::dispatch::{self, Work};
use crate::encoding::{Encoding, Form};
use crate::source::Source;
use crate::whole::Whole;
use crate::{Charset, Collation, compare};

/// How many levels count. MySQL's Japanese collation with four leaves out what tells hiragana from katakana: measured on 9.7.4, of all 286 pairs
/// of characters that differ in that alone.
pub(crate) const LEVELS: usize = 3;

/// What is asked: the text and the parts of the pattern.
pub(crate) struct Like<'t, P> {
    pub text: &'t [u8],
    pub parts: P,
    pub descriptor: &'static Descriptor,
}

impl<'t, P: Parts<'t>> Work for Like<'t, P> {
    type Output = bool;

    fn bytes<B: Bytes>(self, weights: B, _: bool) -> bool {
        // Text of several bytes a character has them compared one by one, but `_` is a character.
        let same = |a: &[u8], b: &[u8]| a.iter().map(|&x| weights.weight(x)).eq(b.iter().map(|&y| weights.weight(y)));
        match self.descriptor.form {
            Form::Bytes => self.matches(|_, _| 1, same),
            form => self.matches(|text, at| form.length(&text[at..]), same),
        }
    }

    fn whole(self, whole: &'static Whole, padded: bool) -> bool {
        self.bytes(Ordered(whole.like()), padded)
    }

    fn code_points<E: Encoding>(self, encoding: E, _: bool) -> bool {
        self.matches(|text, at| encoding.length(text, at), |a, b| a == b)
    }

    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) -> bool {
        let alone = |character: &[u8]| self.descriptor.is_alone_in_like(character);
        let have_same_weights =
            |a: &[u8], b: &[u8]| levels.clone().take(LEVELS).all(|source| compare::level(source, a, b, 0).is_eq());
        let match_by_weights = |a: &[u8], b: &[u8]| {
            have_same_weights(a, b) && !alone(a) && !alone(b) && !self.descriptor.differ_behind_in_like(a, b)
        };
        let same = |a: &[u8], b: &[u8]| a == b || match_by_weights(a, b) || self.descriptor.are_one_in_like(a, b);
        match self.descriptor.form {
            Form::Bytes => self.matches(|_, _| 1, same),
            Form::Utf8(encoding) => self.matches(|text, at| encoding.length(text, at), same),
            Form::Multi(encoding) => self.matches(|text, at| encoding.length(&text[at..]), same),
        }
    }
}

/// A part of a pattern.
#[derive(Clone, Copy)]
pub(crate) enum Part<'t> {
    /// `%`
    Any,
    /// `_`
    One,
    Character(&'t [u8]),
}

/// The parts of a pattern, from places in it.
pub(crate) trait Parts<'t>: Copy {
    /// The part at a place, and the place of the next one; `None` at the end.
    fn part(self, at: usize, length: impl Fn(&[u8], usize) -> usize) -> Option<(Part<'t>, usize)>;
}

/// The bytes of `%` and `_`.
pub(crate) const fn wildcards(charset: Charset) -> [&'static [u8]; 2] {
    match charset {
        Charset::Ucs2 | Charset::Utf16 => [b"\0%", b"\0_"],
        Charset::Utf16le => [b"%\0", b"_\0"],
        Charset::Utf32 => [b"\0\0\0%", b"\0\0\0_"],
        _ => [b"%", b"_"],
    }
}

/// A pattern as it is written; places are bytes.
#[derive(Clone, Copy)]
pub(crate) struct Written<'t> {
    pub pattern: &'t [u8],
    /// The bytes of the escape character.
    pub escape: Option<&'t [u8]>,
    /// Those of `%` and `_`.
    pub wildcards: [&'static [u8]; 2],
}

impl<'t> Parts<'t> for Written<'t> {
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
            // An escape at the very end stands for itself.
            _ if self.escape == Some(character) => Part::Character(character),
            _ if character == self.wildcards[0] => Part::Any,
            _ if character == self.wildcards[1] => Part::One,
            _ => Part::Character(character),
        };
        Some((part, end))
    }
}

/// A pattern that was read; places are parts.
#[derive(Clone, Copy)]
struct Read<'t> {
    pattern: &'t [u8],
    parts: &'t [ReadPart],
}

impl<'t> Parts<'t> for Read<'t> {
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

#[derive(Clone, Debug)]
enum ReadPart {
    Any,
    One,
    /// The bytes of the pattern from the first number up to the second.
    Character(usize, usize),
}

/// A pattern of `LIKE` that is read once and matched many times: [`Collation::like_pattern`].
///
/// ```
/// use mysql_collation::{Collation, Flavour};
///
/// let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci")?;
/// let pattern = collation.like_pattern(b"m_ller%", Some('\\'));
/// assert!(pattern.matches("Müllerin".as_bytes()));
/// assert!(!pattern.matches("Mühle".as_bytes()));
/// # Ok::<(), mysql_collation::LookupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LikePattern {
    collation: Collation,
    pattern: Vec<u8>,
    parts: Vec<ReadPart>,
}

impl LikePattern {
    pub(crate) fn new(collation: Collation, pattern: &[u8], escape: Option<&[u8]>) -> Self {
        let form = collation.descriptor().form;
        let written = Written { pattern, escape, wildcards: wildcards(collation.charset()) };
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some((part, next)) = written.part(at, |text, at| form.length(&text[at..])) {
            parts.push(match part {
                Part::Any => ReadPart::Any,
                Part::One => ReadPart::One,
                Part::Character(character) => ReadPart::Character(next - character.len(), next),
            });
            at = next;
        }
        Self { collation, pattern: pattern.to_vec(), parts }
    }

    /// Whether a text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        let descriptor = self.collation.descriptor();
        let parts = Read { pattern: &self.pattern, parts: &self.parts };
        // Spaces at the end count, whatever the padding.
        dispatch::unpadded(descriptor, Like { text, parts, descriptor })
    }

    /// The collation that it matches by.
    pub fn collation(&self) -> Collation {
        self.collation
    }
}

impl<'t, P: Parts<'t>> Like<'t, P> {
    /// Goes through the pattern once. Where it comes to nothing, what the last `%` stands for gets one character longer: the ones
    /// before that need not be tried again, since the last one can take up whatever they would have left.
    #[inline(always)]
    fn matches(&self, length: impl Fn(&[u8], usize) -> usize, same: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let text = self.text;
        let (mut at, mut part_at) = (0, 0);
        // After the last `%`: where it lets the text go on, and the pattern.
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
