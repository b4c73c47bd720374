//! Statements in the character set of a connection.
//!
//! The allow-list reads UTF-8. With another character set, a server reads other bytes: in `latin1`,
//! U+00A0 is the byte 0xA0, which is white space there; in `sjis`, 表 is 0x95 0x5C, and 0x5C is a
//! backslash. A statement is refused if one of its characters could be read as anything but a
//! character between quotes.

use mysql_collation::Charset;
use sql::{SqlMode, Token, TokenKind, Value};

use crate::guard::OutOfScope;

/// Bytes that end a quoted text, or escape its closing quote.
const SPECIAL: [u8; 4] = *b"'\"`\\";

/// Checks the bytes of a statement that is sent in `charset`, a name such as `sjis`. Any text
/// passes for `utf8mb4`, `utf8mb3`, `binary`, and names that weigh does not know.
///
/// # Errors
/// If a character is not ASCII and stands outside of quotes, or the character set lacks it. Also if
/// one of its bytes is a quote, a backslash or a control character in ASCII, or if it stands in one
/// string with a backslash and the character set is multi-byte.
pub fn check_encoding(text: &str, mode: SqlMode, charset: &str) -> Result<(), OutOfScope> {
    let Some(charset) = foreign_charset(charset) else { return Ok(()) };
    if text.is_ascii() {
        return Ok(());
    }
    let tokens: Vec<Token<'_>> = sql::tokenize(text, mode).collect();
    let mut at = 0;
    for (offset, character) in text.char_indices().filter(|(_, character)| !character.is_ascii()) {
        let fault = |reason| Err(OutOfScope { offset, reason });
        while tokens.get(at).is_some_and(|token| token.end() <= offset) {
            at += 1;
        }
        let quoted = tokens.get(at).filter(|token| {
            token.start < offset && matches!(token.kind, TokenKind::StringLiteral | TokenKind::QuotedName)
        });
        let Some(quoted) = quoted else {
            return fault(format!("{character} outside of quotes, in a session with the character set {charset}"));
        };
        let Some(bytes) = encode(character, charset) else {
            return fault(lacks(character, charset));
        };
        let is_special = |byte: &u8| byte.is_ascii_control() || SPECIAL.contains(byte);
        if let Some(byte) = bytes.iter().find(|byte| is_special(byte)) {
            return fault(format!("{character} has the byte 0x{byte:02X} in {charset}: make it a value"));
        }
        if charset.max_bytes() > 1 && quoted.text.contains('\\') {
            return fault(format!("{character} and a backslash in one string, in {charset}: make it a value"));
        }
    }
    Ok(())
}

/// Checks that a session's character set has all characters of a value. Returns the message of the
/// fault.
pub(crate) fn check_value(value: &Value, charset: &str) -> Result<(), String> {
    let Some(charset) = foreign_charset(charset) else { return Ok(()) };
    match value {
        Value::Text(text) => match text.chars().find(|character| encode(*character, charset).is_none()) {
            Some(character) => Err(lacks(character, charset)),
            None => Ok(()),
        },
        Value::List(members) => members.iter().try_for_each(|member| check_value(member, charset.name())),
        _ => Ok(()),
    }
}

/// Appends a value as a literal. A text that is not ASCII is hexadecimal if the character set is
/// multi-byte and not UTF-8, since its bytes may include a quote or backslash: `_sjis X'955C'`.
pub(crate) fn write_literal(value: &Value, mode: SqlMode, charset: &str, out: &mut String) {
    match (value, foreign_charset(charset).filter(|charset| charset.max_bytes() > 1)) {
        (Value::Text(text), Some(charset)) if !text.is_ascii() => {
            let bytes: Vec<u8> = text.chars().filter_map(|character| encode(character, charset)).flatten().collect();
            *out += &format!("_{charset} {}", sql::hex_literal(&bytes));
        }
        (Value::List(members), Some(_)) => {
            for (at, member) in members.iter().enumerate() {
                *out += if at > 0 { ", " } else { "" };
                write_literal(member, mode, charset, out);
            }
        }
        _ => value.write_literal(mode, out),
    }
}

/// Returns the character set, unless it leaves the bytes of UTF-8 as they are. `None` also for
/// unknown names.
fn foreign_charset(name: &str) -> Option<Charset> {
    Charset::by_name(name).filter(|charset| !matches!(charset, Charset::Utf8mb4 | Charset::Utf8mb3 | Charset::Binary))
}

/// Returns the bytes of a character. `None` if the character set lacks it.
fn encode(character: char, charset: Charset) -> Option<Vec<u8>> {
    let mut bytes = [0; 4];
    let length = charset.encode(character, &mut bytes)?;
    (charset.decode(&bytes[..length]) == Some((character, length))).then(|| bytes[..length].to_vec())
}

fn lacks(character: char, charset: Charset) -> String {
    format!("{charset} has no {character} (U+{:04X})", u32::from(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, charset: &str) -> Result<(), String> {
        check_encoding(text, SqlMode::default(), charset).map_err(|fault| fault.reason)
    }

    #[test]
    fn characters_between_quotes_pass() {
        for (text, charset) in [
            ("SELECT 'Größe', `é` FROM t", "latin1"),
            ("SELECT '日本' FROM t -- x", "sjis"),
            ("SELECT '汉字', '\\'' FROM t", "gbk"),
            ("SELECT größe FROM t", "utf8mb4"),
            ("SELECT größe FROM t", "utf8"),
            ("SELECT größe FROM t", "binary"),
            ("SELECT 'a' FROM t", "swe7"),
        ] {
            assert_eq!(check(text, charset), Ok(()), "{text}");
        }
    }

    #[test]
    fn characters_that_servers_could_read_as_others_are_refused() {
        for (text, charset) in [
            // An encoder of the Encoding Standard sends 0x5C.
            ("SELECT '\u{a5}' AS x", "sjis"),
            ("SELECT '\u{a5}' AS x", "cp932"),
            ("SELECT '\u{a5}' AS x", "ujis"),
            // In gbk 0xBF 0x5C.
            ("SELECT '\u{7e17}' AS x", "gb2312"),
            ("SELECT '\u{7e17}' AS x", "gbk"),
            ("SELECT '表' AS x", "sjis"),
            ("SELECT '日\\'' AS x", "sjis"),
            ("SELECT 1 --\u{a0}x' \n k FROM t", "latin1"),
            ("SELECT größe FROM t", "latin1"),
            ("SELECT 1 /* ö */ FROM t", "latin1"),
            ("SELECT 'Привет' FROM t", "latin1"),
            ("SELECT 'é' FROM t", "ascii"),
            ("SELECT 'Ö' FROM t", "swe7"),
        ] {
            assert!(check(text, charset).is_err(), "{charset}: {text}");
        }
    }

    #[test]
    fn values_are_written_so_that_one_reading_is_left() {
        let literal = |text: &str, charset: &str| {
            let mut out = String::new();
            let list = Value::List(vec![Value::Text(text.to_owned()), Value::Int(1)]);
            write_literal(&list, SqlMode::default(), charset, &mut out);
            out
        };
        assert_eq!(literal("表'", "sjis"), "_sjis X'955C27', 1");
        assert_eq!(literal("a\\'", "sjis"), "'a\\\\''', 1");
        assert_eq!(literal("é", "latin1"), "'é', 1");
        assert_eq!(literal("表", "utf8mb4"), "'表', 1");
        assert!(check_value(&Value::Text("\u{a5}".to_owned()), "sjis").is_err());
        assert!(check_value(&Value::List(vec![Value::Text("\u{7e17}".to_owned())]), "gb2312").is_err());
        assert!(check_value(&Value::Text("表".to_owned()), "sjis").is_ok());
    }
}
