//! Converts, shortens and displays texts of any character set.

use std::borrow::Cow;

use mysql_collation::Charset;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionError {
    /// The target's character set lacks this character.
    UnsupportedCharacter(char),
    /// This byte belongs to no character in the source's character set. An ascii text that is
    /// well-formed in the target's character set is not checked.
    IllFormedByte(u8),
}

impl std::fmt::Display for ConversionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConversionError::UnsupportedCharacter(character) => {
                write!(f, "{} (U+{:04X})", character.escape_debug(), *character as u32)
            }
            ConversionError::IllFormedByte(byte) => write!(f, "the ill-formed byte {byte:02X}"),
        }
    }
}

/// True for pairs in which every text of `from` has the same bytes in `to`: a character set itself,
/// ascii, and utf8mb3 in utf8mb4.
pub fn is_subset(from: Charset, to: Charset) -> bool {
    use Charset::{Ascii, Utf8mb3, Utf8mb4};
    from == to || (from == Ascii && !differs_from_ascii(to)) || (from, to) == (Utf8mb3, Utf8mb4)
}

/// True for character sets in which ASCII characters have other bytes: ucs2, utf16 and utf32, whose
/// units are wider, and swe7, which has Å for `]`.
fn differs_from_ascii(charset: Charset) -> bool {
    matches!(charset, Charset::Swe7 | Charset::Ucs2 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32)
}

pub fn convert(text: &[u8], from: Charset, to: Charset) -> Result<Cow<'_, [u8]>, ConversionError> {
    // ASCII bytes are the same text in all other character sets.
    if !differs_from_ascii(from) && !differs_from_ascii(to) && Charset::Ascii.validate(text).is_ok() {
        return Ok(Cow::Borrowed(text));
    }
    if is_subset(from, to) || (from == Charset::Utf8mb4 && to == Charset::Utf8mb3) {
        return match to.validate(text) {
            Ok(()) => Ok(Cow::Borrowed(text)),
            Err(at) => {
                Err(from.decode(&text[at..]).map_or(ConversionError::IllFormedByte(text[at]), |(lacking, _)| {
                    ConversionError::UnsupportedCharacter(lacking)
                }))
            }
        };
    }
    let mut converted = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let (character, length) = from.decode(rest).ok_or(ConversionError::IllFormedByte(first))?;
        let mut buffer = [0; 4];
        let encoded = to.encode(character, &mut buffer).ok_or(ConversionError::UnsupportedCharacter(character))?;
        converted.extend_from_slice(&buffer[..encoded]);
        rest = &rest[length..];
    }
    Ok(Cow::Owned(converted))
}

/// Returns the first characters of a text, as a prefix index stores them.
pub fn character_prefix(text: &[u8], charset: Charset, characters: usize) -> &[u8] {
    if text.len() <= characters {
        return text;
    }
    let mut end = 0;
    for _ in 0..characters {
        if end >= text.len() {
            break;
        }
        end += charset.decode(&text[end..]).map_or(1, |(_, length)| length);
    }
    &text[..end.min(text.len())]
}

/// Formats a text for a report, truncated to `max_characters`.
///
/// Ill-formed bytes are written in the form `\xFF`, control characters in the form `\t`.
pub fn display_text(text: &[u8], charset: Charset, max_characters: usize) -> String {
    let mut display = String::new();
    let mut rest = text;
    for _ in 0..max_characters {
        let Some(&first) = rest.first() else { return display };
        let length = match charset.decode(rest) {
            Some((character, length)) if charset != Charset::Binary || character.is_ascii() => {
                if character.is_control() {
                    display.extend(character.escape_debug())
                } else {
                    display.push(character)
                }
                length
            }
            _ => {
                display.push_str(&format!("\\x{first:02X}"));
                1
            }
        };
        rest = &rest[length..];
    }
    if !rest.is_empty() {
        display.push('…');
    }
    display
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_text_or_reports_unsupported_characters() {
        let convert = |text: &[u8], from, to| convert(text, from, to).map(Cow::into_owned);
        assert_eq!(convert(b"Stra\xDFe", Charset::Latin1, Charset::Utf8mb4), Ok("Straße".into()));
        assert_eq!(convert("Straße".as_bytes(), Charset::Utf8mb4, Charset::Latin1), Ok(b"Stra\xDFe".to_vec()));
        assert_eq!(
            convert("Ж".as_bytes(), Charset::Utf8mb4, Charset::Latin1),
            Err(ConversionError::UnsupportedCharacter('Ж'))
        );
        assert_eq!(
            convert("a😀".as_bytes(), Charset::Utf8mb4, Charset::Utf8mb3),
            Err(ConversionError::UnsupportedCharacter('😀'))
        );
        assert_eq!(convert(b"a\xFF", Charset::Utf8mb3, Charset::Utf8mb4), Err(ConversionError::IllFormedByte(0xFF)));
        assert_eq!(convert(b"plain", Charset::Utf8mb3, Charset::Ascii), Ok(b"plain".to_vec()));
        assert_eq!(convert(b"\0a\0b", Charset::Ucs2, Charset::Utf8mb4), Ok(b"ab".to_vec()));
        assert_eq!(convert(b"ab", Charset::Ascii, Charset::Utf16), Ok(b"\0a\0b".to_vec()));
    }

    #[test]
    fn counts_prefix_in_characters() {
        assert_eq!(character_prefix("äöü".as_bytes(), Charset::Utf8mb4, 2), "äö".as_bytes());
        assert_eq!(character_prefix(b"\xE4\xF6\xFC", Charset::Latin1, 2), b"\xE4\xF6");
        assert_eq!(character_prefix(b"ab", Charset::Utf8mb4, 5), b"ab");
    }

    #[test]
    fn displays_ill_formed_bytes_in_hexadecimal() {
        assert_eq!(display_text("naïve\t\u{1F600}".as_bytes(), Charset::Utf8mb4, 20), "naïve\\t😀");
        assert_eq!(display_text(b"a\xFFb", Charset::Utf8mb4, 20), "a\\xFFb");
        assert_eq!(display_text(b"abcdef", Charset::Latin1, 3), "abc…");
    }
}
