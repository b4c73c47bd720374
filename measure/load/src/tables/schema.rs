//! Schemas of one run, each with a marker table.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use lifecycle::interrupt;
use mysql::Row;
use mysql::prelude::Queryable;
use server::Conn;
pub(crate) use server::MARKER_TABLE as MARKER;

use super::SchemaSpec;
use super::error::{TablesError, server_error_code};

/// SQL expression that identifies a server. A replica copies the schemas, but has a different
/// identity.
pub(super) const THIS_SERVER: &str = "CONCAT_WS(':', @@hostname, @@port, @@server_id)";

/// Unknown database (1049), no such table (1146), a view in place of the table (1176).
const MISSING_ERRORS: [Option<u16>; 3] = [Some(1049), Some(1146), Some(1176)];

/// Longest time that dropping the schemas waits for a marker. A signal leaves 5 s for all.
const MAX_MARKER_TIME: Duration = Duration::from_secs(3);

/// The schemas that a run has created on a server.
pub(super) struct OwnedSchemas {
    pub server: String,
    run: String,
    /// Named lock that the run holds while it is alive. `None` if it could not take one, on a
    /// private server, or if the run has ended.
    run_lock: Option<String>,
    next: AtomicU32,
    names: Mutex<Vec<String>>,
    /// Held from the creation of a schema until it has its marker.
    creating: Mutex<()>,
}

impl OwnedSchemas {
    /// Creates an empty list of a run's schemas. `run_lock` is the lock that the run holds.
    pub fn new(server: &str, run: &str, run_lock: Option<String>) -> Self {
        let (server, run) = (server.to_owned(), run.to_lowercase());
        Self { server, run, run_lock, next: AtomicU32::new(1), names: Mutex::default(), creating: Mutex::default() }
    }

    pub fn for_ended_run(server: &str, run: &str) -> Self {
        Self::new(server, run, None)
    }

    /// Names of the schemas that were created and not yet dropped.
    pub fn names(&self) -> Vec<String> {
        self.lock().clone()
    }

    pub fn create(&self, conn: &mut Conn, wanted: &SchemaSpec) -> Result<String, TablesError> {
        let name = format!("weigh_{}_{}", self.run, self.next.fetch_add(1, Ordering::Relaxed));
        let purpose = || format!("create the schema {name} with collation {}", wanted.collation);
        let SchemaSpec { charset, collation } = wanted;
        let create = format!(
            "CREATE DATABASE {} CHARACTER SET {} COLLATE {}",
            sql::quote_identifier(&name),
            sql::quote_identifier(charset),
            sql::quote_identifier(collation)
        );
        let _creating = self.creating.lock().unwrap_or_else(PoisonError::into_inner);
        // A signal has made another thread drop the schemas.
        interrupt::check().map_err(|_| TablesError::Interrupted)?;
        conn.query_drop(create).map_err(TablesError::refused(&self.server, purpose()))?;
        self.lock().push(name.clone());
        self.add_marker(conn, &name).map_err(|error| {
            // Created just now by this run. This is the only case in which a schema without a
            // marker is dropped.
            let _ = conn.query_drop(format!("DROP DATABASE {}", sql::quote_identifier(&name)));
            self.forget(&name);
            TablesError::refused(&self.server, purpose())(error)
        })?;
        Ok(name)
    }

    fn add_marker(&self, conn: &mut Conn, schema: &str) -> mysql::Result<()> {
        let marker = marker_table(schema);
        conn.query_drop(format!(
            "CREATE TABLE {marker} (run VARCHAR(64) NOT NULL PRIMARY KEY, created DATETIME NOT NULL, made_by VARCHAR(64) NOT NULL, \
             server VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, held VARCHAR(64)) ENGINE=InnoDB CHARACTER SET ascii"
        ))?;
        let made_by = concat!("weigh ", env!("CARGO_PKG_VERSION"));
        // Read first: a replica that repeats the INSERT must not insert its own identity.
        let server: Option<String> = conn.query_first(format!("SELECT {THIS_SERVER}"))?;
        let insert = format!("INSERT INTO {marker} VALUES (?, UTC_TIMESTAMP(), ?, ?, ?)");
        conn.exec_drop(insert, (&self.run, made_by, server.unwrap_or_default(), &self.run_lock))
    }

    /// Returns an error unless the schema has this run's marker.
    pub fn check(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let query = format!("SELECT run FROM {} {}", marker_table(schema), sql::BASE_TABLE_ONLY);
        let run: Result<Option<String>, _> = conn.query_first(query);
        match run {
            Ok(run) if run.as_deref() == Some(&self.run) => Ok(()),
            Err(error) if !MISSING_ERRORS.contains(&server_error_code(&error)) => {
                Err(TablesError::refused(&self.server, format!("read the marker of {schema}"))(error))
            }
            _ => Err(TablesError::NotOurs { server: self.server.clone(), schema: schema.to_owned() }),
        }
    }

    pub fn drop_schema(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let purpose = || format!("drop its schema {schema}");
        if self.exists(conn, schema).map_err(TablesError::refused(&self.server, purpose()))? {
            self.check(conn, schema)?;
            conn.query_drop(format!("DROP DATABASE IF EXISTS {}", sql::quote_identifier(schema)))
                .map_err(TablesError::refused(&self.server, purpose()))?;
        }
        self.forget(schema);
        Ok(())
    }

    fn exists(&self, conn: &mut Conn, schema: &str) -> mysql::Result<bool> {
        let found: Option<u8> =
            conn.exec_first("SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", (schema,))?;
        Ok(found.is_some())
    }

    /// Drops all schemas, and ends connections that still use them. Continues if a schema cannot be
    /// dropped, and returns the first error.
    pub fn release(&self, conn: &mut Conn) -> Result<(), TablesError> {
        let names = self.names();
        if names.is_empty() {
            return Ok(());
        }
        self.end_connections(conn, &names)
            .map_err(TablesError::refused(&self.server, "end the connections of this run"))?;
        names.iter().rev().map(|name| self.drop_schema(conn, name)).fold(Ok(()), Result::and)
    }

    /// Waits until no schema is without its marker, at most for [`MAX_MARKER_TIME`].
    pub fn wait_for_markers(&self) {
        let deadline = Instant::now() + MAX_MARKER_TIME;
        while matches!(self.creating.try_lock(), Err(TryLockError::WouldBlock)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends other connections with this user name whose default schema is one of `names`. An open
    /// transaction would block DROP DATABASE.
    fn end_connections(&self, conn: &mut Conn, names: &[String]) -> mysql::Result<()> {
        shorten_lock_wait(conn)?;
        let me: Option<(u64, String)> = conn.query_first("SELECT CONNECTION_ID(), SUBSTRING_INDEX(USER(), '@', 1)")?;
        let Some((own_id, own_user)) = me else { return Ok(()) };
        let processes: Vec<Row> = conn.query("SHOW PROCESSLIST")?;
        for process in processes {
            let (id, user, schema) = (process.get(0), process.get::<String, _>(1), process.get::<Option<String>, _>(3));
            if let (Some(id), Some(user), Some(Some(schema))) = (id, user, schema)
                && u64::ne(&id, &own_id)
                && user == own_user
                && names.contains(&schema)
            {
                match conn.query_drop(format!("KILL {id}")) {
                    // Unknown thread id: the connection has ended meanwhile.
                    Err(error) if server_error_code(&error) != Some(1094) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn forget(&self, schema: &str) {
        self.lock().retain(|name| name != schema);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        // The list is consistent between any two statements, so a panic elsewhere cannot have
        // corrupted it.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prepares a connection for loading or cleaning up: text is stored unchanged or refused, and an
/// idle connection stays open for a week.
pub(super) fn begin_session(conn: &mut Conn) -> mysql::Result<()> {
    conn.query_drop("SET NAMES utf8mb4")?;
    conn.query_drop("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION wait_timeout = 604800")
}

/// Limits the wait for metadata locks to 5 s, so that dropping a schema in use fails soon.
pub(super) fn shorten_lock_wait(conn: &mut Conn) -> mysql::Result<()> {
    conn.query_drop("SET SESSION lock_wait_timeout = 5")
}

pub(super) fn use_schema(conn: &mut Conn, schema: &str) -> mysql::Result<()> {
    conn.query_drop(format!("USE {}", sql::quote_identifier(schema)))
}

pub(super) fn marker_table(schema: &str) -> String {
    format!("{}.{MARKER}", sql::quote_identifier(schema))
}
