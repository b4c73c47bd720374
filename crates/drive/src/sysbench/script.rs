//! Lua scripts of the user's own: they prepare their tables in each side's schema, and are run over them.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use server::Server;
use sha2::{Digest, Sha256};
use workload::Options;

use super::child::Running;
use super::{begin, option};
use crate::error::Error;
use crate::load::Target;
use crate::tables::{MARKER, quote};

/// How long the server may take to count the rows of a table, or to analyse it.
const LONGEST_COUNT: Duration = Duration::from_secs(1800);

/// A script of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysbenchScript {
    /// Its name in results: the file's without ending.
    pub name: String,
    /// The file, as it was named.
    pub named: String,
    /// The file, from the root on.
    path: PathBuf,
    /// Options of its own, each `NAME=VALUE` or `NAME`.
    pub options: Vec<String>,
    /// SHA-256 of the file.
    pub digest: String,
}

/// What a script has prepared in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Its tables by name, with their rows.
    pub tables: Vec<(String, u64)>,
    /// A table and a text column of it that has the schema's collation.
    pub column: Option<(String, String)>,
    /// Text columns that have another one, as the script says so itself.
    pub others: Vec<OtherColumn>,
}

/// A text column that does not follow its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherColumn {
    /// Its table.
    pub table: String,
    /// Its name.
    pub column: String,
    /// Its collation.
    pub collation: String,
}

impl SysbenchScript {
    /// A script with options of its own.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read(named: &Path, options: Vec<String>) -> io::Result<Self> {
        let path = fs::canonicalize(named)?;
        let digest = Sha256::digest(fs::read(&path)?).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, named: named.display().to_string(), path, options, digest })
    }

    pub(super) fn command(&self, target: &Target, rows: &Options) -> Result<Command, Error> {
        let mut command = begin(target, &self.path.to_string_lossy(), rows)?;
        command.args(self.options.iter().map(|option| format!("--{option}")));
        Ok(command)
    }
}

/// Has a script prepare its tables in a schema, and tells what came of it. It does so with one connection: with the same seed, each side's rows
/// come in the same order.
///
/// # Errors
/// If sysbench fails, or the server does not answer any more.
pub fn prepare_by_script(
    server: &Server,
    schema: &str,
    script: &SysbenchScript,
    rows: &Options,
) -> Result<Prepared, Error> {
    let target = Target::of(server, schema);
    let mut command = script.command(&target, rows)?;
    command.arg(option("threads", 1)).arg("prepare");
    let asked = Cell::new(Instant::now());
    Running::start(command)?.finish(server.label(), || {
        // Nobody knows how long it takes; a server that answers is at work.
        if asked.get().elapsed() > target.endpoint.timeout / 2 {
            let late =
                |_| Error::Late { server: target.server.clone(), seconds: target.endpoint.timeout.as_secs_f64() };
            server.check_answers().map_err(late)?;
            asked.set(Instant::now());
        }
        Ok(())
    })?;
    let failed = |reason: String| Error::Sysbench { server: server.label().to_owned(), reason };
    let prepared = look(server, schema).map_err(|error| failed(format!("what it prepared can't be read: {error}")))?;
    if prepared.tables.is_empty() {
        return Err(failed(format!("`{} prepare` made no table in its schema (--mysql-db)", script.named)));
    }
    Ok(prepared)
}

/// The tables of a schema, analysed.
fn look(server: &Server, schema: &str) -> Result<Prepared, Box<dyn std::error::Error>> {
    let mut conn = server.control_within(LONGEST_COUNT)?;
    let names: Vec<String> = conn.exec(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> ? \
         ORDER BY TABLE_NAME",
        (schema, MARKER),
    )?;
    let mut prepared = Prepared::default();
    for name in names {
        let table = format!("{}.{}", quote(schema), quote(&name));
        conn.query_drop(format!("ANALYZE TABLE {table}"))?;
        let rows: Option<u64> = conn.query_first(format!("SELECT COUNT(*) FROM {table}"))?;
        prepared.tables.push((name, rows.unwrap_or(0)));
    }
    let own: Option<String> = conn.exec_first(
        "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?",
        (schema,),
    )?;
    let columns: Vec<(String, String, String)> = conn.exec(
        "SELECT TABLE_NAME, COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA = ? AND TABLE_NAME <> ? AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION",
        (schema, MARKER),
    )?;
    for (table, column, collation) in columns {
        if own.as_ref() != Some(&collation) {
            prepared.others.push(OtherColumn { table, column, collation });
        } else if prepared.column.is_none() {
            prepared.column = Some((table, column));
        }
    }
    Ok(prepared)
}
