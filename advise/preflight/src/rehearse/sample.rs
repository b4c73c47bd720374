//! Copies a sample of the source's rows to the private server.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use check::table_name;
use facts::{Column, Facts, ForeignKey, Table};
use lifecycle::interrupt;
use mysql::Value;
use mysql::prelude::Queryable;
use server::Conn;
use server::Server;
use sql::{hex_literal, quote_identifier, quote_string, quote_table};

use crate::Error;
use crate::quote::charset_name;
use crate::read;

#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// Maximum number of rows of a large sample.
    pub rows: u64,
    /// No further table is sampled after this time.
    pub time: Duration,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { rows: 50_000, time: Duration::from_secs(60) }
    }
}

/// Number of rows below which a table gets a small sample.
const MIN_LARGE_SAMPLE_TABLE_ROWS: u64 = 10_000;
/// Maximum number of tables with a large sample, the largest tables first.
const MAX_LARGE_SAMPLES: usize = 20;
/// Maximum number of rows of a small sample.
const MAX_SMALL_SAMPLE_ROWS: u64 = 1_000;
const MAX_SAMPLE_BYTES: u64 = 64 << 20;

/// Rows of a table on the private server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    pub rows: u64,
    /// Rows of the table on the source, as it estimates them.
    pub table_rows: u64,
}

/// Copies rows from the source server to the private server.
pub struct Sampler<'s> {
    facts: &'s Facts,
    options: SampleOptions,
    source: Conn,
    samples: BTreeMap<String, Sample>,
    failures: Vec<String>,
}

impl<'s> Sampler<'s> {
    pub fn new(source: &Server, facts: &'s Facts, options: SampleOptions) -> Result<Self, Error> {
        let source = read::session(source, facts)?;
        Ok(Self { facts, options, source, samples: BTreeMap::new(), failures: Vec::new() })
    }

    /// Copies rows of these tables. A table that can't be copied stays empty, and is listed.
    pub fn fill(&mut self, target: &mut Conn, tables: &[(String, String)]) -> Result<(), Error> {
        for statement in [
            "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
            "SET SESSION foreign_key_checks = 0",
            "SET SESSION time_zone = '+00:00'",
            // MariaDB.
            "SET SESSION check_constraint_checks = 0",
        ] {
            let _ = target.query_drop(statement);
        }
        let begin = Instant::now();
        let mut chosen: Vec<&Table> =
            tables.iter().filter_map(|(schema, name)| self.facts.table(schema, name)).collect();
        chosen.sort_by_key(|table| std::cmp::Reverse(table.data_bytes));
        let mut large = 0;
        for table in chosen {
            let name = table_name(&table.schema, &table.name);
            if begin.elapsed() > self.options.time {
                self.failures.push(format!("{name}: rehearsed without rows, as copying the others took too long"));
                continue;
            }
            let is_large = table.rows.unwrap_or(0) >= MIN_LARGE_SAMPLE_TABLE_ROWS && large < MAX_LARGE_SAMPLES;
            large += usize::from(is_large);
            match self.copy(target, table, is_large) {
                Ok(sample) => {
                    self.samples.insert(name, sample);
                }
                Err(Error::Statement { source: mysql::Error::MySqlError(refusal), .. }) => {
                    let _ = target.query_drop(format!("DELETE FROM {}", quote_table(&table.schema, &table.name)));
                    self.failures
                        .push(format!("{name}: rehearsed without rows: error {}: {}", refusal.code, refusal.message));
                }
                Err(error) => return Err(error),
            }
        }
        self.remove_orphans(target, tables)
    }

    /// Returns the samples, by `schema.table`. Appends the tables that were not copied to a list.
    pub fn finish(self, unchecked: &mut Vec<String>) -> BTreeMap<String, Sample> {
        unchecked.extend(self.failures);
        self.samples
    }

    fn copy(&mut self, target: &mut Conn, table: &Table, is_large: bool) -> Result<Sample, Error> {
        let table_rows = table.rows.unwrap_or(0);
        let row_bytes = table.data_bytes.map_or(1, |bytes| (bytes / table_rows.max(1)).max(1));
        let most = if is_large { self.options.rows } else { MAX_SMALL_SAMPLE_ROWS.min(self.options.rows) };
        let rows = most.min((MAX_SAMPLE_BYTES / row_bytes).max(1));
        let columns: Vec<&Column> = table.columns.iter().filter(|column| column.generated.is_none()).collect();
        let names: Vec<String> = columns.iter().map(|column| quote_identifier(&column.name)).collect();
        let name = quote_table(&table.schema, &table.name);
        let failed = |source| Error::Statement { what: format!("take a sample of {name}"), source };
        let select = format!("SELECT {} FROM {name} {} LIMIT {rows}", names.join(", "), sql::BASE_TABLE_ONLY);
        let mut inserts = sql::InsertBuilder::new(&name, &names);
        let mut count = 0;
        for row in self.source.rows(select).map_err(failed)? {
            let values = row.map_err(failed)?.unwrap();
            let literals: Vec<String> =
                columns.iter().zip(values).map(|(column, value)| value_literal(self.facts, column, &value)).collect();
            count += 1;
            if let Some(statement) = inserts.push(&literals) {
                interrupt::check()?;
                target.query_drop(statement).map_err(failed)?;
            }
        }
        if let Some(statement) = inserts.finish() {
            target.query_drop(statement).map_err(failed)?;
        }
        Ok(Sample { rows: count, table_rows })
    }

    /// Deletes children without a parent in the sample, where the parent table may be copied only
    /// in part.
    fn remove_orphans(&mut self, target: &mut Conn, tables: &[(String, String)]) -> Result<(), Error> {
        let is_copied = |schema: &str, name: &str| tables.iter().any(|(s, t)| s == schema && t == name);
        let is_partial = |schema: &str, name: &str| {
            self.samples
                .get(&table_name(schema, name))
                .is_none_or(|sample| sample.rows >= MAX_SMALL_SAMPLE_ROWS.min(self.options.rows))
        };
        let keys: Vec<&ForeignKey> = self
            .facts
            .tables()
            .flat_map(|table| &table.foreign_keys)
            .filter(|key| is_copied(&key.schema, &key.table) && is_partial(&key.parent_schema, &key.parent_table))
            .collect();
        // Deleted children may be parents of further children, so the deletion is repeated.
        for _ in 0..=keys.len() {
            let mut deleted = 0;
            for key in &keys {
                interrupt::check()?;
                deleted += target.rows(delete_orphans(key)).map_or(0, |rows| rows.affected_rows());
            }
            if deleted == 0 {
                break;
            }
        }
        Ok(())
    }
}

fn delete_orphans(key: &ForeignKey) -> String {
    let pairs: Vec<(String, String)> = key
        .columns
        .iter()
        .zip(&key.parent_columns)
        .map(|(column, parent)| (quote_identifier(column), quote_identifier(parent)))
        .collect();
    let joined: Vec<String> = pairs.iter().map(|(column, parent)| format!("c.{column} = p.{parent}")).collect();
    let not_null: Vec<String> = pairs.iter().map(|(column, _)| format!("c.{column} IS NOT NULL")).collect();
    format!(
        "DELETE c FROM {} c LEFT JOIN {} p ON {} WHERE {} AND p.{} IS NULL",
        quote_table(&key.schema, &key.table),
        quote_table(&key.parent_schema, &key.parent_table),
        joined.join(" AND "),
        not_null.join(" AND "),
        pairs[0].1
    )
}

/// Returns a value as a literal in the column's own character set.
fn value_literal(facts: &Facts, column: &Column, value: &Value) -> String {
    let Value::Bytes(value) = value else { return "NULL".into() };
    match (&column.charset, column.data_type.as_str()) {
        (Some(charset), _) => format!("_{} {}", charset_name(facts, charset), hex_literal(value)),
        (None, "json") => format!("_utf8mb4 {}", hex_literal(value)),
        (
            None,
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "float" | "double" | "year" | "date"
            | "time" | "datetime" | "timestamp" | "uuid" | "inet4" | "inet6",
        ) => quote_string(&String::from_utf8_lossy(value)),
        // Binary strings, BIT and spatial types.
        _ => hex_literal(value),
    }
}
