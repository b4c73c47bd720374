//! A sample of a table's rows on the private server, so that its ALTER has something to do.

use std::time::Duration;

use facts::{Column, Facts, Table};
use mysql::prelude::Queryable;
use mysql::{Conn, Value};
use server::{Server, interrupt};

use crate::Error;
use crate::read;
use crate::sql::{bytes, charset_name, identifier, string, table};

/// How many rows of which tables are sampled.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// The most rows of a table.
    pub rows: u64,
    /// No further table is begun after this.
    pub time: Duration,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { rows: 50_000, time: Duration::from_secs(60) }
    }
}

/// Tables of fewer rows are converted in a moment.
const WORTH_TIMING: u64 = 10_000;
/// The most bytes of a table's sample.
const BYTES: u64 = 64 << 20;

/// Copies rows from the server that is looked at to the private one.
pub(super) struct Sampler<'s> {
    facts: &'s Facts,
    options: SampleOptions,
    source: Conn,
    target: Conn,
}

impl<'s> Sampler<'s> {
    pub fn new(source: &Server, target: &Server, facts: &'s Facts, options: SampleOptions) -> Result<Self, Error> {
        let mut own = Self { facts, options, source: read::session(source, facts)?, target: target.control_patient()? };
        own.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, time_zone = '+00:00'")?;
        let utc = "SET SESSION time_zone = '+00:00'";
        own.source.query_drop(utc).map_err(|source| Error::Statement { what: "prepare a sample".into(), source })?;
        Ok(own)
    }

    /// Fills the private server's table of the same name; how many rows it has then. `None` where it isn't worth it.
    pub fn fill(&mut self, of: &Table) -> Result<Option<u64>, Error> {
        let Some(all) = of.rows.filter(|&rows| rows >= WORTH_TIMING) else { return Ok(None) };
        let row_bytes = of.data_bytes.map_or(1, |bytes| (bytes / all).max(1));
        let rows = self.options.rows.min((BYTES / row_bytes).max(1));
        let columns: Vec<&Column> = of.columns.iter().filter(|column| column.generated.is_none()).collect();
        let names: Vec<String> = columns.iter().map(|column| identifier(&column.name)).collect();
        let name = table(&of.schema, &of.name);
        let failed = |source| Error::Statement { what: format!("take a sample of {name}"), source };
        let select = format!("SELECT {} FROM {name} LIMIT {rows}", names.join(", "));
        let mut inserts = ::sql::Inserts::new(&name, &names);
        let mut count = 0;
        for row in self.source.query_iter(select).map_err(failed)? {
            let values = row.map_err(failed)?.unwrap();
            let literals: Vec<String> =
                columns.iter().zip(values).map(|(column, value)| literal(self.facts, column, &value)).collect();
            count += 1;
            if let Some(statement) = inserts.push(&literals) {
                interrupt::check()?;
                self.target.query_drop(statement).map_err(failed)?;
            }
        }
        if let Some(statement) = inserts.finish() {
            self.target.query_drop(statement).map_err(failed)?;
        }
        Ok(Some(count))
    }

    /// Takes the rows away again, as what comes after would find them at odds with other tables.
    pub fn empty(&mut self, of: &Table) -> Result<(), Error> {
        self.run(&format!("TRUNCATE TABLE {}", table(&of.schema, &of.name)))
    }

    /// For how long tables may still be begun.
    pub fn time(&self) -> Duration {
        self.options.time
    }

    fn run(&mut self, statement: &str) -> Result<(), Error> {
        let failed = |source| Error::Statement { what: format!("prepare a sample ({statement})"), source };
        self.target.query_drop(statement).map_err(failed)
    }
}

/// A value as it was read, in the column's own character set.
fn literal(facts: &Facts, column: &Column, value: &Value) -> String {
    let Value::Bytes(value) = value else { return "NULL".into() };
    match (&column.charset, column.data_type.as_str()) {
        (Some(charset), _) => format!("_{} {}", charset_name(facts, charset), bytes(value)),
        (None, "json") => format!("_utf8mb4 {}", bytes(value)),
        (
            None,
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "float" | "double" | "year" | "date"
            | "time" | "datetime" | "timestamp" | "uuid" | "inet4" | "inet6",
        ) => string(&String::from_utf8_lossy(value)),
        // Bytes, bits and geometries.
        _ => bytes(value),
    }
}
