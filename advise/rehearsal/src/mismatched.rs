//! Tables with foreign keys between columns of different collations, which an ALTER under
//! `foreign_key_checks = 0` leaves. Servers refuse to create them as they are: MySQL 9.7 with error
//! 3780, MySQL 5.6 with 1215, MariaDB 10.1 with 1005.

use mysql::prelude::Queryable;
use server::Conn;
use sql::ddl::Reference;
use sql::{SqlMode, Token, ddl, quote_identifier};

use crate::definitions::{Kind, Object};

/// A column that gets the character set and collation of its partner for a time.
struct Borrowed {
    column: String,
    charset: String,
    collation: String,
}

/// A foreign key with its table.
pub struct TableKey<'o> {
    child: &'o Object,
    key: Reference,
}

/// Returns the foreign keys of all tables among the objects.
pub fn foreign_keys<'o>(objects: &[&'o Object]) -> Vec<TableKey<'o>> {
    let tables = objects.iter().filter(|object| object.name.kind == Kind::Table);
    tables.flat_map(|child| references(child).into_iter().map(move |key| TableKey { child, key })).collect()
}

/// Returns a table's definition with the collations of the columns that foreign keys join, and an
/// ALTER TABLE that gives its own back. `None` if it has no partner among the tables that exist.
pub fn with_partner_collations(conn: &mut Conn, keys: &[TableKey<'_>], table: &Object) -> Option<(String, String)> {
    let borrowed: Vec<Borrowed> = keys
        .iter()
        .flat_map(|TableKey { child, key }| partners(child, key, table))
        .filter_map(|(column, partner)| read_collation(conn, column, &partner))
        .collect();
    let (mut create, mut changes) = (table.create.clone(), Vec::new());
    for Borrowed { column, charset, collation } in &borrowed {
        let quoted = quote_identifier(column);
        // Each column is in one change, also if several keys have it.
        if changes.iter().any(|change: &String| change.starts_with(&format!("MODIFY {quoted} "))) {
            continue;
        }
        let own = ddl::find_column(&create, column)?.to_owned();
        let begin = create.find(&format!("{quoted} {own}"))? + quoted.len() + 1;
        create.replace_range(begin..begin + own.len(), &ddl::with_collation(&own, charset, collation, None));
        changes.push(format!("MODIFY {quoted} {own}"));
    }
    let name = sql::quote_table(&table.name.schema, &table.name.name);
    (!changes.is_empty()).then(|| (create, format!("ALTER TABLE {name} {}", changes.join(", "))))
}

fn references(child: &Object) -> Vec<Reference> {
    let tokens: Vec<Token<'_>> = sql::tokenize(&child.create, SqlMode::default()).filter(Token::is_content).collect();
    ddl::find_references(&tokens)
}

/// A column of another table.
struct Partner {
    schema: String,
    table: String,
    column: String,
}

/// Returns the columns of a table that the key joins, each with its partner.
fn partners(child: &Object, key: &Reference, table: &Object) -> Vec<(String, Partner)> {
    let own = (table.name.schema.clone(), table.name.name.clone());
    let child_name = (child.name.schema.clone(), child.name.name.clone());
    let parent = (key.schema.clone().unwrap_or_else(|| child_name.0.clone()), key.table.clone());
    let (columns, other, others) = if own == parent {
        (&key.parent_columns, &child_name, &key.columns)
    } else if own == child_name {
        (&key.columns, &parent, &key.parent_columns)
    } else {
        return Vec::new();
    };
    let partner = |column: &String| Partner { schema: other.0.clone(), table: other.1.clone(), column: column.clone() };
    columns.iter().cloned().zip(others.iter().map(partner)).collect()
}

fn read_collation(conn: &mut Conn, column: String, partner: &Partner) -> Option<Borrowed> {
    let query = "SELECT CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME = ? AND COLLATION_NAME IS NOT NULL";
    let names = (&partner.schema, &partner.table, &partner.column);
    let (charset, collation) = conn.exec_first::<(String, String), _, _>(query, names).ok()??;
    Some(Borrowed { column, charset, collation })
}
