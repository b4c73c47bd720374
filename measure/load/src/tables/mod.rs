//! Schemas for the load: created, filled, copied, verified and dropped.
//!
//! The rows of several schemas are generated once, into a utf8mb4 staging schema, from which the
//! server copies and converts them. A single requested schema is filled directly. In each schema,
//! the server then computes a checksum of the rows in utf8mb4. It must equal the checksum of the
//! generated rows, so that no schema contains a `?` in place of a letter.
//!
//! Every schema contains a marker table that names the run. A schema without that marker is never
//! written to. It is dropped only if this run has just created it and could not add the marker.
//! Schemas of a killed run stay on an attached server; a later run finds them by their markers
//! ([`find_leftovers`]).

mod error;
mod leftover;
mod loading;
mod parallel;
mod schema;
mod size;
mod supervised;
mod verify;

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lifecycle::cleanup::{self, Registration};
use server::Conn;
use server::Server;
use workload::Table;

pub use error::TablesError;
pub use leftover::{LeftoverSchema, drop_leftover_schemas, find_leftovers};
pub use size::{TableSize, table_sizes};

use loading::Loading;
use parallel::ProgressCounter;
pub(crate) use schema::MARKER;
use schema::OwnedSchemas;

/// Maximum number of connections that load and copy at the same time.
const MAX_CONNECTIONS: usize = 8;

/// Maximum time between the loss of a connection and the end of the server process.
const MAX_EXIT_TIME: Duration = Duration::from_secs(10);

/// A requested schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaSpec {
    pub charset: String,
    pub collation: String,
}

/// Result of loading a requested schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaOutcome {
    /// The schema exists and holds exactly the generated rows.
    Schema { name: String },
    /// The character set cannot hold the text; the schema was dropped.
    CannotHold {
        /// Reason as a sentence.
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows written plus rows verified.
    pub done: u64,
    /// Final value of `done`.
    pub total: u64,
}

/// The schemas of one run on one server. Dropping the value drops the schemas. On an attached
/// server, [`lifecycle::cleanup`] drops them if the process ends without unwinding.
pub struct Schemas<'s> {
    server: &'s Server,
    owned: Arc<OwnedSchemas>,
    /// Connection for dropping the schemas on an attached server. Opened early, since no connection
    /// can be opened after a signal. `None` for a private server.
    cleanup_conn: Option<Mutex<Conn>>,
    _cleanup_registration: Option<Registration>,
}

impl<'s> Schemas<'s> {
    /// Prepares to create schemas `weigh_<run>_1`, `weigh_<run>_2`, … `run` must be unique on this
    /// server.
    pub fn new(server: &'s Server, run: &str) -> Result<Self, TablesError> {
        // On a signal, a private server is stopped and removed with its data. An attached server
        // must be cleaned up.
        if server.is_private() {
            let owned = Arc::new(OwnedSchemas::new(server.label(), run, None));
            return Ok(Self { server, owned, cleanup_conn: None, _cleanup_registration: None });
        }
        let mut cleanup_conn = open_cleanup_connection(server)?;
        let owned = Arc::new(OwnedSchemas::new(server.label(), run, take_run_lock(&mut cleanup_conn, run)));
        let registration = Some(register_cleanup(server, &owned)?);
        Ok(Self { server, owned, cleanup_conn: Some(Mutex::new(cleanup_conn)), _cleanup_registration: registration })
    }

    /// Creates a schema for each item of `wanted` and loads the rows of `tables` into it. Returns
    /// the outcomes in the order of `wanted`.
    pub fn load(
        &self,
        tables: &[Table],
        wanted: &[SchemaSpec],
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Vec<SchemaOutcome>, TablesError> {
        let rows: u64 = tables.iter().map(|table| u64::from(table.rows)).sum();
        let total = 2 * rows * loading::count_schemas(wanted);
        let (owned, tables, wanted) = (Arc::clone(&self.owned), tables.to_vec(), wanted.to_vec());
        let work = |mut conns: Vec<Conn>| {
            supervised::run_supervised(self.server, progress, move |progress| {
                let counter = ProgressCounter::new(total, progress);
                Loading { owned: &owned, tables: &tables, wanted: &wanted, counter: &counter }.run(&mut conns)
            })
        };
        self.connections().and_then(work).map_err(|error| self.explain_failure(error))
    }

    /// Creates an empty schema with the run's marker and returns its name. The caller fills it.
    pub fn create(&self, wanted: &SchemaSpec) -> Result<String, TablesError> {
        let mut conn = self.server.connect()?;
        self.owned.create(&mut conn, wanted).map_err(|error| self.explain_failure(error))
    }

    /// Drops all schemas. An error if one cannot be dropped.
    pub fn remove(self) -> Result<(), TablesError> {
        self.release()
    }

    fn release(&self) -> Result<(), TablesError> {
        self.owned.wait_for_markers();
        if self.owned.names().is_empty() {
            return Ok(());
        }
        self.release_by_any_connection().map_err(|error| TablesError::LeftBehind {
            server: self.server.label().to_owned(),
            schemas: self.owned.names().join(", "),
            reason: self.explain_failure(error).to_string(),
        })
    }

    fn release_by_any_connection(&self) -> Result<(), TablesError> {
        // On a frozen server, DROP DATABASE would block until its time-out.
        match self.server.check_replies() {
            // After a signal no connection can be opened for this check; the cleanup connection is
            // still open.
            Ok(()) | Err(server::Error::Interrupted) => {}
            Err(silent) => return Err(silent.into()),
        }
        match self.cleanup_conn.as_ref().map(|conn| self.owned.release(&mut lock(conn))) {
            // The server may have closed the idle connection; try a new one.
            Some(Err(error)) if error.is_lost_connection() => self.release_by_new_connection(),
            Some(released) => released,
            None => self.release_by_new_connection(),
        }
    }

    fn release_by_new_connection(&self) -> Result<(), TablesError> {
        self.owned.release(&mut self.server.connect_patiently()?)
    }

    /// Returns "server died" in place of an error that the death of a private server caused. A
    /// connection may notice the death before the process has ended.
    fn explain_failure(&self, error: TablesError) -> TablesError {
        let grace = if self.server.is_private() && error.is_lost_connection() { MAX_EXIT_TIME } else { Duration::ZERO };
        let deadline = Instant::now() + grace;
        loop {
            match self.server.check_alive() {
                Err(died) => return died.into(),
                Ok(()) if Instant::now() >= deadline => return error,
                Ok(()) => thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    fn connections(&self) -> Result<Vec<Conn>, TablesError> {
        let count = thread::available_parallelism().map_or(1, usize::from).min(MAX_CONNECTIONS);
        let connect = || {
            let mut conn = self.server.connect_unlimited()?;
            schema::begin_session(&mut conn)
                .map_err(TablesError::refused(self.server.label(), "prepare a connection for loading"))?;
            Ok(conn)
        };
        (0..count).map(|_| connect()).collect()
    }
}

impl Drop for Schemas<'_> {
    fn drop(&mut self) {
        // A private server's schemas disappear with it. The owner of an attached server must know
        // which schemas are left, so the error is printed.
        if let Err(error) = self.release()
            && !self.server.is_private()
        {
            print_error(&error);
        }
    }
}

/// Returns a name for the schemas of a run, from the process id and the time.
pub fn new_run_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}_{:x}", std::process::id(), now.as_nanos() & 0xFFFF_FFFF)
}

/// Registers a clean-up action that drops the schemas over its own connection, since the cleanup
/// connection of [`Schemas`] may be blocked.
fn register_cleanup(server: &Server, owned: &Arc<OwnedSchemas>) -> Result<Registration, TablesError> {
    let (conn, owned) = (Mutex::new(open_cleanup_connection(server)?), Arc::clone(owned));
    Ok(cleanup::register(move || {
        if let Err(error) = owned.release(&mut lock(&conn)) {
            print_error(&error);
        }
    }))
}

/// Opens a connection for cleaning up. Opened before there is anything to clean up: later a login
/// may take too long or exceed `max_connections`.
fn open_cleanup_connection(server: &Server) -> Result<Conn, TablesError> {
    let mut conn = server.connect_patiently()?;
    schema::begin_session(&mut conn)
        .map_err(TablesError::refused(server.label(), "prepare a connection for cleaning up"))?;
    Ok(conn)
}

/// Takes a named lock that shows that this run is alive. The server releases it when the connection
/// ends. `None` if the lock cannot be taken, for example on a cluster without named locks. Schemas
/// of a killed run then stay until dropped by hand.
fn take_run_lock(conn: &mut Conn, run: &str) -> Option<String> {
    let name = format!("weigh_{}", run.to_lowercase());
    leftover::take_lock(conn, &name).unwrap_or(false).then_some(name)
}

fn lock(conn: &Mutex<Conn>) -> MutexGuard<'_, Conn> {
    conn.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints an error to standard error. A failed write is ignored, so that cleaning up continues.
fn print_error(error: &TablesError) {
    let _ = writeln!(std::io::stderr(), "{error}");
}
