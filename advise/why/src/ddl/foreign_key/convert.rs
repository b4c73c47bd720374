//! Conversions of columns that belong to foreign keys.

use mysql::prelude::Queryable;
use server::{collation_charset, is_same_collation};
use sql::{ddl, quote_identifier, quote_string};

use super::super::{Attempt, Cause, Refused, target_collation};
use crate::Error;
use crate::copy::Copy;
use crate::model::{Kind, Scope};

/// A foreign key of the table that the statement alters, as child or parent.
#[derive(Debug)]
pub(super) struct Key {
    pub name: String,
    /// Schema and name.
    pub child: (String, String),
    pub parent: (String, String),
    /// Columns of child and parent.
    columns: Vec<(String, String)>,
    rules: String,
}

impl Key {
    /// True for a column of the key in a table, as child or parent.
    pub fn has_column(&self, table: &(String, String), column: &str) -> bool {
        let is_side = |side: &(String, String), name: &String| side == table && name.eq_ignore_ascii_case(column);
        self.columns.iter().any(|(child, parent)| is_side(&self.child, child) || is_side(&self.parent, parent))
    }
}

/// Row for a column of a foreign key: name, child, parent, column of the child and of the parent.
type KeyRow = (String, String, String, String, String, String, String);

pub fn explain(copy: &mut Copy<'_>, refused: &Refused<'_>) -> Result<Option<Cause>, Error> {
    let Some(table) = &refused.table else { return Ok(None) };
    let Some(collation) = target_collation(copy, refused)? else { return Ok(None) };
    let place = (table.schema.clone(), table.name.clone());
    let keys = keys(copy, &place)?;
    let mut details = Vec::new();
    let (mut drops, mut converts, mut adds, mut tables) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for key in &keys {
        let is_child = key.child == place;
        let other = if is_child { &key.parent } else { &key.child };
        let Some(found) = copy.table(&other.0, &other.1)? else { continue };
        let mut modifies = Vec::new();
        for (child, parent) in &key.columns {
            let name = if is_child { parent } else { child };
            let Some(own) = found.column(name).and_then(|column| column.collation.clone()) else { continue };
            if is_same_collation(&own, &collation) {
                continue;
            }
            details.push(format!("Foreign key {} ties a column to {}.{name}, which is {own}", key.name, other.1));
            let Some(create) = copy.create_table(&other.0, &other.1)? else { continue };
            let Some(definition) = ddl::find_column(&create, name) else { continue };
            let definition = ddl::with_collation(definition, collation_charset(&collation), &collation, None);
            modifies.push(format!("MODIFY {} {definition}", quote_identifier(name)));
        }
        if modifies.is_empty() {
            continue;
        }
        let child = refused.session.quote_table(&key.child.0, &key.child.1);
        drops.push(format!("ALTER TABLE {child} DROP FOREIGN KEY {}", quote_identifier(&key.name)));
        let convert =
            format!("ALTER TABLE {} {}", refused.session.quote_table(&other.0, &other.1), modifies.join(", "));
        if *other != place && !converts.contains(&convert) {
            converts.push(convert);
        }
        adds.push(add(refused, key));
        for kept in [&key.child, &key.parent] {
            if *kept != place && !tables.contains(kept) {
                tables.push(kept.clone());
            }
        }
    }
    if drops.is_empty() {
        return Ok(None);
    }
    let text = refused.text.to_owned();
    let without_checks: Vec<String> = std::iter::once("SET foreign_key_checks = 0".to_owned())
        .chain(std::iter::once(text.clone()))
        .chain(converts.clone())
        .chain(std::iter::once("SET foreign_key_checks = 1".to_owned()))
        .collect();
    let sql: Vec<String> = drops.into_iter().chain(std::iter::once(text)).chain(converts).chain(adds).collect();
    let attempt = |what: &str, sql| Attempt { tables: tables.clone(), ..Attempt::new(Scope::Table, what.into(), sql) };
    let attempts = vec![
        attempt("Convert both sides of the foreign key without foreign key checks", without_checks),
        attempt("Drop the foreign key, convert both sides, and add it again", sql),
    ];
    Ok(Some(Cause { details, attempts, ..Cause::new(Kind::ForeignKey) }))
}

fn add(refused: &Refused<'_>, key: &Key) -> String {
    let list = |names: Vec<&String>| names.iter().map(|name| quote_identifier(name)).collect::<Vec<_>>().join(", ");
    format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){}",
        refused.session.quote_table(&key.child.0, &key.child.1),
        quote_identifier(&key.name),
        list(key.columns.iter().map(|(child, _)| child).collect()),
        refused.session.quote_table(&key.parent.0, &key.parent.1),
        list(key.columns.iter().map(|(_, parent)| parent).collect()),
        key.rules
    )
}

pub(super) fn keys(copy: &Copy<'_>, (schema, name): &(String, String)) -> Result<Vec<Key>, Error> {
    let (schema, name) = (quote_string(schema), quote_string(name));
    let fail = |source| copy.failed("read foreign keys", source);
    let mut conn = copy.server().connect()?;
    let rows: Vec<KeyRow> = conn
        .query(format!(
            "SELECT CONSTRAINT_NAME, TABLE_SCHEMA, TABLE_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, COLUMN_NAME, \
             REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL \
             AND (TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} OR REFERENCED_TABLE_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {name}) \
             ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION"
        ))
        .map_err(fail)?;
    let mut found: Vec<Key> = Vec::new();
    for (key, child_schema, child, parent_schema, parent, column, referenced) in rows {
        let child = (child_schema, child);
        match found.last_mut().filter(|last| last.name == key && last.child == child) {
            Some(last) => last.columns.push((column, referenced)),
            None => found.push(Key {
                name: key,
                child,
                parent: (parent_schema, parent),
                columns: vec![(column, referenced)],
                rules: String::new(),
            }),
        }
    }
    for key in &mut found {
        let rules: Option<(String, String)> = conn
            .query_first(format!(
                "SELECT UPDATE_RULE, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = {} \
                 AND CONSTRAINT_NAME = {} AND TABLE_NAME = {}",
                quote_string(&key.child.0),
                quote_string(&key.name),
                quote_string(&key.child.1)
            ))
            .map_err(fail)?;
        if let Some((update, delete)) = rules {
            key.rules = format!(" ON UPDATE {update} ON DELETE {delete}");
        }
    }
    Ok(found)
}
