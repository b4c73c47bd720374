//! Query plans of a load's statements, by EXPLAIN in the load's schema and connection character
//! set.

use mysql::Row;
use mysql::prelude::Queryable;
use server::Conn;
use server::Server;
use workload::Example;

use crate::client::Load;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementPlan {
    /// The statement, with `?` or a name for each parameter.
    pub statement: String,
    /// Rows of EXPLAIN, in its order.
    pub steps: Vec<PlanStep>,
    /// Output of `EXPLAIN FORMAT=JSON`. `None` if the server does not return it.
    pub json: Option<String>,
}

/// Columns of a row of EXPLAIN. Leaves out estimates, which vary from one ANALYZE to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    pub table: Option<String>,
    /// Access type (column `type`): `const`, `range`, `index`, `ALL`, …
    pub access: Option<String>,
    /// Index used.
    pub key: Option<String>,
    /// Column `Extra`: `Using temporary; Using filesort`, …
    pub extra: Option<String>,
}

/// Returns the plans of a load's statements, each with the parameters of one call. Leaves out the
/// INSERTs of built-in workloads, statements such as BEGIN, and those that the server cannot
/// explain.
pub fn explain_statements(server: &Server, load: &Load) -> Result<Vec<StatementPlan>, server::Error> {
    let mut conn = server.connect()?;
    explain_all(&mut conn, load).map_err(|source| server::Error::Statement {
        label: server.label().into(),
        what: "explain the workload's statements",
        source,
    })
}

/// Explains each statement. Skips those that the server cannot explain, unless these are all
/// statements: then fails with the error of the last.
fn explain_all(conn: &mut Conn, load: &Load) -> mysql::Result<Vec<StatementPlan>> {
    let (charset, session) = (&load.settings().connection, &load.settings().session);
    conn.query_drop("SET NAMES utf8mb4")?;
    // The server converts the utf8mb4 text to the connection's character set, as if the load had
    // sent it.
    conn.query_drop(format!("SET character_set_connection = '{}'", charset.charset))?;
    if let Some(collation) = &charset.collation {
        conn.query_drop(format!("SET collation_connection = '{collation}'"))?;
    }
    session.iter().try_for_each(|statement| conn.query_drop(statement))?;
    conn.query_drop(format!("USE {}", sql::quote_identifier(&load.target().schema)))?;
    let (mut plans, mut refused) = (Vec::new(), None);
    for Example { statement, sql, session_setting } in load.script().examples() {
        let (set, reset) = session_setting.map(|setting| (setting.set, setting.reset)).unzip();
        if let Some(set) = set {
            conn.query_drop(set)?;
        }
        let explained = explain_statement(conn, &statement, &sql);
        if let Some(reset) = reset {
            conn.query_drop(reset)?;
        }
        match explained {
            Ok(plan) => plans.push(plan),
            Err(error @ mysql::Error::MySqlError(_)) => refused = Some(error),
            Err(lost) => return Err(lost),
        }
    }
    refused.filter(|_| plans.is_empty()).map_or(Ok(plans), Err)
}

/// Explains one statement. `sql` contains the values; the connection must have the statement's
/// schema as default schema.
pub fn explain_statement(conn: &mut Conn, statement: &str, sql: &str) -> mysql::Result<StatementPlan> {
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
    // MySQL before 5.6 and MariaDB before 10.1 do not support FORMAT=JSON.
    let json = conn.query_first(format!("EXPLAIN FORMAT=JSON {sql}")).ok().flatten();
    Ok(StatementPlan { statement: statement.to_owned(), steps, json })
}
