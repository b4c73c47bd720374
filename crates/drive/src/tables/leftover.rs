//! Schemas that stayed behind because their `weigh` was killed: found by the marker that it left in them, and dropped where it lives no more.
//!
//! Certain is only what the marker says: which run made the schema, on which server, and which lock of the server that run holds
//! while it lives. The server gives the lock back when the connection of a killed process ends, so whoever can take it knows that the
//! run is over. A marker without a lock, of another server (a replica has copies), or that doesn't fit the schema's name tells
//! nothing, and the schema is left alone.

use mysql::Conn;
use mysql::prelude::Queryable;
use server::Server;

use super::error::{TablesError, code};
use super::schema::{self, Claim, MARKER, THIS_SERVER, marker};

/// A statement against a column or table that isn't there; one that this account may not read.
const UNREADABLE: [u16; 4] = [1044, 1054, 1142, 1146];

/// A schema that a `weigh` made which lives no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The schema.
    pub schema: String,
    /// When it was made, in UTC, as the server writes it.
    pub created: String,
    run: String,
    lock: String,
}

/// The schemas on a server that earlier runs left behind, by name.
pub fn leftovers(server: &Server) -> Result<Vec<Leftover>, TablesError> {
    let mut conn = connect(server)?;
    find(&mut conn).map_err(TablesError::refused(server.label(), "look for schemas of earlier runs"))
}

/// Drops the schemas that earlier runs left behind, and tells which those were.
pub fn drop_leftovers(server: &Server) -> Result<Vec<Leftover>, TablesError> {
    let refused = |purpose| TablesError::refused(server.label(), purpose);
    let mut conn = connect(server)?;
    let found = find(&mut conn).map_err(refused("look for schemas of earlier runs"))?;
    let mut dropped = Vec::new();
    for leftover in found {
        // Held until it is dropped: nobody else can be at it, and no run of this name can be alive.
        if take(&mut conn, &leftover.lock).map_err(refused("take the lock of an earlier run"))? {
            Claim::of(server.label(), &leftover.run).drop_schema(&mut conn, &leftover.schema)?;
            give_back(&mut conn, &leftover.lock).map_err(refused("give back the lock of an earlier run"))?;
            dropped.push(leftover);
        }
    }
    Ok(dropped)
}

/// Takes a lock of the server if nobody has it; it is given back when the connection ends, however it ends.
pub(super) fn take(conn: &mut Conn, lock: &str) -> mysql::Result<bool> {
    let taken: Option<Option<u8>> = conn.exec_first("SELECT GET_LOCK(?, 0)", (lock,))?;
    Ok(taken.flatten() == Some(1))
}

fn give_back(conn: &mut Conn, lock: &str) -> mysql::Result<()> {
    conn.exec_drop("DO RELEASE_LOCK(?)", (lock,))
}

fn connect(server: &Server) -> Result<Conn, TablesError> {
    let mut conn = server.control_patient()?;
    schema::begin_session(&mut conn)
        .and_then(|()| schema::be_impatient(&mut conn))
        .map_err(TablesError::refused(server.label(), "prepare a connection for cleaning up"))?;
    Ok(conn)
}

fn find(conn: &mut Conn) -> mysql::Result<Vec<Leftover>> {
    let schemas: Vec<String> = conn.exec(
        r"SELECT table_schema FROM information_schema.tables WHERE table_name = ? AND table_schema LIKE 'weigh\_%' ORDER BY table_schema",
        (MARKER,),
    )?;
    let in_use: Vec<Option<String>> = conn.query_map("SHOW PROCESSLIST", |row: mysql::Row| row.get(3).flatten())?;
    let mut found = Vec::new();
    for schema in schemas.into_iter().filter(|schema| !in_use.contains(&Some(schema.clone()))) {
        if let Some(leftover) = read(conn, &schema)?
            && is_free(conn, &leftover.lock)?
        {
            found.push(leftover);
        }
    }
    Ok(found)
}

/// What a marker tells, where it is one of this server's and fits its schema.
fn read(conn: &mut Conn, schema: &str) -> mysql::Result<Option<Leftover>> {
    let rows: mysql::Result<Vec<(String, String, Option<String>)>> = conn.query(format!(
        "SELECT run, CAST(created AS CHAR), held FROM {} WHERE made_by LIKE 'weigh %' AND server = {THIS_SERVER}",
        marker(schema)
    ));
    let rows = match rows {
        Err(error) if code(&error).is_some_and(|code| UNREADABLE.contains(&code)) => return Ok(None),
        rows => rows?,
    };
    let [(run, created, Some(lock))] = &rows[..] else { return Ok(None) };
    let (run, created, lock) = (run.clone(), created.clone(), lock.clone());
    Ok(is_named_after(schema, &run).then(|| Leftover { schema: schema.to_owned(), created, run, lock }))
}

fn is_free(conn: &mut Conn, lock: &str) -> mysql::Result<bool> {
    let free: Option<Option<u8>> = conn.exec_first("SELECT IS_FREE_LOCK(?)", (lock,))?;
    Ok(free.flatten() == Some(1))
}

/// Whether a schema has a name that this run gives: `weigh_<run>_<number>`.
fn is_named_after(schema: &str, run: &str) -> bool {
    let number = schema.strip_prefix("weigh_").and_then(|rest| rest.strip_prefix(run)?.strip_prefix('_'));
    !run.is_empty()
        && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_named_after_its_run() {
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
