//! Encoding of statement text in a connection's character set.

use encoding_rs::Encoding;

/// Encodes UTF-8 text in a connection's character set. Reuses one buffer.
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
    Other(&'static Encoding),
}

/// Whether `charset` has every character of `text`, by the Encoding Standard, which may differ from
/// the servers in rare characters. For `gb2312`, `latin5`, `sjis` and `tis620`, whether a superset
/// has (GBK, cp1254, cp932, cp874). `None` if this client does not support `charset`.
pub fn charset_can_encode(charset: &str, text: &str) -> Option<bool> {
    Encoder::for_charset(charset).map(|encoder| encoder.can_encode(text))
}

/// MySQL character set names with their labels in the Encoding Standard. MySQL's `latin1` is
/// cp1252. The labels of `gb2312`, `latin5`, `sjis` and `tis620` mean supersets of theirs.
const ENCODINGS: [(&str, &str); 22] = [
    ("latin1", "windows-1252"),
    ("latin2", "iso-8859-2"),
    ("latin5", "windows-1254"),
    ("greek", "iso-8859-7"),
    ("hebrew", "iso-8859-8"),
    ("cp1250", "windows-1250"),
    ("cp1251", "windows-1251"),
    ("cp1256", "windows-1256"),
    ("cp1257", "windows-1257"),
    ("cp866", "ibm866"),
    ("koi8r", "koi8-r"),
    ("koi8u", "koi8-u"),
    ("macroman", "macintosh"),
    ("tis620", "windows-874"),
    ("big5", "big5"),
    ("gbk", "gbk"),
    ("gb2312", "gbk"),
    ("gb18030", "gb18030"),
    ("sjis", "shift_jis"),
    ("cp932", "shift_jis"),
    ("ujis", "euc-jp"),
    ("euckr", "euc-kr"),
];

impl Encoder {
    /// Returns the encoder for a character set by its MySQL name. `None` for unsupported ones:
    /// `ucs2`, `utf16` and `utf32`, which servers reject as client character sets, and rare ones,
    /// such as `cp850`.
    pub(crate) fn for_charset(charset: &str) -> Option<Self> {
        let encoding = match charset {
            "utf8mb4" | "binary" => EncoderKind::Utf8 { max_char_bytes: 4 },
            "utf8mb3" | "utf8" => EncoderKind::Utf8 { max_char_bytes: 3 },
            "ascii" => EncoderKind::Utf8 { max_char_bytes: 1 },
            other => {
                let (_, label) = ENCODINGS.iter().find(|(name, _)| *name == other)?;
                EncoderKind::Other(Encoding::for_label(label.as_bytes())?)
            }
        };
        Some(Self { encoding, buffer: Vec::new() })
    }

    fn can_encode(&self, text: &str) -> bool {
        match self.encoding {
            EncoderKind::Utf8 { max_char_bytes } => text.chars().all(|c| c.len_utf8() <= max_char_bytes),
            EncoderKind::Other(encoding) => !encoding.encode(text).2,
        }
    }

    /// Returns `text` encoded in the character set.
    #[inline]
    pub(crate) fn encode<'a>(&'a mut self, text: &'a str) -> &'a [u8] {
        match self.encoding {
            EncoderKind::Utf8 { .. } => text.as_bytes(),
            EncoderKind::Other(encoding) => {
                self.buffer.clear();
                self.buffer.extend_from_slice(&encoding.encode(text).0);
                &self.buffer
            }
        }
    }

    /// Appends `text` encoded in the character set.
    pub(crate) fn append(&mut self, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_charset_of_the_list_is_an_encoding() {
        for (charset, _) in ENCODINGS {
            assert!(Encoder::for_charset(charset).is_some(), "{charset}");
        }
        assert!(Encoder::for_charset("utf16").is_none());
    }

    #[test]
    fn reports_whether_a_charset_has_all_characters() {
        let holds = |charset, text| charset_can_encode(charset, text).unwrap();
        assert!(holds("latin1", "Größe") && !holds("latin1", "Привет"));
        assert!(holds("utf8mb3", "汉字") && !holds("utf8mb3", "😀"));
        assert!(holds("utf8mb4", "😀") && holds("ascii", "abc") && !holds("ascii", "é"));
        assert!(holds("cp1251", "Привет") && holds("sjis", "日本"));
    }

    #[test]
    fn text_is_encoded_as_the_charset_writes_it() {
        assert_eq!(Encoder::for_charset("latin1").unwrap().encode("é"), b"\xE9");
        assert_eq!(Encoder::for_charset("cp1251").unwrap().encode("Я"), b"\xDF");
        assert_eq!(Encoder::for_charset("utf8mb4").unwrap().encode("é"), "é".as_bytes());
    }
}
