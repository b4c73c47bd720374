//! Conversion between character sets, as by the servers' `CONVERT(… USING …)`.

use alloc::vec::Vec;
use core::ops::Range;

use super::codec::is_surrogate;
use super::{Charset, Codec};
use crate::catalogue::Flavour;
use crate::simd;

/// A character or an ill-formed byte of a string. The item of [`Charset::characters`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Character {
    /// Byte range in the string.
    pub bytes: Range<usize>,
    /// Code point, or the reason for its absence.
    pub content: Content,
}

/// Meaning of the bytes of a [`Character`]: a code point, or the reason why there is no code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// A character with this code point. Only `ucs2`, and UTF-8 and UTF-32 of MariaDB, contain
    /// surrogates.
    CodePoint(u32),
    /// A well-formed character without a code point.
    Unassigned,
    /// A byte that is not part of a character.
    IllFormed,
}

/// A converted string. The result of [`Charset::convert`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The string in the target character set.
    pub bytes: Vec<u8>,
    /// Number of characters of the original that the string lacks: each that was replaced, and all
    /// after the place where MySQL cuts the string. An ill-formed byte counts as one.
    pub lost: usize,
    /// Number of bytes of the original that were converted. Less than the length only if MySQL cuts
    /// the string.
    pub taken: usize,
}

/// An iterator over the characters of a string. Created by [`Charset::characters`].
#[derive(Clone)]
pub struct Characters<'a> {
    codec: Codec,
    flavour: Flavour,
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Characters<'_> {
    type Item = Character;

    #[inline]
    fn next(&mut self) -> Option<Character> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (length, content) = match self.codec.length(self.flavour, rest) {
            None => (1, Content::IllFormed),
            Some(length) => {
                let code_point = rest.get(..length).and_then(|character| self.codec.code_point(character));
                (length, code_point.map_or(Content::Unassigned, Content::CodePoint))
            }
        };
        let start = self.at;
        self.at += length;
        Some(Character { bytes: start..self.at, content })
    }
}

/// An iterator over the characters that can't be converted. Created by [`Charset::unconvertible`].
#[derive(Clone)]
pub struct Unconvertible<'a> {
    characters: Characters<'a>,
    flavour: Flavour,
    to: Charset,
}

impl Iterator for Unconvertible<'_> {
    type Item = Character;

    fn next(&mut self) -> Option<Character> {
        let (to, flavour) = (self.to, self.flavour);
        if to == Charset::Binary {
            return None;
        }
        self.characters.find(|character| match character.content {
            Content::CodePoint(code_point) => Codec::new(to).encode(flavour, code_point).is_none(),
            Content::Unassigned | Content::IllFormed => true,
        })
    }
}

impl Charset {
    /// Iterates over the characters of `bytes`, as the servers of a flavour decode them.
    ///
    /// ```
    /// use mysql_collation::{Charset, Content, Flavour};
    /// let text = b"a\xB0\xA1\xFE\xFE\xFF";
    /// let characters: Vec<_> = Charset::Gbk.characters(Flavour::MySql, text).collect();
    /// assert_eq!(characters[1].content, Content::CodePoint('啊'.into()));
    /// assert_eq!(characters[2].content, Content::Unassigned);
    /// assert_eq!(characters[3].bytes, 5..6);
    /// assert_eq!(characters[3].content, Content::IllFormed);
    /// ```
    pub fn characters(self, flavour: Flavour, bytes: &[u8]) -> Characters<'_> {
        Characters { codec: Codec::new(self), flavour, bytes, at: 0 }
    }

    /// Converts `bytes` to another character set, as the servers' `CONVERT(bytes USING to)` does:
    ///
    /// - A character that `to` lacks, or without a code point, becomes `?`.
    /// - At an ill-formed byte MySQL cuts the string (in strict SQL mode it returns NULL); MariaDB
    ///   replaces each such byte by `?`. Neither server stores ill-formed bytes, so the rule was
    ///   taken from conversions from `binary`.
    /// - `ucs2` may contain surrogates. In conversions to UTF-8 and UTF-32, MySQL cuts the string
    ///   before a surrogate (NULL in strict mode), and MariaDB converts the surrogate.
    /// - To `binary`, and between equal character sets, bytes stay unchanged. From `binary`,
    ///   well-formed characters of the target stay unchanged, after padding with leading zeros to a
    ///   multiple of the target's minimum character length. MariaDB replaces an ill-formed
    ///   character that the zeros pad by a single `?`.
    /// - In `tis620`, a character beyond U+FFFF becomes the character with the same low 16 bits,
    ///   unless these are zero or `tis620` lacks it; then it becomes `?`. All servers have this
    ///   fault. The character counts as lost.
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
                let ascii = &rest[..simd::get().ascii_prefix(rest)];
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

    /// Iterates over the characters of `bytes` that can't be converted: characters that `to` lacks,
    /// characters without a code point, and ill-formed bytes. Every string can be converted to
    /// `binary`.
    ///
    /// [`Charset::convert`] counts differently in three cases. After MySQL cuts the string, it
    /// counts all remaining characters as lost. Between equal character sets it loses nothing. From
    /// `binary`, it validates bytes in the target, but this iterator takes each byte as the code
    /// point with its number.
    ///
    /// ```
    /// use mysql_collation::{Charset, Content, Flavour};
    /// let text = "naïve 漢字".as_bytes();
    /// let lost: Vec<_> =
    ///     Charset::Utf8mb4.unconvertible(text, Charset::Latin1, Flavour::MySql).collect();
    /// assert_eq!(lost.len(), 2);
    /// assert_eq!(lost[0].content, Content::CodePoint('漢'.into()));
    /// ```
    pub fn unconvertible(self, bytes: &[u8], to: Charset, flavour: Flavour) -> Unconvertible<'_> {
        Unconvertible { characters: self.characters(flavour, bytes), flavour, to }
    }

    /// Returns `true` if bytes below 0x80 are the code points with the same numbers.
    pub(super) const fn reads_ascii(self) -> bool {
        self.min_bytes() == 1 && !matches!(self, Charset::Swe7)
    }

    /// Returns `true` if code points below 0x80 are encoded as bytes with the same numbers. Not so
    /// in `sjis`, which encodes a backslash as two bytes.
    pub(super) const fn writes_ascii(self) -> bool {
        self.reads_ascii() && !matches!(self, Charset::Sjis)
    }
}

/// Converts from `binary`: well-formed characters are kept unchanged.
fn from_binary(bytes: &[u8], to: Charset, flavour: Flavour) -> Converted {
    let zeros = bytes.len().next_multiple_of(to.min_bytes()) - bytes.len();
    let mut aligned = Vec::with_capacity(zeros + bytes.len());
    aligned.resize(zeros, 0);
    aligned.extend_from_slice(bytes);
    let mut out = Conversion { to, flavour, done: Converted::default() };
    let mut characters = to.characters(flavour, &aligned);
    let first = aligned.get(..to.min_bytes()).filter(|_| zeros > 0);
    if flavour == Flavour::MariaDb && first.is_some_and(|first| characters.codec.length(flavour, first).is_none()) {
        // MariaDB replaces an ill-formed character made of the leading zeros by a single `?`.
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

/// A conversion in progress.
struct Conversion {
    to: Charset,
    flavour: Flavour,
    done: Converted,
}

impl Conversion {
    /// Appends the server's output for a character. Returns `false` if the string ends before the
    /// character.
    fn put(&mut self, content: Content) -> bool {
        let codec = Codec::new(self.to);
        let encoded = match content {
            Content::CodePoint(code_point) => codec.encode(self.flavour, code_point),
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
                Some(code_point & 0xFFFF).filter(|&low| low != 0).and_then(|low| codec.encode(self.flavour, low))
            }
            _ => None,
        };
        if let Some(substitute) = truncated.or_else(|| codec.encode(self.flavour, '?'.into())) {
            self.done.bytes.extend_from_slice(substitute.as_slice());
        }
        true
    }

    /// Returns `true` if MySQL cuts the string before the character.
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
