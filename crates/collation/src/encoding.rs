//! Encodings: where a character begins and ends, and which code point it is.
//!
//! Operations are compiled for each [`Encoding`], as for each source of weights. Which one a collation has is told once,
//! by [`Form::of`].

use crate::charset::{Shape, utf8};
use crate::{Charset, Flavour, arch, charset};

/// How the characters of a text are found.
pub(crate) trait Encoding: Copy {
    /// The code point at `at` and its length in bytes; `None` where the bytes are ill-formed.
    fn decode(self, text: &[u8], at: usize) -> Option<(u32, usize)>;

    /// How many bytes at the beginning of a text are well formed. May answer less than it could.
    fn well_formed_prefix(self, text: &[u8]) -> usize;

    /// The last boundary between characters, of both texts, that is no later than `at`. The texts are equal before `at`,
    /// but for the case of ASCII.
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Where the character that ends at `end`, which is not the start, begins. An ill-formed byte is a character.
    fn start_before(self, text: &[u8], end: usize) -> usize;

    /// The length of the character at `at`, which is within the text, or of the ill-formed byte.
    #[inline(always)]
    fn length(self, text: &[u8], at: usize) -> usize {
        self.decode(text, at).map_or(1, |(_, length)| length)
    }
}

/// The encoding of a collation's texts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Each byte is a character.
    Bytes,
    Utf8(Utf8),
    /// By the table of a character set.
    Multi(Multi),
}

impl Form {
    /// That of a character set on the servers of a flavour.
    pub const fn of(flavour: Flavour, charset: Charset) -> Self {
        let surrogates = matches!(flavour, Flavour::MariaDb);
        match charset {
            Charset::Armscii8
            | Charset::Ascii
            | Charset::Binary
            | Charset::Cp1250
            | Charset::Cp1251
            | Charset::Cp1256
            | Charset::Cp1257
            | Charset::Cp850
            | Charset::Cp852
            | Charset::Cp866
            | Charset::Dec8
            | Charset::Geostd8
            | Charset::Greek
            | Charset::Hebrew
            | Charset::Hp8
            | Charset::Keybcs2
            | Charset::Koi8r
            | Charset::Koi8u
            | Charset::Latin1
            | Charset::Latin2
            | Charset::Latin5
            | Charset::Latin7
            | Charset::Macce
            | Charset::Macroman
            | Charset::Swe7
            | Charset::Tis620 => Self::Bytes,
            Charset::Big5
            | Charset::Cp932
            | Charset::Eucjpms
            | Charset::Euckr
            | Charset::Gb18030
            | Charset::Gb2312
            | Charset::Gbk
            | Charset::Sjis
            | Charset::Ucs2
            | Charset::Ujis
            | Charset::Utf16
            | Charset::Utf16le
            | Charset::Utf32 => Self::Multi(Multi { charset, flavour, characters: charset::Form::of(charset) }),
            Charset::Utf8mb3 => Self::Utf8(Utf8 { longest: 3, surrogates }),
            Charset::Utf8mb4 => Self::Utf8(Utf8 { longest: 4, surrogates }),
        }
    }

    /// The length of the character at the beginning of a text, which is not empty, or of the ill-formed byte.
    pub fn length(self, text: &[u8]) -> usize {
        match self {
            Self::Bytes => 1,
            Self::Utf8(encoding) => encoding.length(text, 0),
            Self::Multi(encoding) => encoding.length(text),
        }
    }
}

/// The encoding of a character set of several bytes a character, other than UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Multi {
    charset: Charset,
    flavour: Flavour,
    /// Not asked of the character set when it is needed: that would link the tables of all.
    characters: charset::Form,
}

impl PartialEq for Multi {
    fn eq(&self, other: &Self) -> bool {
        self.charset == other.charset && self.flavour == other.flavour
    }
}

impl Multi {
    /// The code point and the length of the character that a text begins with; `None` at the end and where it is ill-formed. A character
    /// to which no code point is assigned counts as U+FFFD.
    #[inline]
    pub fn decode(self, text: &[u8]) -> Option<(u32, usize)> {
        let length = self.characters.length(self.flavour, text)?;
        Some((self.characters.code_point(text.get(..length)?).unwrap_or(0xFFFD), length))
    }

    /// How the character set makes its characters.
    #[inline(always)]
    pub fn characters(self) -> charset::Form {
        self.characters
    }
}

impl Shape for Multi {
    #[inline]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        self.characters.length(self.flavour, bytes)
    }

    #[inline]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        self.characters.boundary_near(text, end)
    }
}

/// UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Utf8 {
    /// The longest character, in bytes.
    pub longest: u8,
    /// Whether the three bytes of a surrogate are a character, as they are to MariaDB.
    pub surrogates: bool,
}

impl Encoding for Utf8 {
    #[inline(always)]
    fn decode(self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        utf8::decode(&text[at..]).filter(|&(code_point, length)| {
            length <= usize::from(self.longest) && (self.surrogates || !matches!(code_point, 0xD800..0xE000))
        })
    }

    fn well_formed_prefix(self, text: &[u8]) -> usize {
        // Leads of four bytes are the only bytes from 0xF0 on. They are looked for first: text after them is not read in vain.
        let end = if self.longest == 3 { text.iter().position(|&byte| byte >= 0xF0) } else { None };
        arch::get().utf8_prefix(&text[..end.unwrap_or(text.len())])
    }

    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize {
        let is_inside = |text: &[u8]| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        if !is_inside(a) && !is_inside(b) {
            return at;
        }
        start_of(a, at)
    }

    #[inline(always)]
    fn start_before(self, text: &[u8], end: usize) -> usize {
        let steps = text[..end].iter().rev().take(4).position(|byte| byte & 0xC0 != 0x80).map_or(1, |steps| steps + 1);
        end - steps
    }
}

/// Where the character begins that `at` is within. With no lead in reach, `at` is a boundary.
#[inline(never)]
fn start_of(text: &[u8], at: usize) -> usize {
    // What is no continuation byte begins a character, or is ill-formed.
    (1..=at.min(3)).map(|back| at - back).find(|&start| text[start] & 0xC0 != 0x80).unwrap_or(at)
}
