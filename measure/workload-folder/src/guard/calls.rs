//! Calls of functions in statements of logs and scripts, which a running server explains or runs.
//!
//! A server can run a function to explain a statement. A statement may therefore call only
//! functions that are known to be harmless.

use sql::SqlMode;

use super::{OutOfScope, for_each_reading};

/// Checks that a statement calls only functions without side effects and waits, as every supported
/// server reads it in an SQL mode.
///
/// # Errors
/// If the statement calls another function, or servers read it in different ways.
pub fn check_calls(text: &str, mode: SqlMode) -> Result<(), OutOfScope> {
    for_each_reading(text, mode, |tokens| match sql::find_suspect_call(tokens) {
        Some(call) => Err(OutOfScope { offset: call.offset, reason: call.reason }),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), OutOfScope> {
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
