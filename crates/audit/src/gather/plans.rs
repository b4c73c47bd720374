//! `EXPLAIN` and its warnings.

use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};
use server::Flavour;

use crate::evidence::Warning;

/// A line of a plan.
pub(super) struct Line {
    pub table: Option<String>,
    pub access: Option<String>,
    pub lookup: Option<String>,
}

/// What `EXPLAIN` answered.
pub(super) enum Plan {
    Lines(Vec<Line>, Vec<Warning>),
    Refused(Warning),
}

/// Warning 1739 of MySQL, "Cannot use … access on index … due to type or collation conversion".
const CONVERSION: u16 = 1739;
/// Note 1105 of MariaDB, "Cannot use key parts with …", among other notes of this number.
const UNKNOWN_ERROR: u16 = 1105;

/// Sets up the session so that MariaDB writes its notes about indexes. Versions without the variable write none.
pub(super) fn set_up(conn: &mut Conn, flavour: Flavour) {
    if flavour == Flavour::MariaDb {
        let _ = conn.query_drop("SET SESSION note_verbosity = 'basic,unusable_keys,explain'");
    }
}

/// Explains a `SELECT`.
pub(super) fn explain(conn: &mut Conn, flavour: Flavour, select: &str) -> mysql::Result<Plan> {
    // MySQL's default format can be set to another.
    let format = if flavour == Flavour::MySql { "FORMAT=TRADITIONAL " } else { "" };
    match conn.query::<Row, _>(format!("EXPLAIN {format}{select}")) {
        Ok(rows) => {
            let lines = rows.iter().map(|row| Line {
                table: text(row, "table"),
                access: text(row, "type"),
                lookup: text(row, "ref"),
            });
            let lines = lines.collect();
            Ok(Plan::Lines(lines, warnings(conn)?))
        }
        Err(mysql::Error::MySqlError(error)) => Ok(Plan::Refused(Warning { code: error.code, message: error.message })),
        Err(error) => Err(error),
    }
}

fn warnings(conn: &mut Conn) -> mysql::Result<Vec<Warning>> {
    let all: Vec<(String, u16, String)> = conn.query("SHOW WARNINGS")?;
    let tells =
        |code: u16, message: &str| code == CONVERSION || code == UNKNOWN_ERROR && message.starts_with("Cannot use key");
    Ok(all
        .into_iter()
        .filter(|(_, code, message)| tells(*code, message))
        .map(|(_, code, message)| Warning { code, message })
        .collect())
}

fn text(row: &Row, column: &str) -> Option<String> {
    match row.get_opt::<Value, _>(column)?.ok()? {
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        _ => None,
    }
}
