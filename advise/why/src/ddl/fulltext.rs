//! FULLTEXT indexes over columns of two collations.

use server::{collation_charset, is_same_collation};
use sql::{Token, ddl, quote_identifier};

use super::{Attempt, Cause, Refused, tokens_without_comments};
use crate::Error;
use crate::copy::Copy;
use crate::dictionary::Column;
use crate::model::{Kind, Scope};

/// Explains error 1283. `None` if the columns have one collation.
pub fn explain(copy: &Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let Some(table) = &refused.table else { return Ok(None) };
    let tokens = tokens_without_comments(refused.text);
    let Some(word) = tokens.iter().position(|token| token.is_keyword("fulltext")) else { return Ok(None) };
    let behind = tokens[word..].iter().skip_while(|token| !token.is_symbol('('));
    let names = behind.take_while(|token| !token.is_symbol(')')).filter_map(Token::name);
    let columns: Vec<&Column> = names.filter_map(|name| table.column(&name)).collect();
    let collations: Vec<&str> = columns.iter().filter_map(|column| column.collation.as_deref()).collect();
    let count = |one: &str| collations.iter().filter(|other| is_same_collation(one, other)).count();
    // The first of the collations that most of the columns have.
    let Some(most) = collations.iter().rev().max_by_key(|one| count(one)) else { return Ok(None) };
    if count(most) == columns.len() {
        return Ok(None);
    }
    let Some(create) = copy.create_table(&table.schema, &table.name)? else { return Ok(None) };
    let (mut details, mut modifies, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let Some(own) = &column.collation else { return Ok(None) };
        details.push(format!("{}.{} is {own}", table.name, column.name));
        if is_same_collation(own, most) {
            continue;
        }
        let Some(definition) = ddl::find_column(&create, &column.name) else { return Ok(None) };
        let definition = ddl::with_collation(definition, collation_charset(most), most, None);
        modifies.push(format!("MODIFY {} {definition}", quote_identifier(&column.name)));
        changed.push(format!("{}.{}", table.name, column.name));
    }
    let name = refused.session.quote_table(&table.schema, &table.name);
    let alter = format!("ALTER TABLE {name} {}", modifies.join(", "));
    let what = format!("Convert {} to {most} before", changed.join(" and "));
    let attempts = vec![Attempt::new(Scope::Column, what, vec![alter, refused.text.to_owned()])];
    Ok(Some(Cause { details, attempts, ..Cause::new(Kind::Refused) }))
}
