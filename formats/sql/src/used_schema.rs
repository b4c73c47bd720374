//! The schema that a `USE` statement selects.

use crate::{SqlMode, TokenKind, tokenize};

/// Longest beginning of a statement that is read.
const MAX_BYTES: usize = 4096;

/// Returns the schema of `USE shop`, also in backticks and with comments: `/* x */ USE shop`,
/// `/*!40000 USE shop */`. `None` for other statements.
pub fn used_schema(statement: &[u8]) -> Option<String> {
    let statement = statement.trim_ascii_start();
    // Statements of dumps can have megabytes. For most of them the first word shows that they are
    // not USE.
    let begins = |start: &[u8]| statement.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    if ![&b"use"[..], b"/*", b"--", b"#"].into_iter().any(begins) {
        return None;
    }
    let text = String::from_utf8_lossy(&statement[..statement.len().min(MAX_BYTES)]);
    let is_content =
        |token: &crate::Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    let mut tokens = tokenize(&text, SqlMode::default()).filter(is_content);
    tokens.next().filter(|word| word.is_keyword("use"))?;
    tokens.next()?.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_read_however_it_is_written() {
        for text in [
            "USE `a b`",
            "use `a b`;",
            "USE\t`a b`",
            "USE`a b`",
            "\nUSE /* x */ `a b`",
            "/* x */ USE `a b`",
            "-- x\n# y\nUSE `a b`",
            "/*!40000 USE `a b` */",
        ] {
            assert_eq!(used_schema(text.as_bytes()).as_deref(), Some("a b"), "{text}");
        }
        assert_eq!(used_schema(b"use shop;").as_deref(), Some("shop"));
        for text in ["used", "USE", "US", "INSERT INTO t VALUES ('use x')", "/* USE x */ SELECT 1", "-- USE x"] {
            assert_eq!(used_schema(text.as_bytes()), None, "{text}");
        }
    }
}
