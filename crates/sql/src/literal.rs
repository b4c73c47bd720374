//! Names and values as they are written in SQL, and read from it.

use crate::mode::Mode;

/// A quoted identifier.
pub fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A quoted string, for a session whose `sql_mode` is without `NO_BACKSLASH_ESCAPES`.
pub fn string(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Bytes as a hexadecimal literal: no character set, no escapes.
pub fn bytes(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut literal = String::with_capacity(2 * bytes.len() + 3);
    literal.push_str("X'");
    for byte in bytes {
        literal.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    literal.push('\'');
    literal
}

/// The text that a quoted literal means, given with its quotes.
pub fn unquoted(literal: &str, mode: Mode) -> String {
    let Some(quote) = literal.chars().next() else { return String::new() };
    let inner = literal[quote.len_utf8()..].strip_suffix(quote).unwrap_or(&literal[quote.len_utf8()..]);
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' && !mode.no_backslash_escapes {
            push_escaped(characters.next(), &mut text);
        } else {
            if character == quote {
                characters.next_if_eq(&quote);
            }
            text.push(character);
        }
    }
    text
}

/// MySQL manual, "String Literals": `\%` and `\_` stay as they are, any other character loses its backslash.
fn push_escaped(character: Option<char>, text: &mut String) {
    match character {
        Some('0') => text.push('\0'),
        Some('n') => text.push('\n'),
        Some('r') => text.push('\r'),
        Some('t') => text.push('\t'),
        Some('b') => text.push('\u{8}'),
        Some('Z') => text.push('\u{1A}'),
        Some(wildcard @ ('%' | '_')) => text.extend(['\\', wildcard]),
        Some(other) => text.push(other),
        None => text.push('\\'),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_texts_are_quoted() {
        assert_eq!(identifier("a`b"), "`a``b`");
        assert_eq!(string(r"it's \"), r"'it''s \\'");
        assert_eq!(bytes(b"a\xFF"), "X'61FF'");
    }

    #[test]
    fn escapes_are_those_of_the_manual() {
        let read = |literal| unquoted(literal, Mode::default());
        assert_eq!(read(r"'a\n\'\%\_\\''x\q'"), "a\n'\\%\\_\\'xq");
        assert_eq!(read("\"it's\"\"\""), "it's\"");
        let mode = Mode { no_backslash_escapes: true, ..Mode::default() };
        assert_eq!(unquoted(r"'a\n'", mode), r"a\n");
    }

    proptest! {
        #[test]
        fn a_text_comes_back_from_its_literal(text in ".{0,40}") {
            // A backslash before a wildcard is doubled by `string`, so that it comes back as well.
            prop_assert_eq!(unquoted(&string(&text), Mode::default()), text);
        }
    }
}
