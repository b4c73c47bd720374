//! Prepares the session that reads rows, and reads definitions.

use std::collections::BTreeSet;
use std::time::Duration;

use facts::Facts;
use mysql::prelude::Queryable;
use rehearsal::Definitions;
use server::{Conn, Server};

use crate::Error;
use sql::{quote_string, quote_table};

/// Chunks that take longer are tried again with fewer rows.
pub(super) const TIME_LIMIT_SECONDS: u32 = 30;

/// Time limit of reading a table without a key, in one statement.
const MAX_PASS_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a session read-only, limits the time of its statements and lock waits, and makes the
/// server return text in the columns' own character sets and TIMESTAMP values in UTC. In the hour
/// that a time zone repeats in autumn, a local time is not one moment.
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

/// Returns the other schemas with tables that foreign keys tie to tables of these schemas, and those
/// of programs and views that use tables of both.
pub fn read_tied_schemas(server: &Server, schemas: &[String]) -> Result<Vec<String>, Error> {
    if schemas.is_empty() {
        return Ok(Vec::new());
    }
    let mut conn = server.connect_patiently()?;
    let list = schemas.iter().map(|schema| quote_string(schema)).collect::<Vec<_>>().join(", ");
    let query = format!(
        "SELECT TABLE_SCHEMA FROM information_schema.KEY_COLUMN_USAGE \
         WHERE REFERENCED_TABLE_SCHEMA IN ({list}) AND TABLE_SCHEMA NOT IN ({list}) \
         UNION SELECT REFERENCED_TABLE_SCHEMA FROM information_schema.KEY_COLUMN_USAGE \
         WHERE TABLE_SCHEMA IN ({list}) AND REFERENCED_TABLE_SCHEMA NOT IN ({list})"
    );
    let failed = |source| Error::Statement { what: "list the foreign keys of other schemas".into(), source };
    let by_foreign_keys: Vec<String> = conn.query(query).map_err(failed)?;
    let mut tied = BTreeSet::from_iter(by_foreign_keys);
    tied.extend(schemas_of_programs(&mut conn, schemas));
    Ok(tied.into_iter().collect())
}

const SYSTEM_SCHEMAS: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Returns the other schemas whose programs name these schemas, and those that programs of these
/// schemas name. Programs that the account may not see are missing.
fn schemas_of_programs(conn: &mut Conn, schemas: &[String]) -> BTreeSet<String> {
    let all: BTreeSet<String> = conn
        .query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")
        .unwrap_or_default()
        .into_iter()
        .filter(|name: &String| !SYSTEM_SCHEMAS.contains(&name.as_str()))
        .collect();
    let mut tied = BTreeSet::new();
    for (schema, definition) in [
        ("ROUTINE_SCHEMA", "ROUTINE_DEFINITION FROM information_schema.ROUTINES"),
        ("TRIGGER_SCHEMA", "ACTION_STATEMENT FROM information_schema.TRIGGERS"),
        ("TABLE_SCHEMA", "VIEW_DEFINITION FROM information_schema.VIEWS"),
        ("EVENT_SCHEMA", "EVENT_DEFINITION FROM information_schema.EVENTS"),
    ] {
        let rows: Vec<(String, Option<String>)> =
            conn.query(format!("SELECT {schema}, {definition}")).unwrap_or_default();
        for (schema, definition) in rows.into_iter().filter(|(schema, _)| all.contains(schema)) {
            let Some(definition) = definition else { continue };
            let named = all.iter().filter(|other| **other != schema && names_schema(&definition, other));
            let is_own = schemas.contains(&schema);
            for other in named {
                match schemas.contains(other) {
                    true if !is_own => tied.insert(schema.clone()),
                    false if is_own => tied.insert(other.clone()),
                    _ => false,
                };
            }
        }
    }
    tied
}

/// True if a definition has a schema's name before a dot: ``other.dict``, `` `other`.`dict` ``.
fn names_schema(definition: &str, schema: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '`' | '.');
    definition.match_indices(schema).any(|(at, _)| {
        let (before, behind) = (&definition[..at], &definition[at + schema.len()..]);
        match before.strip_suffix('`') {
            Some(_) => behind.starts_with("`."),
            None => !before.ends_with(is_word) && behind.trim_start().starts_with('.'),
        }
    })
}
