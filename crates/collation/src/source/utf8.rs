//! Collations of UTF-8.

use core::mem::MaybeUninit;

use super::{LONGEST, Next, Source};
use crate::arch::{self, Filled, Low};
use crate::charset::utf8;
use crate::descriptor::Descriptor;
use crate::table::{Contractions, Level, LowOf, POOL, RULES, Simple};
use crate::{Charset, Flavour};

/// The weights of code points at one level.
pub(crate) trait CodePoints: Copy {
    /// Writes a code point's weights to the start of `out`, and says how many there are.
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize;

    /// The weights of a byte that is no part of a character, and how many there are.
    fn stray(self, byte: u8, out: &mut [u16]) -> usize;

    /// Whether a text ends at such a byte.
    fn ends_at_errors(self) -> bool;

    /// The contractions of the collation, and the number of this level.
    fn contractions(self) -> Option<(&'static Contractions, usize)>;
}

/// One weight a code point: `general_ci`.
#[derive(Clone, Copy)]
pub(crate) struct General(pub &'static Simple);

impl CodePoints for General {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        out[0] = self.0.weight(code_point);
        // A stray byte comes after all characters, so the last one has a second weight, too.
        out[1] = 0;
        1 + usize::from(out[0] == u16::MAX)
    }

    #[inline(always)]
    fn stray(self, byte: u8, out: &mut [u16]) -> usize {
        out[0] = u16::MAX;
        out[1] = 1 + u16::from(byte);
        2
    }

    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        false
    }

    #[inline(always)]
    fn contractions(self) -> Option<(&'static Contractions, usize)> {
        None
    }
}

/// A level of the Unicode Collation Algorithm.
#[derive(Clone, Copy)]
pub(crate) struct Unicode<const CONTRACTS: bool> {
    pub level: &'static Level,
    pub index: usize,
    pub contractions: Option<&'static Contractions>,
    /// MySQL's end at what is ill-formed; to MariaDB each such byte has the greatest weight.
    pub ends_at_errors: bool,
}

impl<const CONTRACTS: bool> CodePoints for Unicode<CONTRACTS> {
    #[inline(always)]
    fn weights(self, code_point: u32, out: &mut [u16]) -> usize {
        let entry = self.level.entry(code_point);
        out[0] = entry;
        match entry {
            0 => 0,
            1..POOL => 1,
            _ => self.expand(code_point, entry, out),
        }
    }

    #[inline(always)]
    fn stray(self, _: u8, out: &mut [u16]) -> usize {
        out[0] = u16::MAX;
        1
    }

    #[inline(always)]
    fn ends_at_errors(self) -> bool {
        self.ends_at_errors
    }

    #[inline(always)]
    fn contractions(self) -> Option<(&'static Contractions, usize)> {
        if CONTRACTS { self.contractions.map(|contractions| (contractions, self.index)) } else { None }
    }
}

impl<const CONTRACTS: bool> Unicode<CONTRACTS> {
    fn expand(self, code_point: u32, entry: u16, out: &mut [u16]) -> usize {
        if entry >= RULES && entry != crate::table::HANGUL {
            out[..2].copy_from_slice(&crate::table::implicit(entry, code_point));
            return 2;
        }
        let sequence = self.level.expand(code_point, entry);
        let weights = sequence.as_slice();
        out[..weights.len()].copy_from_slice(weights);
        weights.len()
    }
}

/// A level of a collation of UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Utf8<C> {
    pub code_points: C,
    pub low: &'static LowOf,
    pub pad: Option<u16>,
    pub encoding: Encoding,
}

/// What counts as a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// The longest character, in bytes.
    pub longest: u8,
    /// Whether the three bytes of a surrogate are one, as they are to MariaDB.
    pub surrogates: bool,
}

impl Encoding {
    /// That of a collation.
    #[inline(always)]
    pub fn of(descriptor: &Descriptor) -> Self {
        Self {
            longest: if descriptor.charset == Charset::Utf8mb3 { 3 } else { 4 },
            surrogates: descriptor.info.flavour == Flavour::MariaDb,
        }
    }

    /// The code point at `at` and its length; `None` where the bytes are ill-formed.
    #[inline(always)]
    pub fn decode(self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        utf8::decode(&text[at..]).filter(|&(code_point, length)| {
            length <= usize::from(self.longest) && (self.surrogates || !matches!(code_point, 0xD800..0xE000))
        })
    }

    /// How much of a text is well formed, without surrogates.
    pub fn well_formed_prefix(self, text: &[u8]) -> usize {
        let charset = if self.longest == 3 { Charset::Utf8mb3 } else { Charset::Utf8mb4 };
        charset.well_formed_prefix(text)
    }

    /// The length of the character at `at`, or of the stray byte.
    #[inline(always)]
    pub fn length(self, text: &[u8], at: usize) -> usize {
        self.decode(text, at).map_or(1, |(_, length)| length)
    }
}

impl<C: CodePoints> Utf8<C> {
    /// Whether what stands at `at` may go on a contraction.
    #[inline(always)]
    fn goes_on(self, text: &[u8], at: usize) -> bool {
        let Some((contractions, _)) = self.code_points.contractions() else { return false };
        text.get(at).is_some_and(|&byte| contractions.later.may_have_lead(byte))
            && self.encoding.decode(text, at).is_some_and(|(code_point, _)| contractions.later.may_have(code_point))
    }

    /// The contraction at `at`, whose first character is `first`.
    #[inline(never)]
    fn contraction(self, text: &[u8], at: usize, first: (u32, usize), out: &mut [u16]) -> Option<Next> {
        let (contractions, level) = self.code_points.contractions()?;
        let mut code_points = [first.0; 3];
        let mut ends = [first.1; 3];
        let mut count = 1;
        while count < code_points.len() {
            let end = ends[count - 1];
            if at + end >= text.len() {
                break;
            }
            let Some((code_point, length)) = self.encoding.decode(text, at + end) else { break };
            code_points[count] = code_point;
            ends[count] = end + length;
            count += 1;
        }
        let (taken, contraction) = contractions.longest(&code_points[..count])?;
        let sequence = contraction.weights(level);
        let weights = sequence.as_slice();
        out[..weights.len()].copy_from_slice(weights);
        Some(Next { bytes: ends[taken - 1], weights: weights.len() })
    }

    /// Takes back the last character that was filled in from `at` on, if it may begin a contraction.
    #[inline(always)]
    fn before_contraction(self, text: &[u8], at: usize, filled: Filled) -> Filled {
        let end = at + filled.consumed;
        if filled.consumed == 0 || !self.goes_on(text, end) {
            return filled;
        }
        let length = if text[end - 1].is_ascii() { 1 } else { 2 };
        let first = self.encoding.decode(text, end - length);
        let weights = first.map_or(0, |(code_point, _)| self.code_points.weights(code_point, &mut [0; LONGEST]));
        Filled { consumed: filled.consumed - length, produced: filled.produced - weights }
    }
}

impl<C: CodePoints> Source for Utf8<C> {
    #[inline(always)]
    fn pad(self) -> Option<u16> {
        self.pad
    }

    #[inline(always)]
    fn skip_bytes(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let (x, y) = (&a[at..], &b[at..]);
        let (Some(first_x), Some(first_y)) = (x.first(), y.first()) else { return at };
        // Mostly the next byte tells that there is nothing to skip, and no call is needed.
        let may_skip = first_x == first_y || self.low.folds && first_x.eq_ignore_ascii_case(first_y);
        if !may_skip {
            return at;
        }
        let backend = arch::get();
        let same = if self.low.folds { backend.mismatch_folded(x, y) } else { backend.mismatch(x, y) };
        self.border(a, b, at + same)
    }

    #[inline(always)]
    fn skip_characters(self, a: &[u8], b: &[u8]) -> [usize; 2] {
        let [mut x, mut y] = arch::get().skip_alike(&self.low.low, a, b);
        // The last characters of each may begin a contraction. In between none was cut: a character of one or two bytes that may go on
        // one is not skipped, and longer ones only go on one that begins with a longer one, which is the same in both.
        while x > 0 && (self.goes_on(a, x) || self.goes_on(b, y)) {
            (x, y) = (start_before(a, x), start_before(b, y));
        }
        [x, y]
    }

    #[inline(always)]
    fn ends_before(self, text: &[u8], at: usize) -> bool {
        self.code_points.ends_at_errors() && self.encoding.well_formed_prefix(&text[..at]) < at
    }

    #[inline(always)]
    fn border(self, a: &[u8], b: &[u8], mut at: usize) -> usize {
        at = character_border(a, b, at);
        while at > 0 && (self.goes_on(a, at) || self.goes_on(b, at)) {
            at = start_before(a, at);
        }
        at
    }

    #[inline(always)]
    fn fill(self, text: &[u8], at: usize, out: &mut [u16]) -> Filled {
        let filled = arch::get().fill(&self.low.low, &text[at..], out);
        self.before_contraction(text, at, filled)
    }

    #[inline(always)]
    fn fill_key(self, text: &[u8], at: usize, out: &mut [MaybeUninit<u8>]) -> Filled {
        let filled = arch::get().fill_key(&self.low.low, &text[at..], out);
        self.before_contraction(text, at, filled)
    }

    #[inline(always)]
    fn next(self, text: &[u8], at: usize, out: &mut [u16]) -> Next {
        let byte = text[at];
        if byte.is_ascii() {
            let entry = self.low.low.entry(usize::from(byte));
            if entry < Low::SEVERAL && !self.goes_on(text, at + 1) {
                out[0] = entry;
                return Next { bytes: 1, weights: usize::from(entry != 0) };
            }
        }
        let Some(first) = self.encoding.decode(text, at) else {
            if self.code_points.ends_at_errors() {
                return Next { bytes: text.len() - at, weights: 0 };
            }
            return Next { bytes: 1, weights: self.code_points.stray(byte, out) };
        };
        if self.goes_on(text, at + first.1)
            && let Some(next) = self.contraction(text, at, first, out)
        {
            return next;
        }
        Next { bytes: first.1, weights: self.code_points.weights(first.0, out) }
    }

    #[inline(always)]
    fn plain(self, text: &[u8], at: usize) -> Option<u16> {
        let (code_point, length) = match text[at] {
            first @ ..0x80 => (usize::from(first), 1),
            first @ 0xC2..0xE0 => match text.get(at + 1) {
                Some(second @ 0x80..0xC0) => (usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F), 2),
                _ => return None,
            },
            _ => return None,
        };
        self.low.low.weight(code_point).filter(|_| !self.goes_on(text, at + length))
    }

    #[inline(always)]
    fn is_plain(self, text: &[u8], at: usize) -> bool {
        text.get(at).is_none_or(|&byte| byte < 0xE0)
    }
}

/// Where the character that ends at `end`, which is not the start, begins. A stray byte is a character.
fn start_before(text: &[u8], end: usize) -> usize {
    let steps = text[..end].iter().rev().take(4).position(|byte| byte & 0xC0 != 0x80).map_or(1, |steps| steps + 1);
    end - steps
}

/// The last border between characters, of both texts, that is no later than `at`. The texts are alike before `at`, but for the case of
/// ASCII.
#[inline(always)]
pub(crate) fn character_border(a: &[u8], b: &[u8], at: usize) -> usize {
    let inside = |text: &[u8]| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    if !inside(a) && !inside(b) {
        return at;
    }
    // What is no continuation byte begins a character, or is a stray byte. With no lead in reach, `at` is a border.
    (1..=at.min(3)).find(|back| a[at - back] & 0xC0 != 0x80).map_or(at, |back| at - back)
}
