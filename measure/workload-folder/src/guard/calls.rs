//! Calls of functions in statements of logs and scripts, which a running server explains or runs.
//!
//! A server can run a function to explain a statement. MySQL 8.0.22 and later have loadable
//! functions of their own that change the server, such as
//! `asynchronous_connection_failover_add_source`. A statement may therefore call only functions
//! that are known to compute.

use sql::{SELECT_MODIFIERS, SqlMode, Token, TokenKind};

use super::functions::{is_allowed_function, is_keyword};
use super::{CheckResult, OutOfScope, for_each_reading};
use crate::statement::SESSION_FUNCTIONS;

/// Words between INSERT and the table's name.
const WORDS_OF_INSERT: [&str; 5] = ["low_priority", "high_priority", "delayed", "ignore", "into"];

/// Checks that a statement calls only functions that change nothing and wait for nothing, as every
/// supported server reads it in an SQL mode.
///
/// # Errors
/// If the statement calls another function, or servers read it in different ways.
pub fn check_calls(text: &str, mode: SqlMode) -> Result<(), OutOfScope> {
    for_each_reading(text, mode, check_tokens)
}

fn check_tokens(tokens: &[Token<'_>]) -> CheckResult {
    let fault = |at: usize, reason| Err(OutOfScope { offset: tokens[at].start, reason });
    let is = |at: usize, symbol| tokens.get(at).is_some_and(|token| token.is_symbol(symbol));
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        let follows_dot = at > 0 && is(at - 1, '.');
        // `NEXT VALUE FOR s`, and in Oracle's mode `s.nextval`.
        let is_value = token.is_keyword("next")
            && tokens.get(at + 1).is_some_and(|next| next.is_keyword("value"))
            && tokens.get(at + 2).is_some_and(|next| next.is_keyword("for"));
        if is_value || follows_dot && name.eq_ignore_ascii_case("nextval") {
            return fault(at, "it takes a value of a sequence".to_owned());
        }
        if !is(at + 1, '(') || names_columns(tokens, at) {
            continue;
        }
        if follows_dot {
            return fault(at, format!("it calls {name} of a schema"));
        }
        if !is_known(token, &name) {
            return fault(at, format!("it calls {name}, which may do more than compute a value"));
        }
    }
    Ok(())
}

fn is_known(token: &Token<'_>, name: &str) -> bool {
    let is_word = token.kind == TokenKind::Word && (is_keyword(name) || token.is_any_keyword(&SELECT_MODIFIERS));
    is_word || is_allowed_function(name) || SESSION_FUNCTIONS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns true for a name before a list of columns: `INSERT INTO s.t (a)`, `WITH d (a) AS (…)`,
/// `(SELECT …) AS d (a)`. A call in such a place is a syntax error.
fn names_columns(tokens: &[Token<'_>], at: usize) -> bool {
    let mut before = tokens[..at].iter().rev().peekable();
    let is_after_dot = |token: Option<&&Token<'_>>| token.is_some_and(|token| token.is_symbol('.'));
    if is_after_dot(before.peek()) {
        before.next();
        before.next();
    } else if before.peek().is_some_and(|token| token.is_symbol(')')) {
        // `(SELECT …) d (a)`: no server takes a call there.
        return true;
    } else if before.peek().is_some_and(|token| token.is_keyword("as")) {
        return !is_after_dot(before.nth(1).as_ref());
    }
    let first = before.find(|token| !token.is_any_keyword(&WORDS_OF_INSERT));
    first.is_some_and(|token| token.is_any_keyword(&["insert", "replace"])) || is_table_expression(tokens, at)
}

/// Returns true for `d` in `WITH d (a, b) AS (…)`.
fn is_table_expression(tokens: &[Token<'_>], at: usize) -> bool {
    let inside = &tokens[at + 2..];
    let Some(close) = sql::closing_parenthesis(inside) else { return false };
    let are_names = inside[..close].iter().all(|token| token.name().is_some() || token.is_symbol(','));
    let follows = |offset: usize| inside.get(close + offset);
    are_names
        && follows(1).is_some_and(|token| token.is_keyword("as"))
        && follows(2).is_some_and(|token| token.is_symbol('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> CheckResult {
        check_calls(text, SqlMode::default())
    }

    #[test]
    fn ordinary_statements_pass() {
        for text in [
            "SELECT COUNT(*), concat (a, 'f(1)') FROM shop.t WHERE id IN (1, 2) AND (a OR NOT (b))",
            "SELECT SQL_CALC_FOUND_ROWS (a), FOUND_ROWS() FROM t WHERE id = LAST_INSERT_ID()",
            "INSERT INTO shop.orders (a, b) VALUES (1, UUID()) ON DUPLICATE KEY UPDATE a = VALUES(a)",
            "INSERT IGNORE `t` (a) SELECT b FROM u",
            "REPLACE t (a) VALUES (REPLACE(b, 'x', 'y'))",
            "UPDATE t SET a = NOW(6) WHERE b = 'it\\'s'",
            "WITH RECURSIVE d (n) AS (SELECT 1), e (a, b) AS (SELECT 1, 2) SELECT * FROM d",
            "SELECT * FROM (SELECT 1) d (x)",
            "SELECT * FROM (SELECT 1) AS d (x), JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$')) AS j",
            "SELECT RANK() OVER (PARTITION BY a), SUM(b) OVER w FROM t WINDOW w AS (ORDER BY c)",
            "SELECT /*! STRAIGHT_JOIN */ 1 MEMBER OF ('[1]') FROM t USE INDEX FOR ORDER BY (k) PARTITION (p0)",
            "SELECT CAST(a AS CHAR(9)), ST_Distance(a, b), JSON_VALUE(c, '$.f(1)') FROM t -- f(1)",
            "SELECT a FROM t WHERE name = 'Miller (sales)' AND x = \"Miller (sales)\"",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn other_functions_are_named() {
        let add = "asynchronous_connection_failover_add_source";
        for text in [
            format!("SELECT {add}('c', 'h', 1, '', 50)"),
            format!("SELECT `{add}` /* x */ ('c')"),
            format!("SELECT 1 /*!80022 + {add}('c') */"),
            format!("SELECT /*!99998 ' */ {add}('c') /*!99998 ' */"),
            format!("SELECT HIGH_PRIORITY {add}(1)"),
            format!("INSERT INTO t (a) SELECT HIGH_PRIORITY {add}(a)"),
            format!("SELECT \"a\"\"\" + {add}(1)"),
            format!("SELECT a, {add}(b) AS c FROM t"),
            format!("SELECT t.as {add}(1)"),
            format!("SELECT {add} 1.e(1)"),
            format!("SELECT 1e1{add}(1)"),
        ] {
            assert!(check(&text).is_err(), "{text}");
        }
        for text in [
            "SELECT SLEEP(1)",
            "SELECT LOAD_FILE('x')",
            "SELECT evil.concat(1)",
            "SELECT NEXT VALUE FOR s",
            "SELECT s.nextval",
            "SELECT `columns`(1)",
            "SELECT innodb_redo_log_archive_start('x')",
            "SELECT keyring_key_generate('a', 'AES', 16)",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        let text = r"SELECT '\' + SLEEP(1) -- '";
        assert_eq!(check(text), Ok(()));
        assert!(check_calls(text, SqlMode { no_backslash_escapes: true, ..SqlMode::default() }).is_err());
        let reason = check("SELECT GET_LOCK('a', 1)").unwrap_err().reason;
        assert_eq!(reason, "it calls GET_LOCK, which may do more than compute a value");
    }
}
