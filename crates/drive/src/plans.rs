//! How a server carries out the statements of a load: its EXPLAIN, with the schema and the connection's charset of the load.

use mysql::prelude::Queryable;
use mysql::{Conn, Row};
use server::Server;
use workload::Example;

use crate::load::Load;

/// The plan of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementPlan {
    /// The statement, with a `?` or a name for each parameter.
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

/// The plans of a load's statements that read or change rows that are there, each with the parameters of the first time that it is sent.
pub fn plans(server: &Server, load: &Load) -> Result<Vec<StatementPlan>, server::Error> {
    let mut conn = server.control()?;
    explain_all(&mut conn, load).map_err(|source| server::Error::Statement {
        label: server.label().into(),
        what: "explain the workload's statements",
        source,
    })
}

/// A statement that its server can't explain is left out, unless that is all of them.
fn explain_all(conn: &mut Conn, load: &Load) -> mysql::Result<Vec<StatementPlan>> {
    let (charset, session) = (&load.settings().connection, &load.settings().session);
    conn.query_drop("SET NAMES utf8mb4")?;
    // The server converts our text to the connection's charset, as it would have come from the load.
    conn.query_drop(format!("SET character_set_connection = '{}'", charset.charset))?;
    if let Some(collation) = &charset.collation {
        conn.query_drop(format!("SET collation_connection = '{collation}'"))?;
    }
    session.iter().try_for_each(|statement| conn.query_drop(statement))?;
    conn.query_drop(format!("USE `{}`", load.target().schema.replace('`', "``")))?;
    let (mut plans, mut refused) = (Vec::new(), None);
    for Example { statement, sql, around } in load.script().examples() {
        let (before, after) = around.map(|[before, after]| (before, after)).unzip();
        if let Some(before) = before {
            conn.query_drop(before)?;
        }
        let explained = explain(conn, &statement, &sql);
        if let Some(after) = after {
            conn.query_drop(after)?;
        }
        match explained {
            Ok(plan) => plans.push(plan),
            Err(error @ mysql::Error::MySqlError(_)) => refused = Some(error),
            Err(lost) => return Err(lost),
        }
    }
    refused.filter(|_| plans.is_empty()).map_or(Ok(plans), Err)
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
