//! Comparisons of dates with texts that are none. MySQL up to 8.0.15 compares as text then; later
//! versions refuse the statement (error 1525), and a zero date under `NO_ZERO_DATE`, too.

use std::ops::Range;

use sql::{SqlMode, Token, TokenKind, tokenize};
use why::{Refusal, splice};

use crate::mend::Rewrite;

type Edit = (Range<usize>, String);

/// `Incorrect DATE value: ''`.
pub const INCORRECT_LITERAL: u16 = 1525;

/// Writes comparisons with the text that the refusal names otherwise: each alone, then all. A zero
/// date becomes 0, any other text is compared with the column's text.
pub fn propose(text: &str, refusal: &Refusal) -> Vec<Rewrite> {
    let message = &refusal.message;
    let Some(value) = message.split_once(" value: '").and_then(|(_, rest)| rest.strip_suffix('\'')) else {
        return Vec::new();
    };
    let is_zero = value.starts_with("0000-00-00");
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let is_value = |token: &Token<'_>| {
        token.kind == TokenKind::StringLiteral && sql::unquote_string(token.text, SqlMode::default()) == value
    };
    let edit = |at: usize| {
        if is_zero {
            return Some((tokens[at].start..tokens[at].end(), "0".to_owned()));
        }
        let column = compared_column(&tokens, at)?;
        Some((column.clone(), format!("CAST({} AS CHAR)", &text[column])))
    };
    let edits: Vec<Edit> = (1..tokens.len()).filter(|at| is_value(&tokens[*at])).filter_map(edit).collect();
    let sets = edits.iter().map(std::slice::from_ref).chain((edits.len() > 1).then_some(edits.as_slice()));
    let what = match is_zero {
        true => format!("Compare with 0, which equals {value} in any sql_mode"),
        false => format!("Compare the date's text with '{value}', as the old server does"),
    };
    let effect = "An index of the column does not serve this comparison.";
    sets.map(|edits| Rewrite {
        what: what.clone(),
        text: Some(splice(text, edits)),
        is_certain: true,
        effects: (!is_zero).then(|| effect.to_owned()).into_iter().collect(),
        ..Rewrite::default()
    })
    .collect()
}

/// Range of the column that is compared with the literal at `at`: `t.a = ''`.
fn compared_column(tokens: &[Token<'_>], at: usize) -> Option<Range<usize>> {
    let mut last = at.checked_sub(1)?;
    let is_operator = |token: &Token<'_>| ['=', '<', '>', '!'].iter().any(|one| token.is_symbol(*one));
    if !is_operator(&tokens[last]) {
        return None;
    }
    while is_operator(&tokens[last]) {
        last = last.checked_sub(1)?;
    }
    tokens[last].name()?;
    let mut first = last;
    while first >= 2 && tokens[first - 1].is_symbol('.') && tokens[first - 2].name().is_some() {
        first -= 2;
    }
    Some(tokens[first].start..tokens[last].end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, message: &str) -> Vec<String> {
        let refusal = Refusal { code: INCORRECT_LITERAL, message: message.into() };
        propose(text, &refusal).into_iter().filter_map(|one| one.text).collect()
    }

    #[test]
    fn zero_dates_are_0_and_other_texts_are_compared_as_texts() {
        let text = "SELECT id FROM t WHERE start = '0000-00-00' OR t.end <> '' AND name = ''";
        assert_eq!(
            rewritten(text, "Incorrect DATE value: '0000-00-00'"),
            ["SELECT id FROM t WHERE start = 0 OR t.end <> '' AND name = ''"]
        );
        assert_eq!(
            rewritten(text, "Incorrect DATE value: ''"),
            [
                "SELECT id FROM t WHERE start = '0000-00-00' OR CAST(t.end AS CHAR) <> '' AND name = ''",
                "SELECT id FROM t WHERE start = '0000-00-00' OR t.end <> '' AND CAST(name AS CHAR) = ''",
                "SELECT id FROM t WHERE start = '0000-00-00' OR CAST(t.end AS CHAR) <> '' AND CAST(name AS CHAR) = ''",
            ]
        );
        assert_eq!(rewritten("SELECT IFNULL(d, '')", "Incorrect DATE value: ''"), [""; 0]);
    }
}
