//! The schemas that load runs on: created, filled, copied, verified, and dropped again.
//!
//! Rows are generated once per server, into the first schema whose charset can hold them; every other schema is converted from that one
//! by the server itself. What each schema then gives back, as utf8mb4, is held against what was generated: no schema passes with a `?`
//! where a letter was.
//!
//! Every schema carries a marker table that names the run. Nothing is written to, or dropped from, a schema without it.

mod copy;
mod error;
mod fill;
mod parallel;
mod schema;
mod verify;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mysql::Conn;
use server::Server;
use server::cleanup::{self, Registration};
use workload::Table;

pub use error::TablesError;

use error::{Asked, Refusal};
use parallel::{Counter, each};
use schema::Claim;

/// The most connections that load and copy at a time, however many cores there are.
const MOST_CONNECTIONS: usize = 8;

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
    /// Rows written and rows verified.
    pub done: u64,
    /// What `done` will be in the end.
    pub total: u64,
}

/// The schemas of one run on one server. Dropping this drops them all, on success, error and panic alike; a signal that leaves no time to
/// unwind drops them by way of [`server::cleanup`].
pub struct Schemas<'s> {
    server: &'s Server,
    claim: Arc<Claim>,
    connections: usize,
    /// An attached server outlives us, so that a killed process must still clean up; a private one is removed whole.
    _on_signal: Option<Registration>,
}

impl<'s> Schemas<'s> {
    /// Prepares to create schemas `weigh_<run>_1`, `weigh_<run>_2`, … `run` must be unlike that of every other run on this server.
    pub fn new(server: &'s Server, run: &str) -> Result<Self, TablesError> {
        let claim = Arc::new(Claim::new(run));
        let on_signal = if server.is_private() {
            None
        } else {
            let last_resort = Mutex::new(schema::last_resort(server)?);
            let claim = Arc::clone(&claim);
            Some(cleanup::register(move || {
                let mut conn = last_resort.lock().unwrap_or_else(PoisonError::into_inner);
                // The process is about to be gone: there is nobody left to tell.
                let _ = claim.release(&mut conn);
            }))
        };
        let connections = thread::available_parallelism().map_or(1, usize::from).min(MOST_CONNECTIONS);
        Ok(Self { server, claim, connections, _on_signal: on_signal })
    }

    /// Creates a schema for each of `wanted` and puts the rows of `tables` into all of them; the answers stand in the order of `wanted`.
    /// The rows are generated into the first that can hold them, so the baseline belongs first.
    pub fn load(
        &self,
        tables: &[Table],
        wanted: &[Wanted],
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Vec<Loaded>, TablesError> {
        let rows: u64 = tables.iter().map(|table| u64::from(table.rows)).sum();
        let counter = Counter::new(2 * rows * wanted.len() as u64, progress);
        let mut conns = self.connect()?;
        let loading = Loading { schemas: self, tables, counter: &counter };
        let mut loaded: BTreeMap<usize, Loaded> = BTreeMap::new();
        let Some(source) = loading.fill_source(&mut conns, wanted, &mut loaded)? else {
            return Ok(loaded.into_values().collect());
        };
        loading.copy_source(&mut conns, &source, wanted, &mut loaded)?;
        if source.wanted.is_none() {
            self.discard(&mut conns[0], &source.schema)?;
        }
        counter.finish();
        Ok(loaded.into_values().collect())
    }

    /// Drops all schemas now, and tells if one stays.
    pub fn remove(self) -> Result<(), TablesError> {
        self.release()
    }

    fn release(&self) -> Result<(), TablesError> {
        if self.claim.is_empty() {
            return Ok(());
        }
        let left = |reason: String| TablesError::LeftBehind {
            server: self.server.label().to_owned(),
            schemas: self.claim.names().join(", "),
            reason,
        };
        let mut conn = self.server.control().map_err(|error| left(error.to_string()))?;
        self.claim.release(&mut conn).map_err(|error| left(error::describe(&error)))
    }

    /// Drops one schema.
    fn discard(&self, conn: &mut Conn, name: &str) -> Result<(), TablesError> {
        self.claim.drop_schema(conn, name).asked(self.server, || format!("drop its schema {name}"))
    }

    fn connect(&self) -> Result<Vec<Conn>, TablesError> {
        (0..self.connections)
            .map(|_| {
                let mut conn = self.server.control()?;
                schema::begin_session(&mut conn).asked(self.server, || "prepare a connection for loading".to_owned())?;
                Ok(conn)
            })
            .collect()
    }
}

impl Drop for Schemas<'_> {
    fn drop(&mut self) {
        // A private server takes its schemas with it, and one that has died has none to drop.
        if let Err(error) = self.release()
            && !self.server.is_private()
        {
            eprintln!("{error}");
        }
    }
}

/// The schema that the others are converted from.
struct Source {
    schema: String,
    /// Which of the wanted schemas it is, if it is one.
    wanted: Option<usize>,
    /// What every copy must give back.
    sums: Vec<verify::Sum>,
}

/// One call of [`Schemas::load`].
struct Loading<'a> {
    schemas: &'a Schemas<'a>,
    tables: &'a [Table],
    counter: &'a Counter<'a>,
}

impl Loading<'_> {
    /// Generates the rows into the first schema that holds them: the first wanted one, else one of utf8mb4.
    fn fill_source(
        &self,
        conns: &mut [Conn],
        wanted: &[Wanted],
        loaded: &mut BTreeMap<usize, Loaded>,
    ) -> Result<Option<Source>, TablesError> {
        let spare = Wanted { charset: "utf8mb4".to_owned(), collation: "utf8mb4_bin".to_owned() };
        let utf8mb4 = (1..wanted.len()).filter(|&at| wanted[at].charset == spare.charset);
        let candidates = (0..wanted.len().min(1)).chain(utf8mb4).map(|at| (Some(at), &wanted[at]));
        for (at, candidate) in candidates.chain(std::iter::once((None, &spare)).filter(|_| wanted.len() > 1)) {
            let schema = self.create(&mut conns[0], candidate)?;
            let reason = match self.fill(conns, &schema)? {
                Ok(sums) => {
                    if let Some(at) = at {
                        loaded.insert(at, Loaded::Schema { name: schema.clone() });
                    }
                    return Ok(Some(Source { schema, wanted: at, sums }));
                }
                Err(reason) => reason,
            };
            self.schemas.discard(&mut conns[0], &schema)?;
            if let Some(at) = at {
                loaded.insert(at, Loaded::CannotHold { reason: cannot_hold(candidate, &reason) });
            }
        }
        Ok(None)
    }

    /// Generates all rows into one schema; the inner error says why it cannot hold them.
    fn fill(&self, conns: &mut [Conn], schema: &str) -> Result<Result<Vec<verify::Sum>, String>, TablesError> {
        let server = self.schemas.server;
        let before = self.counter.mark();
        let filled = fill::fill(server, conns, schema, self.tables, self.counter);
        let checked = filled.and_then(|sums| {
            each(conns, self.tables, |conn, table| {
                let at = usize::try_from(table_position(self.tables, table)).unwrap_or_default();
                self.complete(conn, schema, table, sums[at])
            })?;
            Ok(sums)
        });
        match checked {
            Ok(sums) => Ok(Ok(sums)),
            Err(Refusal::CannotHold(reason)) => {
                self.counter.rewind(before);
                Ok(Err(reason))
            }
            Err(Refusal::Failed(error)) => Err(error),
        }
    }
}
