//! Statements that a stored program runs as text: PREPARE and EXECUTE IMMEDIATE.

use std::collections::{HashMap, HashSet};

use crate::quote::unquote_string;
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};
use crate::user_variable::set_variables;

/// Splits a body at its semicolons. `IF a = b THEN SELECT …` is one part. Comments and the marks of
/// conditional comments are left out.
pub fn split_body(body: &str, mode: SqlMode) -> Vec<Vec<Token<'_>>> {
    let is_mark = |token: &Token<'_>| matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    let tokens: Vec<Token<'_>> = tokenize(body, mode).filter(|token| !is_mark(token)).collect();
    let parts = tokens.split(|token| token.is_symbol(';'));
    parts.filter(|part| !part.is_empty()).map(<[Token<'_>]>::to_vec).collect()
}

/// Statements that a program prepares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedTexts {
    pub literals: Vec<String>,
    /// True if the program also prepares a statement whose text is not one literal of its body.
    pub has_unread: bool,
}

impl PreparedTexts {
    /// Reads a body, or a whole definition.
    pub fn of_body(body: &str, mode: SqlMode) -> Self {
        Self::read(&split_body(body, mode), mode)
    }

    /// Reads `PREPARE s FROM '…'`, `EXECUTE IMMEDIATE '…'`, and both with a user variable that the
    /// body sets to literals only: `SET @q = '…'; PREPARE s FROM @q`.
    pub fn read(parts: &[Vec<Token<'_>>], mode: SqlMode) -> Self {
        let mut assigned = assigned_literals(parts);
        let (mut literals, mut has_unread) = (Vec::new(), false);
        for text in parts.iter().filter_map(|part| prepared_expression(part)) {
            match text {
                [literal] if literal.kind == TokenKind::StringLiteral => literals.push(literal.text),
                [variable] if variable.kind == TokenKind::Variable => {
                    match assigned.get_mut(&variable_key(variable.text)) {
                        Some(Some(values)) => literals.append(values),
                        _ => has_unread = true,
                    }
                }
                _ => has_unread = true,
            }
        }
        let mut seen = HashSet::new();
        let texts = literals.into_iter().map(|literal| unquote_string(literal, mode));
        Self { literals: texts.filter(|text| seen.insert(text.clone())).collect(), has_unread }
    }
}

/// Returns the expression after `PREPARE … FROM` or `EXECUTE IMMEDIATE` in a part of a body (see
/// [`split_body`]), without USING. `None` if the part prepares nothing.
fn prepared_expression<'p, 't>(part: &'p [Token<'t>]) -> Option<&'p [Token<'t>]> {
    let begin = (0..part.len()).find_map(|at| match &part[at..] {
        [prepare, _, from, ..] if prepare.is_keyword("prepare") && from.is_keyword("from") => Some(at + 3),
        [execute, immediate, ..] if execute.is_keyword("execute") && immediate.is_keyword("immediate") => Some(at + 2),
        _ => None,
    })?;
    let expression = &part[begin..];
    let end = expression.iter().position(|token| token.is_keyword("using")).unwrap_or(expression.len());
    Some(&expression[..end])
}

/// Returns the literals that SET gives each user variable, by its [`variable_key`]. `None` for a
/// variable that the body uses in another way, too.
fn assigned_literals<'t>(parts: &[Vec<Token<'t>>]) -> HashMap<String, Option<Vec<&'t str>>> {
    let mut found: HashMap<String, Option<Vec<&str>>> = HashMap::new();
    for part in parts {
        let mut uses: HashMap<String, usize> = HashMap::new();
        for token in part.iter().filter(|token| token.kind == TokenKind::Variable) {
            *uses.entry(variable_key(token.text)).or_default() += 1;
        }
        if let Some([variable]) = prepared_expression(part) {
            uses.remove(&variable_key(variable.text));
        }
        for (name, value) in set_variables(part) {
            let name = variable_key(&name);
            if let Some(uses) = uses.get_mut(&name) {
                *uses = uses.saturating_sub(1);
            }
            let literals = found.entry(name).or_insert_with(|| Some(Vec::new()));
            match (value, literals.as_mut()) {
                ([literal], Some(literals)) if literal.kind == TokenKind::StringLiteral => literals.push(literal.text),
                _ => *literals = None,
            }
        }
        let others = uses.into_iter().filter(|(_, uses)| *uses > 0);
        found.extend(others.map(|(name, _)| (name, None)));
    }
    found
}

/// Returns the name by which servers compare user variables: `q` for `@Q` and ``@`q` ``.
fn variable_key(text: &str) -> String {
    let name = text.trim_start_matches('@');
    let quoted = ['`', '\'', '"'].into_iter().find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, sql_mode: &str) -> (Vec<String>, bool) {
        let texts = PreparedTexts::of_body(body, SqlMode::parse(sql_mode));
        (texts.literals, texts.has_unread)
    }

    #[test]
    fn reads_literals() {
        let statement = || vec!["SELECT 'a'".to_owned()];
        for body in [
            "BEGIN PREPARE s FROM 'SELECT ''a'''; EXECUTE s; DEALLOCATE PREPARE s; END",
            "EXECUTE IMMEDIATE \"SELECT 'a'\" USING @p",
            "BEGIN SET @q = 'SELECT ''a'''; PREPARE s FROM @Q; END",
            "BEGIN SET @n := 1, @q := 'SELECT ''a''', @m = 2; EXECUTE IMMEDIATE @q; END",
            "CREATE OR REPLACE PROCEDURE p() BEGIN SET @q = 'SELECT ''a'''; PREPARE s FROM @q; END",
            "CREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW BEGIN SET @q = 'SELECT ''a'''; EXECUTE IMMEDIATE @q; END",
        ] {
            assert_eq!(read(body, ""), (statement(), false), "{body}");
        }
        assert_eq!(read("EXECUTE IMMEDIATE \"q\"", "ANSI_QUOTES"), (vec![], true));
        assert_eq!(read("BEGIN SELECT 1; EXECUTE s; END", ""), (vec![], false));
    }

    #[test]
    fn splits_bodies() {
        assert_eq!(split_body("BEGIN SELECT ';'; /* ; */ SELECT 2; END", SqlMode::default()).len(), 3);
    }

    #[test]
    fn notices_statements_that_are_put_together() {
        for body in [
            "EXECUTE IMMEDIATE CONCAT('SELECT ', p)",
            "BEGIN SET @q = CONCAT('SELECT ', p); PREPARE s FROM @q; END",
            "BEGIN SET @q = 'SELECT 1' ; SELECT x INTO @q FROM t; PREPARE s FROM @q; END",
            "PREPARE s FROM @q",
            "BEGIN UPDATE t SET a = 1 WHERE @q = 'SELECT 1'; PREPARE s FROM @q; END",
            "BEGIN UPDATE t SET a = f(b, @q = 'SELECT 1'); PREPARE s FROM @q; END",
            "BEGIN SET @q = 'SELECT 1'; SET @`q` = CONCAT(p); PREPARE s FROM @q; END",
            "EXECUTE IMMEDIATE 'SELECT ' '1'",
        ] {
            assert!(read(body, "").1, "{body}");
        }
    }
}
