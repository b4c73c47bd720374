//! Definitions and rows of a schema, as the server's own tables and a plain `SELECT` have them:
//! nothing of what `weigh` reads and compares is used.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql::{Row, Value};
use server::Conn;
use sql::{quote_string, quote_table};

/// A schema before or after a conversion. The conversion must keep definitions and rows.
pub struct Snapshot {
    /// A line for each row of the schema in the views of [`DEFINITIONS`].
    pub definitions: BTreeSet<String>,
    /// Rows by base table, in the order of their values.
    pub rows: BTreeMap<String, Vec<Vec<u8>>>,
    /// Collations of the base tables' columns, by `table.column`.
    pub collations: BTreeMap<String, String>,
}

/// Kind of object, its view in information_schema, the view's column of the schema, and the columns
/// to read.
const DEFINITIONS: [(&str, &str, &str, &str); 9] = [
    (
        "column",
        "COLUMNS",
        "TABLE_SCHEMA",
        "TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT",
    ),
    (
        "index",
        "STATISTICS",
        "TABLE_SCHEMA",
        "TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE, INDEX_TYPE, INDEX_COMMENT",
    ),
    ("table", "TABLES", "TABLE_SCHEMA", "TABLE_NAME, TABLE_TYPE, ENGINE, ROW_FORMAT, CREATE_OPTIONS, TABLE_COMMENT"),
    (
        "foreign key",
        "REFERENTIAL_CONSTRAINTS",
        "CONSTRAINT_SCHEMA",
        "TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, UPDATE_RULE, DELETE_RULE",
    ),
    (
        "key part",
        "KEY_COLUMN_USAGE",
        "CONSTRAINT_SCHEMA",
        "TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION, REFERENCED_COLUMN_NAME",
    ),
    (
        "trigger",
        "TRIGGERS",
        "TRIGGER_SCHEMA",
        "TRIGGER_NAME, EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER, ACTION_STATEMENT, SQL_MODE, DEFINER",
    ),
    (
        "routine",
        "ROUTINES",
        "ROUTINE_SCHEMA",
        "ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, IS_DETERMINISTIC, SQL_DATA_ACCESS, SECURITY_TYPE, SQL_MODE, ROUTINE_COMMENT, DEFINER",
    ),
    ("view", "VIEWS", "TABLE_SCHEMA", "TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION, SECURITY_TYPE, DEFINER"),
    (
        "event",
        "EVENTS",
        "EVENT_SCHEMA",
        "EVENT_NAME, EVENT_DEFINITION, INTERVAL_VALUE, INTERVAL_FIELD, STATUS, ON_COMPLETION, DEFINER",
    ),
];

impl Snapshot {
    pub fn read(conn: &mut Conn, schema: &str) -> Result<Self> {
        conn.query_drop("SET NAMES utf8mb4")?;
        let mut definitions = BTreeSet::new();
        for (kind, table, key, columns) in DEFINITIONS {
            let rows: Vec<Row> = conn.query(format!(
                "SELECT {columns} FROM information_schema.{table} WHERE {key} = {}",
                quote_string(schema)
            ))?;
            definitions.extend(rows.into_iter().map(|row| {
                let values: Vec<String> = row.unwrap().iter().map(|value| value.as_sql(true)).collect();
                format!("{kind} {}", values.join(" "))
            }));
        }
        let collations: Vec<(String, String)> = conn.query(format!(
            "SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME), COLLATION_NAME FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {0} AND COLLATION_NAME IS NOT NULL AND TABLE_NAME IN \
             (SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {0} AND TABLE_TYPE = 'BASE TABLE')",
            quote_string(schema)
        ))?;
        let tables: Vec<String> = conn.query(format!(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_TYPE = 'BASE TABLE'",
            quote_string(schema)
        ))?;
        let mut rows = BTreeMap::new();
        for table in tables {
            let mut values: Vec<Vec<u8>> = conn
                .query::<Row, _>(format!("SELECT * FROM {}", quote_table(schema, &table)))?
                .into_iter()
                .map(|row| row.unwrap().iter().flat_map(bytes).collect())
                .collect();
            values.sort();
            rows.insert(table, values);
        }
        Ok(Self { definitions, rows, collations: collations.into_iter().collect() })
    }

    pub fn row_count(&self) -> usize {
        self.rows.values().map(Vec::len).sum()
    }

    /// Returns a line for each definition lost or new and for each table whose rows differ.
    pub fn differences(&self, after: &Self) -> Vec<String> {
        let lost = self.definitions.difference(&after.definitions).map(|line| format!("lost {line}"));
        let new = after.definitions.difference(&self.definitions).map(|line| format!("new {line}"));
        let rows = self
            .rows
            .iter()
            .filter(|(table, rows)| after.rows.get(*table) != Some(rows))
            .map(|(table, _)| format!("rows of {table}"));
        lost.chain(new).chain(rows).collect()
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Bytes(bytes) => [b"=", bytes.as_slice(), b"\0"].concat(),
        other => other.as_sql(true).into_bytes(),
    }
}
