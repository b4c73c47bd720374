//! Reading a server's rows without hurting it: in chunks by a key, with pauses, in a session that can't write.

mod chunk;
mod key;
mod pace;
mod session;

pub use key::chunk_key;
pub use session::{Definitions, creates, program_sources};

use std::time::{Duration, Instant};

use facts::Facts;
use mysql::prelude::Queryable;
use mysql::{Conn, Value};
use server::{Server, interrupt};

use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::row::Fields;
use pace::Pace;

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How long a chunk should take.
    pub chunk_time: Duration,
    /// Pause while `Threads_running` is above this; absent: never.
    pub max_threads_running: Option<u64>,
    /// Pause while this server, as a replica, is further behind.
    pub max_lag: Duration,
    /// What to do with tables that have no key to read in chunks by.
    pub keyless: Keyless,
    /// How long to wait for a server that went away.
    pub patience: Duration,
}

/// Tables without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyless {
    /// Read in one pass.
    Read,
    /// Left out.
    Skip,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            chunk_time: Duration::from_millis(500),
            max_threads_running: Some(25),
            max_lag: Duration::from_secs(10),
            keyless: Keyless::Read,
            patience: Duration::from_secs(60),
        }
    }
}

/// Gets the values of each row.
pub type EachRow<'e> = dyn FnMut(&[Option<Vec<u8>>]) -> Result<(), Error> + 'e;

/// Where rows come from.
pub trait RowSource {
    /// The key that a table's rows are read and named by; empty where it has none.
    fn key(&self, table: &TableJob<'_>) -> Vec<String>;

    /// Reads a table once; `None` where it is left out.
    fn read(&mut self, table: &TableJob<'_>, fields: &Fields, each: &mut EachRow<'_>)
    -> Result<Option<Reading>, Error>;
}

/// A connection of a server that rows are read over.
pub struct ServerRows<'s> {
    server: &'s Server,
    facts: &'s Facts,
    options: ReadOptions,
    conn: Conn,
    pace: Pace,
}

/// A session that can't write, and gets text in the columns' own character sets.
pub(crate) fn session(server: &Server, facts: &Facts) -> Result<Conn, Error> {
    let mut conn = server.control_patient()?;
    session::prepare(&mut conn, facts)?;
    Ok(conn)
}

impl<'s> ServerRows<'s> {
    /// Connects.
    pub fn open(server: &'s Server, facts: &'s Facts, options: &ReadOptions) -> Result<Self, Error> {
        let conn = session(server, facts)?;
        Ok(Self { server, facts, options: options.clone(), conn, pace: Pace::default() })
    }

    fn clock(&mut self) -> String {
        self.conn
            .query_first("SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')")
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    /// Connects again to a server that went away.
    fn reconnect(&mut self, lost: &mysql::Error) -> Result<(), Error> {
        let deadline = Instant::now() + self.options.patience;
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
                    let seconds = self.options.patience.as_secs();
                    return Err(Error::Gone(format!(
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

    fn read(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        each: &mut EachRow<'_>,
    ) -> Result<Option<Reading>, Error> {
        let key = chunk_key(table.table);
        if key.is_none() && self.options.keyless == Keyless::Skip {
            return Ok(None);
        }
        let begin = Instant::now();
        let mut reading = Reading { from: self.clock(), ..Reading::default() };
        match key {
            Some(key) => self.in_chunks(table, fields, &key, &mut reading, each)?,
            None => self.in_one_pass(table, fields, &mut reading, each)?,
        }
        reading.to = self.clock();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

/// The bytes of a value; `None` for NULL. The text protocol gives nothing else.
fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(bytes),
        other => Some(other.as_sql(true).into_bytes()),
    }
}

/// Whether the connection is gone, not the statement wrong.
fn is_lost(error: &mysql::Error) -> bool {
    match error {
        mysql::Error::IoError(_) | mysql::Error::CodecError(_) => true,
        mysql::Error::DriverError(_) => true,
        // Server shutdown in progress; killed connections.
        mysql::Error::MySqlError(refusal) => matches!(refusal.code, 1053 | 1927 | 3169 | 4031),
        _ => false,
    }
}

/// Whether a statement waited too long for a lock.
fn is_locked(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(refusal) if refusal.code == 1205)
}

/// Whether a statement ran into its time-out.
fn is_too_slow(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1969 | 3024 | 1028))
}
