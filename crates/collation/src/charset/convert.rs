//! From one character set to another, as the servers' `CONVERT(… USING …)` does it.

use alloc::vec::Vec;
use core::ops::Range;

use super::form::is_surrogate;
use super::{Charset, Form};
use crate::{Flavour, arch};

/// A character of a string, or a byte that is part of none: an item of [`Charset::characters`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    /// Where it stands in the string.
    pub bytes: Range<usize>,
    /// What it is.
    pub content: Content,
}

/// What stands in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// A character with this code point. It is a surrogate only in `ucs2`, and in UTF-8 and UTF-32 of MariaDB.
    CodePoint(u32),
    /// A character to which no code point is assigned.
    Unassigned,
    /// A byte that is part of no character.
    IllFormed,
}

/// What became of a string that was converted: the answer of [`Charset::convert`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The string in the other character set.
    pub bytes: Vec<u8>,
    /// How many characters and ill-formed bytes were lost: there is a `?` for each, or they were cut off. Which ones,
    /// [`Charset::unconvertible`] says.
    pub lost: usize,
    /// How many bytes of the original were taken: all, but where MySQL cuts.
    pub taken: usize,
}

/// The characters of a string, from its beginning to its end: [`Charset::characters`].
#[derive(Clone)]
pub struct Characters<'a> {
    form: Form,
    flavour: Flavour,
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Characters<'_> {
    type Item = Character;

    #[inline]
    fn next(&mut self) -> Option<Character> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (length, content) = match self.form.length(self.flavour, rest) {
            None => (1, Content::IllFormed),
            Some(length) => {
                let code_point = rest.get(..length).and_then(|character| self.form.code_point(character));
                (length, code_point.map_or(Content::Unassigned, Content::CodePoint))
            }
        };
        let start = self.at;
        self.at += length;
        Some(Character { bytes: start..self.at, content })
    }
}

/// The characters that a conversion loses: [`Charset::unconvertible`].
#[derive(Clone)]
pub struct Replaced<'a> {
    characters: Characters<'a>,
    flavour: Flavour,
    to: Charset,
}

impl Iterator for Replaced<'_> {
    type Item = Character;

    fn next(&mut self) -> Option<Character> {
        let (to, flavour) = (self.to, self.flavour);
        if to == Charset::Binary {
            return None;
        }
        self.characters.find(|character| match character.content {
            Content::CodePoint(code_point) => Form::of(to).encode(flavour, code_point).is_none(),
            Content::Unassigned | Content::IllFormed => true,
        })
    }
}

impl Charset {
    /// The characters of `bytes`, one by one, as the servers of a flavour see them.
    ///
    /// ```
    /// use mysql_collation::{Charset, Content, Flavour};
    /// let characters: Vec<_> = Charset::Gbk.characters(Flavour::MySql, b"a\xB0\xA1\xFE\xFE\xFF").collect();
    /// assert_eq!(characters[1].content, Content::CodePoint('啊'.into()));
    /// assert_eq!(characters[2].content, Content::Unassigned);
    /// assert_eq!((characters[3].bytes.clone(), characters[3].content), (5..6, Content::IllFormed));
    /// ```
    pub fn characters(self, flavour: Flavour, bytes: &[u8]) -> Characters<'_> {
        Characters { form: Form::of(self), flavour, bytes, at: 0 }
    }

    /// `bytes` of this character set in another one, as the servers' `CONVERT(bytes USING to)` has it:
    ///
    /// - A character that `to` lacks, and one to which no code point is assigned, becomes a `?`.
    /// - At an ill-formed byte MySQL cuts the string; in MariaDB each becomes a `?`. Neither stores such bytes, so this is what
    ///   becomes of them on their way into the character set, from `binary`.
    /// - `ucs2` may hold surrogates. To UTF-8 and UTF-32 MySQL cuts before one, MariaDB converts it.
    /// - From and to `binary`, and where both are the same, bytes stay what they are. From `binary` to a character set of at least
    ///   two or four bytes a character, zeros are put before them up to a multiple of that.
    /// - To `tis620`, a character beyond U+FFFF becomes the one whose code point has the same last 16 bits, if there is one but U+0000, else a
    ///   `?`. This is a fault that all servers share; the character counts as lost.
    ///
    /// ```
    /// use mysql_collation::{Charset, Flavour};
    /// let converted = Charset::Utf8mb4.convert("Ж漢€".as_bytes(), Charset::Cp1251, Flavour::MySql);
    /// assert_eq!(converted.bytes, b"\xC6?\x88");
    /// assert_eq!(converted.lost, 1);
    /// ```
    pub fn convert(self, bytes: &[u8], to: Charset, flavour: Flavour) -> Converted {
        if self == to || to == Charset::Binary {
            return Converted { bytes: bytes.into(), lost: 0, taken: bytes.len() };
        }
        if self == Charset::Binary {
            return from_binary(bytes, to, flavour);
        }
        let mut out = Conversion { to, flavour, done: Converted::default() };
        let mut characters = self.characters(flavour, bytes);
        let has_ascii = self.reads_ascii() && to.writes_ascii();
        loop {
            if has_ascii {
                let rest = &bytes[characters.at..];
                let ascii = &rest[..arch::get().ascii_prefix(rest)];
                out.done.bytes.extend_from_slice(ascii);
                characters.at += ascii.len();
            }
            let Some(character) = characters.next() else { break };
            if !out.put(character.content) {
                characters.at = character.bytes.start;
                break;
            }
        }
        let taken = characters.at;
        out.done.lost += characters.count();
        out.done.taken = taken;
        out.done
    }

    /// The characters of `bytes` that a conversion loses: those that `to` lacks, those to which no code point is assigned, and
    /// ill-formed bytes.
    ///
    /// ```
    /// use mysql_collation::{Charset, Content, Flavour};
    /// let text = "naïve 漢字".as_bytes();
    /// let lost: Vec<_> = Charset::Utf8mb4.unconvertible(text, Charset::Latin1, Flavour::MySql).collect();
    /// assert_eq!(lost.len(), 2);
    /// assert_eq!(lost[0].content, Content::CodePoint('漢'.into()));
    /// ```
    pub fn unconvertible(self, bytes: &[u8], to: Charset, flavour: Flavour) -> Replaced<'_> {
        Replaced { characters: self.characters(flavour, bytes), flavour, to }
    }

    /// Whether bytes below 0x80 are the code points of the same number.
    pub(super) const fn reads_ascii(self) -> bool {
        self.min_bytes() == 1 && !matches!(self, Charset::Swe7)
    }

    /// Whether code points below 0x80 become bytes of the same number. `sjis` has a backslash of two bytes.
    pub(super) const fn writes_ascii(self) -> bool {
        self.reads_ascii() && !matches!(self, Charset::Sjis)
    }
}

/// From `binary`: bytes become characters, or not.
fn from_binary(bytes: &[u8], to: Charset, flavour: Flavour) -> Converted {
    let zeros = bytes.len().next_multiple_of(to.min_bytes()) - bytes.len();
    let mut aligned = Vec::with_capacity(zeros + bytes.len());
    aligned.resize(zeros, 0);
    aligned.extend_from_slice(bytes);
    let mut out = Conversion { to, flavour, done: Converted::default() };
    let mut characters = to.characters(flavour, &aligned);
    let first = aligned.get(..to.min_bytes()).filter(|_| zeros > 0);
    if flavour == Flavour::MariaDb && first.is_some_and(|first| characters.form.length(flavour, first).is_none()) {
        // What was filled up is one to MariaDB, and has one `?`.
        out.put(Content::IllFormed);
        characters.at = to.min_bytes();
    }
    while let Some(character) = characters.next() {
        if character.content != Content::IllFormed {
            out.done.bytes.extend_from_slice(&aligned[character.bytes]);
        } else if !out.put(Content::IllFormed) {
            characters.at = character.bytes.start;
            break;
        }
    }
    out.done.taken = characters.at.saturating_sub(zeros);
    out.done.lost += characters.count();
    out.done
}

/// A string that is being converted.
struct Conversion {
    to: Charset,
    flavour: Flavour,
    done: Converted,
}

impl Conversion {
    /// Appends what a server puts; returns whether it goes on.
    fn put(&mut self, content: Content) -> bool {
        let form = Form::of(self.to);
        let encoded = match content {
            Content::CodePoint(code_point) => form.encode(self.flavour, code_point),
            Content::Unassigned | Content::IllFormed => None,
        };
        if let Some(encoded) = encoded {
            self.done.bytes.extend_from_slice(encoded.as_slice());
            return true;
        }
        if self.flavour == Flavour::MySql && self.cuts_before(content) {
            return false;
        }
        self.done.lost += 1;
        let truncated = match content {
            Content::CodePoint(code_point @ 0x1_0000..) if self.to == Charset::Tis620 => {
                Some(code_point & 0xFFFF).filter(|&low| low != 0).and_then(|low| form.encode(self.flavour, low))
            }
            _ => None,
        };
        if let Some(substitute) = truncated.or_else(|| form.encode(self.flavour, '?'.into())) {
            self.done.bytes.extend_from_slice(substitute.as_slice());
        }
        true
    }

    /// Whether MySQL ends the string here.
    fn cuts_before(&self, content: Content) -> bool {
        match content {
            Content::CodePoint(code_point) => {
                is_surrogate(code_point) && matches!(self.to, Charset::Utf8mb3 | Charset::Utf8mb4 | Charset::Utf32)
            }
            Content::IllFormed => true,
            Content::Unassigned => false,
        }
    }
}
