//! Schemas of one run: created with a marker, dropped only with that marker.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mysql::prelude::Queryable;
use mysql::{Conn, Row};

use super::Wanted;
use super::error::{TablesError, code};

/// The table that tells a schema of ours from any other.
pub(crate) const MARKER: &str = "weigh_marker";

/// What a server calls itself, as an expression of SQL. A replica has copies of schemas, but other names.
pub(super) const THIS_SERVER: &str = "CONCAT_WS(':', @@hostname, @@port, @@server_id)";

/// No such schema; no such table.
const MISSING: [Option<u16>; 2] = [Some(1049), Some(1146)];

/// What a run has created on a server.
pub(super) struct Claim {
    /// The server's name in messages.
    pub server: String,
    run: String,
    /// The lock of the server that this run holds while it lives, where it has one.
    held: Option<String>,
    next: AtomicU32,
    names: Mutex<Vec<String>>,
}

impl Claim {
    /// Of a run that begins, and holds this lock.
    pub fn new(server: &str, run: &str, held: Option<String>) -> Self {
        let (server, run) = (server.to_owned(), run.to_lowercase());
        Self { server, run, held, next: AtomicU32::new(1), names: Mutex::default() }
    }

    /// Of a run that is over.
    pub fn of(server: &str, run: &str) -> Self {
        Self::new(server, run, None)
    }

    /// The schemas that stand.
    pub fn names(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// Creates an empty schema with its marker.
    pub fn create(&self, conn: &mut Conn, wanted: &Wanted) -> Result<String, TablesError> {
        let name = format!("weigh_{}_{}", self.run, self.next.fetch_add(1, Ordering::Relaxed));
        let purpose = || format!("create the schema {name} with collation {}", wanted.collation);
        let Wanted { charset, collation } = wanted;
        let create =
            format!("CREATE DATABASE {} CHARACTER SET {} COLLATE {}", quote(&name), quote(charset), quote(collation));
        conn.query_drop(create).map_err(TablesError::refused(&self.server, purpose()))?;
        self.lock().push(name.clone());
        self.mark(conn, &name).map_err(|error| {
            // Created a moment ago, by us and nobody else: the one case in which a schema goes without a marker.
            let _ = conn.query_drop(format!("DROP DATABASE {}", quote(&name)));
            self.forget(&name);
            TablesError::refused(&self.server, purpose())(error)
        })?;
        Ok(name)
    }

    fn mark(&self, conn: &mut Conn, schema: &str) -> mysql::Result<()> {
        let marker = marker(schema);
        conn.query_drop(format!(
            "CREATE TABLE {marker} (run VARCHAR(64) NOT NULL PRIMARY KEY, created DATETIME NOT NULL, made_by VARCHAR(64) NOT NULL, \
             server VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, held VARCHAR(64)) ENGINE=InnoDB CHARACTER SET ascii"
        ))?;
        let made_by = concat!("weigh ", env!("CARGO_PKG_VERSION"));
        // Read first: a replica that repeats the statement must not put its own name there.
        let server: Option<String> = conn.query_first(format!("SELECT {THIS_SERVER}"))?;
        let insert = format!("INSERT INTO {marker} VALUES (?, UTC_TIMESTAMP(), ?, ?, ?)");
        conn.exec_drop(insert, (&self.run, made_by, server.unwrap_or_default(), &self.held))
    }

    /// An error unless the schema carries this run's marker.
    pub fn check(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let run: Result<Option<String>, _> = conn.query_first(format!("SELECT run FROM {}", marker(schema)));
        match run {
            Ok(run) if run.as_deref() == Some(&self.run) => Ok(()),
            Err(error) if !MISSING.contains(&code(&error)) => {
                Err(TablesError::refused(&self.server, format!("read the marker of {schema}"))(error))
            }
            _ => Err(TablesError::NotOurs { server: self.server.clone(), schema: schema.to_owned() }),
        }
    }

    /// Drops one schema of the claim.
    pub fn drop_schema(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let purpose = || format!("drop its schema {schema}");
        if self.exists(conn, schema).map_err(TablesError::refused(&self.server, purpose()))? {
            self.check(conn, schema)?;
            conn.query_drop(format!("DROP DATABASE IF EXISTS {}", quote(schema)))
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

    /// Drops all schemas of the claim, whatever still runs in them; goes on after an error and returns the first.
    pub fn release(&self, conn: &mut Conn) -> Result<(), TablesError> {
        let names = self.names();
        if names.is_empty() {
            return Ok(());
        }
        self.end_connections(conn, &names)
            .map_err(TablesError::refused(&self.server, "end the connections of this run"))?;
        names.iter().rev().map(|name| self.drop_schema(conn, name)).fold(Ok(()), Result::and)
    }

    /// Ends this account's other connections to the schemas: an open transaction would keep DROP DATABASE waiting. Only a connection of
    /// this run has any of these for its default schema.
    fn end_connections(&self, conn: &mut Conn, names: &[String]) -> mysql::Result<()> {
        be_impatient(conn)?;
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
                    // Unknown thread: it has ended meanwhile.
                    Err(error) if code(&error) != Some(1094) => return Err(error),
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
        // The list is whole between any two statements, so a panic elsewhere has not spoilt it.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settings that every control connection of a run needs: text arrives as it is or not at all, and waiting for others does not end it.
pub(super) fn begin_session(conn: &mut Conn) -> mysql::Result<()> {
    conn.query_drop("SET NAMES utf8mb4")?;
    conn.query_drop("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION wait_timeout = 604800")
}

/// Dropping a schema that somebody works on is given up soon.
pub(super) fn be_impatient(conn: &mut Conn) -> mysql::Result<()> {
    conn.query_drop("SET SESSION lock_wait_timeout = 5")
}

/// Makes a schema the connection's default one.
pub(super) fn enter(conn: &mut Conn, schema: &str) -> mysql::Result<()> {
    conn.query_drop(format!("USE {}", quote(schema)))
}

/// An identifier of SQL.
pub(crate) fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// The marker of a schema, as it is named in SQL.
pub(super) fn marker(schema: &str) -> String {
    format!("{}.{MARKER}", quote(schema))
}
