//! A connection on which the statements of a workload are ready to run.

use server::error_code::UNSUPPORTED_PS;
use workload::{Script, Statement, StatementKind, Value};

use super::settings::Protocol;
use crate::accounting::{Counters, STATUS};
use crate::error::WireError;
use crate::wire::{Connection, ConnectionCutter, PreparedStatement};

enum StatementForm {
    Prepared(PreparedStatement),
    /// Statement text in the connection's character set, split at each `?`. Example:
    /// `SELECT c FROM t WHERE id=?` has the pieces `SELECT c FROM t WHERE id=` and an empty one.
    Pieces(Vec<Vec<u8>>),
}

fn text_form(connection: &mut Connection, sql: &str) -> StatementForm {
    StatementForm::Pieces(sql.split('?').map(|piece| connection.encode(piece)).collect())
}

fn prepare(connection: &mut Connection, statement: &Statement) -> Result<StatementForm, WireError> {
    if let Some(setting) = &statement.session_setting {
        connection.query(&setting.set)?;
    }
    let form = match connection.prepare(&statement.sql) {
        // Some versions cannot prepare BEGIN. sysbench falls back to text as well.
        Err(WireError::Server { code: UNSUPPORTED_PS, .. }) if statement.parameters == 0 => {
            text_form(connection, &statement.sql)
        }
        prepared => StatementForm::Prepared(prepared?),
    };
    if let Some(setting) = &statement.session_setting {
        connection.query(&setting.reset)?;
    }
    Ok(form)
}

pub(crate) struct Session {
    connection: Connection,
    statements: Vec<StatementForm>,
    writes: bool,
}

impl Session {
    pub(crate) fn prepare(mut connection: Connection, script: &Script, protocol: Protocol) -> Result<Self, WireError> {
        let statements = script
            .statements
            .iter()
            .map(|statement| match protocol {
                Protocol::Prepared => prepare(&mut connection, statement),
                Protocol::Text => Ok(text_form(&mut connection, &statement.sql)),
            })
            .collect::<Result<_, _>>()?;
        let writes = script.statements.iter().any(|statement| statement.kind == StatementKind::Write);
        Ok(Self { connection, statements, writes })
    }

    /// Whether the workload writes, so that its transactions take locks that other connections of
    /// the load wait for.
    pub(crate) fn writes(&self) -> bool {
        self.writes
    }

    pub(crate) fn cutter(&self) -> ConnectionCutter {
        self.connection.cutter()
    }

    /// Runs a statement of the script. Returns the number of rows received.
    #[inline]
    pub(crate) fn run(&mut self, statement: usize, values: &[Value<'_>]) -> Result<u64, WireError> {
        match &mut self.statements[statement] {
            StatementForm::Prepared(prepared) => self.connection.execute(prepared, values),
            StatementForm::Pieces(pieces) => self.connection.query_with(pieces, values),
        }
    }

    /// Reads the session's status counters and the rows of the queries in `also`, each a name and a
    /// value. Leaves out values that are not numbers.
    pub(crate) fn counters(&mut self, also: &[&str]) -> Result<Counters, WireError> {
        let mut rows = self.connection.query_rows(STATUS)?;
        for sql in also {
            rows.extend(self.connection.query_rows(sql)?);
        }
        let counter = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
            Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(counter).collect())
    }

    /// Rolls back the transaction after a failed statement.
    pub(crate) fn abandon_transaction(&mut self) -> Result<(), WireError> {
        self.connection.query("ROLLBACK").map(drop)
    }
}
