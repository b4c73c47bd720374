//! The word that says what a statement does.

use crate::nesting::closing_parenthesis;
use crate::{SqlMode, Token, tokenize};

/// Returns the word that says what a statement does, behind parentheses and a `WITH` clause:
/// `SELECT` for `(SELECT 1) UNION …`, `DELETE` for `WITH c AS (SELECT 1) DELETE FROM t`. `None` if
/// a `WITH` clause is not understood.
///
/// Takes tokens that servers execute: see [`Token::is_content`].
pub fn statement_verb<'t>(tokens: &[Token<'t>]) -> Option<Token<'t>> {
    let begin = tokens.iter().position(|token| !token.is_symbol('('))?;
    if !tokens[begin].is_keyword("with") {
        return Some(tokens[begin]);
    }
    let mut at = begin + 1;
    if is_recursive(&tokens[at..]) {
        at += 1;
    }
    loop {
        at = skip_expression(tokens, at)?;
        if !tokens.get(at).is_some_and(|token| token.is_symbol(',')) {
            break;
        }
        at += 1;
    }
    tokens[at..].iter().find(|token| !token.is_symbol('(')).copied()
}

/// True for `RECURSIVE a AS (…)`, false for an expression of the name: `recursive AS (…)`.
fn is_recursive(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|token| token.is_keyword("recursive"))
        && tokens.get(1).is_some_and(|next| !next.is_keyword("as") && !next.is_symbol('('))
}

/// Returns the place after a common table expression: `a (x, y) AS (SELECT …)`, in MariaDB also
/// with `CYCLE x RESTRICT`.
fn skip_expression(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is_keyword(word));
    let skip_parenthesis = |at: usize| {
        tokens.get(at).filter(|token| token.is_symbol('('))?;
        Some(at + 2 + closing_parenthesis(&tokens[at + 1..])?)
    };
    tokens.get(at)?.name()?;
    let as_word = skip_parenthesis(at + 1).unwrap_or(at + 1);
    let behind = skip_parenthesis(as_word + 1).filter(|_| is(as_word, "as"))?;
    if !is(behind, "cycle") {
        return Some(behind);
    }
    Some(behind + 1 + tokens[behind..].iter().position(|token| token.is_keyword("restrict"))?)
}

/// True for a statement that returns rows and changes none: `SELECT`, `VALUES` and `TABLE`, also
/// behind `WITH`. A query can still write a file, lock rows, or call a function that writes.
pub fn is_query(statement: &str, mode: SqlMode) -> bool {
    let tokens: Vec<Token<'_>> = tokenize(statement, mode).filter(Token::is_content).collect();
    is_query_of(&tokens)
}

/// As [`is_query`], of tokens that servers execute.
pub fn is_query_of(tokens: &[Token<'_>]) -> bool {
    statement_verb(tokens).is_some_and(|verb| verb.is_any_keyword(&["select", "values", "table"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verb(text: &str) -> String {
        let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
        statement_verb(&tokens).map_or(String::new(), |token| token.text.to_lowercase())
    }

    #[test]
    fn the_verb_is_behind_with() {
        for (text, expected) in [
            ("/* a */ (SELECT 1) UNION (SELECT 2)", "select"),
            ("WITH c AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM c)", "delete"),
            ("with recursive a (x, y) as (select (1)), `b c` as (select 2) update t set a = 1", "update"),
            ("WITH recursive AS (SELECT 1) SELECT * FROM recursive", "select"),
            ("(WITH c AS (SELECT 1) (SELECT 2))", "select"),
            ("WITH c AS (SELECT `delete`, 'update' FROM t) SELECT 1 FROM c FOR UPDATE", "select"),
            ("WITH RECURSIVE c AS (SELECT 1 AS i) CYCLE i RESTRICT SELECT * FROM c", "select"),
            ("/*!50000 WITH c AS (SELECT 1) */ DELETE FROM t", "delete"),
            ("WITH c AS (SELECT 1) REPLACE INTO t SELECT * FROM c", "replace"),
            ("WITH c (SELECT 1) SELECT 1", ""),
            ("WITH c AS (SELECT 1", ""),
            ("WITH", ""),
            ("", ""),
        ] {
            assert_eq!(verb(text), expected, "{text}");
        }
    }

    #[test]
    fn queries_change_nothing() {
        for query in ["SELECT 1", "TABLE t", "VALUES ROW(1)", "WITH c AS (SELECT 1) TABLE c"] {
            assert!(is_query(query, SqlMode::default()), "{query}");
        }
        for other in ["WITH c AS (SELECT 1) DELETE FROM t", "UPDATE t SET a = 1", "DO 1", ""] {
            assert!(!is_query(other, SqlMode::default()), "{other}");
        }
    }
}
