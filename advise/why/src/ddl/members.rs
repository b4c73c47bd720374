//! Members of an ENUM or SET, and values of a partition, that a collation makes equal.

use sql::Token;

use super::duplicates::STRONGER;
use super::{Attempt, Cause, Refused, declare, is_text_type, target_collation, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};
use server::collation_charset;

/// Explains errors 1291 and 1495. They have another cause if no collation makes the server take the
/// statement.
pub fn explain(copy: &Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let tokens = tokens_without_comments(refused.text);
    let collation = target_collation(copy, refused)?;
    let by = collation.as_ref().map_or_else(|| "the column's collation".to_owned(), ToString::to_string);
    let mut quoted = refused.refusal.message.split('\'').skip(1).step_by(2);
    let details = match (quoted.next(), quoted.next()) {
        (Some(column), Some(value)) => vec![format!("By {by}, two members of {column} are equal: '{value}'")],
        _ => vec![format!("By {by}, two values of the partitions are equal")],
    };
    let charset = collation.as_deref().map_or("utf8mb4", collation_charset);
    let mut attempts = Vec::new();
    for suffix in STRONGER {
        let collation = format!("{charset}_{suffix}");
        let what = format!("Name the collation {collation}, which tells these values apart");
        for sql in with_collation(refused, &tokens, &collation) {
            attempts.push(Attempt::new(Scope::Statement, what.clone(), vec![sql]));
        }
    }
    Ok(Some(Cause { details, attempts, needs_remedy: true, ..Cause::new(Kind::Duplicates) }))
}

/// The statement with another collation: in its last COLLATE clause, or else in CONVERT, or else in
/// a text column, one statement for each.
fn with_collation(refused: &Refused<'_>, tokens: &[Token<'_>], collation: &str) -> Vec<String> {
    let text = refused.text;
    let replaced = |at: usize| {
        let name = tokens[at + 1..].iter().find(|token| !token.is_symbol('='))?;
        Some(format!("{}{collation}{}", &text[..name.start], &text[name.end()..]))
    };
    if let Some(at) = tokens.iter().rposition(|token| token.is_keyword("collate")) {
        return replaced(at).into_iter().collect();
    }
    let convert = tokens.iter().position(|token| token.is_keyword("convert"));
    if let Some(set) = convert.and_then(|at| {
        let word = tokens[at..].iter().position(|token| token.is_any_keyword(&["set", "charset"]))?;
        tokens.get(at + word + 1)
    }) {
        return vec![format!("{} COLLATE {collation}{}", &text[..set.end()], &text[set.end()..])];
    }
    let columns = tokens.windows(2).filter(|pair| is_text_type(&pair[1])).filter_map(|pair| pair[0].name());
    columns.filter_map(|column| declare(text, tokens, &column, collation)).collect()
}
