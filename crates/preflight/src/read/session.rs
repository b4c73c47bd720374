//! The session that reads, and what it reads beside rows: `SHOW CREATE`.

use std::collections::BTreeMap;

use facts::Facts;
use mysql::prelude::Queryable;
use mysql::{Conn, Row};
use server::Server;

use crate::Error;
use crate::plan::ProgramSource;
use crate::sql::{identifier, table};

/// Seconds that a chunk may take before it is tried smaller.
const TIME_OUT: u32 = 30;

/// Prepares a session: it can't write, waits for no lock for long, and gets text in the columns' own character sets.
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
    run(conn, "SET SESSION TRANSACTION READ ONLY")?;
    // Servers that lack these have nothing to be set.
    for statement in ["SET SESSION lock_wait_timeout = 10", "SET SESSION net_write_timeout = 600"] {
        let _ = conn.query_drop(statement);
    }
    with_time_out(conn);
    Ok(())
}

/// Statements end after a while. One of these is MySQL's (from 5.7.8), the other MariaDB's.
pub(super) fn with_time_out(conn: &mut Conn) {
    let _ = conn.query_drop(format!("SET SESSION max_execution_time = {}", TIME_OUT * 1000));
    let _ = conn.query_drop(format!("SET SESSION max_statement_time = {TIME_OUT}"));
}

/// Statements may take as long as they need.
pub(super) fn without_time_out(conn: &mut Conn) {
    let _ = conn.query_drop("SET SESSION max_execution_time = 0");
    let _ = conn.query_drop("SET SESSION max_statement_time = 0");
}

/// Whether a statement was refused for want of a privilege.
pub(super) fn is_denied(code: u16) -> bool {
    matches!(code, 1044 | 1142 | 1143)
}

/// The grant with which this session's account could read a table.
pub(super) fn grant(conn: &mut Conn, schema: &str, name: &str) -> String {
    let account: Option<String> = conn.query_first("SELECT CURRENT_USER()").ok().flatten();
    let account = account.unwrap_or_default();
    let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
    format!("GRANT SELECT ON {} TO '{user}'@'{host}'", table(schema, name))
}

/// `SHOW CREATE TABLE` of tables, by schema and name.
pub type Definitions = BTreeMap<(String, String), String>;

/// The definition of every table. The second list tells which tables the account may not read.
pub fn creates(server: &Server, facts: &Facts) -> Result<(Definitions, Vec<String>), Error> {
    let mut conn = server.control()?;
    let setup = |source| Error::Statement { what: "set up a session".into(), source };
    conn.query_drop("SET SESSION sql_mode = ''").map_err(setup)?;
    conn.query_drop("SET SESSION sql_quote_show_create = 1").map_err(setup)?;
    if facts.server.charset("utf8mb4").is_some() {
        conn.query_drop("SET NAMES utf8mb4").map_err(setup)?;
    }
    let (mut found, mut unseen) = (BTreeMap::new(), Vec::new());
    for of in facts.tables() {
        server::interrupt::check()?;
        let statement = format!("SHOW CREATE TABLE {}", table(&of.schema, &of.name));
        match conn.query_first::<(String, String), _>(statement) {
            Ok(row) => found.extend(row.map(|(_, create)| ((of.schema.clone(), of.name.clone()), create))),
            Err(mysql::Error::MySqlError(refusal)) if is_denied(refusal.code) => {
                let remedy = grant(&mut conn, &of.schema, &of.name);
                unseen.push(format!("{}.{}: left out: {} ({remedy})", of.schema, of.name, refusal.message));
            }
            Err(source) => {
                let what = format!("read the definition of {}.{}", of.schema, of.name);
                return Err(Error::Statement { what, source });
            }
        }
    }
    Ok((found, unseen))
}

/// The sources of the programs that have to be created again: those that keep another collation than the target. The second list tells
/// what could not be read.
pub fn program_sources(
    server: &Server,
    facts: &Facts,
    target: &str,
) -> Result<(Vec<ProgramSource>, Vec<String>), Error> {
    let mut conn = server.control()?;
    let _ = conn.query_drop("SET NAMES utf8mb4");
    let (mut sources, mut unseen) = (Vec::new(), Vec::new());
    for schema in &facts.schemas {
        let programs = schema
            .routines
            .iter()
            .map(|routine| (routine.kind.to_uppercase(), &routine.program))
            .chain(schema.views.iter().map(|view| ("VIEW".to_owned(), &view.program)))
            .chain(schema.triggers.iter().map(|trigger| ("TRIGGER".to_owned(), &trigger.program)))
            .chain(schema.events.iter().map(|event| ("EVENT".to_owned(), &event.program)));
        for (kind, program) in programs {
            let is_old = |name: &str| !name.is_empty() && !name.eq_ignore_ascii_case(target);
            if !is_old(&program.charsets.connection) && !program.charsets.database.as_deref().is_some_and(is_old) {
                continue;
            }
            match source(&mut conn, &kind, &program.schema, &program.name) {
                Some(source) => sources.push(source),
                None => unseen.push(format!(
                    "the source of {} {}.{} can't be seen by this account: create it again by hand",
                    kind.to_lowercase(),
                    program.schema,
                    program.name
                )),
            }
        }
    }
    Ok((sources, unseen))
}

fn source(conn: &mut Conn, kind: &str, schema: &str, name: &str) -> Option<ProgramSource> {
    let row: Row =
        conn.query_first(format!("SHOW CREATE {kind} {}.{}", identifier(schema), identifier(name))).ok()??;
    let column = |wanted: &[&str]| {
        let at = row
            .columns_ref()
            .iter()
            .position(|column| wanted.iter().any(|wanted| column.name_str().eq_ignore_ascii_case(wanted)))?;
        row.get::<Option<String>, _>(at)?
    };
    let create = column(&[
        "Create Procedure",
        "Create Function",
        "Create View",
        "Create Event",
        "SQL Original Statement",
        "Create Package",
        "Create Package Body",
    ])?;
    Some(ProgramSource {
        schema: schema.into(),
        kind: kind.into(),
        name: name.into(),
        sql_mode: column(&["sql_mode"]),
        create,
    })
}
