//! Character sets: decoding, encoding and conversion.
//!
//! Well-formedness, code points and encodings are those that servers return. MySQL 9.7 and MariaDB
//! 11.8 map all characters identically. They differ in surrogates and ill-formed bytes, so that
//! [`Charset::characters`] and [`Charset::convert`] take a [`Flavour`]. Operations without that
//! argument follow MySQL.
//!
//! `latin1` is Windows code page 1252, with its five undefined bytes decoded as the control
//! characters of the same numbers (MySQL manual, "West European Character Sets"). `ucs2` and
//! `utf16` are big-endian.

use core::fmt;
use core::str::FromStr;

use crate::catalogue::Flavour;
use crate::{const_bytes, simd};

mod case;
mod codec;
mod convert;
mod data;
mod encoding;
mod gb18030;
mod pages;
mod shape;
mod single_byte;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod utf8;

#[cfg(feature = "oracle")]
pub(crate) use case::describe as describe_case;
pub(crate) use case::{Case, convert as convert_case};
#[cfg(feature = "oracle")]
pub use case::{CaseRule, CaseRun, case_runs};
pub(crate) use codec::Codec;
pub use convert::{Character, Characters, Content, Converted, Unconvertible};
pub(crate) use encoding::{Encoding, MultiByteEncoding, TextEncoding, Utf8};
pub(crate) use gb18030::number as four_bytes_number;
pub(crate) use pages::Pages;
pub(crate) use shape::{CharacterShape, DoubleByteShape, EucJp, Gb18030};
pub use text::{Undecodable, Unencodable};

macro_rules! charsets {
    ($($variant:ident $name:literal $min:literal $max:literal $doc:literal;)*) => {
        /// A character set of MySQL or MariaDB. MySQL has all of them; MariaDB lacks `gb18030`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Charset {
            $(#[doc = concat!("`", $name, "`: ", $doc)] $variant,)*
        }

        impl Charset {
            /// All character sets by ascending name.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the minimum length of a character in bytes.
            pub const fn min_bytes(self) -> usize {
                match self { $(Self::$variant => $min,)* }
            }

            /// Returns the maximum length of a character in bytes.
            pub const fn max_bytes(self) -> usize {
                match self { $(Self::$variant => $max,)* }
            }
        }
    };
}

charsets! {
    Armscii8 "armscii8" 1 1 "Armenian.";
    Ascii "ascii" 1 1 "bytes below 0x80.";
    Big5 "big5" 1 2 "traditional Chinese.";
    Binary "binary" 1 1 "bytes; each counts as a character of its own number.";
    Cp1250 "cp1250" 1 1 "Central European, of Windows.";
    Cp1251 "cp1251" 1 1 "Cyrillic, of Windows.";
    Cp1256 "cp1256" 1 1 "Arabic, of Windows.";
    Cp1257 "cp1257" 1 1 "Baltic, of Windows.";
    Cp850 "cp850" 1 1 "West European, of DOS.";
    Cp852 "cp852" 1 1 "Central European, of DOS.";
    Cp866 "cp866" 1 1 "Cyrillic, of DOS.";
    Cp932 "cp932" 1 2 "Shift JIS of Windows.";
    Dec8 "dec8" 1 1 "West European, of DEC.";
    Eucjpms "eucjpms" 1 3 "EUC for Japanese with the characters of Windows.";
    Euckr "euckr" 1 2 "Korean.";
    Gb18030 "gb18030" 1 4 "Chinese; all of Unicode. MySQL only.";
    Gb2312 "gb2312" 1 2 "simplified Chinese.";
    Gbk "gbk" 1 2 "simplified Chinese.";
    Geostd8 "geostd8" 1 1 "Georgian.";
    Greek "greek" 1 1 "ISO 8859-7.";
    Hebrew "hebrew" 1 1 "ISO 8859-8.";
    Hp8 "hp8" 1 1 "West European, of HP.";
    Keybcs2 "keybcs2" 1 1 "the Kamenický encoding for Czech and Slovak.";
    Koi8r "koi8r" 1 1 "Russian.";
    Koi8u "koi8u" 1 1 "Ukrainian.";
    Latin1 "latin1" 1 1 "code page 1252; every byte is a character.";
    Latin2 "latin2" 1 1 "ISO 8859-2.";
    Latin5 "latin5" 1 1 "ISO 8859-9.";
    Latin7 "latin7" 1 1 "ISO 8859-13.";
    Macce "macce" 1 1 "Central European, of the Macintosh.";
    Macroman "macroman" 1 1 "West European, of the Macintosh.";
    Sjis "sjis" 1 2 "Shift JIS.";
    Swe7 "swe7" 1 1 "Swedish, of seven bits.";
    Tis620 "tis620" 1 1 "Thai.";
    Ucs2 "ucs2" 2 2 "two bytes per character, big-endian.";
    Ujis "ujis" 1 3 "EUC for Japanese.";
    Utf16 "utf16" 2 4 "UTF-16, big-endian.";
    Utf16le "utf16le" 2 4 "UTF-16, little-endian.";
    Utf32 "utf32" 4 4 "UTF-32, big-endian.";
    Utf8mb3 "utf8mb3" 1 3 "also called `utf8`: UTF-8 of at most three bytes.";
    Utf8mb4 "utf8mb4" 1 4 "UTF-8.";
}

/// An error of [`Charset::from_str`]: no character set has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownCharset;

impl fmt::Display for UnknownCharset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither MySQL nor MariaDB has a character set of this name")
    }
}

impl core::error::Error for UnknownCharset {}

/// Parses a name as [`Charset::by_name`] does.
impl FromStr for Charset {
    type Err = UnknownCharset;

    fn from_str(name: &str) -> Result<Self, UnknownCharset> {
        Self::by_name(name).ok_or(UnknownCharset)
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Charset {
    /// Looks a character set up by name, case-insensitively. `utf8` means `utf8mb3`.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(Charset::by_name("GBK"), Some(Charset::Gbk));
    /// assert_eq!(Charset::by_name("utf8"), Some(Charset::Utf8mb3));
    /// assert_eq!(Charset::by_name("ebcdic"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<Self> {
        let name = if name.eq_ignore_ascii_case("utf8") { "utf8mb3" } else { name };
        Self::ALL.into_iter().find(|charset| name.eq_ignore_ascii_case(charset.name()))
    }

    /// Looks a character set up by its exact name at compile time.
    pub(crate) const fn named(name: &str) -> Option<Self> {
        let mut i = 0;
        while i < Self::ALL.len() {
            if const_bytes::equal(Self::ALL[i].name().as_bytes(), name.as_bytes()) {
                return Some(Self::ALL[i]);
            }
            i += 1;
        }
        None
    }

    /// Checks that `bytes` are well-formed.
    ///
    /// # Errors
    /// The offset of the first ill-formed byte.
    pub fn validate(self, bytes: &[u8]) -> Result<(), usize> {
        match self.well_formed_prefix(bytes) {
            length if length == bytes.len() => Ok(()),
            length => Err(length),
        }
    }

    /// Returns the length in bytes of the longest well-formed prefix of `bytes`, which MySQL
    /// accepts in a column.
    ///
    /// An unassigned character is well-formed if its bytes have the shape of a character (`FEFE` in
    /// `gbk`). MariaDB also accepts surrogates in `utf8mb3`, `utf8mb4` and `utf32`, and any byte in
    /// `ascii`.
    pub fn well_formed_prefix(self, bytes: &[u8]) -> usize {
        match self {
            Charset::Ascii => simd::get().ascii_prefix(bytes),
            Charset::Utf8mb4 => simd::get().utf8_prefix(bytes),
            Charset::Utf8mb3 => {
                let prefix = simd::get().utf8_prefix(bytes);
                // Only lead bytes of four-byte characters are 0xF0 or greater.
                bytes[..prefix].iter().position(|&byte| byte >= 0xf0).unwrap_or(prefix)
            }
            _ if self.max_bytes() == 1 => bytes.len(),
            _ => {
                let mut characters = self.characters(Flavour::MySql, bytes);
                let ill_formed = characters.find(|character| character.content == Content::IllFormed);
                ill_formed.map_or(bytes.len(), |character| character.bytes.start)
            }
        }
    }

    /// Decodes the first character of `bytes` and returns it with its length in bytes; `None` at
    /// the end, for ill-formed bytes, for unassigned characters and for surrogates.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(Charset::Sjis.decode(&[0x88, 0x9F, 0x41]), Some(('亜', 2)));
    /// assert_eq!(Charset::Cp1251.decode(&[0xC6]), Some(('Ж', 1)));
    /// assert_eq!(Charset::Cp1251.decode(&[0x98]), None);
    /// ```
    pub fn decode(self, bytes: &[u8]) -> Option<(char, usize)> {
        let codec = Codec::new(self);
        let length = codec.length(Flavour::MySql, bytes)?;
        let code_point = codec.code_point(bytes.get(..length)?)?;
        Some((char::from_u32(code_point)?, length))
    }

    /// Writes `character` to the start of `buffer` and returns its length in bytes; `None` if the
    /// character set lacks the character or `buffer` is too short. [`Charset::max_bytes`] is always
    /// long enough.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// let mut buffer = [0; 4];
    /// assert_eq!(Charset::Gbk.encode('啊', &mut buffer), Some(2));
    /// assert_eq!(buffer[..2], [0xB0, 0xA1]);
    /// assert_eq!(Charset::Latin1.encode('啊', &mut buffer), None);
    /// ```
    pub fn encode(self, character: char, buffer: &mut [u8]) -> Option<usize> {
        let encoded = Codec::new(self).encode(Flavour::MySql, character.into())?;
        let bytes = encoded.as_slice();
        buffer.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(bytes.len())
    }

    /// Returns the number of characters in `bytes`. Each ill-formed byte counts as a character.
    pub fn char_len(self, bytes: &[u8]) -> usize {
        if self.max_bytes() == 1 {
            return bytes.len();
        }
        if !matches!(self, Charset::Utf8mb3 | Charset::Utf8mb4) {
            return self.characters(Flavour::MySql, bytes).count();
        }
        let good = self.well_formed_prefix(bytes);
        simd::get().utf8_starts(&bytes[..good]) + self.characters(Flavour::MySql, &bytes[good..]).count()
    }

    /// Returns the first `count` characters of `bytes`, or all. Each ill-formed byte counts as a
    /// character.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(Charset::Gbk.first_chars(b"\xB0\xA1bc", 2), b"\xB0\xA1b");
    /// ```
    pub fn first_chars(self, bytes: &[u8], count: usize) -> &[u8] {
        let end = if self.max_bytes() == 1 {
            count
        } else {
            let last = count.checked_sub(1).and_then(|last| self.characters(Flavour::MySql, bytes).nth(last));
            if count == 0 { 0 } else { last.map_or(bytes.len(), |last| last.bytes.end) }
        };
        bytes.get(..end).unwrap_or(bytes)
    }
}
