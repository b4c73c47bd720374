//! Programs whose printed text the servers would read otherwise than they read the author's.
//!
//! `SHOW CREATE` converts the text from the character set of its author's client. Tokens change
//! where a byte has one meaning in that character set and its character another in UTF-8. Tried
//! with MySQL 5.7, 8.0, 9.7 and MariaDB 10.11, 11.8.
//!
//! | author's text | read as | printed as |
//! | --- | --- | --- |
//! | `'\'; DROP … -- '` in swe7 | one string | `'Ö'; DROP … -- '` |
//! | `'` 0xFF `; DROP … -- '` in armscii8 | one string | `''; DROP … -- '` |
//! | `--` 0xA0 `; DROP …` in latin1 | a comment | `--` U+00A0 `; DROP …`, no comment |

use sql::{SqlMode, TokenKind, tokenize};

/// Returns why servers could read the printed text differently from the original text, which was
/// sent in the character set `client`. `None` if they read both in the same way.
pub(super) fn explain_misreading(create: &str, mode: SqlMode, client: &str) -> Option<String> {
    if sql::lacks_ascii(client) {
        return Some(format!(
            "its author's client had the character set {client}, in which quotes and backslashes are other characters"
        ));
    }
    if create.is_ascii() || matches!(client, "utf8" | "utf8mb3" | "utf8mb4") {
        return None;
    }
    let is_code =
        |kind: TokenKind| !matches!(kind, TokenKind::StringLiteral | TokenKind::QuotedName | TokenKind::Comment);
    let code = tokenize(create, mode).filter(|token| is_code(token.kind));
    // Letters are parts of names in each character set.
    let unclear = code.flat_map(|token| token.text.chars()).find(|c| !c.is_ascii() && !c.is_alphabetic())?;
    Some(format!(
        "it has the character U+{:04X} outside of quotes, which is read in another way in {client}, the character set of \
         its author's client",
        u32::from(unclear)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_tokens_are_explained() {
        let explain = |create: &str, client: &str| explain_misreading(create, SqlMode::default(), client);
        for (create, client) in [
            ("CREATE PROCEDURE p() select 'Ö'; drop database victim; -- '", "swe7"),
            ("CREATE PROCEDURE p() select ''; drop database victim; -- '", "armscii8"),
            ("CREATE PROCEDURE p() select 1 --\u{a0}; drop database victim", "latin1"),
        ] {
            assert!(explain(create, client).is_some_and(|why| why.contains(client)), "{create}");
        }
        for (create, client) in [
            ("CREATE PROCEDURE p() select 'a\u{a0}b' /* \u{a0} */", "latin1"),
            ("CREATE PROCEDURE größe() select 变量", "gbk"),
            ("CREATE PROCEDURE p() select 1 --\u{a0}", "utf8mb4"),
        ] {
            assert_eq!(explain(create, client), None, "{create}");
        }
    }
}
