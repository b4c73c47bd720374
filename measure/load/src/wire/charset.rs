//! Encoding of statement text in a connection's character set.

use mysql_collation::Charset;

/// Encodes UTF-8 text in a connection's character set, by the servers' own tables. Reuses one
/// buffer.
#[derive(Clone)]
pub(crate) struct Encoder {
    encoding: EncoderKind,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy)]
enum EncoderKind {
    /// utf8mb4, a subset of it, or `binary`: the bytes are those of UTF-8.
    Utf8 {
        /// Bytes of the longest character.
        max_char_bytes: usize,
    },
    /// A superset of ASCII.
    Other(Charset),
}

/// Whether `charset` has every character of `text`. `None` if this client does not support
/// `charset`.
pub fn charset_can_encode(charset: &str, text: &str) -> Option<bool> {
    Encoder::for_charset(charset).map(|encoder| encoder.can_encode(text))
}

/// Byte that a server sends for a character that a character set lacks.
const SUBSTITUTE: u8 = b'?';

impl Encoder {
    /// Returns the encoder for a character set by its MySQL name. `None` for unknown ones, and for
    /// those that are no superset of ASCII: `ucs2`, `utf16`, `utf16le` and `utf32`, which servers
    /// reject as client character sets, and `swe7`.
    pub(crate) fn for_charset(charset: &str) -> Option<Self> {
        let encoding = match Charset::by_name(charset)? {
            Charset::Utf8mb4 | Charset::Binary => EncoderKind::Utf8 { max_char_bytes: 4 },
            Charset::Utf8mb3 => EncoderKind::Utf8 { max_char_bytes: 3 },
            Charset::Ascii => EncoderKind::Utf8 { max_char_bytes: 1 },
            other => {
                let is_superset = (0..0x80).all(|byte| other.decode(&[byte]) == Some((char::from(byte), 1)));
                EncoderKind::Other(Some(other).filter(|_| is_superset)?)
            }
        };
        Some(Self { encoding, buffer: Vec::new() })
    }

    fn can_encode(&self, text: &str) -> bool {
        match self.encoding {
            EncoderKind::Utf8 { max_char_bytes } => text.chars().all(|c| c.len_utf8() <= max_char_bytes),
            EncoderKind::Other(charset) => text.chars().all(|character| has_character(charset, character)),
        }
    }

    /// Returns `text` encoded in the character set, with a `?` for each character that it lacks.
    /// For utf8mb4, utf8mb3, ascii and binary, returns its UTF-8 unchanged.
    #[inline]
    pub(crate) fn encode<'a>(&'a mut self, text: &'a str) -> &'a [u8] {
        match self.encoding {
            EncoderKind::Other(charset) if !text.is_ascii() => {
                self.buffer.clear();
                text.chars().for_each(|character| push_character(charset, character, &mut self.buffer));
                &self.buffer
            }
            _ => text.as_bytes(),
        }
    }

    /// Appends `text` encoded in the character set.
    pub(crate) fn append(&mut self, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode(text));
    }
}

/// Maximum length of a character in bytes.
const MAX_CHARACTER_BYTES: usize = 4;

/// True if the character set has the character, and its bytes mean no other one.
fn has_character(charset: Charset, character: char) -> bool {
    let mut bytes = [0; MAX_CHARACTER_BYTES];
    let length = charset.encode(character, &mut bytes);
    length.is_some_and(|length| charset.decode(&bytes[..length]) == Some((character, length)))
}

fn push_character(charset: Charset, character: char, out: &mut Vec<u8>) {
    let mut bytes = [0; MAX_CHARACTER_BYTES];
    match charset.encode(character, &mut bytes) {
        Some(length) => out.extend_from_slice(&bytes[..length]),
        None => out.push(SUBSTITUTE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supersets_of_ascii_are_supported() {
        for charset in Charset::ALL {
            let is_superset = charset.min_bytes() == 1 && charset != Charset::Swe7;
            assert_eq!(Encoder::for_charset(charset.name()).is_some(), is_superset, "{charset}");
        }
        assert!(Encoder::for_charset("ebcdic").is_none());
    }

    #[test]
    fn reports_whether_a_charset_has_all_characters() {
        let holds = |charset, text| charset_can_encode(charset, text).unwrap();
        assert!(holds("latin1", "Größe") && !holds("latin1", "Привет"));
        assert!(holds("utf8mb3", "汉字") && !holds("utf8mb3", "😀"));
        assert!(holds("utf8mb4", "😀") && holds("ascii", "abc") && !holds("ascii", "é"));
        assert!(holds("cp1251", "Привет") && holds("sjis", "日本"));
        // The Encoding Standard writes 0x5C, a backslash to servers.
        assert!(["sjis", "cp932", "ujis", "gb2312"].iter().all(|charset| !holds(charset, "\u{a5}")));
        assert!(holds("gbk", "\u{7e17}") && !holds("gb2312", "\u{7e17}"));
    }

    #[test]
    fn text_is_encoded_as_the_charset_writes_it() {
        assert_eq!(Encoder::for_charset("latin1").unwrap().encode("é"), b"\xE9");
        assert_eq!(Encoder::for_charset("cp1251").unwrap().encode("Я"), b"\xDF");
        assert_eq!(Encoder::for_charset("sjis").unwrap().encode("表\u{a5}"), b"\x95\x5C?");
        assert_eq!(Encoder::for_charset("utf8mb4").unwrap().encode("é"), "é".as_bytes());
    }
}
