//! A connection that can't write, doesn't wait for ever and reads text as it is.

use std::time::Duration;

use mysql::Conn;
use mysql::prelude::Queryable;
use server::{ConnectionCharsets, Error, Flavour, Server, Version, connection_charsets};

/// How long reading may hold on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest that a statement may run in the server.
    pub statement: Duration,
    /// The longest wait for a lock.
    pub lock: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { statement: Duration::from_secs(60), lock: Duration::from_secs(5) }
    }
}

/// How long the server may be silent beyond the time of a statement, which it doesn't limit itself in every version.
const SILENCE: Duration = Duration::from_secs(60);

/// Opens a connection whose transactions are read-only and whose statements and waits are limited in time. Text comes as utf8mb4.
///
/// # Errors
/// If there is no connection, or the server refuses the settings.
pub fn connect(server: &Server, limits: &Limits) -> Result<Conn, Error> {
    Ok(open(server, limits)?.0)
}

/// As [`connect`], with the character sets that the session had before it was set up.
pub(super) fn open(server: &Server, limits: &Limits) -> Result<(Conn, ConnectionCharsets), Error> {
    let mut conn = server.control_within(limits.statement + SILENCE)?;
    let handshake = connection_charsets(&mut conn).map_err(|source| Error::Statement {
        label: server.label().to_owned(),
        what: "tell a session's character sets",
        source,
    })?;
    let version = Version::find(server.version()).unwrap_or(Version::new(0, 0, 0));
    for statement in statements(server.flavour(), version, limits) {
        conn.query_drop(statement).map_err(|source| Error::Statement {
            label: server.label().to_owned(),
            what: "set up a read-only session",
            source,
        })?;
    }
    Ok((conn, handshake))
}

fn statements(flavour: Flavour, version: Version, limits: &Limits) -> Vec<String> {
    let mysql = flavour == Flavour::MySql;
    let mut statements = vec![
        "SET NAMES utf8mb4".to_owned(),
        // Quotes and backslashes then mean what they mean by default.
        "SET SESSION sql_mode = ''".to_owned(),
        format!("SET SESSION lock_wait_timeout = {}", limits.lock.as_secs().max(1)),
        "SET SESSION TRANSACTION READ ONLY".to_owned(),
    ];
    if mysql && version >= Version::new(5, 7, 8) {
        statements.push(format!("SET SESSION max_execution_time = {}", limits.statement.as_millis()));
    }
    if !mysql && version >= Version::new(10, 1, 1) {
        statements.push(format!("SET SESSION max_statement_time = {}", limits.statement.as_secs_f64()));
    }
    if mysql && version >= Version::new(8, 0, 0) {
        // Statistics come from the engine. With another value the server would store them.
        statements.push("SET SESSION information_schema_stats_expiry = 0".to_owned());
    }
    statements
}
