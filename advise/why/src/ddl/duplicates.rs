//! Values that a collation makes equal, where a key must be unique.

use server::collation_charset;
use sql::{Token, ddl, quote_identifier, quote_table};

use super::{Attempt, Cause, Refused, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::dictionary::{Column, Table};
use crate::model::{Kind, Scope};

/// Collations that distinguish more, by their names behind the character set, weaker ones first.
pub const STRONGER: [&str; 8] = [
    "0900_as_ci",
    "uca1400_as_ci",
    "0900_as_cs",
    "uca1400_as_cs",
    "ja_0900_as_cs",
    "ja_0900_as_cs_ks",
    "0900_bin",
    "bin",
];

/// Maximum number of groups of equal values that are listed for a column.
const MAX_GROUPS: usize = 5;

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let Some(table) = &refused.table else { return Ok(None) };
    let target = super::target_collation(copy, refused)?;
    let columns = unique_columns(refused.text, table);
    let mut details = Vec::new();
    for column in &columns {
        let collation = target.clone().or_else(|| column.collation.clone()).unwrap_or_default();
        let groups = equal_values(copy, table, column, &collation)?;
        if groups.is_empty() {
            continue;
        }
        details.push(format!("{}.{} by {collation}: equal are {}", table.name, column.name, groups.join(", ")));
    }
    // Without values that differ and are equal, the collation is not the cause.
    if details.is_empty() {
        return Ok(None);
    }
    let mut attempts = Vec::new();
    let charset = target
        .as_deref()
        .or_else(|| columns.first().and_then(|column| column.collation.as_deref()))
        .map(collation_charset);
    for suffix in STRONGER {
        let collation = format!("{}_{suffix}", charset.unwrap_or("utf8mb4"));
        attempts.extend(with_collation(copy, refused, table, &columns, &collation)?);
    }
    Ok(Some(Cause { details, attempts, ..Cause::new(Kind::Duplicates) }))
}

/// Text columns of the unique index that the statement adds, or else of all indexes of the table.
fn unique_columns<'t>(text: &str, table: &'t Table) -> Vec<&'t Column> {
    let tokens = tokens_without_comments(text);
    let unique = tokens.iter().position(|token| token.is_any_keyword(&["unique", "primary"]));
    let names: Vec<String> = match unique {
        Some(at) => {
            let open =
                tokens[at..].iter().position(|token| token.is_symbol('(')).map_or(tokens.len(), |open| at + open);
            tokens[open..].iter().take_while(|token| !token.is_symbol(')')).filter_map(Token::name).collect()
        }
        None => table.indexes.iter().flat_map(|index| index.parts.iter().map(|part| part.0.clone())).collect(),
    };
    table
        .columns
        .iter()
        .filter(|column| column.collation.is_some() && names.iter().any(|name| name.eq_ignore_ascii_case(&column.name)))
        .collect()
}

/// Groups of different values that are equal: `'a' = 'A'`.
fn equal_values(copy: &Copy<'_>, table: &Table, column: &Column, collation: &str) -> Result<Vec<String>, Error> {
    let (name, from) = (quote_identifier(&column.name), quote_table(&table.schema, &table.name));
    let charset = collation_charset(collation);
    let converted = format!("CONVERT({name} USING {charset}) COLLATE {collation}");
    let query = format!(
        "SELECT GROUP_CONCAT(QUOTE({name}) ORDER BY BINARY {name} SEPARATOR ' = ') FROM {from} \
         GROUP BY {converted} HAVING COUNT(DISTINCT BINARY {name}) > 1 LIMIT {MAX_GROUPS}"
    );
    copy.names(&query).or_else(|_| Ok(Vec::new()))
}

/// Gives the statement's COLLATE or CONVERT clause a stronger collation, or converts the column to
/// it before.
fn with_collation(
    copy: &Copy<'_>,
    refused: &Refused<'_>,
    table: &Table,
    columns: &[&Column],
    collation: &str,
) -> Result<Option<Attempt>, Error> {
    let tokens = tokens_without_comments(refused.text);
    if let Some(at) = tokens.iter().position(|token| token.is_keyword("collate")) {
        let Some(name) = tokens[at + 1..].iter().find(|token| !token.is_symbol('=')) else { return Ok(None) };
        let sql = format!("{}{collation}{}", &refused.text[..name.start], &refused.text[name.end()..]);
        return Ok(Some(Attempt::new(
            Scope::Table,
            format!("Convert to {collation}, which tells these values apart"),
            vec![sql],
        )));
    }
    if let Some(at) = tokens.iter().position(|token| token.is_keyword("convert"))
        && let Some(set) = tokens[at..].iter().position(|token| token.is_any_keyword(&["set", "charset"]))
        && let Some(charset) = tokens.get(at + set + 1)
    {
        let sql = format!("{} COLLATE {collation}{}", &refused.text[..charset.end()], &refused.text[charset.end()..]);
        return Ok(Some(Attempt::new(
            Scope::Table,
            format!("Convert to {collation}, which tells these values apart"),
            vec![sql],
        )));
    }
    let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
    let charset = collation_charset(collation);
    let mut parts = Vec::new();
    for column in columns {
        let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
        parts.push(format!(
            "MODIFY {} {}",
            quote_identifier(&column.name),
            ddl::with_collation(definition, charset, collation, None)
        ));
    }
    let alter = format!("ALTER TABLE {} {}", refused.session.quote_table(&table.schema, &table.name), parts.join(", "));
    let names: Vec<String> = columns.iter().map(|column| format!("{}.{}", table.name, column.name)).collect();
    let what = format!("Give {} the collation {collation}, which tells these values apart", names.join(" and "));
    Ok(Some(Attempt::new(Scope::Column, what, vec![alter, refused.text.to_owned()])))
}
