//! Foreign keys between columns of two collations.

mod convert;

use server::{collation_charset, is_same_collation};
use sql::ddl::{Reference, find_references};
use sql::{Token, ddl, quote_identifier};

use super::{Attempt, Cause, Refused, declare, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let tokens = tokens_without_comments(refused.text);
    let (mut details, mut attempts) = (Vec::new(), Vec::new());
    for reference in find_references(&tokens) {
        for (child, referenced) in reference.columns.iter().zip(&reference.parent_columns) {
            if let Some((detail, attempt)) = explain_pair(copy, refused, &tokens, &reference, child, referenced)? {
                details.push(detail);
                attempts.push(attempt);
            }
        }
    }
    if attempts.is_empty() {
        return convert::explain(copy, refused);
    }
    let attempts = combine_attempts(refused, attempts);
    Ok(Some(Cause { details, attempts, ..Cause::new(Kind::ForeignKey) }))
}

/// Explains a column of a key that the statement adds. `None` if an existing column has the
/// parent's collation, or a column is unknown.
fn explain_pair(
    copy: &Copy<'_>,
    refused: &Refused<'_>,
    tokens: &[Token<'_>],
    reference: &Reference,
    child: &str,
    referenced: &str,
) -> Result<Option<(String, Attempt)>, Error> {
    let own = refused.session.schema.clone().unwrap_or_default();
    let schema = reference.schema.clone().unwrap_or(own);
    let Some(parent) = copy.table(&schema, &reference.table)? else { return Ok(None) };
    let Some(collation) = parent.column(referenced).and_then(|column| column.collation.clone()) else {
        return Ok(None);
    };
    let title = format!("{}.{referenced}", parent.name);
    let Some(table) = &refused.table else {
        let Some(sql) = declare(refused.text, tokens, child, &collation) else { return Ok(None) };
        let detail =
            format!("The new column {child} takes the table's or the schema's collation, {title} is {collation}");
        let what = format!("Declare {child} with the collation of {title}, {collation}");
        return Ok(Some((detail, Attempt::new(Scope::Statement, what, vec![sql]))));
    };
    let Some(column) = table.column(child) else { return Ok(None) };
    let own = column.collation.clone().unwrap_or_default();
    let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
    let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
    if is_same_collation(&own, &collation) {
        return Ok(None);
    }
    let definition = ddl::with_collation(definition, collation_charset(&collation), &collation, None);
    let name = refused.session.quote_table(&table.schema, &table.name);
    let alter = format!("ALTER TABLE {name} MODIFY {} {definition}", quote_identifier(&column.name));
    let what = format!("Give {}.{child} the collation of {title}, {collation}", table.name);
    let detail = format!("{}.{child} is {own}, {title} is {collation}", table.name);
    Ok(Some((detail, Attempt::new(Scope::Column, what, vec![alter, refused.text.to_owned()]))))
}

/// Combines the changes of existing columns into one attempt, because all of them are needed.
fn combine_attempts(refused: &Refused<'_>, attempts: Vec<Attempt>) -> Vec<Attempt> {
    if attempts.len() < 2 || refused.table.is_none() {
        return attempts;
    }
    let what = attempts.iter().map(|attempt| attempt.what.clone()).collect::<Vec<_>>().join("; ");
    let alters = attempts.iter().filter_map(|attempt| attempt.sql.first().cloned());
    let sql = alters.chain(std::iter::once(refused.text.to_owned())).collect();
    vec![Attempt::new(Scope::Column, what, sql)]
}
