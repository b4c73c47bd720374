//! Passwords in statements of accounts, replication and foreign servers.

use crate::outside::skip_attributes;
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize_uncommented};

/// Returns a server's error without the part of the statement that it quotes, as `near 's3' at line
/// 1`, if the statement may hold passwords.
pub fn cut_quotation(message: &str, statement: &str) -> String {
    let is_dynamic = statement.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("execute"));
    let may_hold = is_dynamic || mask_passwords(statement).is_some();
    if may_hold { without_quotation(message).to_owned() } else { message.to_owned() }
}

/// Returns a server's error before the part of the statement that it quotes.
pub fn without_quotation(message: &str) -> &str {
    message.split(" near ").next().unwrap_or(message)
}

/// Replaces the strings and hexadecimal literals of a statement that may be passwords by `'***'`:
/// all that follow the first `IDENTIFIED BY`, `PASSWORD =` or the like, or in an UPDATE, INSERT or
/// REPLACE the first table of the schema `mysql`, or without one `PASSWORD(`.
///
/// `None` without such literals, and for kinds of statements that hold no passwords, such as
/// SELECT, CREATE VIEW and CREATE PROCEDURE.
pub fn mask_passwords(statement: &str) -> Option<String> {
    let tokens = tokenize_uncommented(statement, SqlMode::default());
    let first = tokens.iter().position(|token| token.kind == TokenKind::Word)?;
    // Literals of programs and views stay, because their definitions are printed to be run.
    let is_definition = tokens[first].is_any_keyword(&["create", "alter"]);
    let object = skip_attributes(&tokens[first + 1..]).first();
    let has_password = object.is_some_and(|word| word.is_any_keyword(&["user", "server", "table", "temporary"]));
    let begin = if tokens[first].is_any_keyword(&["update", "insert", "replace"]) {
        tokens.windows(3).position(is_account_table).or_else(|| tokens.windows(3).position(is_password_of))?
    } else if !tokens[first].is_any_keyword(&["create", "alter", "grant", "set", "change", "start", "clone"])
        || is_definition && !has_password
    {
        return None;
    } else {
        tokens.windows(2).position(|pair| is_before_password(&pair[0], &pair[1]))?
    };
    let mut masked = String::new();
    let mut end = 0;
    let is_literal = |token: &&Token<'_>| matches!(token.kind, TokenKind::StringLiteral | TokenKind::HexOrBit);
    for secret in tokens[begin..].iter().filter(is_literal) {
        masked.push_str(&statement[end..secret.start]);
        masked.push_str("'***'");
        end = secret.end();
    }
    masked.push_str(&statement[end..]);
    (end > 0).then_some(masked)
}

/// True for `mysql.user`, and other tables of that schema.
fn is_account_table(tokens: &[Token<'_>]) -> bool {
    let [schema, dot, _] = tokens else { return false };
    dot.is_symbol('.') && schema.name().is_some_and(|name| name.eq_ignore_ascii_case("mysql"))
}

/// True for `PASSWORD('x'` and `OLD_PASSWORD('x'`.
fn is_password_of(tokens: &[Token<'_>]) -> bool {
    let [name, open, literal] = tokens else { return false };
    name.is_any_keyword(&["password", "old_password"])
        && open.is_symbol('(')
        && matches!(literal.kind, TokenKind::StringLiteral | TokenKind::HexOrBit)
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
            ("CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY 's3'", "CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY '***'"),
            ("ALTER USER u IDENTIFIED WITH x AS 0x24412430", "ALTER USER u IDENTIFIED WITH x AS '***'"),
            ("UPDATE user SET Password = PASSWORD('s3') WHERE 1", "UPDATE user SET Password = PASSWORD('***') WHERE 1"),
            (
                "UPDATE `mysql`.user SET Password = PASSWORD('s3') WHERE User = 'a'",
                "UPDATE `mysql`.user SET Password = PASSWORD('***') WHERE User = '***'",
            ),
        ] {
            assert_eq!(mask_passwords(statement).as_deref(), Some(masked));
        }
    }

    #[test]
    fn errors_quote_no_statement_with_passwords() {
        let error = "You have an error in your SQL syntax near 's3' at line 1";
        for statement in
            ["CREATE USER u IDENTIFIED VIA 's3'", "update mysql.user set x = 's3'", "EXECUTE s", "set Password 's3'"]
        {
            assert_eq!(cut_quotation(error, statement), "You have an error in your SQL syntax", "{statement}");
        }
        for statement in ["SELECT 's3'", "CREATE TABLE t (rank INT, password TEXT)"] {
            assert_eq!(cut_quotation(error, statement), error, "{statement}");
        }
    }

    #[test]
    fn other_statements_have_none() {
        for statement in [
            "SELECT * FROM users WHERE password = 'x'",
            "CREATE TABLE users (password VARCHAR(9) DEFAULT 'x')",
            "CREATE TABLE t (a VARCHAR(9) COMMENT 'IDENTIFIED BY')",
            "CREATE USER u",
            "UPDATE users SET password = 'x'",
            "CREATE VIEW v AS SELECT * FROM users WHERE password = ''",
            "SET NAMES utf8mb4",
            "",
        ] {
            assert_eq!(mask_passwords(statement), None, "{statement}");
        }
    }
}
