//! Made-up rows, so that the copy's server has plans to choose between.

mod key_prefix;
mod range;
mod rules;
mod value;

use std::collections::BTreeSet;
use std::ops::Range;

use mysql::prelude::Queryable;
use sql::{SqlMode, TokenKind, quote_identifier, quote_table, tokenize};

use crate::Error;
use crate::copy::{Copy, Place, Session};
use crate::spot::Source;
use crate::syntax::TableKind;
use crate::tables::TableName;
use crate::trial::Subject;

pub use range::Bounded;
use value::Column;

/// Number of rows of a filled table.
pub const ROWS: u64 = 1000;

/// Number of rows of a table whose order matters. MySQL sorts 1,000 rows rather than read the first
/// few by an index; seen on 9.7.4.
pub const SORTED_ROWS: u64 = 4000;

/// Number of rows with which a lookup reads clearly less than a scan.
const ENOUGH: u64 = 30;

/// Table of the digits from 0 to 9, as SQL.
const DIGITS: &str = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 \
    UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";

/// Maximum number of constants of a statement that get a row.
const MAX_CONSTANTS: usize = 20;

impl Copy<'_> {
    /// Fills tables of fewer rows than `rows` with made-up ones. Returns the tables that have too
    /// few rows for a plan, each with their number: they refused the rows.
    pub fn fill(&mut self, tables: &[TableName], rows: u64) -> Result<Vec<(String, u64)>, Error> {
        let mut short = Vec::new();
        for (schema, name) in tables {
            let before = self.count_rows(schema, name)?;
            if before >= rows {
                continue;
            }
            let after = self.fill_table(schema, name, before..rows)?;
            self.count_made_up(schema, name, after.saturating_sub(before));
            if after < ENOUGH {
                short.push((name.clone(), after));
            }
        }
        Ok(short)
    }

    /// Number of made-up rows of some tables.
    pub fn made_up_rows(&self, tables: &[TableName]) -> u64 {
        tables.iter().filter_map(|table| self.made_up.get(table)).sum()
    }

    /// Removes the made-up rows of the table that an `INSERT` or `REPLACE` writes. False for other
    /// statements, and for a table that has rows of its own, too.
    pub fn remove_made_up_rows(&mut self, subject: &Subject) -> Result<bool, Error> {
        let source = Source::statement(Place::Session(subject.session.clone()), &subject.text, 0);
        let own = subject.session.schema.clone().unwrap_or_default();
        let target = source.parsed.blocks.first().and_then(|block| block.tables.first());
        let Some(TableKind::Named { schema, name }) = target.map(|table| &table.kind) else { return Ok(false) };
        let (schema, name) = (schema.clone().unwrap_or(own), name.clone());
        let made_up = self.made_up.get(&(schema.clone(), name.clone())).copied().unwrap_or_default();
        if !source.begins_with(&["insert", "replace"]) || made_up == 0 || made_up < self.count_rows(&schema, &name)? {
            return Ok(false);
        }
        let session = Session { prelude: vec!["SET SESSION foreign_key_checks = 0".into()], ..Session::default() };
        let is_empty = self.run(&session, &[format!("TRUNCATE TABLE {}", quote_table(&schema, &name))])?.is_ok();
        if is_empty {
            self.made_up.remove(&(schema, name));
        }
        Ok(is_empty)
    }

    fn count_made_up(&mut self, schema: &str, name: &str, rows: u64) {
        *self.made_up.entry((schema.to_owned(), name.to_owned())).or_default() += rows;
    }

    fn count_rows(&self, schema: &str, name: &str) -> Result<u64, Error> {
        let query = format!("SELECT COUNT(*) FROM {}", quote_table(schema, name));
        let count: Option<u64> =
            self.server().connect()?.query_first(query).map_err(|source| self.failed("count rows", source))?;
        Ok(count.unwrap_or(0))
    }

    /// Adds rows to a table under its rules, and if these refuse more than half, despite them.
    /// Returns the number of rows that the table then has.
    fn fill_table(&mut self, schema: &str, name: &str, numbers: Range<u64>) -> Result<u64, Error> {
        let columns = self.read_columns(schema, name)?;
        self.change_rows(schema, name, &[rows_of_numbers(schema, name, &columns, &numbers)])?;
        let count = self.count_rows(schema, name)?;
        if count >= numbers.end / 2 {
            return Ok(count);
        }
        let columns = self.fit_partitions(schema, name, columns)?;
        let insert = rows_of_numbers(schema, name, &columns, &(count..numbers.end));
        self.change_rows_despite_rules(schema, name, &[insert])?;
        self.count_rows(schema, name)
    }

    /// Adds a row for each of the first `MAX_CONSTANTS` numbers and texts of a statement, which has
    /// it in every column that can hold it. A lookup of one row by a unique key then finds it.
    pub fn add_rows_of_constants(&mut self, tables: &[(String, String)], statement: &str) -> Result<(), Error> {
        let tokens = tokenize(statement, SqlMode::default());
        let constants = tokens.filter(|token| matches!(token.kind, TokenKind::Number | TokenKind::StringLiteral));
        let constants: BTreeSet<&str> = constants.map(|token| token.text).take(MAX_CONSTANTS).collect();
        for (schema, name) in tables {
            let columns = self.read_columns(schema, name)?;
            let mut statements = Vec::new();
            for (place, constant) in (SORTED_ROWS..).zip(&constants) {
                let (number, text) = match constant.parse::<u64>() {
                    Ok(number) => (number.saturating_sub(1), None),
                    Err(_) => (place, Some(*constant)),
                };
                let insert = insert(schema, name, &columns, text);
                statements.push(format!("{insert} FROM (SELECT {number} AS n) AS numbers"));
            }
            self.change_rows(schema, name, &statements)?;
        }
        Ok(())
    }

    /// Changes the rows of a table, then its statistics. Refused rows are left out.
    fn change_rows(&mut self, schema: &str, name: &str, statements: &[String]) -> Result<(), Error> {
        let relaxed = ["SET SESSION sql_mode = ''", "SET SESSION foreign_key_checks = 0"].map(str::to_owned).to_vec();
        let session = Session { schema: Some(schema.to_owned()), prelude: relaxed };
        for statement in statements {
            let _ = self.run(&session, std::slice::from_ref(statement))?;
        }
        self.run(&session, &[format!("ANALYZE TABLE {}", quote_table(schema, name))]).map(drop)
    }
}

/// Returns an INSERT of the rows of some numbers, below 10,000.
fn rows_of_numbers(schema: &str, name: &str, columns: &[Column], of: &Range<u64>) -> String {
    let sum = "w.d * 1000 + x.d * 100 + y.d * 10 + z.d";
    let numbers = format!("(SELECT {sum} AS n FROM {DIGITS} w, {DIGITS} x, {DIGITS} y, {DIGITS} z) AS numbers");
    let insert = insert(schema, name, columns, None);
    format!("{insert} FROM {numbers} WHERE n >= {} AND n < {}", of.start, of.end)
}

/// Returns an INSERT of the columns that get a value, up to its FROM clause, which has the number
/// `n` of each row. `text` is a literal for all columns of text.
fn insert(schema: &str, name: &str, columns: &[Column], text: Option<&str>) -> String {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for column in columns.iter().filter(|column| column.is_written()) {
        let value = match text.filter(|_| column.is_text()) {
            Some(text) => Some(text.to_owned()),
            None => column.value(),
        };
        if let Some(value) = value {
            names.push(quote_identifier(&column.name));
            values.push(value);
        }
    }
    let table = quote_table(schema, name);
    format!("INSERT IGNORE INTO {table} ({}) SELECT {}", names.join(", "), values.join(", "))
}
