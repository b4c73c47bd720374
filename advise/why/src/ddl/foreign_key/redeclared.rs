//! Columns of foreign keys that MODIFY and CHANGE declare without their collation: they would get
//! the table's default.

use server::is_same_collation;

use super::super::{Attempt, Cause, Refused, declare, named_collation, tokens_without_comments};
use super::convert;
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let Some(table) = &refused.table else { return Ok(None) };
    let default = table.collation.clone().unwrap_or_default();
    let place = (table.schema.clone(), table.name.clone());
    let keys = convert::keys(copy, &place)?;
    let mut text = refused.text.to_owned();
    let (mut details, mut tables) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let key = keys.iter().find(|key| key.has_column(&place, &column.name));
        let (Some(key), Some(own)) = (key, &column.collation) else { continue };
        let tokens = tokens_without_comments(&text);
        let new_name = new_name(&tokens, &column.name);
        if is_same_collation(own, &default) || named_collation(&tokens, &new_name).is_some() {
            continue;
        }
        let Some(declared) = declare(&text, &tokens, &new_name, own) else { continue };
        details.push(format!(
            "{}.{} is {own}, and foreign key {} ties it. Its new definition names no collation, so it would get the \
             table's default, {default}",
            table.name, column.name, key.name
        ));
        text = declared;
        // CHANGE also renames the column in the keys of other tables.
        tables.extend([&key.child, &key.parent].into_iter().filter(|side| **side != place).cloned());
    }
    if details.is_empty() {
        return Ok(None);
    }
    tables.sort();
    tables.dedup();
    let what = "Name the collation that the column has".to_owned();
    let attempt = Attempt { tables, ..Attempt::new(Scope::Statement, what, vec![text]) };
    Ok(Some(Cause { details, attempts: vec![attempt], needs_remedy: true, ..Cause::new(Kind::ForeignKey) }))
}

/// Name of a column after `CHANGE old new …`; its own without one.
fn new_name(tokens: &[sql::Token<'_>], column: &str) -> String {
    let is_column = |token: &sql::Token<'_>| token.name().is_some_and(|name| name.eq_ignore_ascii_case(column));
    let changed = tokens.windows(3).find(|three| {
        three[0].is_any_keyword(&["change", "column"]) && is_column(&three[1]) && !super::super::is_text_type(&three[2])
    });
    changed.and_then(|three| three[2].name()).unwrap_or_else(|| column.to_owned())
}
