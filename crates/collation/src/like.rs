//! `LIKE`: character by character, a character being equal to another if all its weights are. Contractions don't count, nor does
//! padding.

use crate::bytes::Bytes;
use crate::compare;
use crate::descriptor::Descriptor;
use crate::dispatch::Work;
use crate::encoding::{Encoding, Form};
use crate::source::Source;

/// What is asked: the text, the pattern, and the bytes of the escape character.
pub(crate) struct Like<'t> {
    pub text: &'t [u8],
    pub pattern: &'t [u8],
    pub escape: Option<&'t [u8]>,
    pub descriptor: &'static Descriptor,
}

impl Work for Like<'_> {
    type Output = bool;

    fn bytes<B: Bytes>(self, weights: B, _: bool) -> bool {
        // Text of several bytes a character has them compared one by one, but `_` is a character.
        let same = |a: &[u8], b: &[u8]| a.iter().map(|&x| weights.weight(x)).eq(b.iter().map(|&y| weights.weight(y)));
        match self.descriptor.form {
            Form::Bytes => self.matches(|_, _| 1, same),
            form => self.matches(|text, at| form.length(&text[at..]), same),
        }
    }

    fn code_points<E: Encoding>(self, encoding: E, _: bool) -> bool {
        self.matches(|text, at| encoding.length(text, at), |a, b| a == b)
    }

    fn levels<S: Source>(self, levels: impl Iterator<Item = S> + Clone) -> bool {
        let alone = |character: &[u8]| self.descriptor.is_alone_in_like(character);
        let same = |a: &[u8], b: &[u8]| {
            let have_same_weights = || levels.clone().all(|source| compare::level(source, a, b, 0).is_eq());
            a == b || have_same_weights() && !alone(a) && !alone(b)
        };
        match self.descriptor.form {
            Form::Bytes => self.matches(|_, _| 1, same),
            Form::Utf8(encoding) => self.matches(|text, at| encoding.length(text, at), same),
            Form::Multi(encoding) => self.matches(|text, at| encoding.length(&text[at..]), same),
        }
    }
}

/// A part of a pattern, and where the next one begins.
enum Part<'t> {
    /// `%`
    Any,
    /// `_`
    One,
    Character(&'t [u8]),
}

impl<'t> Like<'t> {
    /// Goes through the pattern once. Where it comes to nothing, what the last `%` stands for gets one character longer: the ones
    /// before that need not be tried again, since the last one can take up whatever they would have left.
    #[inline(always)]
    fn matches(&self, length: impl Fn(&[u8], usize) -> usize, same: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let (text, pattern) = (self.text, self.pattern);
        let (mut at, mut part_at) = (0, 0);
        // After the last `%`: where it lets the text go on, and the pattern.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            if part_at == pattern.len() && at == text.len() {
                return true;
            }
            let taken =
                (part_at < pattern.len()).then(|| self.part(part_at, &length)).and_then(|(part, next)| match part {
                    Part::Any => Some((at, next, true)),
                    _ if at == text.len() => None,
                    Part::One => Some((at + length(text, at), next, false)),
                    Part::Character(character) => {
                        let end = at + length(text, at);
                        same(&text[at..end], character).then_some((end, next, false))
                    }
                });
            if let Some((end, next, any)) = taken {
                (at, part_at) = (end, next);
                if any {
                    if next == pattern.len() {
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

    /// The part at `at`, which is within the pattern, and the start of the next one.
    #[inline(always)]
    fn part(&self, at: usize, length: impl Fn(&[u8], usize) -> usize) -> (Part<'t>, usize) {
        let pattern = self.pattern;
        let end = at + length(pattern, at);
        let character = &pattern[at..end];
        if self.escape == Some(character) && end < pattern.len() {
            let after = end + length(pattern, end);
            return (Part::Character(&pattern[end..after]), after);
        }
        let part = match character {
            // An escape at the very end stands for itself.
            _ if self.escape == Some(character) => Part::Character(character),
            b"%" => Part::Any,
            b"_" => Part::One,
            _ => Part::Character(character),
        };
        (part, end)
    }
}
