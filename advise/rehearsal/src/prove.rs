//! Checks that tables are sound after the statements.

use lifecycle::interrupt;
use mysql::Row;
use mysql::prelude::Queryable;
use server::Conn;
use sql::{quote_identifier, quote_string, quote_table};

use crate::definitions::{Definitions, Kind, ObjectName};
use crate::error::{Error, refusal};
use crate::read::checksum_expression;

/// A defect of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub object: ObjectName,
    /// Description: "CHECK TABLE: Corrupt". Completes "after the plan, …".
    pub what: String,
}

/// Schema in which tables are created again.
const RELOAD_SCHEMA: &str = "weigh_reload";

/// Checks tables: `CHECK TABLE`, their indexes, and their definition with all rows in an empty
/// schema, where generated columns are computed anew. `after` is the present definition.
pub fn prove(conn: &mut Conn, after: &Definitions, tables: &[(String, String)]) -> Result<Vec<Fault>, Error> {
    let mut faults = Vec::new();
    for statement in ["SET NAMES utf8mb4", "SET SESSION foreign_key_checks = 0", "SET SESSION sql_mode = ''"] {
        let _ = conn.query_drop(statement);
    }
    let _ = conn.query_drop(format!("CREATE DATABASE {RELOAD_SCHEMA}"));
    for (schema, table) in tables {
        interrupt::check()?;
        let Some(object) = after.find(Kind::Table, schema, table) else { continue };
        let mut add = |what: String| faults.push(Fault { object: object.name.clone(), what });
        check_table(conn, schema, table).into_iter().for_each(&mut add);
        if let Err(problem) = reload(conn, schema, table, &object.create) {
            add(problem);
        }
        check_indexes(conn, schema, table).into_iter().for_each(&mut add);
    }
    let _ = conn.query_drop(format!("DROP DATABASE {RELOAD_SCHEMA}"));
    Ok(faults)
}

fn check_table(conn: &mut Conn, schema: &str, table: &str) -> Vec<String> {
    let rows: Result<Vec<Row>, mysql::Error> =
        conn.query(format!("CHECK TABLE {} EXTENDED", quote_table(schema, table)));
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return vec![format!("CHECK TABLE: {}", refusal(&error).1)],
    };
    let message = |row: Row| {
        let (kind, text): (String, String) = (row.get(2)?, row.get(3)?);
        let is_sound = matches!(kind.to_lowercase().as_str(), "note" | "info")
            || (kind.eq_ignore_ascii_case("status") && text.eq_ignore_ascii_case("ok"));
        (!is_sound).then(|| format!("CHECK TABLE: {text}"))
    };
    rows.into_iter().filter_map(message).collect()
}

/// Returns the columns of a table: name, whether it holds text, and the expression of a generated
/// column, else an empty text. A column of a row's time (MariaDB) has `ROW START` or `ROW END`.
fn read_columns(conn: &mut Conn, schema: &str, table: &str) -> Result<Vec<(String, bool, String)>, mysql::Error> {
    // MySQL 5.6 and MariaDB before 10.2.5 lack this column of information_schema.
    let has_generated: Option<u32> = conn.query_first(
        "SELECT 1 FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'COLUMNS' AND COLUMN_NAME = 'GENERATION_EXPRESSION'",
    )?;
    let generated = if has_generated.is_some() { "COALESCE(GENERATION_EXPRESSION, '')" } else { "''" };
    conn.query(format!(
        "SELECT COLUMN_NAME, CHARACTER_SET_NAME IS NOT NULL, {generated} \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
        quote_string(schema),
        quote_string(table)
    ))
}

/// Creates the table in an empty schema and copies all rows, as the load of a dump does. Compares
/// generated columns with the present ones.
fn reload(conn: &mut Conn, schema: &str, table: &str, create: &str) -> Result<(), String> {
    let failed = |what: &'static str| {
        move |error: mysql::Error| {
            let (code, message) = refusal(&error);
            format!("a dump doesn't load: {what} ends with error {code}: {message}")
        }
    };
    let columns = read_columns(conn, schema, table).map_err(failed("reading the columns"))?;
    let base: Vec<String> = columns
        .iter()
        .filter(|(.., expression)| expression.is_empty())
        .map(|(name, ..)| quote_identifier(name))
        .collect();
    if base.is_empty() {
        return Ok(());
    }
    let copy = quote_table(RELOAD_SCHEMA, table);
    let _ = conn.query_drop(format!("USE {RELOAD_SCHEMA}"));
    conn.query_drop(create).map_err(failed("CREATE TABLE"))?;
    let names = base.join(", ");
    conn.query_drop(format!("INSERT INTO {copy} ({names}) SELECT {names} FROM {}", quote_table(schema, table)))
        .map_err(failed("INSERT"))?;
    let mut stale = Vec::new();
    // The row times of a copy differ from those of its table.
    let is_computed = |expression: &str| !expression.is_empty() && !matches!(expression, "ROW START" | "ROW END");
    for (name, is_text, _) in columns.iter().filter(|(.., expression)| is_computed(expression)) {
        let value = |conn: &mut Conn, table: &str| -> Option<String> {
            conn.query_first(format!("SELECT {} FROM {table}", checksum_expression(name, *is_text))).ok().flatten()
        };
        if value(conn, &copy) != value(conn, &quote_table(schema, table)) {
            stale.push(quote_identifier(name));
        }
    }
    let _ = conn.query_drop(format!("DROP TABLE {copy}"));
    match stale.as_slice() {
        [] => Ok(()),
        stale => Err(format!("stored values of {} differ from their expression", stale.join(", "))),
    }
}

/// Maximum number of values that are looked up in an index.
const MAX_LOOKUPS: usize = 50;

/// Looks up values of the first column of each B-tree index, and compares the number of rows with
/// that found without the index.
fn check_indexes(conn: &mut Conn, schema: &str, table: &str) -> Vec<String> {
    let indexes: Vec<(String, String)> = conn
        .query(format!(
            "SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} \
             AND SEQ_IN_INDEX = 1 AND COLUMN_NAME IS NOT NULL AND INDEX_TYPE = 'BTREE'",
            quote_string(schema),
            quote_string(table)
        ))
        .unwrap_or_default();
    let name = quote_table(schema, table);
    let mut faults = Vec::new();
    for (index, column) in indexes {
        let (index, column) = (quote_identifier(&index), quote_identifier(&column));
        let count = |conn: &mut Conn, hint: &str| -> Option<u64> {
            let query = format!(
                "SELECT COUNT(*) FROM (SELECT DISTINCT {column} AS v FROM {name} LIMIT {MAX_LOOKUPS}) AS w \
                 STRAIGHT_JOIN {name} AS t {hint} INDEX ({index}) ON t.{column} = w.v"
            );
            conn.query_first(query).ok().flatten()
        };
        // An invisible index can't be forced; both are `None` then.
        let (found, scanned) = (count(conn, "FORCE"), count(conn, "IGNORE"));
        if found != scanned && found.is_some() && scanned.is_some() {
            faults.push(format!(
                "the index {index} finds {} rows where a scan finds {}",
                found.unwrap_or(0),
                scanned.unwrap_or(0)
            ));
        }
    }
    faults
}
