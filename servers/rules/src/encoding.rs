//! Double encoding: UTF-8 text that was decoded as latin1, once or several times ("mojibake").
//!
//! `Müller` becomes `MÃ¼ller`: each byte of UTF-8 becomes a character of code page 1252, which is
//! MySQL's latin1. This happens when an application writes UTF-8 through a latin1 connection. The
//! check compares characters, so the column's own character set makes no difference.

use mysql_collation::Charset;

/// Whether a text is double-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EncodingVerdict {
    /// ASCII only, which is equal in both encodings.
    Ascii,
    /// Not ASCII only, and no UTF-8 decoded as latin1.
    Clean,
    /// The whole text is UTF-8 decoded as latin1, this many times.
    Double(u8),
    /// Parts of the text are UTF-8 decoded as latin1.
    Mixed,
    /// Ambiguous: the only two characters beyond ASCII may be letters of latin1, or decoding the
    /// text yields unusual characters.
    Undecidable,
}

pub fn classify(text: &str) -> EncodingVerdict {
    if text.is_ascii() {
        return EncodingVerdict::Ascii;
    }
    match decode_once(text) {
        Some(decoded) => match classify(&decoded) {
            EncodingVerdict::Double(times) => EncodingVerdict::Double(times + 1),
            _ if is_ambiguous(text) || !decoded.chars().all(is_common) => EncodingVerdict::Undecidable,
            _ => EncodingVerdict::Double(1),
        },
        None if count_sequences(text) > 0 => EncodingVerdict::Mixed,
        None => EncodingVerdict::Clean,
    }
}

/// Undoes double encoding of the whole text: `MÃ¼ller` → `Müller`. Returns other texts unchanged.
pub fn repair(text: &str) -> String {
    let mut text = text.to_owned();
    while let EncodingVerdict::Double(_) = classify(&text) {
        match decode_once(&text) {
            Some(decoded) => text = decoded,
            None => break,
        }
    }
    text
}

/// Encodes a text as latin1 and decodes the bytes as UTF-8. `None` if either is impossible.
fn decode_once(text: &str) -> Option<String> {
    String::from_utf8(encode_latin1(text)?).ok()
}

fn encode_latin1(text: &str) -> Option<Vec<u8>> {
    let mut buffer = [0];
    text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map(|_| buffer[0])).collect()
}

/// Counts the runs of characters whose latin1 bytes are a multi-byte character of UTF-8. Ignores
/// runs of two characters of which the second is a letter: they may be part of a word.
fn count_sequences(text: &str) -> usize {
    let mut buffer = [0];
    let bytes = text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map_or(0, |_| buffer[0]));
    let bytes: Vec<u8> = bytes.collect();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        match Charset::Utf8mb4.decode(&bytes[at..]) {
            Some((_, length)) if length > 1 => {
                count += usize::from(length > 2 || !is_letter(bytes[at + 1]));
                at += length;
            }
            _ => at += 1,
        }
    }
    count
}

/// True for ASCII, letters, digits, and most punctuation, currency signs and emoji. False for C1
/// controls, private use characters and noncharacters.
fn is_common(character: char) -> bool {
    character.is_ascii()
        || character.is_alphanumeric()
        || matches!(u32::from(character), 0xA0..=0xFF | 0x0300..=0x036F | 0x2000..=0x2BFF | 0x3000..=0x303F | 0xFE00..=0xFE0F | 0xFF00..=0xFFEF | 0x1F000..=0x1FAFF)
}

/// True if the only characters beyond ASCII are two, and the second is a letter, as in `Åš`.
fn is_ambiguous(text: &str) -> bool {
    let Some(bytes) = encode_latin1(text) else { return false };
    let non_ascii: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii()).collect();
    matches!(non_ascii[..], [_, second] if is_letter(second))
}

/// True if a continuation byte of UTF-8 (0x80 to 0xBF) is a letter in code page 1252: Š Œ Ž š œ ž.
/// Excludes ƒ, ª, µ, º and Ÿ: words have none of them after Â or Ã, while double-encoded Ã, ª, ê,
/// µ, õ, º, ú and ß have.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x8A | 0x8C | 0x8E | 0x9A | 0x9C | 0x9E)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode_as_latin1(text: &str) -> String {
        text.bytes().filter_map(|byte| Charset::Latin1.decode(&[byte])).map(|(character, _)| character).collect()
    }

    #[test]
    fn classifies_and_repairs_texts() {
        for text in ["", "plain", "it's 5 o'clock"] {
            assert_eq!(classify(text), EncodingVerdict::Ascii);
        }
        for text in ["Müller", "naïve café", "Русский", "漢字", "100 €", "Ångström", "¿Qué?"] {
            assert_eq!(classify(text), EncodingVerdict::Clean, "{text}");
            assert_eq!(repair(text), text);
            assert_eq!(classify(&decode_as_latin1(text)), EncodingVerdict::Double(1), "{text}");
            assert_eq!(classify(&decode_as_latin1(&decode_as_latin1(text))), EncodingVerdict::Double(2), "{text}");
            assert_eq!(repair(&decode_as_latin1(&decode_as_latin1(text))), text);
        }
        assert_eq!(classify(&format!("Müller {}", decode_as_latin1("Müller"))), EncodingVerdict::Mixed);
        assert_eq!(classify(&format!("漢字 {}", decode_as_latin1("漢字"))), EncodingVerdict::Mixed);
        assert_eq!(classify(&decode_as_latin1("Straße")), EncodingVerdict::Double(1));
        assert_eq!(classify(&decode_as_latin1("Ľ")), EncodingVerdict::Double(1));
        assert_eq!(classify("Åš"), EncodingVerdict::Undecidable, "two letters, or Ś");
        assert_eq!(classify("Â\u{81}"), EncodingVerdict::Undecidable, "it would become a control character");
    }
}
