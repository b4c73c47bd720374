//! Statements of a workload on one connection.

use std::thread;
use std::time::Duration;

use load::Protocol;
use measure::NO_CLIENT_CHARSET;
use mysql::Statement;
use mysql::prelude::Queryable;
use server::{Conn, Server};
use workload::{Generator, Script, StatementKind, Value};

use crate::error::Error;

/// Pause before each counted statement, so that the server always waits for it. A statement that
/// has already arrived changes the count of a point select by 0.3 %.
const PAUSE: Duration = Duration::from_millis(1);

/// Purpose of the SET statements of a workload folder, for errors.
const SET: &str = "set a session variable";

/// When a session sends its statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// At once.
    Fast,
    /// After a pause, in which the server comes to wait.
    Counted,
}

/// The connection whose thread is counted.
pub(crate) struct Session<'a> {
    server: &'a Server,
    conn: Conn,
    schema: String,
}

/// Statements of a workload in one schema.
pub(crate) struct Prepared(Vec<Kind>);

enum Kind {
    Prepared(Statement),
    /// Text with a `?` for each value.
    Text(String),
}

impl<'a> Session<'a> {
    /// Connects. `limit` is the longest time of one statement.
    pub fn open(server: &'a Server, limit: Duration) -> Result<Self, Error> {
        Ok(Self { server, conn: server.connect_with_limit(limit)?, schema: String::new() })
    }

    /// Runs a statement whose instructions are in proportion to `repetitions`.
    pub fn repeat_work(&mut self, repetitions: u32) -> Result<(), Error> {
        self.query(&format!("SELECT BENCHMARK({repetitions}, REVERSE(REPEAT('a', 100)))"), "reverse text")
    }

    /// Chooses the schema and the connection's character set: utf8mb4 in place of one that no
    /// client may have.
    pub fn choose(&mut self, schema: &str, charset: &str) -> Result<(), Error> {
        let charset = if NO_CLIENT_CHARSET.contains(&charset) { "utf8mb4" } else { charset };
        schema.clone_into(&mut self.schema);
        self.query(&format!("USE `{schema}`"), "choose a schema")?;
        self.query(&format!("SET NAMES {charset}"), "set the connection's character set")
    }

    /// Runs the SET statements of a workload folder.
    pub fn set(&mut self, statements: &[String]) -> Result<(), Error> {
        statements.iter().try_for_each(|statement| self.query(statement, SET))
    }

    /// Closes all tables of the server. The server searches the tables of one cell faster than
    /// those of all cells, so each cell is counted with its own tables open only.
    pub fn close_tables(&mut self) -> Result<(), Error> {
        self.query("FLUSH TABLES", "close the tables")
    }

    /// Ends a transaction that an error left open.
    pub fn roll_back(&mut self) -> Result<(), Error> {
        self.query("ROLLBACK", "roll back")
    }

    /// Prepares the statements of a workload in the chosen schema.
    pub fn prepare(&mut self, script: &Script, protocol: Protocol) -> Result<Prepared, Error> {
        let prepare = |statement: &workload::Statement| {
            if protocol == Protocol::Text || statement.kind == StatementKind::Control {
                return Ok(Kind::Text(statement.sql.clone()));
            }
            // The client caches prepared statements by their text, and a prepared statement keeps
            // its schema: the comment keeps those of two schemas apart.
            let sql = format!("/* {} */ {}", self.schema, statement.sql);
            let setting = statement.session_setting.as_ref();
            setting.map_or(Ok(()), |setting| self.query(&setting.set, SET))?;
            let prepared = self.conn.prep(sql).map_err(self.server_error("prepare a statement"))?;
            setting.map_or(Ok(()), |setting| self.query(&setting.reset, SET))?;
            Ok(Kind::Prepared(prepared))
        };
        script.statements.iter().map(prepare).collect::<Result<_, Error>>().map(Prepared)
    }

    /// Restores the session's settings after a refused statement, which leaves those of its class.
    pub fn reset(&mut self, script: &Script) -> Result<(), Error> {
        let settings = script.statements.iter().filter_map(|statement| statement.session_setting.as_ref());
        settings.map(|setting| &setting.reset).try_for_each(|reset| self.query(reset, SET))
    }

    /// Closes prepared statements on the server.
    pub fn close(&mut self, prepared: Prepared) -> Result<(), Error> {
        prepared.0.into_iter().try_for_each(|kind| match kind {
            Kind::Prepared(statement) => {
                self.conn.close(statement).map_err(self.server_error("close a prepared statement"))
            }
            Kind::Text(_) => Ok(()),
        })
    }

    /// Runs events of a workload. Returns the number of statements.
    pub fn run(
        &mut self,
        prepared: &Prepared,
        generator: &mut Generator,
        events: u32,
        pace: Pace,
    ) -> Result<u64, Error> {
        let mut statements = 0;
        let describe = self.server_error("run a statement");
        for _ in 0..events {
            let conn = &mut self.conn;
            let kinds = &prepared.0;
            let event = generator.next_event(|index, values| {
                statements += 1;
                if pace == Pace::Counted {
                    thread::sleep(PAUSE);
                }
                match &kinds[index] {
                    Kind::Prepared(statement) => {
                        let values: Vec<mysql::Value> = values.iter().map(to_mysql).collect();
                        conn.exec_drop(statement, values)
                    }
                    Kind::Text(sql) => conn.query_drop(with_values(sql, values)),
                }
            });
            event.map_err(&describe)?;
        }
        Ok(statements)
    }

    fn query(&mut self, sql: &str, what: &'static str) -> Result<(), Error> {
        self.conn.query_drop(sql).map_err(self.server_error(what))
    }

    fn server_error(&self, what: &'static str) -> impl Fn(mysql::Error) -> Error + use<> {
        let label = self.server.label().to_owned();
        move |source| server::Error::Statement { label: label.clone(), what, source }.into()
    }
}

fn to_mysql(value: &Value<'_>) -> mysql::Value {
    match *value {
        Value::Int(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Null => mysql::Value::NULL,
        Value::Double(number) => number.into(),
        Value::Decimal(text) | Value::Sql(text) => text.into(),
        Value::Bytes(bytes) => bytes.into(),
    }
}

/// Replaces each `?` by a value. Text of built-in workloads needs no escaping, and they have no
/// bytes.
fn with_values(sql: &str, values: &[Value<'_>]) -> String {
    let mut parts = sql.split('?');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, value) in parts.zip(values) {
        match value {
            Value::Int(number) => text.push_str(&number.to_string()),
            Value::Text(value) => text.extend(["'", value, "'"]),
            Value::Decimal(value) | Value::Sql(value) => text.push_str(value),
            Value::Double(number) => text.push_str(&number.to_string()),
            Value::Null | Value::Bytes(_) => text.push_str("NULL"),
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_replace_question_marks_in_order() {
        let values = [Value::Int(7), Value::Text("ä")];
        assert_eq!(with_values("SELECT ? + 1, ? FROM t", &values), "SELECT 7 + 1, 'ä' FROM t");
    }
}
