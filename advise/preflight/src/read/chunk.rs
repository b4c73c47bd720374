//! Reads a table in chunks or in one pass.

use std::time::{Duration, Instant};

use lifecycle::interrupt;
use server::error_code;

use super::key::{ChunkKey, key_literal, rows_after};
use super::session::grant_statement;
use super::{RowVisitor, ServerRows, bytes, is_connection_lost, is_lock_timeout, is_time_limit};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::row::Fields;

const FIRST_CHUNK_ROWS: u64 = 1_000;
const MAX_CHUNK_ROWS: u64 = 200_000;
const ROWS_PER_INTERRUPT_CHECK: u64 = 1_024;

impl ServerRows<'_> {
    /// Reads a table in the order of a key. Each chunk begins after the last row read.
    pub(super) fn read_in_chunks(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        key: &ChunkKey,
        reading: &mut Reading,
        each: &mut RowVisitor<'_>,
    ) -> Result<(), Error> {
        reading.how = format!("in chunks by {}", key.index);
        let list = self.select_list(table, fields, &key.columns);
        let from = sql::quote_table(&table.table.schema, &table.table.name);
        let order = key.columns.iter().map(|name| sql::quote_identifier(name)).collect::<Vec<_>>().join(", ");
        let mut last: Option<Vec<Vec<u8>>> = None;
        let mut size = FIRST_CHUNK_ROWS;
        let mut locked_since: Option<Instant> = None;
        loop {
            interrupt::check()?;
            self.wait_for_pace()?;
            let condition = match &last {
                None => String::new(),
                Some(values) => format!(" WHERE {}", self.condition_after(table, &key.columns, values)?),
            };
            let index = sql::quote_identifier(&key.index);
            let statement =
                format!("SELECT {list} FROM {from} FORCE INDEX ({index}){condition} ORDER BY {order} LIMIT {size}");
            let begin = Instant::now();
            let mut rows_seen = 0;
            match self.read_rows(&statement, fields, key.columns.len(), &mut last, &mut rows_seen, reading, each) {
                Ok(()) => {}
                // The next chunk begins after the last row read.
                Err(Failure::Statement(error)) if is_connection_lost(&error) => {
                    self.reconnect(&error)?;
                    continue;
                }
                Err(Failure::Statement(error)) if is_time_limit(&error) && size > 1 => {
                    size = (size / 4).max(1);
                    continue;
                }
                // Another session has locked the table: tries again, for up to `max_wait`.
                Err(Failure::Statement(error))
                    if is_lock_timeout(&error)
                        && locked_since.get_or_insert_with(Instant::now).elapsed() < self.options.max_wait =>
                {
                    continue;
                }
                Err(failure) => return Err(self.failure_error(failure, table)),
            }
            locked_since = None;
            reading.chunks += 1;
            if rows_seen < size {
                return Ok(());
            }
            size = next_size(size, begin.elapsed(), self.options.chunk_time);
        }
    }

    /// Reads a table without a key by a single statement.
    pub(super) fn read_in_one_pass(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        reading: &mut Reading,
        each: &mut RowVisitor<'_>,
    ) -> Result<(), Error> {
        reading.how = "in one pass: it has no key to read in chunks by".into();
        self.read_at_once("", "", table, fields, reading, each)?;
        reading.chunks = 1;
        Ok(())
    }

    /// Reads the rows of the past by a single statement: no key of theirs is unique by itself.
    pub(super) fn read_history(
        &mut self,
        table: &TableJob<'_>,
        row_end: &str,
        fields: &Fields,
        reading: &mut Reading,
        each: &mut RowVisitor<'_>,
    ) -> Result<(), Error> {
        reading.how += ", its history in one pass";
        // A table can be versioned by transactions instead of times.
        let by_transaction = table.table.column(row_end).is_some_and(|column| column.data_type == "bigint");
        let open_end = if by_transaction { "18446744073709551615" } else { "NOW(6)" };
        let condition = format!(" WHERE {} < {open_end}", sql::quote_identifier(row_end));
        self.read_at_once(" FOR SYSTEM_TIME ALL", &condition, table, fields, reading, each)?;
        reading.chunks += 1;
        Ok(())
    }

    /// Reads rows of a table by a single statement. `time` follows the table's name.
    fn read_at_once(
        &mut self,
        time: &str,
        condition: &str,
        table: &TableJob<'_>,
        fields: &Fields,
        reading: &mut Reading,
        each: &mut RowVisitor<'_>,
    ) -> Result<(), Error> {
        self.wait_for_pace()?;
        super::session::clear_time_limit(&mut self.conn);
        let list = self.select_list(table, fields, &[]);
        let from = sql::quote_table(&table.table.schema, &table.table.name);
        let statement = format!("SELECT {list} FROM {from}{time} {}{condition}", sql::BASE_TABLE_ONLY);
        let (mut last, mut rows_seen) = (None, 0);
        let outcome = self.read_rows(&statement, fields, 0, &mut last, &mut rows_seen, reading, each);
        super::session::set_time_limit(&mut self.conn);
        outcome.map_err(|failure| self.failure_error(failure, table))
    }

    fn failure_error(&mut self, failure: Failure, table: &TableJob<'_>) -> Error {
        match failure {
            Failure::Statement(mysql::Error::MySqlError(refusal)) if error_code::is_access_denied(refusal.code) => {
                Error::Denied {
                    table: table.name(),
                    why: refusal.message,
                    remedy: grant_statement(&mut self.conn, &table.table.schema, &table.table.name),
                }
            }
            Failure::Statement(source) => Error::Statement { what: format!("read {}", table.name()), source },
            Failure::Check(error) => error,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a table's reading, shared with its two callers")]
    fn read_rows(
        &mut self,
        statement: &str,
        fields: &Fields,
        key_length: usize,
        last: &mut Option<Vec<Vec<u8>>>,
        rows_seen: &mut u64,
        reading: &mut Reading,
        each: &mut RowVisitor<'_>,
    ) -> Result<(), Failure> {
        let rows = self.conn.rows(statement).map_err(Failure::Statement)?;
        for row in rows {
            let mut values: Vec<Option<Vec<u8>>> =
                row.map_err(Failure::Statement)?.unwrap().into_iter().map(bytes).collect();
            // The last columns are the key in its own character set.
            let key = values.split_off(fields.columns.len());
            each(&values).map_err(Failure::Check)?;
            if key_length > 0 {
                *last = Some(key.into_iter().map(Option::unwrap_or_default).collect());
            }
            *rows_seen += 1;
            reading.rows += 1;
            reading.bytes += values.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
            if reading.rows.is_multiple_of(ROWS_PER_INTERRUPT_CHECK) {
                interrupt::check().map_err(|error| Failure::Check(error.into()))?;
            }
        }
        Ok(())
    }

    /// Returns the columns of a chunk: the fields, then the key in its own character set.
    fn select_list(&self, table: &TableJob<'_>, fields: &Fields, key: &[String]) -> String {
        let field = |field: &crate::row::Field| {
            let name = sql::quote_identifier(&field.name);
            let is_number = table.table.column(&field.name).is_some_and(|column| column.data_type == "bit");
            match field.is_converted_by_server {
                true => format!("CONVERT({name} USING utf8mb4)"),
                false if is_number => format!("CAST({name} AS UNSIGNED)"),
                false => name,
            }
        };
        fields
            .columns
            .iter()
            .map(field)
            .chain(key.iter().map(|name| sql::quote_identifier(name)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn condition_after(&self, table: &TableJob<'_>, columns: &[String], values: &[Vec<u8>]) -> Result<String, Error> {
        let literal = |(name, value): (&String, &Vec<u8>)| key_literal(self.facts, table.table.column(name)?, value);
        let literals: Option<Vec<String>> = columns.iter().zip(values).map(literal).collect();
        let unwritable = || {
            Error::Request(format!("{}: a key of {} can't be written as a literal", table.name(), columns.join(", ")))
        };
        Ok(rows_after(columns, &literals.ok_or_else(unwritable)?))
    }

    /// Pauses while the server is busy or lags.
    pub(super) fn wait_for_pace(&mut self) -> Result<(), Error> {
        self.pace.wait(&mut self.conn, &self.options)
    }
}

/// Reason why a statement failed, or why reading its rows was stopped.
enum Failure {
    Statement(mysql::Error),
    Check(Error),
}

/// Adapts the number of rows so that the next chunk takes about `target`.
///
/// The number changes at most by a factor of four.
fn next_size(size: u64, took: Duration, target: Duration) -> u64 {
    let factor = target.as_secs_f64() / took.as_secs_f64().max(1e-3);
    ((size as f64 * factor.clamp(0.25, 4.0)) as u64).clamp(1, MAX_CHUNK_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapts_chunk_size_to_its_time() {
        let half = Duration::from_millis(500);
        assert_eq!(next_size(1_000, Duration::from_millis(1), half), 4_000);
        assert_eq!(next_size(1_000, Duration::from_millis(1_000), half), 500);
        assert_eq!(next_size(1_000, Duration::from_secs(60), half), 250);
        assert_eq!(next_size(MAX_CHUNK_ROWS, Duration::from_millis(1), half), MAX_CHUNK_ROWS);
        assert_eq!(next_size(1, Duration::from_secs(60), half), 1);
    }
}
