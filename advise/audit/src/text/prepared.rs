//! Statements that a stored program runs as text: PREPARE and EXECUTE IMMEDIATE.

use facts::Program;
use sql::{SqlMode, Token, TokenKind, unquote_string};

use super::split_body;

/// Statements that a program prepares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedTexts {
    pub literals: Vec<String>,
    /// True if another statement is put together when the program runs.
    pub has_unread: bool,
}

impl PreparedTexts {
    pub fn of_program(program: &Program) -> Self {
        let (body, mode) = (program.body.as_deref().unwrap_or_default(), program.lexer_mode());
        Self::read(&split_body(body, mode), mode)
    }

    /// Reads `PREPARE s FROM '…'`, `EXECUTE IMMEDIATE '…'`, and both with a user variable that the
    /// body sets to literals only: `SET @q = '…'; PREPARE s FROM @q`.
    pub fn read(parts: &[Vec<Token<'_>>], mode: SqlMode) -> Self {
        let mut found = Self::default();
        for text in parts.iter().filter_map(|part| prepared_expression(part)) {
            match text {
                [literal] if literal.kind == TokenKind::StringLiteral => found.add(literal, mode),
                [variable] if variable.kind == TokenKind::Variable => match assigned_literals(parts, variable) {
                    Some(literals) => literals.iter().for_each(|literal| found.add(literal, mode)),
                    None => found.has_unread = true,
                },
                _ => found.has_unread = true,
            }
        }
        found
    }

    fn add(&mut self, literal: &Token<'_>, mode: SqlMode) {
        let text = unquote_string(literal.text, mode);
        if !self.literals.contains(&text) {
            self.literals.push(text);
        }
    }
}

/// Returns the expression whose value a part prepares, without its USING.
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

/// Returns the literals that SET gives a user variable. `None` if it is used in another way, or
/// set elsewhere.
fn assigned_literals<'t>(parts: &[Vec<Token<'t>>], variable: &Token<'_>) -> Option<Vec<Token<'t>>> {
    let is_variable =
        |token: &Token<'_>| token.kind == TokenKind::Variable && token.text.eq_ignore_ascii_case(variable.text);
    let mut literals = Vec::new();
    for part in parts {
        let is_prepared = prepared_expression(part).is_some_and(|text| matches!(text, [one] if is_variable(one)));
        for at in (0..part.len()).filter(|at| is_variable(&part[*at])) {
            let sets = part[..at].iter().any(|token| token.is_keyword("set"));
            let mut value = part[at + 1..].iter().skip_while(|token| token.is_symbol(':') || token.is_symbol('='));
            match (value.next(), value.next()) {
                (Some(literal), after)
                    if sets
                        && literal.kind == TokenKind::StringLiteral
                        && after.is_none_or(|token| token.is_symbol(',')) =>
                {
                    literals.push(*literal);
                }
                _ if is_prepared => {}
                _ => return None,
            }
        }
    }
    (!literals.is_empty()).then_some(literals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, sql_mode: &str) -> (Vec<String>, bool) {
        let program = Program { body: Some(body.into()), sql_mode: Some(sql_mode.into()), ..Program::default() };
        let texts = PreparedTexts::of_program(&program);
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
        ] {
            assert_eq!(read(body, ""), (statement(), false), "{body}");
        }
        assert_eq!(read("EXECUTE IMMEDIATE \"q\"", "ANSI_QUOTES"), (vec![], true));
        assert_eq!(read("BEGIN SELECT 1; EXECUTE s; END", ""), (vec![], false));
    }

    #[test]
    fn names_what_is_put_together() {
        for body in [
            "EXECUTE IMMEDIATE CONCAT('SELECT ', p)",
            "BEGIN SET @q = CONCAT('SELECT ', p); PREPARE s FROM @q; END",
            "BEGIN SET @q = 'SELECT 1' ; SELECT x INTO @q FROM t; PREPARE s FROM @q; END",
            "PREPARE s FROM @q",
            "EXECUTE IMMEDIATE 'SELECT ' '1'",
        ] {
            assert!(read(body, "").1, "{body}");
        }
    }
}
