//! Names in expressions, and expressions after a conversion.

use facts::Table;
use sql::{SqlMode, Token, TokenKind};

use crate::job::{Conversion, Job, TableJob};
use crate::quote::charset_name;

/// Returns the generated columns whose expression names a changed column, or another such generated
/// column.
pub fn dependent_columns<'t>(table: &'t Table, mut changed: Vec<&'t str>) -> Vec<&'t str> {
    let generated: Vec<(&str, &str)> = table
        .columns
        .iter()
        .filter_map(|column| Some((column.name.as_str(), column.generated.as_ref()?.expression.as_str())))
        .collect();
    let mut dependent: Vec<&str> = Vec::new();
    loop {
        let is_new = |(name, expression): &&(&str, &str)| {
            !dependent.contains(name) && changed.iter().any(|column| mentions_column(expression, column))
        };
        let new: Vec<&str> = generated.iter().filter(is_new).map(|(name, _)| *name).collect();
        if new.is_empty() {
            return dependent;
        }
        dependent.extend(&new);
        changed.extend(new);
    }
}

/// Returns a value of a column in a target's character set and collation:
/// ``CONVERT(`a` USING utf8mb4) COLLATE utf8mb4_bin``.
pub fn converted_column(job: &Job<'_>, conversion: &Conversion<'_>, target: usize, value: &str) -> String {
    let target = &conversion.targets[target];
    format!("CONVERT({value} USING {}) COLLATE {}", charset_name(job.facts, &target.charset), target.name)
}

/// Returns an expression of a table's definition as it is after the conversion to a target. `None`
/// if it names no converted column. The servers print columns in backticks.
pub fn converted_expression(job: &Job<'_>, table: &TableJob<'_>, target: usize, expression: &str) -> Option<String> {
    let mut converted = String::new();
    let mut copied = 0;
    let conversion_of = |token: &Token<'_>| match token.kind {
        TokenKind::QuotedName => table.conversion(&token.name()?),
        _ => None,
    };
    for token in sql::tokenize(expression, SqlMode::default()) {
        let Some(conversion) = conversion_of(&token) else { continue };
        converted += &expression[copied..token.start];
        converted += &format!("({})", converted_column(job, conversion, target, token.text));
        copied = token.end();
    }
    (copied > 0).then(|| converted + &expression[copied..])
}

/// True if an expression names a column, with or without backticks. A string or function of that
/// name counts, too: the plan then copies a table or builds an index again without need.
pub fn mentions_column(expression: &str, column: &str) -> bool {
    mentions_name(&expression.to_lowercase(), &column.to_lowercase())
}

/// True if a text contains a name as a whole word of letters, digits, `_` and `$`. Case-sensitive.
pub fn mentions_name(text: &str, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let ends_word = |character: Option<char>| !character.is_some_and(is_word);
    text.match_indices(name)
        .any(|(at, _)| ends_word(text[..at].chars().next_back()) && ends_word(text[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_whole_names() {
        assert!(mentions_column("concat(`A`,'-',b)", "a") && mentions_column("UPPER(b)", "B"));
        assert!(!mentions_column("concat(`ab`, a1, _a)", "a"));
    }
}
