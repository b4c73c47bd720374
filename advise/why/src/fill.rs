//! Made-up rows, so that the copy's server has plans to choose between.

use mysql::prelude::Queryable;
use sql::{quote_identifier, quote_string, quote_table};

use crate::Error;
use crate::copy::{Copy, Session};
use crate::dictionary::is_generated;

/// Number of rows of a filled table.
pub const ROWS: u64 = 1000;

impl Copy<'_> {
    /// Fills tables with made-up rows, unless one of them has as many already. Returns the number
    /// of rows made up.
    pub fn fill(&mut self, tables: &[(String, String)]) -> Result<u64, Error> {
        let mut counts = Vec::new();
        for (schema, name) in tables {
            let count: Option<u64> = self
                .server()
                .connect()?
                .query_first(format!("SELECT COUNT(*) FROM {}", quote_table(schema, name)))
                .map_err(|source| self.failed("count rows", source))?;
            counts.push(count.unwrap_or(0));
        }
        if counts.iter().any(|count| *count >= ROWS) {
            return Ok(0);
        }
        let mut made = 0;
        for ((schema, name), count) in tables.iter().zip(counts) {
            self.fill_table(schema, name, count)?;
            made += ROWS - count;
        }
        Ok(made)
    }

    fn fill_table(&mut self, schema: &str, name: &str, from: u64) -> Result<(), Error> {
        let columns: Vec<(String, String, String, Option<u64>, String)> = self
            .server()
            .connect()?
            .query(format!(
                "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, EXTRA FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
                quote_string(schema),
                quote_string(name)
            ))
            .map_err(|source| self.failed("read a table's columns", source))?;
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (column, data_type, column_type, length, extra) in &columns {
            if extra.contains("auto_increment") || is_generated(extra) {
                continue;
            }
            if let Some(value) = value(data_type, column_type, *length) {
                names.push(quote_identifier(column));
                values.push(value);
            }
        }
        let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
                      UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
        let table = quote_table(schema, name);
        let numbers =
            format!("(SELECT x.d * 100 + y.d * 10 + z.d AS n FROM {digits} x, {digits} y, {digits} z) AS numbers");
        let statements = [
            format!(
                "INSERT IGNORE INTO {table} ({}) SELECT {} FROM {numbers} WHERE n >= {from}",
                names.join(", "),
                values.join(", ")
            ),
            format!("ANALYZE TABLE {table}"),
        ];
        let relaxed = ["SET SESSION sql_mode = ''", "SET SESSION foreign_key_checks = 0"].map(str::to_owned).to_vec();
        // A table that refuses the rows, for example by a check constraint, stays as it is.
        self.run(&Session { schema: Some(schema.to_owned()), prelude: relaxed }, &statements).map(drop)
    }
}

/// Expression for the value of a row by its number `n`. Texts are `w0000500`, shorter in short
/// columns, and the same in every table, so that joins find rows. `None` for types without one.
fn value(data_type: &str, column_type: &str, length: Option<u64>) -> Option<String> {
    Some(match data_type {
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => match length.unwrap_or(8) {
            0 => return None,
            1..=3 => format!("RIGHT(LPAD(CONV(n, 10, 36), 4, '0'), {})", length.unwrap_or(1)),
            length => format!("CONCAT('w', LPAD(n, {}, '0'))", (length - 1).min(7)),
        },
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => "LPAD(n, 4, '0')".into(),
        "enum" | "set" => "1 + n % 2".into(),
        "tinyint" => "n % 100".into(),
        "smallint" | "mediumint" | "int" | "bigint" | "float" | "double" => "n + 1".into(),
        "decimal" => "n % 10".into(),
        "date" => "'2020-01-01' + INTERVAL n DAY".into(),
        "datetime" | "timestamp" => "'2020-01-01 00:00:00' + INTERVAL n HOUR".into(),
        "time" => "SEC_TO_TIME(n)".into(),
        "year" => "2000 + n % 100".into(),
        "json" => "'{}'".into(),
        "bit" => "n % 2".into(),
        "uuid" => "UUID()".into(),
        _ if column_type.contains("inet") => "NULL".into(),
        _ => return None,
    })
}
