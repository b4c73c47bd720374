//! Prepares the session that reads rows, and reads definitions.

use std::time::Duration;

use facts::Facts;
use mysql::prelude::Queryable;
use rehearsal::Definitions;
use server::{Conn, Server};

use crate::Error;
use sql::quote_table;

/// Chunks that take longer are tried again with fewer rows.
pub(super) const TIME_LIMIT_SECONDS: u32 = 30;

/// Time limit of reading a table without a key, in one statement.
const MAX_PASS_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a session read-only, limits the time of its statements and lock waits, and makes the
/// server return text in the columns' own character sets and TIMESTAMP values in UTC. In the hour
/// that a time zone repeats in autumn, a local time is ambiguous.
pub(super) fn prepare(conn: &mut Conn, facts: &Facts) -> Result<(), Error> {
    let run = |conn: &mut Conn, statement: &str| {
        conn.query_drop(statement)
            .map_err(|source| Error::Statement { what: format!("set up a session ({statement})"), source })
    };
    if facts.server.charset("utf8mb4").is_some() {
        run(conn, "SET NAMES utf8mb4")?;
    }
    run(conn, "SET SESSION character_set_results = NULL")?;
    run(conn, "SET SESSION sql_mode = ''")?;
    run(conn, "SET SESSION time_zone = '+00:00'")?;
    run(conn, "SET SESSION TRANSACTION READ ONLY")?;
    // Old servers lack these variables.
    for statement in ["SET SESSION lock_wait_timeout = 10", "SET SESSION net_write_timeout = 600"] {
        let _ = conn.query_drop(statement);
    }
    set_time_limit(conn);
    Ok(())
}

/// Limits the time of statements. The first variable is MySQL's (5.7.8 and later), the second
/// MariaDB's.
pub(super) fn set_time_limit(conn: &mut Conn) {
    // The client's own limit, for servers that lack both variables, and for programs that only
    // imitate a server.
    conn.set_limit(Duration::from_secs((2 * TIME_LIMIT_SECONDS).into()));
    let _ = conn.query_drop(format!("SET SESSION max_execution_time = {}", TIME_LIMIT_SECONDS * 1000));
    let _ = conn.query_drop(format!("SET SESSION max_statement_time = {TIME_LIMIT_SECONDS}"));
}

pub(super) fn clear_time_limit(conn: &mut Conn) {
    conn.set_limit(MAX_PASS_TIME);
    let _ = conn.query_drop("SET SESSION max_execution_time = 0");
    let _ = conn.query_drop("SET SESSION max_statement_time = 0");
}

/// Returns the `GRANT` that lets the session's account read a table.
pub(super) fn grant_statement(conn: &mut Conn, schema: &str, name: &str) -> String {
    let account: Option<String> = conn.query_first("SELECT CURRENT_USER()").ok().flatten();
    let account = account.unwrap_or_default();
    let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
    format!("GRANT SELECT ON {} TO '{user}'@'{host}'", quote_table(schema, name))
}

/// Reads every object of the facts' schemas.
pub fn read_definitions(server: &Server, facts: &Facts) -> Result<Definitions, Error> {
    let schemas: Vec<String> = facts.schemas.iter().map(|schema| schema.name.clone()).collect();
    let mut conn = server.connect_patiently()?;
    Ok(rehearsal::read(server, &mut conn, &schemas, rehearsal::Values::Skip)?)
}
