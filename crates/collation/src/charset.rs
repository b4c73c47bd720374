//! Character sets: from bytes to code points and back, and from one to another.
//!
//! What is well-formed, which code point a character is, and what a code point is encoded as is what servers answer. Those of
//! MySQL 9.7 and MariaDB 11.8 map all characters alike; where they differ, it is in what they do with surrogates and ill-formed
//! bytes, which [`Charset::characters`] and [`Charset::convert`] are told the [`Flavour`] for. Without one, an operation follows MySQL.
//!
//! `latin1` is Windows' code page 1252, its five undefined bytes read as the control characters of the same number (MySQL manual,
//! "West European Character Sets"). `ucs2` and `utf16` are big-endian.

use crate::{Flavour, arch, descriptor};

mod convert;
mod data;
mod form;
mod gb18030;
mod pages;
mod shape;
mod single;
#[cfg(test)]
mod tests;
pub(crate) mod utf8;

pub use convert::{Character, Characters, Content, Converted, Replaced};
pub(crate) use form::Form;
pub(crate) use gb18030::number as four_bytes_number;
pub(crate) use pages::Pages;
pub(crate) use shape::{EucJp, Gb18030, Shape};

macro_rules! charsets {
    ($($variant:ident $name:literal $min:literal $max:literal $doc:literal;)*) => {
        /// A character set of MySQL or MariaDB. All are known to both, but for `gb18030`, which MariaDB lacks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Charset {
            $(#[doc = concat!("`", $name, "`: ", $doc)] $variant,)*
        }

        impl Charset {
            /// All of them, by name.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The least bytes that a character takes.
            pub const fn min_bytes(self) -> usize {
                match self { $(Self::$variant => $min,)* }
            }

            /// The most bytes that a character takes.
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
    Ucs2 "ucs2" 2 2 "two bytes a character, the greater one first.";
    Ujis "ujis" 1 3 "EUC for Japanese.";
    Utf16 "utf16" 2 4 "UTF-16, big-endian.";
    Utf16le "utf16le" 2 4 "UTF-16, little-endian.";
    Utf32 "utf32" 4 4 "UTF-32, big-endian.";
    Utf8mb3 "utf8mb3" 1 3 "also called `utf8`: UTF-8 of at most three bytes.";
    Utf8mb4 "utf8mb4" 1 4 "UTF-8.";
}

impl Charset {
    /// The character set of this name, in any case; `utf8` is `utf8mb3`.
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

    /// The character set of this exact name, when the library is compiled.
    pub(crate) const fn named(name: &str) -> Option<Self> {
        let mut i = 0;
        while i < Self::ALL.len() {
            if descriptor::same(Self::ALL[i].name().as_bytes(), name.as_bytes()) {
                return Some(Self::ALL[i]);
            }
            i += 1;
        }
        None
    }

    /// Whether all of `bytes` is well-formed.
    ///
    /// # Errors
    /// The offset of the first byte that isn't.
    pub fn validate(self, bytes: &[u8]) -> Result<(), usize> {
        match self.well_formed_prefix(bytes) {
            length if length == bytes.len() => Ok(()),
            length => Err(length),
        }
    }

    /// The length in bytes of the longest beginning of `bytes` that is well-formed: that MySQL takes in a column. A character to
    /// which no code point is assigned is well-formed where its bytes have the shape of one (`FEFE` in `gbk`).
    ///
    /// MariaDB also takes surrogates in `utf8mb3`, `utf8mb4` and `utf32`, and any byte in `ascii`.
    pub fn well_formed_prefix(self, bytes: &[u8]) -> usize {
        match self {
            Charset::Ascii => arch::get().ascii_prefix(bytes),
            Charset::Utf8mb4 => arch::get().utf8_prefix(bytes),
            Charset::Utf8mb3 => {
                let prefix = arch::get().utf8_prefix(bytes);
                // Leads of four bytes are the only bytes from 0xF0 on.
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

    /// The first character of `bytes` and its length in bytes; `None` at the end, where the bytes are ill-formed, and for a
    /// character to which no code point is assigned.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(Charset::Sjis.decode(&[0x88, 0x9F, 0x41]), Some(('亜', 2)));
    /// assert_eq!(Charset::Cp1251.decode(&[0xC6]), Some(('Ж', 1)));
    /// assert_eq!(Charset::Cp1251.decode(&[0x98]), None);
    /// ```
    pub fn decode(self, bytes: &[u8]) -> Option<(char, usize)> {
        let form = Form::of(self);
        let length = form.length(Flavour::MySql, bytes)?;
        let code_point = form.code_point(bytes.get(..length)?)?;
        Some((char::from_u32(code_point)?, length))
    }

    /// Writes `character` to the beginning of `buffer`, which is at least [`Charset::max_bytes`] long, and returns its
    /// length in bytes; `None` if the character set lacks it or the buffer is too short.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// let mut buffer = [0; 4];
    /// assert_eq!(Charset::Gbk.encode('啊', &mut buffer), Some(2));
    /// assert_eq!(buffer[..2], [0xB0, 0xA1]);
    /// assert_eq!(Charset::Latin1.encode('啊', &mut buffer), None);
    /// ```
    pub fn encode(self, character: char, buffer: &mut [u8]) -> Option<usize> {
        let encoded = Form::of(self).encode(Flavour::MySql, character.into())?;
        let bytes = encoded.as_slice();
        buffer.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(bytes.len())
    }

    /// The length of `bytes` in characters. A byte that is no part of one counts as one.
    pub fn char_len(self, bytes: &[u8]) -> usize {
        if self.max_bytes() == 1 {
            return bytes.len();
        }
        if !matches!(self, Charset::Utf8mb3 | Charset::Utf8mb4) {
            return self.characters(Flavour::MySql, bytes).count();
        }
        let good = self.well_formed_prefix(bytes);
        arch::get().utf8_starts(&bytes[..good]) + self.characters(Flavour::MySql, &bytes[good..]).count()
    }
}
