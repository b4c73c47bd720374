//! Reads the rows of a server with little load: in chunks by a key, with pauses, in a read-only
//! session.

mod chunk;
mod key;
mod pace;
mod question;
mod session;
mod tied;

pub use key::chunk_key;
pub use session::read_definitions;
pub use tied::{TiedSchemas, read_tied_schemas};

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use facts::Facts;
use lifecycle::interrupt;
use mysql::Value;
use mysql::prelude::Queryable;
use server::Conn;
use server::{Server, error_code};

use crate::Error;
use crate::checks::{Answer, Question};
use crate::job::TableJob;
use crate::model::Reading;
use crate::row::Fields;
use pace::Pace;

#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Time that a chunk should take.
    pub chunk_time: Duration,
    /// Pause while `Threads_running` exceeds this. `None` allows any number.
    pub max_threads_running: Option<u64>,
    /// Pause while the server, as a replica, lags more than this.
    pub max_lag: Duration,
    pub keyless: Keyless,
    /// Maximum time to wait for a lost server or a locked table.
    pub max_wait: Duration,
}

/// How to treat tables without a suitable key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyless {
    /// Read in one pass.
    Read,
    Skip,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            chunk_time: Duration::from_millis(500),
            max_threads_running: Some(25),
            max_lag: Duration::from_secs(10),
            keyless: Keyless::Read,
            max_wait: Duration::from_secs(60),
        }
    }
}

/// Function that receives the values of a row. `None` is NULL.
pub type RowVisitor<'e> = dyn FnMut(&[Option<Vec<u8>>]) -> Result<(), Error> + 'e;

/// Source of rows: a server or files.
pub trait RowSource {
    /// Returns the columns that identify a table's rows. Empty if the table has no key.
    fn key(&self, table: &TableJob<'_>) -> Vec<String>;

    /// Answers a question about a table's rows.
    fn answer(&mut self, _question: &Question) -> Result<Answer, Error> {
        Ok(Answer::Unknown("files evaluate no expressions".to_owned()))
    }

    /// True if [`RowSource::read`] passes the past rows of system-versioned tables, too.
    fn reads_history(&self) -> bool {
        false
    }

    /// Passes all rows of a table to `each`. `None` if the table is skipped.
    fn read(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<Reading>, Error>;
}

/// Connection to a server from which rows are read.
pub struct ServerRows<'s> {
    server: &'s Server,
    facts: &'s Facts,
    options: ReadOptions,
    conn: Conn,
    pace: Pace,
}

/// Opens a read-only session that returns text in the columns' own character sets.
pub(crate) fn session(server: &Server, facts: &Facts) -> Result<Conn, Error> {
    let mut conn = server.connect_patiently()?;
    session::prepare(&mut conn, facts)?;
    Ok(conn)
}

impl<'s> ServerRows<'s> {
    pub fn open(server: &'s Server, facts: &'s Facts, options: &ReadOptions) -> Result<Self, Error> {
        let conn = session(server, facts)?;
        Ok(Self { server, facts, options: options.clone(), conn, pace: Pace::default() })
    }

    fn server_time(&mut self) -> String {
        self.conn
            .query_first("SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')")
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    /// Connects again, for up to [`ReadOptions::max_wait`]. Fails at once if the client's time
    /// limit or `--timeout` ended the statement: such a server still runs.
    fn reconnect(&mut self, lost: &mysql::Error) -> Result<(), Error> {
        if matches!(lost, mysql::Error::IoError(error) if error.kind() == ErrorKind::TimedOut) {
            return Err(Error::ConnectionLost(format!("{lost}. Run again with --resume to go on")));
        }
        let deadline = Instant::now() + self.options.max_wait;
        loop {
            interrupt::check()?;
            std::thread::sleep(Duration::from_millis(500));
            match session(self.server, self.facts) {
                Ok(conn) => {
                    self.conn = conn;
                    return Ok(());
                }
                Err(_) if Instant::now() < deadline => {}
                Err(error) => {
                    let seconds = self.options.max_wait.as_secs();
                    return Err(Error::ConnectionLost(format!(
                        "the server went away ({lost}) and was not back after {seconds} s: {error}. Run again with --resume to go on"
                    )));
                }
            }
        }
    }
}

impl RowSource for ServerRows<'_> {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        match chunk_key(table.table) {
            Some(key) => key.columns,
            None => {
                let primary = table.table.primary_key();
                primary.into_iter().flat_map(|key| key.parts.iter().filter_map(|part| part.column.clone())).collect()
            }
        }
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Error> {
        self.wait_for_pace()?;
        self.ask(question)
    }

    fn reads_history(&self) -> bool {
        true
    }

    fn read(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<Reading>, Error> {
        let key = chunk_key(table.table);
        if key.is_none() && self.options.keyless == Keyless::Skip {
            return Ok(None);
        }
        let begin = Instant::now();
        let mut reading = Reading { from: self.server_time(), ..Reading::default() };
        match key {
            Some(key) => self.read_in_chunks(table, fields, &key, &mut reading, each)?,
            None => self.read_in_one_pass(table, fields, &mut reading, each)?,
        }
        if let Some(row_end) = &table.row_end {
            self.read_history(table, row_end, fields, &mut reading, each)?;
        }
        reading.to = self.server_time();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

/// Returns the bytes of a value of the text protocol. `None` is NULL.
fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(bytes),
        other => Some(other.as_sql(true).into_bytes()),
    }
}

/// True for errors after which the session can't be used: of I/O, protocol and driver, and
/// disconnections by the server.
fn is_connection_lost(error: &mysql::Error) -> bool {
    match error {
        mysql::Error::IoError(_) | mysql::Error::CodecError(_) => true,
        mysql::Error::DriverError(_) => true,
        mysql::Error::MySqlError(refusal) => is_disconnect(refusal.code),
        _ => false,
    }
}

fn is_disconnect(code: u16) -> bool {
    matches!(
        code,
        error_code::SERVER_SHUTDOWN
            | error_code::CONNECTION_KILLED
            | error_code::SESSION_WAS_KILLED
            | error_code::CLIENT_INTERACTION_TIMEOUT
    )
}

fn is_lock_timeout(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(refusal) if refusal.code == error_code::LOCK_WAIT_TIMEOUT)
}

fn is_time_limit(error: &mysql::Error) -> bool {
    let is_time_limit_code = |code: u16| {
        matches!(code, error_code::STATEMENT_TIMEOUT | error_code::QUERY_TIMEOUT | error_code::FILSORT_ABORT)
    };
    matches!(error, mysql::Error::MySqlError(refusal) if is_time_limit_code(refusal.code))
}
