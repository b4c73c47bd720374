//! Custom Lua scripts for sysbench. A script prepares its tables in the schema of each side and
//! runs its load on them.

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

use super::process::SysbenchProcess;
use super::{base_command, option};
use crate::client::Target;
use crate::error::Error;
use crate::tables::MARKER;

/// Maximum time for the server to count the rows of a table or to analyse it.
const MAX_COUNT_TIME: Duration = Duration::from_secs(1800);

/// A custom Lua script with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysbenchScript {
    /// Name in results: the file name without extension.
    pub name: String,
    /// File as given by the user.
    pub given_path: String,
    /// Absolute path of the file.
    path: PathBuf,
    /// Script options, each `NAME=VALUE` or `NAME`.
    pub options: Vec<String>,
    pub digest: String,
}

/// Tables that a script has prepared in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedTables {
    /// Table names with their row counts.
    pub tables: Vec<(String, u64)>,
    /// A table and one of its text columns that has the schema's default collation. `None` if there
    /// is no such column.
    pub text_column: Option<(String, String)>,
    /// Text columns with another collation.
    pub deviating_columns: Vec<DeviatingColumn>,
}

/// A text column whose collation differs from its schema's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviatingColumn {
    pub table: String,
    pub column: String,
    pub collation: String,
}

impl SysbenchScript {
    /// Reads a script with its options.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(given_path: &Path, options: Vec<String>) -> io::Result<Self> {
        let path = fs::canonicalize(given_path)?;
        let digest = Sha256::digest(fs::read(&path)?).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, given_path: given_path.display().to_string(), path, options, digest })
    }

    pub(super) fn command(&self, target: &Target, rows: &Options) -> Result<Command, Error> {
        let mut command = base_command(target, &self.path.to_string_lossy(), rows)?;
        command.args(self.options.iter().map(|option| format!("--{option}")));
        Ok(command)
    }
}

/// Runs the script's `prepare` command in a schema and returns the prepared tables. Uses a single
/// connection, so that the same seed gives every side the same rows in the same order.
///
/// # Errors
///
/// If sysbench cannot run or fails, if the server stops replying, or if the script creates no
/// table or one that cannot be read.
pub fn prepare_by_script(
    server: &Server,
    schema: &str,
    script: &SysbenchScript,
    rows: &Options,
) -> Result<PreparedTables, Error> {
    let target = Target::new(server, schema);
    let mut command = script.command(&target, rows)?;
    command.arg(option("threads", 1)).arg("prepare");
    let last_check = Cell::new(Instant::now());
    SysbenchProcess::start(command)?.finish(server.label(), || {
        // The time that `prepare` needs is unknown. As long as the server replies, the script is
        // assumed to make progress.
        if last_check.get().elapsed() > target.endpoint.timeout / 2 {
            let failed = |error: server::Error| match error {
                server::Error::Silent { .. } => {
                    Error::Silent { server: target.server.clone(), seconds: target.endpoint.timeout.as_secs_f64() }
                }
                error => Error::Sysbench { server: target.server.clone(), reason: error.to_string() },
            };
            server.check_replies().map_err(failed)?;
            last_check.set(Instant::now());
        }
        Ok(())
    })?;
    let sysbench_error = |reason: String| Error::Sysbench { server: server.label().to_owned(), reason };
    let prepared = inspect_schema(server, schema)
        .map_err(|error| sysbench_error(format!("what it prepared can't be read: {error}")))?;
    if prepared.tables.is_empty() {
        return Err(sysbench_error(format!(
            "`{} prepare` made no table in its schema (--mysql-db)",
            script.given_path
        )));
    }
    Ok(prepared)
}

/// Runs ANALYZE TABLE on all tables of a schema except the marker. Returns the tables' row counts,
/// one text column with the schema's collation, and the text columns with another.
fn inspect_schema(server: &Server, schema: &str) -> Result<PreparedTables, Box<dyn std::error::Error>> {
    let mut conn = server.connect_with_limit(MAX_COUNT_TIME)?;
    let names: Vec<String> = conn.exec(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> ? \
         ORDER BY TABLE_NAME",
        (schema, MARKER),
    )?;
    let mut prepared = PreparedTables::default();
    for name in names {
        let table = sql::quote_table(schema, &name);
        conn.query_drop(format!("ANALYZE TABLE {table}"))?;
        let rows: Option<u64> = conn.query_first(format!("SELECT COUNT(*) FROM {table} {}", sql::BASE_TABLE_ONLY))?;
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
            prepared.deviating_columns.push(DeviatingColumn { table, column, collation });
        } else if prepared.text_column.is_none() {
            prepared.text_column = Some((table, column));
        }
    }
    Ok(prepared)
}
