//! Made-up rows, so that the copy's server has plans to choose between.

use std::collections::BTreeSet;

use mysql::prelude::Queryable;
use sql::{SqlMode, TokenKind, quote_identifier, quote_string, quote_table, tokenize};

use crate::Error;
use crate::copy::{Copy, Session};
use crate::dictionary::is_generated;

/// Number of rows of a filled table.
pub const ROWS: u64 = 1000;

/// Maximum number of constants of a statement that get a row.
const MAX_CONSTANTS: usize = 20;

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
        let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
                      UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
        let numbers =
            format!("(SELECT x.d * 100 + y.d * 10 + z.d AS n FROM {digits} x, {digits} y, {digits} z) AS numbers");
        let insert = insert(schema, name, &self.read_columns(schema, name)?, None);
        self.change_rows(schema, name, vec![format!("{insert} FROM {numbers} WHERE n >= {from}")])
    }

    /// Adds a row for each number and text of a statement, which has it in every column that can
    /// hold it. A lookup of one row by a unique key then finds it.
    pub fn add_rows_of_constants(&mut self, tables: &[(String, String)], statement: &str) -> Result<(), Error> {
        let tokens = tokenize(statement, SqlMode::default());
        let constants = tokens.filter(|token| matches!(token.kind, TokenKind::Number | TokenKind::StringLiteral));
        let constants: BTreeSet<&str> = constants.map(|token| token.text).take(MAX_CONSTANTS).collect();
        for (schema, name) in tables {
            let columns = self.read_columns(schema, name)?;
            let mut statements = Vec::new();
            for (place, constant) in (ROWS..).zip(&constants) {
                let (number, text) = match constant.parse::<u64>() {
                    Ok(number) => (number.saturating_sub(1), None),
                    Err(_) => (place, Some(*constant)),
                };
                let insert = insert(schema, name, &columns, text);
                statements.push(format!("{insert} FROM (SELECT {number} AS n) AS numbers"));
            }
            self.change_rows(schema, name, statements)?;
        }
        Ok(())
    }

    fn read_columns(&mut self, schema: &str, name: &str) -> Result<Vec<Column>, Error> {
        self.server()
            .connect()?
            .query(format!(
                "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, EXTRA FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
                quote_string(schema),
                quote_string(name)
            ))
            .map_err(|source| self.failed("read a table's columns", source))
    }

    /// Changes the rows of a table, then its statistics. A table that refuses the rows, for example
    /// by a check constraint, stays as it is.
    fn change_rows(&mut self, schema: &str, name: &str, mut statements: Vec<String>) -> Result<(), Error> {
        statements.push(format!("ANALYZE TABLE {}", quote_table(schema, name)));
        let relaxed = ["SET SESSION sql_mode = ''", "SET SESSION foreign_key_checks = 0"].map(str::to_owned).to_vec();
        self.run(&Session { schema: Some(schema.to_owned()), prelude: relaxed }, &statements).map(drop)
    }
}

/// Name, data type, type, length in characters, and `EXTRA` of a column.
type Column = (String, String, String, Option<u64>, String);

/// Returns an INSERT of the columns that get a value, up to its FROM clause, which has the number
/// `n` of each row. `text` is a literal for all columns of text.
fn insert(schema: &str, name: &str, columns: &[Column], text: Option<&str>) -> String {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (column, data_type, column_type, length, extra) in columns {
        // Few numbers fit: the server counts them on.
        let is_small_counter = extra.contains("auto_increment") && data_type == "tinyint";
        if is_small_counter || is_generated(extra) {
            continue;
        }
        let is_text = data_type.ends_with("char") || data_type.ends_with("text");
        let value = match text.filter(|_| is_text) {
            Some(text) => Some(text.to_owned()),
            None => value(data_type, column_type, *length),
        };
        if let Some(value) = value {
            names.push(quote_identifier(column));
            values.push(value);
        }
    }
    let table = quote_table(schema, name);
    format!("INSERT IGNORE INTO {table} ({}) SELECT {}", names.join(", "), values.join(", "))
}

/// Expression for the value of a row by its number `n`. Texts are `w0000500`, with fewer digits in
/// short columns; in columns of up to three characters, the end of `n` in base 36. They are the
/// same in every table, so that joins find rows. `None` for types without a value.
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
