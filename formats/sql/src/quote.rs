//! Quoting of identifiers and strings, and its reverse for strings.

use crate::sql_mode::SqlMode;

/// Quotes an identifier with backticks: ``a`b`` becomes `` `a``b` ``.
pub fn quote_identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Quotes a table with its schema: `` `shop`.`orders` ``.
pub fn quote_table(schema: &str, name: &str) -> String {
    format!("{}.{}", quote_identifier(schema), quote_identifier(name))
}

/// Quotes a string for a session without `NO_BACKSLASH_ESCAPES`: `it's \` becomes `'it''s \\'`.
pub fn quote_string(text: &str) -> String {
    quote_string_in(text, SqlMode::default())
}

/// Quotes a string for a session with this SQL mode.
pub fn quote_string_in(text: &str, mode: SqlMode) -> String {
    let text = text.replace('\'', "''");
    if mode.no_backslash_escapes {
        return format!("'{text}'");
    }
    // An unescaped line feed would begin a new line of a script.
    format!("'{}'", text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r"))
}

/// Writes bytes as a hexadecimal literal, `X'61FF'`: no SQL mode or character set changes its
/// meaning.
pub fn hex_literal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut literal = String::with_capacity(2 * bytes.len() + 3);
    literal.push_str("X'");
    for byte in bytes {
        literal.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    literal.push('\'');
    literal
}

/// Returns the text of a string literal that is given with its quotes: `'it''s'` is `it's`.
pub fn unquote_string(literal: &str, mode: SqlMode) -> String {
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

/// Appends the character after a backslash: `\n` is a line feed, `\0`, `\r`, `\t`, `\b` and `\Z`
/// are control characters, `\%` and `\_` keep the backslash, other characters lose it (MySQL
/// manual, "String Literals").
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
    fn quotes_names_and_strings() {
        assert_eq!(quote_identifier("a`b"), "`a``b`");
        assert_eq!(quote_table("a`b", "c"), "`a``b`.`c`");
        assert_eq!(quote_string(r"it's \"), r"'it''s \\'");
        assert_eq!(quote_string("a\nb"), r"'a\nb'");
        assert_eq!(hex_literal(b"a\xFF"), "X'61FF'");
    }

    #[test]
    fn reads_escapes_of_the_manual() {
        let read = |literal| unquote_string(literal, SqlMode::default());
        assert_eq!(read(r"'a\n\'\%\_\\''x\q'"), "a\n'\\%\\_\\'xq");
        assert_eq!(read("\"it's\"\"\""), "it's\"");
        let mode = SqlMode { no_backslash_escapes: true, ..SqlMode::default() };
        assert_eq!(unquote_string(r"'a\n'", mode), r"a\n");
    }

    proptest! {
        #[test]
        fn unquoting_reverses_quoting(text in ".{0,40}", no_backslash_escapes: bool) {
            let mode = SqlMode { no_backslash_escapes, ..SqlMode::default() };
            prop_assert_eq!(unquote_string(&quote_string_in(&text, mode), mode), text);
        }
    }
}
