//! Foreign keys between columns of two collations.

mod convert;
mod redeclared;

use server::{collation_charset, is_same_collation};
use sql::ddl::{Reference, find_references};
use sql::{Token, ddl, quote_identifier};

use super::{Attempt, Cause, Refused, declare, named_collation, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let tokens = tokens_without_comments(refused.text);
    let mut mismatches = Vec::new();
    for reference in find_references(&tokens) {
        for (child, referenced) in reference.columns.iter().zip(&reference.parent_columns) {
            mismatches.extend(explain_pair(copy, refused, &tokens, &reference, child, referenced)?);
        }
    }
    if mismatches.is_empty() {
        let cause = convert::explain(copy, refused)?;
        return if cause.is_some() { Ok(cause) } else { redeclared::explain(copy, refused) };
    }
    let details = mismatches.iter().map(|mismatch| mismatch.detail.clone()).collect();
    let cause = Cause { details, ..Cause::new(Kind::ForeignKey) };
    Ok(Some(match &refused.table {
        Some(_) => Cause { attempts: alter_columns(refused, &mismatches), ..cause },
        // A new table's key can be refused for another reason: no index, or another type.
        None => Cause { attempts: declare_columns(refused, mismatches), max_remedies: 1, needs_remedy: true, ..cause },
    }))
}

/// A column of a key that has, or may have, another collation than the parent's column.
struct Mismatch {
    detail: String,
    column: String,
    /// Collation of the parent's column.
    collation: String,
    /// A change of the column alone.
    attempt: Attempt,
}

/// Explains a column of a key that the statement adds. `None` if the column has the parent's
/// collation, or a column is unknown.
fn explain_pair(
    copy: &Copy<'_>,
    refused: &Refused<'_>,
    tokens: &[Token<'_>],
    reference: &Reference,
    child: &str,
    referenced: &str,
) -> Result<Option<Mismatch>, Error> {
    let own = refused.session.schema.clone().unwrap_or_default();
    let schema = reference.schema.clone().unwrap_or(own);
    let Some(parent) = copy.table(&schema, &reference.table)? else { return Ok(None) };
    let Some(collation) = parent.column(referenced).and_then(|column| column.collation.clone()) else {
        return Ok(None);
    };
    let title = format!("{}.{referenced}", parent.name);
    let Some(table) = &refused.table else {
        let named = named_collation(tokens, child);
        if named.as_ref().is_some_and(|named| is_same_collation(named, &collation)) {
            return Ok(None);
        }
        let Some(sql) = declare(refused.text, tokens, child, &collation) else { return Ok(None) };
        let own = match named {
            Some(named) => format!("is {named}"),
            None => "takes the default of its character set, of the table or of the schema".to_owned(),
        };
        let detail = format!("The new column {child} {own}, {title} is {collation}");
        let what = format!("Declare {child} with the collation of {title}, {collation}");
        let attempt = Attempt::new(Scope::Statement, what, vec![sql]);
        return Ok(Some(Mismatch { detail, column: child.to_owned(), collation, attempt }));
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
    let attempt = Attempt::new(Scope::Column, what, vec![alter, refused.text.to_owned()]);
    Ok(Some(Mismatch { detail, column: child.to_owned(), collation, attempt }))
}

/// Changes all existing columns in one attempt, because all changes are needed.
fn alter_columns(refused: &Refused<'_>, mismatches: &[Mismatch]) -> Vec<Attempt> {
    let what = join_what(mismatches);
    let alters = mismatches.iter().filter_map(|mismatch| mismatch.attempt.sql.first().cloned());
    let sql = alters.chain(std::iter::once(refused.text.to_owned())).collect();
    vec![Attempt::new(Scope::Column, what, sql)]
}

/// Declares each new column alone, then all of them: a column can have the right collation by the
/// defaults of its table and schema.
fn declare_columns(refused: &Refused<'_>, mismatches: Vec<Mismatch>) -> Vec<Attempt> {
    let declare_next = |text: String, mismatch: &Mismatch| {
        declare(&text, &tokens_without_comments(&text), &mismatch.column, &mismatch.collation)
    };
    let all = mismatches.iter().try_fold(refused.text.to_owned(), declare_next).filter(|_| mismatches.len() > 1);
    let what = join_what(&mismatches);
    let together = all.map(|sql| Attempt::new(Scope::Statement, what, vec![sql]));
    mismatches.into_iter().map(|mismatch| mismatch.attempt).chain(together).collect()
}

fn join_what(mismatches: &[Mismatch]) -> String {
    mismatches.iter().map(|mismatch| mismatch.attempt.what.clone()).collect::<Vec<_>>().join("; ")
}
