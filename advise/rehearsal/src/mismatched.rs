//! Tables with foreign keys between columns of different collations, which an ALTER under
//! `foreign_key_checks = 0` leaves. Servers refuse to create them as they are: MySQL 9.7 with error
//! 3780, MySQL 5.6 with 1215, MariaDB 10.1 with 1005.

use mysql::prelude::Queryable;
use server::Conn;
use sql::{SqlMode, Token, ddl, quote_identifier};

use crate::definitions::{Kind, Object};

/// A column that gets the character set and collation of its partner for a time.
struct Borrowed {
    column: String,
    charset: String,
    collation: String,
}

/// Returns a table's definition with the collations of the columns that its foreign keys join, and
/// an ALTER TABLE that gives its own back. `None` if it has no partner among the tables that exist.
pub fn with_partner_collations(conn: &mut Conn, tables: &[&Object], table: &Object) -> Option<(String, String)> {
    let borrowed: Vec<Borrowed> = tables
        .iter()
        .filter(|other| other.name.kind == Kind::Table)
        .flat_map(|child| keys(child).into_iter().map(move |key| (*child, key)))
        .flat_map(|(child, key)| partners(child, &key, table))
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

/// Columns of a foreign key and of its parent, and the parent's schema and name.
struct Key {
    columns: Vec<String>,
    parent: (String, String),
    parent_columns: Vec<String>,
}

fn keys(child: &Object) -> Vec<Key> {
    ddl::find_foreign_keys(&child.create).into_iter().filter_map(|(_, key)| read_key(child, key)).collect()
}

/// Reads ``CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `s`.`p` (`b`)``.
fn read_key(child: &Object, definition: &str) -> Option<Key> {
    let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).filter(Token::is_content).collect();
    let list = |from: usize| -> Option<(usize, Vec<String>)> {
        let open = from + tokens[from..].iter().position(|token| token.is_symbol('('))?;
        let close = open + tokens[open..].iter().position(|token| token.is_symbol(')'))?;
        Some((open, tokens[open..close].iter().filter_map(Token::name).collect()))
    };
    let references = tokens.iter().position(|token| token.is_keyword("REFERENCES"))?;
    let (_, columns) = list(0)?;
    let (open, parent_columns) = list(references)?;
    let names: Vec<String> = tokens[references + 1..open].iter().filter_map(Token::name).collect();
    let parent = match names.as_slice() {
        [table] => (child.name.schema.clone(), table.clone()),
        [schema, table] => (schema.clone(), table.clone()),
        _ => return None,
    };
    Some(Key { columns, parent, parent_columns })
}

/// A column of another table.
struct Partner {
    schema: String,
    table: String,
    column: String,
}

/// Returns the columns of a table that the key joins, each with its partner.
fn partners(child: &Object, key: &Key, table: &Object) -> Vec<(String, Partner)> {
    let own = (table.name.schema.clone(), table.name.name.clone());
    let child_name = (child.name.schema.clone(), child.name.name.clone());
    let (columns, other, others) = if own == key.parent {
        (&key.parent_columns, &child_name, &key.columns)
    } else if own == child_name {
        (&key.columns, &key.parent, &key.parent_columns)
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
