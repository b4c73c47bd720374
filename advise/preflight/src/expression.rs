//! Names in expressions, and expressions after a conversion.

use facts::{Column, Table};
use server::Flavour;
use sql::{SqlMode, Token, TokenKind, ddl};

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

/// Returns the expression of a generated column from the table's definition: `information_schema`
/// of MySQL escapes quotes. `None` if the column is not generated.
pub fn generated_expression(job: &Job<'_>, table: &TableJob<'_>, column: &Column) -> Option<String> {
    let generated = column.generated.as_ref()?;
    let own = || {
        let definition = ddl::find_column(job.create_table(table), &column.name)?;
        let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
        let open = tokens.windows(2).position(|pair| pair[0].is_keyword("as") && pair[1].is_symbol('('))? + 1;
        let inside = &tokens[open + 1..];
        let close = inside[sql::closing_parenthesis(inside)?];
        Some(definition[tokens[open].start..close.end()].to_owned())
    };
    Some(own().unwrap_or_else(|| generated.expression.clone()))
}

/// Maximum number of columns that the expression of one column names, also by way of other columns.
const MAX_NAMED_COLUMNS: usize = 500;

/// Text in place of an expression that names more. A server that is asked refuses it, and the
/// question is then "not checked".
const TOO_LONG: &str = "expression with too many columns";

/// An expression names more than [`MAX_NAMED_COLUMNS`]: generated columns can name each other.
struct TooLong;

/// Returns the value of a column after the conversion to a target, computed anew if the column is
/// generated. `None` if the conversion changes neither the column nor what it is computed from.
pub fn converted_value(job: &Job<'_>, table: &TableJob<'_>, target: usize, column: &str) -> Option<String> {
    let mut left = MAX_NAMED_COLUMNS;
    expand_value(job, table, target, column, &mut left).unwrap_or_else(|TooLong| Some(TOO_LONG.to_owned()))
}

/// As [`converted_value`]. `left` is the number of columns that may still be named.
fn expand_value(
    job: &Job<'_>,
    table: &TableJob<'_>,
    target: usize,
    column: &str,
    left: &mut usize,
) -> Result<Option<String>, TooLong> {
    *left = left.checked_sub(1).ok_or(TooLong)?;
    let Some(column) = table.table.column(column) else { return Ok(None) };
    let conversion = table.conversion(&column.name);
    let own = generated_expression(job, table, column).filter(|expression| find_unprintable(job, expression).is_none());
    let computed = match own {
        Some(expression) => expand_expression(job, table, target, &expression, left)?,
        None => None,
    };
    Ok(match (computed, conversion) {
        (Some(value), Some(conversion)) => Some(converted_column(job, conversion, target, &value)),
        (Some(value), None) => Some(match (&column.charset, &column.collation) {
            (Some(charset), Some(collation)) => {
                format!("CONVERT({value} USING {}) COLLATE {collation}", charset_name(job.facts, charset))
            }
            _ => format!("({value})"),
        }),
        (None, Some(conversion)) => {
            Some(converted_column(job, conversion, target, &sql::quote_identifier(&column.name)))
        }
        (None, None) => None,
    })
}

/// Returns the first literal that MySQL can't print: `_latin1'?'` for any character beyond ASCII in
/// an expression of a latin1 table. `None` on MariaDB, which prints it.
pub fn find_unprintable(job: &Job<'_>, expression: &str) -> Option<String> {
    if job.facts.server.flavour != Flavour::MySql {
        return None;
    }
    let tokens: Vec<Token<'_>> = sql::tokenize(expression, SqlMode::default()).collect();
    let is_unprintable = |pair: &&[Token<'_>]| {
        let introduced = pair[0].text.strip_prefix('_').map(str::to_lowercase);
        let is_narrow = introduced
            .is_some_and(|name| !["utf", "ucs", "binary", "ascii"].iter().any(|other| name.starts_with(other)));
        is_narrow && pair[1].kind == TokenKind::StringLiteral && pair[1].text.contains('?')
    };
    tokens.windows(2).find(is_unprintable).map(|pair| format!("{}{}", pair[0].text, pair[1].text))
}

/// Returns an expression of a table's definition as it is after the conversion to a target. `None`
/// if it names neither a converted column nor a column that is computed from one. The servers print
/// columns in backticks.
pub fn converted_expression(job: &Job<'_>, table: &TableJob<'_>, target: usize, expression: &str) -> Option<String> {
    let mut left = MAX_NAMED_COLUMNS;
    expand_expression(job, table, target, expression, &mut left).unwrap_or_else(|TooLong| Some(TOO_LONG.to_owned()))
}

fn expand_expression(
    job: &Job<'_>,
    table: &TableJob<'_>,
    target: usize,
    expression: &str,
    left: &mut usize,
) -> Result<Option<String>, TooLong> {
    let mut converted = String::new();
    let mut copied = 0;
    for token in sql::tokenize(expression, SqlMode::default()).filter(|token| token.kind == TokenKind::QuotedName) {
        let Some(name) = token.name() else { continue };
        let Some(value) = expand_value(job, table, target, &name, left)? else { continue };
        converted += &expression[copied..token.start];
        converted += &format!("({value})");
        copied = token.end();
    }
    Ok((copied > 0).then(|| converted + &expression[copied..]))
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
