//! Whole strings in a character set from and to `str`.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::{Charset, Codec, Content};
use crate::catalogue::Flavour;
use crate::simd;

/// An error of [`Charset::decode_str`]: bytes that are no character of Unicode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecodable {
    /// Character set of the string.
    pub charset: Charset,
    /// Byte offsets in the string.
    pub bytes: Range<usize>,
    /// Reason: unassigned, ill-formed, or the code point of a surrogate.
    pub content: Content,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.content {
            Content::CodePoint(_) => "are a surrogate",
            Content::Unassigned => "are a character without a code point",
            Content::IllFormed => "are ill-formed",
        };
        write!(f, "bytes {}..{} {what} in {}", self.bytes.start, self.bytes.end, self.charset)
    }
}

impl core::error::Error for Undecodable {}

/// An error of [`Charset::encode_str`]: the character set lacks a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unencodable {
    /// Character set that lacks the character.
    pub charset: Charset,
    /// First character that is lacking.
    pub character: char,
    /// Byte offset of the character in the string.
    pub at: usize,
}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lacks the character {:?} at byte {}", self.charset, self.character, self.at)
    }
}

impl core::error::Error for Unencodable {}

impl Charset {
    /// Decodes a string. Borrows what needs no conversion. A string of `binary` is taken as UTF-8.
    ///
    /// # Errors
    /// [`Undecodable`] at the first bytes that are ill-formed, a character without a code point, or
    /// a surrogate.
    ///
    /// ```
    /// use mysql_collation::Charset;
    ///
    /// assert_eq!(Charset::Cp1251.decode_str(b"\xC6\xF3\xEA")?, "Жук");
    /// assert_eq!(Charset::Gbk.decode_str(b"a\xFE\xFE").unwrap_err().bytes, 1..3);
    /// # Ok::<(), mysql_collation::Undecodable>(())
    /// ```
    pub fn decode_str(self, bytes: &[u8]) -> Result<Cow<'_, str>, Undecodable> {
        self.decode_with(bytes, |bytes, content| Err(Undecodable { charset: self, bytes, content }))
    }

    /// Decodes a string as [`Charset::decode_str`] does, with U+FFFD in place of each ill-formed
    /// byte, each character without a code point, and each surrogate.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(Charset::Gbk.decode_str_lossy(b"a\xFE\xFE\xFF"), "a\u{FFFD}\u{FFFD}");
    /// ```
    pub fn decode_str_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        let decoded: Result<_, core::convert::Infallible> = self.decode_with(bytes, |_, _| Ok(()));
        match decoded {
            Ok(text) => text,
            Err(never) => match never {},
        }
    }

    /// Encodes a string. Borrows what needs no conversion. `binary` takes the bytes of UTF-8.
    ///
    /// # Errors
    /// [`Unencodable`] at the first character that the character set lacks.
    ///
    /// ```
    /// use mysql_collation::Charset;
    ///
    /// assert_eq!(*Charset::Latin1.encode_str("Zoë €")?, *b"Zo\xEB \x80");
    /// let error = Charset::Latin1.encode_str("Zoë Ж").unwrap_err();
    /// assert_eq!((error.character, error.at), ('Ж', 5));
    /// # Ok::<(), mysql_collation::Unencodable>(())
    /// ```
    pub fn encode_str(self, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
        self.encode_with(text, |character, at| Err(Unencodable { charset: self, character, at }))
    }

    /// Encodes a string as [`Charset::encode_str`] does, with a question mark in place of each
    /// character that the character set lacks.
    ///
    /// ```
    /// use mysql_collation::Charset;
    /// assert_eq!(*Charset::Latin1.encode_str_lossy("Zoë Ж"), *b"Zo\xEB ?");
    /// ```
    pub fn encode_str_lossy(self, text: &str) -> Cow<'_, [u8]> {
        let encoded: Result<_, core::convert::Infallible> = self.encode_with(text, |_, _| Ok('?'));
        match encoded {
            Ok(bytes) => bytes,
            Err(never) => match never {},
        }
    }

    /// Decodes a string. `undecodable` returns an error, or accepts U+FFFD.
    fn decode_with<E>(
        self,
        bytes: &[u8],
        undecodable: impl Fn(Range<usize>, Content) -> Result<(), E>,
    ) -> Result<Cow<'_, str>, E> {
        let reads_utf8 = matches!(self, Charset::Utf8mb4 | Charset::Utf8mb3 | Charset::Binary);
        let charset = if self == Charset::Binary { Charset::Utf8mb4 } else { self };
        let unchanged = if reads_utf8 { charset.well_formed_prefix(bytes) } else { self.ascii_prefix(bytes) };
        let prefix = bytes.get(..unchanged).unwrap_or_default();
        if let (true, Ok(text)) = (unchanged == bytes.len(), core::str::from_utf8(prefix)) {
            return Ok(Cow::Borrowed(text));
        }
        let mut decoded = String::with_capacity(bytes.len());
        decoded.push_str(core::str::from_utf8(prefix).unwrap_or_default());
        let from = decoded.len();
        for character in charset.characters(Flavour::MySql, bytes.get(from..).unwrap_or_default()) {
            let code_point = match character.content {
                Content::CodePoint(code_point) => char::from_u32(code_point),
                Content::Unassigned | Content::IllFormed => None,
            };
            if code_point.is_none() {
                undecodable(from + character.bytes.start..from + character.bytes.end, character.content)?;
            }
            decoded.push(code_point.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(Cow::Owned(decoded))
    }

    /// Encodes a string. `unencodable` returns an error, or another character.
    fn encode_with<E>(
        self,
        text: &str,
        unencodable: impl Fn(char, usize) -> Result<char, E>,
    ) -> Result<Cow<'_, [u8]>, E> {
        let bytes = text.as_bytes();
        let unchanged = match self {
            Charset::Utf8mb4 | Charset::Binary => bytes.len(),
            Charset::Utf8mb3 => self.well_formed_prefix(bytes),
            _ if self.writes_ascii() => simd::get().ascii_prefix(bytes),
            _ => 0,
        };
        let (prefix, rest) = text.split_at_checked(unchanged).unwrap_or(("", text));
        if rest.is_empty() {
            return Ok(Cow::Borrowed(bytes));
        }
        let codec = Codec::new(self);
        let mut encoded = Vec::with_capacity(prefix.len() + rest.len() * self.min_bytes());
        encoded.extend_from_slice(prefix.as_bytes());
        for (at, character) in rest.char_indices() {
            let character = match codec.encode(Flavour::MySql, character.into()) {
                Some(own) => {
                    encoded.extend_from_slice(own.as_slice());
                    continue;
                }
                None => unencodable(character, prefix.len() + at)?,
            };
            if let Some(own) = codec.encode(Flavour::MySql, character.into()) {
                encoded.extend_from_slice(own.as_slice());
            }
        }
        Ok(Cow::Owned(encoded))
    }

    /// Returns the length of the ASCII characters at the start that are encoded as in ASCII.
    fn ascii_prefix(self, bytes: &[u8]) -> usize {
        if self.reads_ascii() { simd::get().ascii_prefix(bytes) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::string::ToString;

    use super::*;

    #[test]
    fn borrows_what_needs_no_conversion() {
        for (charset, text) in [
            (Charset::Utf8mb4, "Zoë 😀"),
            (Charset::Utf8mb3, "Zoë"),
            (Charset::Latin1, "Zoe"),
            (Charset::Gbk, "Zoe"),
            (Charset::Binary, "Zoë"),
        ] {
            assert!(matches!(charset.encode_str(text), Ok(Cow::Borrowed(_))), "{charset}");
            assert!(matches!(charset.decode_str(text.as_bytes()), Ok(Cow::Borrowed(_))), "{charset}");
        }
    }

    #[test]
    fn errors_name_place_and_reason() {
        let error = |charset: Charset, bytes: &[u8]| charset.decode_str(bytes).unwrap_err().to_string();
        assert_eq!(error(Charset::Utf8mb4, b"a\xFF"), "bytes 1..2 are ill-formed in utf8mb4");
        assert_eq!(error(Charset::Utf8mb3, "aé😀".as_bytes()), "bytes 3..4 are ill-formed in utf8mb3");
        assert_eq!(error(Charset::Ucs2, b"\0a\xD8\0"), "bytes 2..4 are a surrogate in ucs2");
        assert_eq!(error(Charset::Cp1251, b"\x98"), "bytes 0..1 are a character without a code point in cp1251");
        let lacking = Charset::Utf8mb3.encode_str("aé😀").unwrap_err();
        assert_eq!(lacking.to_string(), "utf8mb3 lacks the character '😀' at byte 3");
        assert_eq!(*Charset::Utf16.encode_str_lossy("a😀"), *b"\0a\xD8\x3D\xDE\0");
        assert_eq!(*Charset::Ucs2.encode_str_lossy("a😀"), *b"\0a\0?");
        assert_eq!(*Charset::Sjis.encode_str("a\\").unwrap(), *b"a\x81\x5F");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// `convert` is compared with the servers' CONVERT by `cargo xtask charsets --verify`.
        #[test]
        fn agrees_with_conversions(
            bytes in proptest::collection::vec(any::<u8>(), 0..24),
            text in "[ -~äÄßéЖя漢字あア한\u{20AC}\u{1F600}]{0,12}",
        ) {
            for charset in Charset::ALL.into_iter().filter(|&charset| charset != Charset::Binary) {
                let converted = charset.convert(&bytes, Charset::Utf8mb4, Flavour::MySql);
                match charset.decode_str(&bytes) {
                    Ok(decoded) => prop_assert_eq!((decoded.as_bytes(), converted.lost), (&converted.bytes[..], 0), "{}", charset),
                    Err(error) => {
                        prop_assert!(converted.lost > 0 || charset == Charset::Utf8mb4, "{} {:?}", charset, error);
                        let before = charset.decode_str(&bytes[..error.bytes.start]);
                        prop_assert!(before.is_ok(), "{}: {:?}", charset, before);
                    }
                }
                let lossy = charset.decode_str_lossy(&bytes);
                prop_assert_eq!(lossy.chars().count(), charset.char_len(&bytes), "{} {:?}", charset, lossy);
                let converted = Charset::Utf8mb4.convert(text.as_bytes(), charset, Flavour::MySql);
                match charset.encode_str(&text) {
                    Ok(encoded) => {
                        prop_assert!(converted.lost == 0, "{}", charset);
                        prop_assert_eq!(&*encoded, &converted.bytes[..], "{}", charset);
                    }
                    Err(error) => prop_assert!(converted.lost > 0, "{} {:?}", charset, error),
                }
                // The servers take a character beyond U+FFFF for another one in tis620.
                if charset != Charset::Tis620 {
                    prop_assert_eq!(&*charset.encode_str_lossy(&text), &converted.bytes[..], "{}", charset);
                }
            }
        }
    }
}
