//! How a server carries out the statements of a load: its EXPLAIN, with the schema and the connection's charset of the load.

use mysql::prelude::Queryable;
use mysql::{Conn, Row};
use server::Server;
use workload::{Script, StatementKind, Value};

use crate::load::Load;

/// The plan of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementPlan {
    /// The statement, with a `?` for each parameter.
    pub statement: String,
    /// A step for each table, in the order in which the server joins them.
    pub steps: Vec<PlanStep>,
    /// What `EXPLAIN FORMAT=JSON` says, where the server has it.
    pub json: Option<String>,
}

/// A row of EXPLAIN, without estimates, which vary from one ANALYZE to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// Table.
    pub table: Option<String>,
    /// How it is read: `const`, `range`, `index`, `ALL`, … (EXPLAIN's column `type`).
    pub access: Option<String>,
    /// The index that is used.
    pub key: Option<String>,
    /// What else is done: `Using temporary; Using filesort`, …
    pub extra: Option<String>,
}

/// So many events have every statement of a workload among them, if it has any chance.
const EVENTS: usize = 50;

/// The plans of a load's statements that read or change rows that are there, each with the parameters of the first time that it is sent.
pub fn plans(server: &Server, load: &Load) -> Result<Vec<StatementPlan>, server::Error> {
    let mut conn = server.control()?;
    explain_all(&mut conn, load).map_err(|source| server::Error::Statement {
        label: server.label().into(),
        what: "explain the workload's statements",
        source,
    })
}

fn explain_all(conn: &mut Conn, load: &Load) -> mysql::Result<Vec<StatementPlan>> {
    let charset = load.connection_charset();
    conn.query_drop("SET NAMES utf8mb4")?;
    // The server converts our text to the connection's charset, as it would have come from the load.
    conn.query_drop(format!("SET character_set_connection = '{}'", charset.charset))?;
    if let Some(collation) = &charset.collation {
        conn.query_drop(format!("SET collation_connection = '{collation}'"))?;
    }
    conn.query_drop(format!("USE `{}`", load.target().schema.replace('`', "``")))?;
    first_calls(load.script()).into_iter().map(|(statement, sql)| explain(conn, statement, &sql)).collect()
}

/// The plan of one statement, given with its values, on a connection that uses its schema.
pub fn explain(conn: &mut Conn, statement: &str, sql: &str) -> mysql::Result<StatementPlan> {
    let rows: Vec<Row> = match conn.query(format!("EXPLAIN FORMAT=TRADITIONAL {sql}")) {
        Err(mysql::Error::MySqlError(_)) => conn.query(format!("EXPLAIN {sql}"))?,
        rows => rows?,
    };
    let text = |row: &Row, column: &str| row.get_opt::<Option<String>, _>(column).and_then(Result::ok).flatten();
    let steps = rows.iter().map(|row| PlanStep {
        table: text(row, "table"),
        access: text(row, "type"),
        key: text(row, "key"),
        extra: text(row, "Extra"),
    });
    let steps = steps.collect();
    // MySQL before 5.6 and MariaDB before 10.1 have none.
    let json = conn.query_first(format!("EXPLAIN FORMAT=JSON {sql}")).ok().flatten();
    Ok(StatementPlan { statement: statement.to_owned(), steps, json })
}

/// Each statement that can be explained, and its SQL with the parameters of its first call.
fn first_calls(script: &Script) -> Vec<(&str, String)> {
    let mut calls: Vec<Option<String>> = vec![None; script.statements.len()];
    let mut generator = script.generator(0);
    for _ in 0..EVENTS {
        let taken = generator.event(|statement, values| {
            let call = &mut calls[statement];
            if call.is_none() {
                *call = Some(with_values(&script.statements[statement].sql, values));
            }
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = taken;
    }
    let explained = script.statements.iter().zip(calls).filter(|(statement, _)| {
        // MariaDB and MySQL 5.6 explain no INSERT of values in a useful way, and there is no choice of plan in it.
        statement.kind != StatementKind::Control && !statement.sql.starts_with("INSERT")
    });
    explained.filter_map(|(statement, call)| Some((statement.sql.as_str(), call?))).collect()
}

fn with_values(sql: &str, values: &[Value<'_>]) -> String {
    let mut pieces = sql.split('?');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (value, piece) in values.iter().zip(pieces) {
        match value {
            Value::Int(number) => text += &number.to_string(),
            // Generated text is valid between quotes as it is.
            Value::Text(literal) => text += &format!("'{literal}'"),
        }
        text += piece;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Kind, Options, Workload};

    #[test]
    fn every_statement_that_has_a_plan_is_explained_with_values() {
        let options = Options { table_size: 100, ..Options::default() };
        for kind in Kind::ALL {
            let script = Workload { kind, range_size: None }.script(&options);
            let calls = first_calls(&script);
            assert!(!calls.is_empty() && calls.iter().all(|(_, sql)| !sql.contains('?')), "{kind:?}: {calls:?}");
        }
    }
}
