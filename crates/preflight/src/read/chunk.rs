//! Reading a table chunk by chunk, or in one pass.

use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use server::interrupt;

use super::key::{ChunkKey, after, literal};
use super::session::{grant, is_denied};
use super::{EachRow, ServerRows, bytes, is_locked, is_lost, is_too_slow};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::row::Fields;
use crate::sql;

/// Rows of the first chunk.
const FIRST: u64 = 1_000;
/// The most rows of a chunk.
const MOST: u64 = 200_000;
/// How often a row looks at the interrupt flag.
const CHECK_EVERY: u64 = 1_024;

impl ServerRows<'_> {
    /// Reads a table by a key: each chunk begins behind the last row that was seen.
    pub(super) fn in_chunks(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        key: &ChunkKey,
        reading: &mut Reading,
        each: &mut EachRow<'_>,
    ) -> Result<(), Error> {
        reading.how = format!("in chunks by {}", key.index);
        let list = self.select_list(table, fields, &key.columns);
        let from = sql::table(&table.table.schema, &table.table.name);
        let order = key.columns.iter().map(|name| sql::identifier(name)).collect::<Vec<_>>().join(", ");
        let mut last: Option<Vec<Vec<u8>>> = None;
        let mut size = FIRST;
        let mut locked: Option<Instant> = None;
        loop {
            interrupt::check()?;
            self.pause()?;
            let condition = match &last {
                None => String::new(),
                Some(values) => format!(" WHERE {}", self.behind(table, &key.columns, values)?),
            };
            let index = sql::identifier(&key.index);
            let statement =
                format!("SELECT {list} FROM {from} FORCE INDEX ({index}){condition} ORDER BY {order} LIMIT {size}");
            let begin = Instant::now();
            let mut seen = 0;
            match self.stream(&statement, fields, key.columns.len(), &mut last, &mut seen, reading, each) {
                Ok(()) => {}
                // What was seen is done; the next chunk begins behind it.
                Err(Failure::Statement(error)) if is_lost(&error) => {
                    self.reconnect(&error)?;
                    continue;
                }
                Err(Failure::Statement(error)) if is_too_slow(&error) && size > 1 => {
                    size = (size / 4).max(1);
                    continue;
                }
                // Somebody has locked the table.
                Err(Failure::Statement(error))
                    if is_locked(&error)
                        && locked.get_or_insert_with(Instant::now).elapsed() < self.options.patience =>
                {
                    continue;
                }
                Err(failure) => return Err(self.told(failure, table)),
            }
            locked = None;
            reading.chunks += 1;
            if seen < size {
                return Ok(());
            }
            size = next_size(size, begin.elapsed(), self.options.chunk_time);
        }
    }

    /// Reads a table that has no key in a single statement.
    pub(super) fn in_one_pass(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        reading: &mut Reading,
        each: &mut EachRow<'_>,
    ) -> Result<(), Error> {
        reading.how = "in one pass: it has no key to read in chunks by".into();
        self.pause()?;
        super::session::without_time_out(&mut self.conn);
        let list = self.select_list(table, fields, &[]);
        let statement = format!("SELECT {list} FROM {}", sql::table(&table.table.schema, &table.table.name));
        let (mut last, mut seen) = (None, 0);
        let outcome = self.stream(&statement, fields, 0, &mut last, &mut seen, reading, each);
        super::session::with_time_out(&mut self.conn);
        reading.chunks = 1;
        outcome.map_err(|failure| self.told(failure, table))
    }

    fn told(&mut self, failure: Failure, table: &TableJob<'_>) -> Error {
        match failure {
            Failure::Statement(mysql::Error::MySqlError(refusal)) if is_denied(refusal.code) => Error::Denied {
                table: table.name(),
                why: refusal.message,
                remedy: grant(&mut self.conn, &table.table.schema, &table.table.name),
            },
            Failure::Statement(source) => Error::Statement { what: format!("read {}", table.name()), source },
            Failure::Check(error) => error,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a table's reading, shared with its two callers")]
    fn stream(
        &mut self,
        statement: &str,
        fields: &Fields,
        key_length: usize,
        last: &mut Option<Vec<Vec<u8>>>,
        seen: &mut u64,
        reading: &mut Reading,
        each: &mut EachRow<'_>,
    ) -> Result<(), Failure> {
        let rows = self.conn.query_iter(statement).map_err(Failure::Statement)?;
        for row in rows {
            let mut values: Vec<Option<Vec<u8>>> =
                row.map_err(Failure::Statement)?.unwrap().into_iter().map(bytes).collect();
            // The key's own bytes come last.
            let key = values.split_off(fields.columns.len());
            each(&values).map_err(Failure::Check)?;
            if key_length > 0 {
                *last = Some(key.into_iter().map(Option::unwrap_or_default).collect());
            }
            *seen += 1;
            reading.rows += 1;
            reading.bytes += values.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
            if reading.rows.is_multiple_of(CHECK_EVERY) {
                interrupt::check().map_err(|error| Failure::Check(error.into()))?;
            }
        }
        Ok(())
    }

    /// The columns of a chunk: the fields, then the key in its own bytes.
    fn select_list(&self, table: &TableJob<'_>, fields: &Fields, key: &[String]) -> String {
        let field = |field: &crate::row::Field| {
            let name = sql::identifier(&field.name);
            let is_number = table.table.column(&field.name).is_some_and(|column| column.data_type == "bit");
            match field.converted_by_server {
                true => format!("CONVERT({name} USING utf8mb4)"),
                false if is_number => format!("CAST({name} AS UNSIGNED)"),
                false => name,
            }
        };
        fields
            .columns
            .iter()
            .map(field)
            .chain(key.iter().map(|name| sql::identifier(name)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn behind(&self, table: &TableJob<'_>, columns: &[String], values: &[Vec<u8>]) -> Result<String, Error> {
        let literal = |(name, value): (&String, &Vec<u8>)| literal(self.facts, table.table.column(name)?, value);
        let literals: Option<Vec<String>> = columns.iter().zip(values).map(literal).collect();
        let unwritable = || {
            Error::Request(format!("{}: a key of {} can't be written as a literal", table.name(), columns.join(", ")))
        };
        Ok(after(columns, &literals.ok_or_else(unwritable)?))
    }

    /// Waits while the server has better things to do.
    fn pause(&mut self) -> Result<(), Error> {
        self.pace.wait(&mut self.conn, &self.options)
    }
}

/// Why a statement's rows ended early.
enum Failure {
    Statement(mysql::Error),
    Check(Error),
}

/// How many rows to read next, so that a chunk takes about as long as it should.
fn next_size(size: u64, took: Duration, wanted: Duration) -> u64 {
    let factor = wanted.as_secs_f64() / took.as_secs_f64().max(1e-3);
    ((size as f64 * factor.clamp(0.25, 4.0)) as u64).clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_and_shrink_towards_their_time() {
        let half = Duration::from_millis(500);
        assert_eq!(next_size(1_000, Duration::from_millis(1), half), 4_000);
        assert_eq!(next_size(1_000, Duration::from_millis(1_000), half), 500);
        assert_eq!(next_size(1_000, Duration::from_secs(60), half), 250);
        assert_eq!(next_size(MOST, Duration::from_millis(1), half), MOST);
        assert_eq!(next_size(1, Duration::from_secs(60), half), 1);
    }
}
