//! Read-only connections with time limits.

use std::time::Duration;

use mysql::prelude::Queryable;
use server::Conn;
use server::{ConnectionCharsets, Error, Flavour, Server, Version, read_connection_charsets};
use sql::SessionSetting;

/// Time limits of reading.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum execution time of a statement. MySQL enforces it for `SELECT` only. MySQL before
    /// 5.7.8 and MariaDB before 10.1.1 do not enforce it.
    pub statement: Duration,
    /// Maximum wait for a metadata lock. Cut to whole seconds, at least 1.
    pub lock: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { statement: Duration::from_secs(60), lock: Duration::from_secs(5) }
    }
}

/// Opens a connection with read-only transactions, time limits and charset utf8mb4.
pub fn connect(server: &Server, limits: &Limits) -> Result<Conn, Error> {
    Ok(open(server, limits)?.0)
}

/// Like [`connect`]. Also returns the session's character sets right after login.
pub(super) fn open(server: &Server, limits: &Limits) -> Result<(Conn, ConnectionCharsets), Error> {
    // The client's limit also covers servers that do not limit statements.
    let mut conn = server.log_in(limits.statement + server.endpoint().timeout)?;
    let handshake = read_connection_charsets(&mut conn).map_err(|source| Error::Statement {
        label: server.label().to_owned(),
        what: "report a session's character sets",
        source,
    })?;
    conn.prepare_session().map_err(|source| Error::Statement {
        label: server.label().to_owned(),
        what: "set up a session",
        source,
    })?;
    let version = Version::find(server.version()).unwrap_or(Version::new(0, 0, 0));
    for statement in setup_statements(server.flavour(), version, limits) {
        conn.query_drop(statement).map_err(|source| Error::Statement {
            label: server.label().to_owned(),
            what: "set up a read-only session",
            source,
        })?;
    }
    Ok((conn, handshake))
}

/// Applies settings to a session. A setting that the server refuses has no effect.
pub fn apply_settings(conn: &mut Conn, settings: &[SessionSetting]) -> mysql::Result<()> {
    for SessionSetting { statement, parameter, .. } in settings {
        let set = match parameter {
            Some(value) => conn.exec_drop(statement.as_str(), (value.as_str(),)),
            None => conn.query_drop(statement),
        };
        match set {
            Err(mysql::Error::MySqlError(_)) => {}
            other => other?,
        }
    }
    Ok(())
}

fn setup_statements(flavour: Flavour, version: Version, limits: &Limits) -> Vec<String> {
    let mysql = flavour == Flavour::MySql;
    let mut statements = vec![
        "SET NAMES utf8mb4".to_owned(),
        // Disables ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
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
        // Reads statistics from the engine. With other values, the server writes them to its cache.
        statements.push("SET SESSION information_schema_stats_expiry = 0".to_owned());
    }
    statements
}
