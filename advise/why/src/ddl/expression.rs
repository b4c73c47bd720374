//! Expressions of definitions that combine two collations: checks, generated columns, keys.

use std::ops::Range;

use sql::Token;

use super::{Attempt, Cause, Refused, is_text_type, tokens_without_comments};
use crate::model::{Kind, Scope};
use crate::remedy::splice;

/// Maximum number of columns of expressions to which a collation is given one by one.
const MAX_COLUMNS: usize = 8;

/// Explains errors 1267, 1270 and 1271. `None` without a text column in an expression.
pub fn explain(refused: &Refused<'_>) -> Option<Cause> {
    let tokens = tokens_without_comments(refused.text);
    let columns = expression_columns(refused, &tokens);
    let named: Vec<String> = columns.iter().filter_map(|at| tokens[*at].name()).collect();
    let collation = |name: &String| {
        let column = refused.table.as_ref()?.column(name)?;
        Some((column.name.clone(), column.collation.clone()?))
    };
    let own: Vec<(String, String)> = named.iter().filter_map(collation).collect();
    let mut collations = named_collations(&refused.refusal.message);
    collations.extend(own.iter().map(|(_, collation)| collation.clone()));
    let mut details: Vec<String> = own.iter().map(|(name, collation)| format!("{name} is {collation}")).collect();
    remove_repeated(&mut details);
    remove_repeated(&mut collations);
    let collate = |at: &usize, collation: &str| {
        let end = tokens[*at].end();
        (end..end, format!(" COLLATE {collation}"))
    };
    let attempt = |edits: Vec<(Range<usize>, String)>, collation: &str| {
        let what = format!("In the statement, compare by {collation}");
        Attempt::new(Scope::Statement, what, vec![splice(refused.text, &edits)])
    };
    let mut attempts = Vec::new();
    for collation in &collations {
        let each = columns.iter().take(MAX_COLUMNS).map(|at| attempt(vec![collate(at, collation)], collation));
        let all = attempt(columns.iter().map(|at| collate(at, collation)).collect(), collation);
        attempts.extend(each.chain([all]));
    }
    (!attempts.is_empty()).then_some(Cause { details, attempts, max_remedies: 2, ..Cause::new(Kind::Refused) })
}

/// Collations of `(utf8mb4_bin,IMPLICIT) and (utf8mb4_general_ci,IMPLICIT)`.
fn named_collations(message: &str) -> Vec<String> {
    let parts = message.split('(').skip(1).filter_map(|part| part.split_once(','));
    parts.map(|(collation, _)| collation.to_owned()).filter(|name| name.contains('_')).collect()
}

fn remove_repeated(all: &mut Vec<String>) {
    let mut known: Vec<String> = Vec::new();
    all.retain(|one| {
        let is_new = !known.contains(one);
        known.push(one.clone());
        is_new
    });
}

/// Indexes of the tokens that name a text column, within the parentheses of `CHECK`, of `AS`, and
/// of keys on expressions.
fn expression_columns(refused: &Refused<'_>, tokens: &[Token<'_>]) -> Vec<usize> {
    let is_defined = |name: &str| {
        let is_named = |pair: &[Token<'_>]| {
            is_text_type(&pair[1]) && pair[0].name().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        tokens.windows(2).any(is_named)
    };
    let is_text = |name: &str| {
        let column = refused.table.as_ref().and_then(|table| table.column(name));
        column.map_or_else(|| is_defined(name), |column| column.collation.is_some())
    };
    let mut found = Vec::new();
    let mut depths: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_inside = depths.last().copied().unwrap_or_default();
        if token.is_symbol('(') {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let begins = before.is_some_and(|word| word.is_any_keyword(&["check", "as"]) || word.is_symbol('('));
            depths.push(is_inside || begins);
        } else if token.is_symbol(')') {
            depths.pop();
        } else if is_inside
            && !tokens.get(at + 1).is_some_and(|next| next.is_symbol('(') || next.is_keyword("collate"))
            && token.name().is_some_and(|name| is_text(&name))
        {
            found.push(at);
        }
    }
    found
}
