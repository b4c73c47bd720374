//! Rows and defaults with characters that a definition's character set lacks.

use server::{collation_charset, current_charset_name, error_code};
use sql::{Token, TokenKind, quote_identifier, quote_table};

use super::{Attempt, Cause, Refused, declare, target_collation, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::dictionary::{Column, Table};
use crate::model::{Kind, Scope};
use crate::remedy::splice;

/// Maximum number of values that are listed.
const MAX_VALUES: usize = 3;

/// Explains errors 1366 and 1067. They have another cause if utf8mb4 does not make the server take
/// the statement.
pub fn explain(copy: &Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let quoted: Vec<&str> = refused.refusal.message.split(['\'', '`']).collect();
    let is_value = refused.refusal.code == error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD;
    if is_value && !refused.refusal.message.contains("ncorrect string value") {
        return Ok(None);
    }
    let mut names = quoted.iter().skip(if is_value { 2 } else { 1 }).rev();
    let target = target_collation(copy, refused)?;
    let charset = target.as_deref().map(collation_charset);
    let tokens = tokens_without_comments(refused.text);
    let mut details = Vec::new();
    let column = refused.table.as_ref().and_then(|table| {
        let is_named = |column: &&Column| quoted.iter().any(|name| name.eq_ignore_ascii_case(&column.name));
        Some((table, table.columns.iter().find(is_named)?))
    });
    match (is_value, column, charset) {
        (true, Some((table, column)), Some(charset)) => {
            let values = lost_values(copy, table, column, charset)?;
            let listed = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
            details.push(format!("{charset} cannot hold values of {}.{}{listed}", table.name, column.name));
        }
        (false, ..) => {
            let name = names.find(|name| !name.trim().is_empty()).copied().unwrap_or_default();
            let set = charset.map_or_else(|| "its character set".to_owned(), ToString::to_string);
            details.push(format!("{set} cannot hold the default of {name}"));
        }
        _ => return Ok(None),
    }
    let what = "Name utf8mb4, which holds every character".to_owned();
    let mut attempts = vec![Attempt::new(Scope::Statement, what.clone(), vec![with_utf8mb4(refused.text, &tokens)])];
    if !is_value {
        let defaults = tokens.windows(2).filter(|pair| pair[0].is_keyword("default") && !pair[1].text.is_ascii());
        for pair in defaults {
            let before = tokens.iter().take_while(|token| token.start < pair[0].start);
            let columns: Vec<&Token<'_>> = before.collect();
            let start = columns.iter().rposition(|token| token.is_symbol('(') || token.is_symbol(','));
            let name = start.and_then(|at| columns.get(at + 1)?.name());
            let sql = name.and_then(|name| declare(refused.text, &tokens, &name, "utf8mb4_unicode_ci"));
            attempts.extend(sql.map(|sql| Attempt::new(Scope::Statement, what.clone(), vec![sql])));
        }
    }
    attempts.retain(|attempt| attempt.sql[0] != refused.text);
    Ok(Some(Cause { details, attempts, max_remedies: 1, needs_remedy: true, ..Cause::new(Kind::Unrepresentable) }))
}

/// Values of a column that a character set cannot hold.
fn lost_values(copy: &Copy<'_>, table: &Table, column: &Column, charset: &str) -> Result<Vec<String>, Error> {
    let (name, from) = (quote_identifier(&column.name), quote_table(&table.schema, &table.name));
    let own = column.charset.as_deref().unwrap_or("utf8mb4");
    let query = format!(
        "SELECT QUOTE({name}) FROM {from} \
         WHERE BINARY {name} <> BINARY CONVERT(CONVERT({name} USING {charset}) USING {own}) LIMIT {MAX_VALUES}"
    );
    copy.names(&query).or_else(|_| Ok(Vec::new()))
}

/// The statement with utf8mb4 in place of each character set that it names, without collations of
/// others.
fn with_utf8mb4(text: &str, tokens: &[Token<'_>]) -> String {
    let mut edits = Vec::new();
    for at in 1..tokens.len() {
        let is_set = tokens[at - 1].is_keyword("charset")
            || tokens[at - 1].is_keyword("set") && at > 1 && tokens[at - 2].is_keyword("character");
        let is_collation = tokens[at - 1].is_keyword("collate");
        let at = at + usize::from(tokens[at].is_symbol('='));
        let Some(token) = tokens.get(at).filter(|token| token.kind != TokenKind::Symbol) else { continue };
        let Some(name) = token.name().or_else(|| Some(token.text.trim_matches('\'').to_owned())) else { continue };
        if is_set && current_charset_name(&name) != "utf8mb4" {
            edits.push((token.start..token.end(), "utf8mb4".to_owned()));
        } else if is_collation && current_charset_name(collation_charset(&name)) != "utf8mb4" {
            let word = tokens[..at].iter().rfind(|token| token.is_keyword("collate"));
            edits.extend(word.map(|word| (word.start..token.end(), String::new())));
        }
    }
    splice(text, &edits)
}
