//! Reads the number and a checksum of each column's values.

use mysql::prelude::Queryable;
use sql::{quote_identifier, quote_string, quote_table};

use super::Reader;
use crate::definitions::Kind;
use crate::error::{Error, refusal};

/// Returns an expression for the number and a checksum of a column's values. It depends neither on
/// the order of rows nor, for text, on the character set.
pub fn checksum_expression(column: &str, is_text: bool) -> String {
    let name = quote_identifier(column);
    let text = if is_text { format!("CONVERT({name} USING utf8mb4)") } else { name };
    format!("CONCAT(COUNT({text}), ' values, checksum ', COALESCE(SUM(CRC32(HEX({text}))), 0))")
}

impl Reader<'_> {
    pub(super) fn read_values(&mut self, tables: &[(String, String)]) -> Result<(), Error> {
        for (schema, table) in tables {
            lifecycle::interrupt::check()?;
            let columns = self.columns(schema, table)?;
            if columns.is_empty() {
                continue;
            }
            let expressions: Vec<String> =
                columns.iter().map(|(column, is_text)| checksum_expression(column, *is_text)).collect();
            let query = format!("SELECT {} FROM {}", expressions.join(", "), quote_table(schema, table));
            let row: Result<Option<mysql::Row>, mysql::Error> = self.conn.query_first(query);
            let values: Vec<String> = match row {
                Ok(row) => row.map_or_else(Vec::new, |row| {
                    (0..columns.len())
                        .map(|at| row.get::<Option<String>, _>(at).flatten().unwrap_or_default())
                        .collect()
                }),
                // The message differs from a checksum: a table that became unreadable has changed.
                Err(error) => columns.iter().map(|_| refusal(&error).1).collect(),
            };
            let Some(object) = self.object_mut(Kind::Table, schema, table) else { continue };
            for ((column, _), value) in columns.iter().zip(values) {
                object.parts.insert(format!("values of {}", quote_identifier(column)), value);
            }
        }
        Ok(())
    }

    /// Returns the columns of a table, and whether each is text.
    fn columns(&mut self, schema: &str, table: &str) -> Result<Vec<(String, bool)>, Error> {
        let query = format!(
            "SELECT COLUMN_NAME, CHARACTER_SET_NAME IS NOT NULL FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
            quote_string(schema),
            quote_string(table)
        );
        self.query("list the columns of a table", &query)
    }
}
