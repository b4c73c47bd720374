//! Passwords in statements of accounts, replication and foreign servers.

use crate::outside::skip_attributes;
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};

/// Replaces the literals of a statement that may be passwords by `'***'`: those after
/// `IDENTIFIED BY`, `PASSWORD = ` and the like. Only statements such as `CREATE USER`, `GRANT`,
/// `SET` and `CHANGE MASTER` have them. `None` if there are none.
pub fn mask_passwords(statement: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> =
        tokenize(statement, SqlMode::default()).filter(|token| token.kind != TokenKind::Comment).collect();
    let first = tokens.iter().position(|token| token.kind == TokenKind::Word)?;
    // Programs and views are printed to be created again.
    let is_definition = tokens[first].is_any_keyword(&["create", "alter"]);
    let object = skip_attributes(&tokens[first + 1..]).first();
    let has_password = object.is_some_and(|word| word.is_any_keyword(&["user", "server", "table", "temporary"]));
    if !tokens[first].is_any_keyword(&["create", "alter", "grant", "set", "change", "start"])
        || is_definition && !has_password
    {
        return None;
    }
    let begin = tokens.windows(2).position(|pair| is_before_password(&pair[0], &pair[1]))?;
    let mut masked = String::new();
    let mut end = 0;
    for secret in tokens[begin..].iter().filter(|token| token.kind == TokenKind::StringLiteral) {
        masked.push_str(&statement[end..secret.start]);
        masked.push_str("'***'");
        end = secret.end();
    }
    masked.push_str(&statement[end..]);
    (end > 0).then_some(masked)
}

/// True for `IDENTIFIED BY`, `MASTER_PASSWORD =`, `PASSWORD FOR`, `PASSWORD 'x'` and `CONNECTION
/// =`.
fn is_before_password(word: &Token<'_>, next: &Token<'_>) -> bool {
    if word.kind != TokenKind::Word {
        return false;
    }
    let lower = word.text.to_ascii_lowercase();
    let has_value = next.is_symbol('=') || next.is_symbol('(') || next.kind == TokenKind::StringLiteral;
    match lower.as_str() {
        "identified" => next.is_any_keyword(&["by", "with", "via", "as"]),
        "connection" => has_value,
        _ => lower.ends_with("password") && (has_value || next.is_keyword("for")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked() {
        for (statement, masked) in [
            ("CREATE USER 'u'@'h' IDENTIFIED BY 's3'", "CREATE USER 'u'@'h' IDENTIFIED BY '***'"),
            (
                "GRANT ALL ON *.* TO u IDENTIFIED BY PASSWORD '*AB'",
                "GRANT ALL ON *.* TO u IDENTIFIED BY PASSWORD '***'",
            ),
            (
                "ALTER USER u IDENTIFIED WITH x AS 's3' REPLACE 's4'",
                "ALTER USER u IDENTIFIED WITH x AS '***' REPLACE '***'",
            ),
            (
                "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD('s3')",
                "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD('***')",
            ),
            ("SET PASSWORD = PASSWORD('s3')", "SET PASSWORD = PASSWORD('***')"),
            ("SET PASSWORD FOR u = 's3'", "SET PASSWORD FOR u = '***'"),
            (
                "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='s3'",
                "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='***'",
            ),
            (
                "/*!50000 CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = \"s3\" */",
                "/*!50000 CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = '***' */",
            ),
            (
                "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 's3')",
                "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD '***')",
            ),
            (
                "CREATE TABLE t (a INT) ENGINE=FEDERATED CONNECTION='mysql://u:s3@h/d/t'",
                "CREATE TABLE t (a INT) ENGINE=FEDERATED CONNECTION='***'",
            ),
        ] {
            assert_eq!(mask_passwords(statement).as_deref(), Some(masked));
        }
    }

    #[test]
    fn other_statements_have_none() {
        for statement in [
            "SELECT * FROM users WHERE password = 'x'",
            "CREATE TABLE users (password VARCHAR(9) DEFAULT 'x')",
            "CREATE TABLE t (a VARCHAR(9) COMMENT 'IDENTIFIED BY')",
            "CREATE USER u",
            "CREATE VIEW v AS SELECT * FROM users WHERE password = ''",
            "SET NAMES utf8mb4",
            "",
        ] {
            assert_eq!(mask_passwords(statement), None, "{statement}");
        }
    }
}
