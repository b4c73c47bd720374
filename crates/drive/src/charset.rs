//! Text of the load in the charset that a connection speaks.

use encoding_rs::Encoding;

/// Encodes UTF-8 into a connection's charset, into a buffer that it keeps.
#[derive(Clone)]
pub(crate) struct Encoder {
    encoding: Target,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Target {
    /// The charset's bytes are UTF-8's, for the characters that it has.
    Utf8 {
        /// Bytes of its longest character.
        longest: usize,
    },
    Other(&'static Encoding),
}

/// Whether a connection that speaks `charset` has every character of `text`; `None` for a charset that this client cannot speak.
pub fn connection_holds(charset: &str, text: &str) -> Option<bool> {
    Encoder::for_charset(charset).map(|encoder| encoder.holds(text))
}

/// MySQL's name of a charset and the name under which the Encoding Standard knows it. `latin1` is cp1252 in both.
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
    /// The encoder for a charset by its MySQL name; `None` for one that this client cannot speak (`ucs2`, `utf16` and `utf32`
    /// are refused by the servers themselves as a client's charset).
    pub(crate) fn for_charset(charset: &str) -> Option<Self> {
        let encoding = match charset {
            "utf8mb4" | "binary" => Target::Utf8 { longest: 4 },
            "utf8mb3" | "utf8" => Target::Utf8 { longest: 3 },
            "ascii" => Target::Utf8 { longest: 1 },
            other => {
                let (_, label) = ENCODINGS.iter().find(|(name, _)| *name == other)?;
                Target::Other(Encoding::for_label(label.as_bytes())?)
            }
        };
        Some(Self { encoding, buffer: Vec::new() })
    }

    fn holds(&self, text: &str) -> bool {
        match self.encoding {
            Target::Utf8 { longest } => text.chars().all(|c| c.len_utf8() <= longest),
            Target::Other(encoding) => !encoding.encode(text).2,
        }
    }

    /// The bytes of `text` in the charset.
    #[inline]
    pub(crate) fn encode<'a>(&'a mut self, text: &'a str) -> &'a [u8] {
        match self.encoding {
            Target::Utf8 { .. } => text.as_bytes(),
            Target::Other(encoding) => {
                self.buffer.clear();
                self.buffer.extend_from_slice(&encoding.encode(text).0);
                &self.buffer
            }
        }
    }

    /// Appends the bytes of `text` in the charset.
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
    fn a_charset_holds_what_it_has_characters_for() {
        let holds = |charset, text| connection_holds(charset, text).unwrap();
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
