//! Character sets in which dumps and programs are written.

use crate::{SqlMode, TokenKind, tokenize};

/// Returns the character set of `SET NAMES`, in lower case, also within `/*!40101 … */`. `None` for
/// other statements.
pub fn names_charset(statement: &[u8]) -> Option<String> {
    let head = statement.trim_ascii_start();
    let text = String::from_utf8_lossy(&head[..head.len().min(MAX_BYTES)]);
    let text = match text.strip_prefix("/*!").or_else(|| text.strip_prefix("/*M!")) {
        Some(inside) => inside.trim_start_matches(|character: char| character.is_ascii_digit()),
        None => &text,
    };
    let mut tokens = tokenize(text, SqlMode::default()).filter(|token| token.kind != TokenKind::Comment);
    let is_set_names = tokens.next()?.is_keyword("set") && tokens.next()?.is_keyword("names");
    let name = tokens.next().filter(|_| is_set_names)?;
    Some(name.text.trim_matches(['\'', '"', '`']).to_lowercase())
}

/// Character sets in which a byte below 0x80 is no ASCII character, or one above is. MySQL 9.7 and
/// MariaDB 11.8 have no others of a single byte per character.
const WITHOUT_ASCII: [&str; 2] = ["armscii8", "swe7"];

/// Returns true for a character set in which bytes of quotes or backslashes differ from ASCII's.
/// Servers can print a text of such a client with other tokens.
pub fn lacks_ascii(charset: &str) -> bool {
    WITHOUT_ASCII.iter().any(|name| name.eq_ignore_ascii_case(charset))
}

/// Longest beginning of a statement that is searched.
const MAX_BYTES: usize = 200;

/// Returns why a dump can't be read after a `SET NAMES` of a character set other than UTF-8, ascii,
/// binary and DEFAULT. `None` for other statements.
pub fn describe_other_names(statement: &[u8]) -> Option<String> {
    let charset = names_charset(statement)?;
    let is_read = charset.starts_with("utf8") || ["binary", "ascii", "default"].contains(&charset.as_str());
    (!is_read).then(|| {
        format!(
            "it says SET NAMES {charset}, and dumps are read in UTF-8: dump again with --default-character-set=utf8mb4"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_character_set_of_a_dump() {
        for (statement, charset) in [
            ("/*!40101 SET NAMES latin1 */", Some("latin1")),
            ("\n/*!50503 SET NAMES utf8mb4 */", Some("utf8mb4")),
            ("set names 'gbk' collate gbk_bin", Some("gbk")),
            ("/*!40101 SET NAMES binary*/", Some("binary")),
            ("/*!40101 SET CHARACTER_SET_CLIENT=@OLD */", None),
            ("INSERT INTO names VALUES ('SET NAMES latin1')", None),
        ] {
            assert_eq!(names_charset(statement.as_bytes()).as_deref(), charset, "{statement}");
        }
        assert!(describe_other_names(b"SET NAMES latin1").is_some_and(|problem| problem.contains("SET NAMES latin1")));
        assert_eq!(describe_other_names(b"SET NAMES utf8mb3"), None);
    }
}
