//! Statements with bytes that are no UTF-8, as text and back: `_binary '…'` of a dump without
//! `--hex-blob`, texts in latin1.
//!
//! Such a byte becomes one of 128 private-use characters, so that the text can be read in tokens
//! and edited, and has all bytes when it is sent.

use std::borrow::Cow;

use crate::quote::{hex_literal, unquote_string};
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};

/// Character of the byte 0x80. That of 0xFF is the last character of Unicode.
const FIRST: u32 = 0x10_FF80;

/// First three bytes of these characters in UTF-8.
const PREFIXES: [&[u8]; 2] = [b"\xF4\x8F\xBE", b"\xF4\x8F\xBF"];

/// Returns a statement as text, from which [`write_bytes`] makes the same bytes again.
pub fn read_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !has_bytes(text)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(2 * bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                // The dump itself has the character.
                Some(_) => push_bytes(character.encode_utf8(&mut [0; 4]).as_bytes(), &mut text),
                None => text.push(character),
            }
        }
        push_bytes(chunk.invalid(), &mut text);
    }
    Cow::Owned(text)
}

fn push_bytes(bytes: &[u8], text: &mut String) {
    text.extend(bytes.iter().filter_map(|byte| char::from_u32(FIRST + u32::from(byte & 0x7F))));
}

/// Byte that a character represents.
fn byte_of(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok().map(|low| low | 0x80)
}

/// True if a text of [`read_bytes`] has characters that represent bytes.
pub fn has_bytes(text: &str) -> bool {
    PREFIXES.iter().any(|prefix| memchr::memmem::find(text.as_bytes(), prefix).is_some())
}

/// Returns the bytes of a text of [`read_bytes`].
pub fn write_bytes(text: &str) -> Cow<'_, [u8]> {
    if !has_bytes(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Returns a text of [`read_bytes`] to be shown, with U+FFFD for each byte that is no UTF-8.
pub fn show_bytes(text: &str) -> Cow<'_, str> {
    if !has_bytes(text) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if byte_of(c).is_some() { char::REPLACEMENT_CHARACTER } else { c };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Returns a text of [`read_bytes`] in UTF-8, for drivers that take no other bytes: a string
/// literal with such bytes is written in hexadecimal, `_binary '\xFF'` as `_binary X'FF'`. A
/// literal without an introducer gets that of `charset`, the character set of the client's
/// statements, or `_binary` if that is UTF-8, which lacks the bytes. Outside of literals the bytes
/// become U+FFFD.
pub fn hex_bytes<'t>(text: &'t str, mode: SqlMode, charset: &str) -> Cow<'t, str> {
    if !has_bytes(text) {
        return Cow::Borrowed(text);
    }
    let introducer = if charset.starts_with("utf8") { "binary" } else { charset };
    let (mut out, mut written) = (String::with_capacity(2 * text.len()), 0);
    let mut previous: Option<Token<'_>> = None;
    for token in tokenize(text, mode) {
        if token.kind == TokenKind::StringLiteral && has_bytes(token.text) {
            out.push_str(&show_bytes(&text[written..token.start]));
            if !previous.is_some_and(|before| before.kind == TokenKind::Word && before.text.starts_with('_')) {
                out.push_str(&format!("_{introducer} "));
            }
            out.push_str(&hex_literal(&write_bytes(&unquote_string(token.text, mode))));
            written = token.end();
        }
        previous = Some(token);
    }
    out.push_str(&show_bytes(&text[written..]));
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_with_bytes_are_written_in_hexadecimal() {
        let hex = |bytes: &[u8], charset| hex_bytes(&read_bytes(bytes), SqlMode::default(), charset).into_owned();
        let statement = b"VALUES (_binary 'a\\0\xFF''','\xC3\xA4')";
        assert_eq!(hex(statement, "utf8mb4"), "VALUES (_binary X'6100FF27','ä')");
        assert_eq!(hex(b"VALUES ('\xE4')", "latin1"), "VALUES (_latin1 X'E4')");
        assert_eq!(hex(b"VALUES ('\xE4') -- \xE4", "utf8mb3"), "VALUES (_binary X'E4') -- \u{FFFD}");
    }

    #[test]
    fn all_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        let own = "\u{10FF7F}\u{10FF80}\u{10FFFF}".as_bytes();
        for bytes in [&all[..], own, b"_binary '\xFF\xF4\x8F\xBE\x80\xF4\x8F'", "é 'ok'".as_bytes(), b""] {
            let text = read_bytes(bytes);
            assert_eq!(&*write_bytes(&text), bytes);
        }
        assert!(matches!(read_bytes("é".as_bytes()), Cow::Borrowed(_)));
    }

    #[test]
    fn bytes_are_shown_as_replacement_characters() {
        assert_eq!(show_bytes(&read_bytes(b"a\xFF\xC3\xA9")), "a\u{FFFD}é");
        assert_eq!(show_bytes("é"), "é");
    }
}
