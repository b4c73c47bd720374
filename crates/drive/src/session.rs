//! A connection with a workload's statements made ready on it.

use workload::{Script, Statement, StatementKind, Value};

use crate::connection::{Connection, Prepared};
use crate::error::WireError;
use crate::stream::Cut;
use crate::work::{Counters, STATUS};

/// How statements travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once, then executed with binary parameters.
    Prepared,
    /// Sent as text with quoted literals, parsed each time.
    Text,
}

enum Ready {
    Prepared(Prepared),
    /// The SQL around each parameter.
    Pieces(Vec<Vec<u8>>),
}

/// ER_UNSUPPORTED_PS: "This command is not supported in the prepared statement protocol yet".
const NOT_PREPARABLE: u16 = 1295;

fn as_text(sql: &str) -> Ready {
    Ready::Pieces(sql.split('?').map(|piece| piece.as_bytes().to_vec()).collect())
}

fn prepare(connection: &mut Connection, statement: &Statement) -> Result<Ready, WireError> {
    if let Some([before, _]) = &statement.around {
        connection.query(before)?;
    }
    let ready = match connection.prepare(&statement.sql) {
        // As sysbench does: BEGIN cannot be prepared on every version.
        Err(WireError::Server { code: NOT_PREPARABLE, .. }) if statement.parameters == 0 => as_text(&statement.sql),
        prepared => Ready::Prepared(prepared?),
    };
    if let Some([_, after]) = &statement.around {
        connection.query(after)?;
    }
    Ok(ready)
}

pub(crate) struct Session {
    connection: Connection,
    statements: Vec<Ready>,
    writes: bool,
}

impl Session {
    pub(crate) fn prepare(mut connection: Connection, script: &Script, protocol: Protocol) -> Result<Self, WireError> {
        let statements = script
            .statements
            .iter()
            .map(|statement| match protocol {
                Protocol::Prepared => prepare(&mut connection, statement),
                Protocol::Text => Ok(as_text(&statement.sql)),
            })
            .collect::<Result<_, _>>()?;
        let writes = script.statements.iter().any(|statement| statement.kind == StatementKind::Write);
        Ok(Self { connection, statements, writes })
    }

    /// Whether its transactions take locks that other connections of the load wait for.
    pub(crate) fn writes(&self) -> bool {
        self.writes
    }

    /// What ends its connection from another thread.
    pub(crate) fn cut(&self) -> Cut {
        self.connection.cut()
    }

    /// Runs a statement of the script and returns how many rows came.
    #[inline]
    pub(crate) fn run(&mut self, statement: usize, values: &[Value<'_>]) -> Result<u64, WireError> {
        match &mut self.statements[statement] {
            Ready::Prepared(prepared) => self.connection.execute(prepared, values),
            Ready::Pieces(pieces) => self.connection.query_with(pieces, values),
        }
    }

    /// The session's status counters, and what these statements tell: a name and a value a row.
    pub(crate) fn counters(&mut self, also: &[&str]) -> Result<Counters, WireError> {
        let mut rows = self.connection.rows(STATUS)?;
        for sql in also {
            rows.extend(self.connection.rows(sql)?);
        }
        let counter = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
            Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(counter).collect())
    }

    /// Leaves a transaction in which a statement failed.
    pub(crate) fn abandon_transaction(&mut self) -> Result<(), WireError> {
        self.connection.query("ROLLBACK").map(drop)
    }
}
