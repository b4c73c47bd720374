//! Values in place of `?` and `:name`.

use std::ops::Range;

use sql::{SqlMode, TokenKind, quote_string, tokenize};

use crate::Error;
use crate::copy::Copy;
use crate::judge::MAX_ASKED;
use crate::origin::ColumnRef;
use crate::remedy::splice;
use crate::spot::{Source, SpotKind};
use crate::syntax::ExprKind;

/// Returns the statement with a value for each placeholder: one of the column that it is compared
/// with, a number behind LIMIT, else a text.
pub fn fill(copy: &mut Copy<'_>, source: &Source) -> Result<String, Error> {
    let tokens: Vec<sql::Token<'_>> = tokenize(&source.text, SqlMode::default()).collect();
    let is_placeholder = |token: &sql::Token<'_>| token.kind == TokenKind::Parameter;
    if !tokens.iter().any(is_placeholder) {
        return Ok(source.text.clone());
    }
    let mut known: Vec<(Range<usize>, String)> = Vec::new();
    for spot in source.spots().iter().filter(|spot| spot.kind == SpotKind::Comparison).take(MAX_ASKED) {
        let mut column: Option<ColumnRef> = None;
        for operand in &spot.operands {
            column = column.or(copy.resolve(source, operand)?.column);
        }
        let Some(column) = column else { continue };
        let value = sample(copy, &column)?;
        for operand in spot.operands.iter().filter(|operand| operand.expression.kind == ExprKind::Parameter) {
            known.push((operand.expression.span.clone(), value.clone()));
        }
    }
    let mut edits = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| is_placeholder(token)) {
        let span = token.start..token.end();
        let before = |back: usize| at.checked_sub(back).map(|place| tokens[place]);
        let is_limit = before(1).is_some_and(|token| token.is_any_keyword(&["limit", "offset"]))
            || before(3).is_some_and(|token| token.is_keyword("limit"));
        let value = known.iter().find(|(place, _)| *place == span).map(|(_, value)| value.clone());
        let value = if is_limit { "10".to_owned() } else { value.unwrap_or_else(|| "'w0000500'".to_owned()) };
        edits.push((span, value));
    }
    Ok(splice(&source.text, &edits))
}

fn sample(copy: &Copy<'_>, column: &ColumnRef) -> Result<String, Error> {
    let name = sql::quote_identifier(&column.column);
    let table = sql::quote_table(&column.table.schema, &column.table.name);
    let found = copy.names(&format!("SELECT CAST({name} AS CHAR) FROM {table} WHERE {name} IS NOT NULL LIMIT 1"))?;
    let is_text = column.collation().is_some();
    Ok(match found.first() {
        Some(value) => quote_string(value),
        None if is_text => "'w0000500'".into(),
        None => "500".into(),
    })
}
