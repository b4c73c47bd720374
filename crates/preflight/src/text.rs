//! Text on its way from one character set to another.

use std::borrow::Cow;

use mysql_collation::Charset;

/// A text can't be converted: the target's character set lacks a character, or a byte is no part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHeld {
    /// The target lacks this character.
    Character(char),
    /// This byte is no part of a character of the source.
    Byte(u8),
}

impl std::fmt::Display for NotHeld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotHeld::Character(character) => write!(f, "{} (U+{:04X})", character.escape_debug(), *character as u32),
            NotHeld::Byte(byte) => write!(f, "the ill-formed byte {byte:02X}"),
        }
    }
}

/// Whether text of `from` is text of `to`, byte for byte.
pub fn is_subset(from: Charset, to: Charset) -> bool {
    use Charset::{Ascii, Utf8mb3, Utf8mb4};
    from == to || matches!((from, to), (Ascii, _) | (Utf8mb3, Utf8mb4))
}

/// `text` in the character set `to`.
pub fn convert(text: &[u8], from: Charset, to: Charset) -> Result<Cow<'_, [u8]>, NotHeld> {
    // Well-formed ASCII is the same in all of them.
    if Charset::Ascii.validate(text).is_ok() {
        return Ok(Cow::Borrowed(text));
    }
    if is_subset(from, to) || (from == Charset::Utf8mb4 && to == Charset::Utf8mb3) {
        return match to.validate(text) {
            Ok(()) => Ok(Cow::Borrowed(text)),
            Err(at) => Err(from
                .decode(&text[at..])
                .map_or(NotHeld::Byte(text[at]), |(lacking, _)| NotHeld::Character(lacking))),
        };
    }
    let mut converted = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let (character, length) = from.decode(rest).ok_or(NotHeld::Byte(first))?;
        let mut buffer = [0; 4];
        let encoded = to.encode(character, &mut buffer).ok_or(NotHeld::Character(character))?;
        converted.extend_from_slice(&buffer[..encoded]);
        rest = &rest[length..];
    }
    Ok(Cow::Owned(converted))
}

/// The beginning of `text` that is `characters` long: what a prefix index keeps.
pub fn prefix(text: &[u8], charset: Charset, characters: usize) -> &[u8] {
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

/// Text for people to read: in UTF-8, bytes that are no text as `\xNN`, at most so many characters.
pub fn shown(text: &[u8], charset: Charset, most: usize) -> String {
    let mut shown = String::new();
    let mut rest = text;
    for _ in 0..most {
        let Some(&first) = rest.first() else { return shown };
        let length = match charset.decode(rest) {
            Some((character, length)) if charset != Charset::Binary || character.is_ascii() => {
                if character.is_control() {
                    shown.extend(character.escape_debug())
                } else {
                    shown.push(character)
                }
                length
            }
            _ => {
                shown.push_str(&format!("\\x{first:02X}"));
                1
            }
        };
        rest = &rest[length..];
    }
    if !rest.is_empty() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_converted_or_it_is_told_what_is_lacking() {
        let convert = |text: &[u8], from, to| convert(text, from, to).map(Cow::into_owned);
        assert_eq!(convert(b"Stra\xDFe", Charset::Latin1, Charset::Utf8mb4), Ok("Straße".into()));
        assert_eq!(convert("Straße".as_bytes(), Charset::Utf8mb4, Charset::Latin1), Ok(b"Stra\xDFe".to_vec()));
        assert_eq!(convert("Ж".as_bytes(), Charset::Utf8mb4, Charset::Latin1), Err(NotHeld::Character('Ж')));
        assert_eq!(convert("a😀".as_bytes(), Charset::Utf8mb4, Charset::Utf8mb3), Err(NotHeld::Character('😀')));
        assert_eq!(convert(b"a\xFF", Charset::Utf8mb3, Charset::Utf8mb4), Err(NotHeld::Byte(0xFF)));
        assert_eq!(convert(b"plain", Charset::Utf8mb3, Charset::Ascii), Ok(b"plain".to_vec()));
    }

    #[test]
    fn a_prefix_is_counted_in_characters() {
        assert_eq!(prefix("äöü".as_bytes(), Charset::Utf8mb4, 2), "äö".as_bytes());
        assert_eq!(prefix(b"\xE4\xF6\xFC", Charset::Latin1, 2), b"\xE4\xF6");
        assert_eq!(prefix(b"ab", Charset::Utf8mb4, 5), b"ab");
    }

    #[test]
    fn what_is_no_text_is_shown_as_bytes() {
        assert_eq!(shown("naïve\t\u{1F600}".as_bytes(), Charset::Utf8mb4, 20), "naïve\\t😀");
        assert_eq!(shown(b"a\xFFb", Charset::Utf8mb4, 20), "a\\xFFb");
        assert_eq!(shown(b"abcdef", Charset::Latin1, 3), "abc…");
    }
}
