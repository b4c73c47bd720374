//! Schemas left behind by a killed `weigh`: found by their marker tables and dropped.
//!
//! The marker names the run, the server, and a named lock that the run holds while it is alive. The
//! server releases the lock when the connection of a killed process ends. If the lock is free, the
//! run is over. A schema is left alone if its marker has no lock, names another server (a replica
//! copies the schemas), or does not fit the schema's name. A schema is also left alone while a
//! connection has it as default schema.

use mysql::prelude::Queryable;
use server::Conn;
use server::Server;

use super::error::{TablesError, server_error_code};
use super::schema::{self, MARKER, OwnedSchemas, THIS_SERVER, marker_table};

/// Access denied (1044, 1142), unknown column (1054), missing table (1146), a view in place of the
/// table (1176).
const UNREADABLE: [u16; 5] = [1044, 1054, 1142, 1146, 1176];

/// A schema of a run that is no longer alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftoverSchema {
    pub schema: String,
    /// Creation time in UTC, as the server formats it.
    pub created: String,
    run: String,
    lock: String,
}

/// Returns the schemas that earlier runs left on a server, ordered by name.
pub fn find_leftovers(server: &Server) -> Result<Vec<LeftoverSchema>, TablesError> {
    let mut conn = connect(server)?;
    find_ended_runs(&mut conn).map_err(TablesError::refused(server.label(), "look for schemas of earlier runs"))
}

/// Drops the schemas that earlier runs left behind and returns them.
pub fn drop_leftover_schemas(server: &Server) -> Result<Vec<LeftoverSchema>, TablesError> {
    let refused = |purpose| TablesError::refused(server.label(), purpose);
    let mut conn = connect(server)?;
    let found = find_ended_runs(&mut conn).map_err(refused("look for schemas of earlier runs"))?;
    let mut dropped = Vec::new();
    for leftover in found {
        // Hold the lock while dropping: no other process drops the schema, and no run of this name
        // can be alive.
        if take_lock(&mut conn, &leftover.lock).map_err(refused("take the lock of an earlier run"))? {
            OwnedSchemas::for_ended_run(server.label(), &leftover.run).drop_schema(&mut conn, &leftover.schema)?;
            release_lock(&mut conn, &leftover.lock).map_err(refused("give back the lock of an earlier run"))?;
            dropped.push(leftover);
        }
    }
    Ok(dropped)
}

/// Takes a named lock if it is free, and returns whether it was. The server releases it when the
/// connection ends.
pub(super) fn take_lock(conn: &mut Conn, lock: &str) -> mysql::Result<bool> {
    let taken: Option<Option<u8>> = conn.exec_first("SELECT GET_LOCK(?, 0)", (lock,))?;
    Ok(taken.flatten() == Some(1))
}

fn release_lock(conn: &mut Conn, lock: &str) -> mysql::Result<()> {
    conn.exec_drop("DO RELEASE_LOCK(?)", (lock,))
}

fn connect(server: &Server) -> Result<Conn, TablesError> {
    let mut conn = server.connect_patiently()?;
    schema::begin_session(&mut conn)
        .and_then(|()| schema::shorten_lock_wait(&mut conn))
        .map_err(TablesError::refused(server.label(), "prepare a connection for cleaning up"))?;
    Ok(conn)
}

fn find_ended_runs(conn: &mut Conn) -> mysql::Result<Vec<LeftoverSchema>> {
    let schemas: Vec<String> = conn.exec(
        r"SELECT table_schema FROM information_schema.tables WHERE table_name = ? AND table_schema LIKE 'weigh\_%' AND table_type = 'BASE TABLE' ORDER BY table_schema",
        (MARKER,),
    )?;
    let in_use: Vec<Option<String>> = conn.query_map("SHOW PROCESSLIST", |row: mysql::Row| row.get(3).flatten())?;
    let mut found = Vec::new();
    for schema in schemas.into_iter().filter(|schema| !in_use.contains(&Some(schema.clone()))) {
        if let Some(leftover) = read_marker(conn, &schema)?
            && is_free(conn, &leftover.lock)?
        {
            found.push(leftover);
        }
    }
    Ok(found)
}

/// Reads the marker of a schema. `None` if the marker cannot be read, has no lock, belongs to
/// another server, or does not fit the schema's name.
fn read_marker(conn: &mut Conn, schema: &str) -> mysql::Result<Option<LeftoverSchema>> {
    let rows: mysql::Result<Vec<(String, String, Option<String>)>> = conn.query(format!(
        "SELECT run, CAST(created AS CHAR), held FROM {} {} WHERE made_by LIKE 'weigh %' AND server = {THIS_SERVER}",
        marker_table(schema),
        sql::BASE_TABLE_ONLY
    ));
    let rows = match rows {
        Err(error) if server_error_code(&error).is_some_and(|code| UNREADABLE.contains(&code)) => return Ok(None),
        rows => rows?,
    };
    let [(run, created, Some(lock))] = &rows[..] else { return Ok(None) };
    let (run, created, lock) = (run.clone(), created.clone(), lock.clone());
    Ok(is_named_after(schema, &run).then(|| LeftoverSchema { schema: schema.to_owned(), created, run, lock }))
}

fn is_free(conn: &mut Conn, lock: &str) -> mysql::Result<bool> {
    let free: Option<Option<u8>> = conn.exec_first("SELECT IS_FREE_LOCK(?)", (lock,))?;
    Ok(free.flatten() == Some(1))
}

/// Whether a schema's name is one of the run's: `weigh_<run>_<number>`.
fn is_named_after(schema: &str, run: &str) -> bool {
    let number = schema.strip_prefix("weigh_").and_then(|rest| rest.strip_prefix(run)?.strip_prefix('_'));
    !run.is_empty()
        && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_name_contains_the_run() {
        assert!(is_named_after("weigh_1a_2b_13", "1a_2b"));
        for (schema, run) in [
            ("weigh_1a_2b", "1a_2b"),
            ("weigh_1a_2b_", "1a_2b"),
            ("weigh_1a_2b_x", "1a_2b"),
            ("weigh_1a_2b_1", "1a"),
            ("weigh__1", ""),
            ("mine_1a_1", "1a"),
        ] {
            assert!(!is_named_after(schema, run), "{schema} of {run}");
        }
    }
}
