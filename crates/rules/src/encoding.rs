//! Text that was decoded by the wrong character set on its way in: UTF-8 taken for latin1, once or several times ("double encoding", "mojibake").
//!
//! It is the same whether UTF-8's bytes lie in a latin1 column (an application that wrote through a latin1 connection) or twice encoded in
//! an utf8 one: read as characters, each byte of the UTF-8 has become a character of code page 1252, which is what MySQL's latin1 is.

use mysql_collation::Charset;

/// What encodings a text went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// ASCII only: the same in every encoding.
    Ascii,
    /// Characters beyond ASCII, none of which looks like UTF-8 decoded as latin1.
    Clean,
    /// All of it is UTF-8 decoded as latin1, this many times.
    Double(u8),
    /// Parts of it are, others not.
    Mixed,
    /// It could be either: its only sequence may be two letters of latin1, or what it would become is nothing that people write.
    Undecidable,
}

/// Classifies a text.
pub fn classify(text: &str) -> Encoding {
    if text.is_ascii() {
        return Encoding::Ascii;
    }
    match decode_once(text) {
        Some(decoded) => match classify(&decoded) {
            Encoding::Double(times) => Encoding::Double(times + 1),
            _ if is_doubtful(text) || !decoded.chars().all(is_common) => Encoding::Undecidable,
            _ => Encoding::Double(1),
        },
        None if sequences(text) > 0 => Encoding::Mixed,
        None => Encoding::Clean,
    }
}

/// The text that a double-encoded one was before; as it is where it is not all double-encoded.
pub fn repaired(text: &str) -> String {
    let mut text = text.to_owned();
    while let Encoding::Double(_) = classify(&text) {
        match decode_once(&text) {
            Some(decoded) => text = decoded,
            None => break,
        }
    }
    text
}

/// The text's bytes in latin1, read as UTF-8; `None` where there are no such bytes, or they are no UTF-8.
fn decode_once(text: &str) -> Option<String> {
    String::from_utf8(latin1(text)?).ok()
}

fn latin1(text: &str) -> Option<Vec<u8>> {
    let mut buffer = [0];
    text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map(|_| buffer[0])).collect()
}

/// Runs of characters that are a character of UTF-8 in latin1's bytes.
fn sequences(text: &str) -> usize {
    let mut buffer = [0];
    let bytes = text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map_or(0, |_| buffer[0]));
    let bytes: Vec<u8> = bytes.collect();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        match Charset::Utf8mb4.decode(&bytes[at..]) {
            Some((_, length)) if length > 1 => {
                // Two characters that are letters both may well be a word's.
                count += usize::from(length > 2 || !is_letter(bytes[at + 1]));
                at += length;
            }
            _ => at += 1,
        }
    }
    count
}

/// Characters that people write: ASCII, letters, punctuation, currency and emoji. C1 controls, private use and noncharacters are not.
fn is_common(character: char) -> bool {
    character.is_ascii()
        || character.is_alphanumeric()
        || matches!(u32::from(character), 0xA0..=0xFF | 0x0300..=0x036F | 0x2000..=0x2BFF | 0x3000..=0x303F | 0xFE00..=0xFE0F | 0xFF00..=0xFFEF | 0x1F000..=0x1FAFF)
}

/// Whether the only evidence is one sequence of two characters that are letters both, such as `Åš`.
fn is_doubtful(text: &str) -> bool {
    let Some(bytes) = latin1(text) else { return false };
    let beyond: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii()).collect();
    matches!(beyond[..], [_, second] if is_letter(second))
}

/// Bytes that are a letter of words in code page 1252, of those that continue a character of UTF-8 (0x80 to 0xBF): Š Œ Ž š œ ž. No word has ƒ, ª,
/// µ, º or Ÿ behind Â or Ã, and they are what ã, ª, õ, º, ú and ß become.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x8A | 0x8C | 0x8E | 0x9A | 0x9C | 0x9E)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UTF-8 taken for latin1.
    fn broken(text: &str) -> String {
        text.bytes().filter_map(|byte| Charset::Latin1.decode(&[byte])).map(|(character, _)| character).collect()
    }

    #[test]
    fn texts_are_told_apart() {
        for text in ["", "plain", "it's 5 o'clock"] {
            assert_eq!(classify(text), Encoding::Ascii);
        }
        for text in ["Müller", "naïve café", "Русский", "漢字", "100 €", "Ångström", "¿Qué?"] {
            assert_eq!(classify(text), Encoding::Clean, "{text}");
            assert_eq!(repaired(text), text);
            assert_eq!(classify(&broken(text)), Encoding::Double(1), "{text}");
            assert_eq!(classify(&broken(&broken(text))), Encoding::Double(2), "{text}");
            assert_eq!(repaired(&broken(&broken(text))), text);
        }
        assert_eq!(classify(&format!("Müller {}", broken("Müller"))), Encoding::Mixed);
        assert_eq!(classify(&format!("漢字 {}", broken("漢字"))), Encoding::Mixed);
        assert_eq!(classify(&broken("Straße")), Encoding::Double(1));
        assert_eq!(classify(&broken("Ľ")), Encoding::Double(1));
        assert_eq!(classify("Åš"), Encoding::Undecidable, "two letters, or Ś");
        assert_eq!(classify("Â\u{81}"), Encoding::Undecidable, "it would become a control character");
    }
}
