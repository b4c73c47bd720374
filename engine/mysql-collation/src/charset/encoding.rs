//! Encodings: character boundaries and code points. [`TextEncoding::new`] chooses the encoding of a
//! collation.

use super::{CharacterShape, Charset, Codec, utf8};
use crate::catalogue::Flavour;
use crate::simd;

/// The encoding of a text.
pub(crate) trait Encoding: Copy {
    /// Returns the code point at `at` and its length in bytes; `None` if the bytes are ill-formed.
    fn decode(self, text: &[u8], at: usize) -> Option<(u32, usize)>;

    /// Returns the length of a well-formed prefix of `text`. May return less than the longest one.
    fn well_formed_prefix(self, text: &[u8]) -> usize;

    /// Returns a common character boundary of both texts that is not after `at`, and near it. The
    /// texts are equal before `at`, except for the case of ASCII letters.
    fn boundary(self, a: &[u8], b: &[u8], at: usize) -> usize;

    /// Returns the start of the character that ends at `end`, which must not be 0. After ill-formed
    /// bytes, returns any boundary before `end`.
    fn start_before(self, text: &[u8], end: usize) -> usize;

    /// Returns the length of the character or ill-formed byte at `at`, which must be inside the
    /// text.
    #[inline(always)]
    fn length(self, text: &[u8], at: usize) -> usize {
        self.decode(text, at).map_or(1, |(_, length)| length)
    }
}

/// The encoding of a collation's texts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum TextEncoding {
    /// One byte per character.
    Bytes,
    Utf8(Utf8),
    /// Multi-byte character sets other than UTF-8.
    MultiByte(MultiByteEncoding),
}

impl TextEncoding {
    /// Returns the encoding of a character set on the servers of a flavour.
    pub const fn new(flavour: Flavour, charset: Charset) -> Self {
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
            | Charset::Utf32 => Self::MultiByte(MultiByteEncoding { charset, flavour, codec: Codec::new(charset) }),
            Charset::Utf8mb3 => Self::Utf8(Utf8 { longest: 3, surrogates }),
            Charset::Utf8mb4 => Self::Utf8(Utf8 { longest: 4, surrogates }),
        }
    }

    /// Returns the length of the first character or ill-formed byte. `text` must not be empty.
    pub fn length(self, text: &[u8]) -> usize {
        match self {
            Self::Bytes => 1,
            Self::Utf8(encoding) => encoding.length(text, 0),
            Self::MultiByte(encoding) => encoding.length(text),
        }
    }
}

/// The encoding of a multi-byte character set other than UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct MultiByteEncoding {
    charset: Charset,
    flavour: Flavour,
    /// Stored, because deriving the codec from `charset` would link the tables of all character
    /// sets.
    codec: Codec,
}

impl PartialEq for MultiByteEncoding {
    fn eq(&self, other: &Self) -> bool {
        self.charset == other.charset && self.flavour == other.flavour
    }
}

impl MultiByteEncoding {
    /// Returns the first code point and its length in bytes; `None` at the end and if the bytes are
    /// ill-formed. An unassigned character counts as U+FFFD.
    #[inline]
    pub fn decode(self, text: &[u8]) -> Option<(u32, usize)> {
        let length = self.codec.length(self.flavour, text)?;
        Some((self.codec.code_point(text.get(..length)?).unwrap_or(0xFFFD), length))
    }
}

impl CharacterShape for MultiByteEncoding {
    #[inline]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        self.codec.length(self.flavour, bytes)
    }

    #[inline]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        self.codec.boundary_near(text, end)
    }
}

/// UTF-8, with the limits of a character set and a flavour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Utf8 {
    /// Maximum length of a character in bytes.
    pub longest: u8,
    /// `true` if the three bytes of a surrogate are a character, as in MariaDB.
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
        // Only lead bytes of four-byte characters are 0xF0 or greater. The search for such bytes
        // comes first, so that text after the first one is not validated.
        let end = if self.longest == 3 { text.iter().position(|&byte| byte >= 0xF0) } else { None };
        simd::get().utf8_prefix(&text[..end.unwrap_or(text.len())])
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

/// Returns the position of the last of the three bytes before `at` that is not a continuation byte;
/// `at` if there is none.
#[inline(never)]
fn start_of(text: &[u8], at: usize) -> usize {
    // A byte other than a continuation byte begins a character or is ill-formed.
    (1..=at.min(3)).map(|back| at - back).find(|&start| text[start] & 0xC0 != 0x80).unwrap_or(at)
}
