//! The schemas that load runs on: created, filled, copied, verified, and dropped again.
//!
//! Rows are generated once per server, into a utf8mb4 schema that is there only to convert from; every schema that was asked for is converted from that one
//! by the server itself. Where one schema is all that is asked for, they are generated into it. What each schema then gives back, as utf8mb4, is held against what was generated: no schema passes with a `?`
//! where a letter was.
//!
//! Every schema carries a marker table that names the run. Nothing is written to, or dropped from, a schema without it. A run that was
//! killed leaves its schemas on a server that is not ours; a later one finds them by their markers ([`leftovers`]).

mod error;
mod leftover;
mod loading;
mod parallel;
mod schema;
mod size;
mod verify;
mod watched;

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mysql::Conn;
use server::Server;
use server::cleanup::{self, Registration};
use workload::Table;

pub use error::TablesError;
pub use leftover::{Leftover, drop_leftovers, leftovers};
pub use size::{TableSize, table_sizes};

use loading::Loading;
use parallel::Counter;
use schema::Claim;
pub(crate) use schema::{MARKER, quote};

/// The most connections that load and copy at a time, however many cores there are.
const MOST_CONNECTIONS: usize = 8;

/// How long a server takes to be gone after its connections are.
const DYING: Duration = Duration::from_secs(2);

/// A schema that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its charset.
    pub charset: String,
    /// Its collation, one of the charset's.
    pub collation: String,
}

/// What became of a schema that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// It stands, and holds exactly the rows that were generated.
    Schema {
        /// Its name.
        name: String,
    },
    /// Its charset cannot hold the text; it is gone again.
    CannotHold {
        /// Why, in a sentence.
        reason: String,
    },
}

/// How far loading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows written, and rows verified.
    pub done: u64,
    /// What `done` will be in the end.
    pub total: u64,
}

/// The schemas of one run on one server. Dropping this drops them all, on success, error and panic alike; a signal that leaves no time to
/// unwind drops them by way of [`server::cleanup`].
pub struct Schemas<'s> {
    server: &'s Server,
    claim: Arc<Claim>,
    /// Opened in time, for dropping the schemas of an attached server: after a signal, no connection opens any more.
    spare: Option<Mutex<Conn>>,
    _on_signal: Option<Registration>,
}

impl<'s> Schemas<'s> {
    /// Prepares to create schemas `weigh_<run>_1`, `weigh_<run>_2`, … `run` must be unlike that of every other run on this server.
    pub fn new(server: &'s Server, run: &str) -> Result<Self, TablesError> {
        // A private server is stopped and removed whole on a signal; an attached one outlives us and must be left clean.
        if server.is_private() {
            let claim = Arc::new(Claim::new(server.label(), run, None));
            return Ok(Self { server, claim, spare: None, _on_signal: None });
        }
        let mut spare = spare(server)?;
        let claim = Arc::new(Claim::new(server.label(), run, sign_of_life(&mut spare, run)));
        let on_signal = Some(release_on_signal(server, &claim)?);
        Ok(Self { server, claim, spare: Some(Mutex::new(spare)), _on_signal: on_signal })
    }

    /// Creates a schema for each of `wanted` and puts the rows of `tables` into all of them; the answers stand in the order of `wanted`.
    pub fn load(
        &self,
        tables: &[Table],
        wanted: &[Wanted],
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Vec<Loaded>, TablesError> {
        let rows: u64 = tables.iter().map(|table| u64::from(table.rows)).sum();
        let total = 2 * rows * loading::schemas(wanted);
        let (claim, tables, wanted) = (Arc::clone(&self.claim), tables.to_vec(), wanted.to_vec());
        let work = |mut conns: Vec<Conn>| {
            watched::run(self.server, progress, move |progress| {
                let counter = Counter::new(total, progress);
                Loading { claim: &claim, tables: &tables, wanted: &wanted, counter: &counter }.run(&mut conns)
            })
        };
        self.connections().and_then(work).map_err(|error| self.blame(error))
    }

    /// Creates an empty schema with the run's marker, for whoever fills it, and returns its name.
    pub fn create(&self, wanted: &Wanted) -> Result<String, TablesError> {
        let mut conn = self.server.control()?;
        self.claim.create(&mut conn, wanted).map_err(|error| self.blame(error))
    }

    /// Drops all schemas now, and tells if one stays.
    pub fn remove(self) -> Result<(), TablesError> {
        self.release()
    }

    fn release(&self) -> Result<(), TablesError> {
        if self.claim.names().is_empty() {
            return Ok(());
        }
        self.release_by_any().map_err(|error| TablesError::LeftBehind {
            server: self.server.label().to_owned(),
            schemas: self.claim.names().join(", "),
            reason: self.blame(error).to_string(),
        })
    }

    fn release_by_any(&self) -> Result<(), TablesError> {
        // One that is frozen would hold us for as long as DROP DATABASE may take.
        match self.server.check_answers() {
            // After a signal no connection opens any more to ask by; the spare one is open.
            Ok(()) | Err(server::Error::Interrupted) => {}
            Err(silent) => return Err(silent.into()),
        }
        match self.spare.as_ref().map(|spare| self.claim.release(&mut lock(spare))) {
            // Somebody may have ended it while it was idle; then a new one is worth a try.
            Some(Err(error)) if error.is_lost_connection() => self.release_by_new(),
            Some(released) => released,
            None => self.release_by_new(),
        }
    }

    fn release_by_new(&self) -> Result<(), TablesError> {
        self.claim.release(&mut self.server.control_patient()?)
    }

    /// Where a private server has died, that is the error, and whatever a connection noticed is its echo, which may come first.
    fn blame(&self, error: TablesError) -> TablesError {
        let patience = if self.server.is_private() && error.is_lost_connection() { DYING } else { Duration::ZERO };
        let deadline = Instant::now() + patience;
        loop {
            match self.server.check_alive() {
                Err(died) => return died.into(),
                Ok(()) if Instant::now() >= deadline => return error,
                Ok(()) => thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    fn connections(&self) -> Result<Vec<Conn>, TablesError> {
        let count = thread::available_parallelism().map_or(1, usize::from).min(MOST_CONNECTIONS);
        let connect = || {
            let mut conn = self.server.control_unlimited()?;
            schema::begin_session(&mut conn)
                .map_err(TablesError::refused(self.server.label(), "prepare a connection for loading"))?;
            Ok(conn)
        };
        (0..count).map(|_| connect()).collect()
    }
}

impl Drop for Schemas<'_> {
    fn drop(&mut self) {
        // A private server takes its schemas with it; on any other, whoever owns it must know what is left there.
        if let Err(error) = self.release()
            && !self.server.is_private()
        {
            tell(&error);
        }
    }
}

/// A name for the schemas of a run, which no other run on the same server has.
pub fn run_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}_{:x}", std::process::id(), now.as_nanos() & 0xFFFF_FFFF)
}

/// Has the schemas dropped when a signal ends the process without unwinding, by a connection of its own: the orderly way may be stuck
/// on the other one.
fn release_on_signal(server: &Server, claim: &Arc<Claim>) -> Result<Registration, TablesError> {
    let (conn, claim) = (Mutex::new(spare(server)?), Arc::clone(claim));
    Ok(cleanup::register(move || {
        if let Err(error) = claim.release(&mut lock(&conn)) {
            tell(&error);
        }
    }))
}

/// A connection to clean up by. It is opened before there is anything to clean up: then there may be no time to log in, or no connection
/// left to be had.
fn spare(server: &Server) -> Result<Conn, TablesError> {
    let mut conn = server.control_patient()?;
    schema::begin_session(&mut conn)
        .map_err(TablesError::refused(server.label(), "prepare a connection for cleaning up"))?;
    Ok(conn)
}

/// Takes a lock by which others can tell that this run lives: the server gives it back when the connection ends, however it ends. Some
/// clusters have no locks; what a killed run leaves there stays until somebody looks.
fn sign_of_life(conn: &mut Conn, run: &str) -> Option<String> {
    let name = format!("weigh_{}", run.to_lowercase());
    leftover::take(conn, &name).unwrap_or(false).then_some(name)
}

fn lock(conn: &Mutex<Conn>) -> MutexGuard<'_, Conn> {
    conn.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where nobody reads standard error, cleaning up goes on all the same.
fn tell(error: &TablesError) {
    let _ = writeln!(std::io::stderr(), "{error}");
}
