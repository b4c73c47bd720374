//! Runs `EXPLAIN` and reads its warnings.

use mysql::prelude::Queryable;
use mysql::{Params, Row, Value};
use server::{Conn, Flavour, Server, Version, error_code};

use crate::input::Warning;

/// Line of a plan in the traditional format.
pub(super) struct PlanLine {
    pub table: Option<String>,
    /// Column `type` of the plan: `ref`, `index`, `ALL` and so on.
    pub access: Option<String>,
    /// Column `key` of the plan: the index that is used.
    pub key: Option<String>,
    /// Column `ref` of the plan: the values that the index is searched for.
    pub lookup: Option<String>,
}

impl PlanLine {
    /// True if the line is of the table with this alias.
    pub fn is_of(&self, alias: &str) -> bool {
        self.table.as_deref().is_some_and(|table| table.eq_ignore_ascii_case(alias))
    }
}

/// Lines and warnings of a plan, or the error with which the server refuses to explain.
pub(super) enum Plan {
    Lines(Vec<PlanLine>, Vec<Warning>),
    Refused(Warning),
}

/// Makes MariaDB write notes about unusable indexes. Versions without `note_verbosity` write none.
pub(super) fn enable_index_notes(conn: &mut Conn, flavour: Flavour) {
    if flavour == Flavour::MariaDb {
        let _ = conn.query_drop("SET SESSION note_verbosity = 'basic,unusable_keys,explain'");
    }
}

/// An error of the server is returned as [`Plan::Refused`].
pub(super) fn explain(conn: &mut Conn, server: &Server, select: &str) -> mysql::Result<Plan> {
    match conn.query::<Row, _>(format!("{} {select}", explain_prefix(server))) {
        Ok(rows) => {
            let lines = rows.iter().map(plan_line).collect();
            Ok(Plan::Lines(lines, read_index_warnings(conn)?))
        }
        Err(mysql::Error::MySqlError(error)) => Ok(Plan::Refused(Warning { code: error.code, message: error.message })),
        Err(error) => Err(error),
    }
}

/// Returns the words before a `SELECT` that explain it. MySQL 5.6 warns of indexes only after
/// `EXPLAIN EXTENDED`. In MySQL 8.0.32 and later, `explain_format` can change the default format.
fn explain_prefix(server: &Server) -> &'static str {
    match server.flavour() {
        Flavour::MariaDb => "EXPLAIN",
        Flavour::MySql if Version::find(server.version()).is_some_and(|version| version < Version::new(5, 7, 0)) => {
            "EXPLAIN EXTENDED"
        }
        Flavour::MySql => "EXPLAIN FORMAT=TRADITIONAL",
    }
}

fn plan_line(row: &Row) -> PlanLine {
    let value = |column: &str| text_value(row, column);
    PlanLine { table: value("table"), access: value("type"), key: value("key"), lookup: value("ref") }
}

/// Explains a statement that the user gave in a file. The statement is prepared, so that the server
/// refuses a text of several statements.
///
/// Parameters (`?`) get an empty string.
pub(super) fn explain_prepared(conn: &mut Conn, server: &Server, select: &str) -> mysql::Result<Plan> {
    let explained = conn.prep(format!("{} {select}", explain_prefix(server))).and_then(|statement| {
        let parameters = vec![Value::Bytes(Vec::new()); usize::from(statement.num_params())];
        let parameters = if parameters.is_empty() { Params::Empty } else { Params::Positional(parameters) };
        // MariaDB sends some errors only after the columns of the result.
        let explained = conn.exec::<Row, _, _>(&statement, parameters);
        let plan = explained.and_then(|rows| Ok((rows.iter().map(plan_line).collect(), read_index_warnings(conn)?)));
        conn.close(statement)?;
        plan
    });
    match explained {
        Ok((lines, warnings)) => Ok(Plan::Lines(lines, warnings)),
        Err(mysql::Error::MySqlError(error)) => Ok(Plan::Refused(Warning { code: error.code, message: error.message })),
        Err(error) => Err(error),
    }
}

/// Reads the warnings that an index can't be used, because a comparison converts its column's type
/// or collation.
fn read_index_warnings(conn: &mut Conn) -> mysql::Result<Vec<Warning>> {
    let all: Vec<(String, u16, String)> = conn.query("SHOW WARNINGS")?;
    // MariaDB uses 1105 (ER_UNKNOWN_ERROR) for other notes, too.
    let is_note = |code: u16, message: &str| code == error_code::UNKNOWN_ERROR && message.starts_with("Cannot use key");
    let is_about_index =
        |code: u16, message: &str| code == error_code::WARN_INDEX_NOT_APPLICABLE || is_note(code, message);
    Ok(all
        .into_iter()
        .filter(|(_, code, message)| is_about_index(*code, message))
        .map(|(_, code, message)| Warning { code, message })
        .collect())
}

fn text_value(row: &Row, column: &str) -> Option<String> {
    match row.get_opt::<Value, _>(column)?.ok()? {
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        _ => None,
    }
}
