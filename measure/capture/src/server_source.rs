//! Tables and rows of a server, read over one read-only connection.

use facts::UnopenedViews;
use mysql::Row;
use mysql::prelude::Queryable;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use server::Conn;
use server::Server;
use sql::{BASE_TABLE_ONLY, SqlMode, Value, quote_identifier};
use workload_folder::{Cell, CellType, Column};

use crate::error::Error;
use crate::source::{Definitions, KeyRequest, Origin, RowSink, SampleExtent, TableRowSink, TableSource};
use crate::source_table::SourceTable;

/// Rows per cluster. A sample by an integer primary key is read in clusters, so that it touches few
/// pages.
const CLUSTER_ROWS: u64 = 100;
/// Maximum number of keys in one query.
const MAX_KEYS_PER_QUERY: usize = 500;

/// A schema of a server.
pub struct ServerSource {
    pub conn: Conn,
    label: String,
    schema: String,
    tables: Vec<String>,
    version: String,
    identity: Option<String>,
    unopened_views: UnopenedViews,
}

impl ServerSource {
    /// Connects and begins a read-only transaction with a consistent snapshot of the tables of
    /// transactional engines.
    pub fn open(server: &Server, schema: &str, tables: &[String], limits: &facts::Limits) -> Result<Self, Error> {
        let conn = facts::connect(server, limits)?;
        let version = format!("{} {}", server.flavour(), server.version());
        let mut source = Self {
            conn,
            label: server.label().to_owned(),
            schema: schema.to_owned(),
            tables: tables.to_vec(),
            version,
            identity: server.read_identity()?,
            unopened_views: UnopenedViews::default(),
        };
        let statement_error = source.statement_error("list functions and views");
        source.unopened_views = UnopenedViews::read(server, &mut source.conn).map_err(statement_error)?;
        let schemas: Vec<String> = source.query("list the schemas", "SHOW DATABASES")?;
        if !schemas.iter().any(|name| name == schema) {
            let known = schemas.into_iter().filter(|name| !is_system_schema(name)).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() {
                "it sees none, apart from the server's own".into()
            } else {
                format!("it has: {known}")
            };
            return Err(Error::Missing(format!(
                "{} has no schema {schema} that this account can see; {known}",
                source.label
            )));
        }
        source.run("use the schema", &format!("USE {}", quote_identifier(schema)))?;
        // Timestamps are written in UTC, independent of the server's time zone.
        source.run("set the time zone", "SET SESSION time_zone = '+00:00'")?;
        source.run("begin a transaction", "START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
        Ok(source)
    }

    fn statement_error(&self, what: &str) -> impl Fn(mysql::Error) -> Error + use<> {
        let (server, what) = (self.label.clone(), what.to_owned());
        move |source| Error::Statement { server: server.clone(), what: what.clone(), source }
    }

    fn run(&mut self, what: &str, statement: &str) -> Result<(), Error> {
        let statement_error = self.statement_error(what);
        self.conn.query_drop(statement).map_err(statement_error)
    }

    /// Runs a statement and returns its rows. `what` completes the error message "cannot …".
    pub fn query<T: mysql::prelude::FromRow>(&mut self, what: &str, statement: &str) -> Result<Vec<T>, Error> {
        let statement_error = self.statement_error(what);
        self.conn.query(statement).map_err(statement_error)
    }

    /// Returns the second column of `SHOW CREATE TABLE` or `SHOW CREATE VIEW`.
    fn show_create(&mut self, what: &str, name: &str) -> Result<String, Error> {
        let purpose = format!("read the definition of {name}");
        let rows: Vec<Row> = self.query(&purpose, &format!("SHOW CREATE {what} {}", quote_identifier(name)))?;
        let create = rows.first().and_then(|row| row.get_opt::<String, _>(1)?.ok());
        create.ok_or_else(|| Error::Missing(format!("{}: no definition of {name}", self.label)))
    }

    fn for_each_row(&mut self, table: &SourceTable, condition: &str, sink: &mut RowSink<'_>) -> Result<u64, Error> {
        let columns: Vec<String> = table.columns.iter().map(|column| selected_value(table, column)).collect();
        let name = quote_identifier(&table.shape.name);
        let statement = format!("SELECT {} FROM {name} {BASE_TABLE_ONLY} {condition}", columns.join(", "));
        let statement_error = self.statement_error(&format!("read rows of {}", table.shape.name));
        let mut rows = 0;
        for row in self.conn.rows(statement).map_err(&statement_error)? {
            let row = row.map_err(&statement_error)?;
            let cells =
                table.columns.iter().zip(row.unwrap()).map(|(column, value)| convert_cell(column, value)).collect();
            sink(cells)?;
            rows += 1;
        }
        Ok(rows)
    }

    fn sample_rows(
        &mut self,
        table: &SourceTable,
        max_rows: u64,
        seed: u64,
        sink: &mut RowSink<'_>,
    ) -> Result<SampleExtent, Error> {
        let name = quote_identifier(&table.shape.name);
        let purpose = format!("count the rows of {}", table.shape.name);
        let few = format!(
            "SELECT COUNT(*) FROM (SELECT 1 FROM {name} {BASE_TABLE_ONLY} LIMIT {}) few",
            max_rows.saturating_add(1)
        );
        let found = self.query::<u64>(&purpose, &few)?.first().copied().unwrap_or(0);
        if found <= max_rows {
            self.for_each_row(table, "", sink)?;
            return Ok(SampleExtent { is_complete: true, estimated_rows: None });
        }
        // With literals, the server opens this table only, and no view.
        let estimate = format!(
            "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
            sql::quote_string(&self.schema),
            sql::quote_string(&table.shape.name)
        );
        let estimates: Vec<Option<u64>> = self.query(&purpose, &estimate)?;
        match table.integer_key() {
            Some(key) => self.sample_clusters(table, key, max_rows, seed, sink)?,
            None => {
                let order: Vec<String> = table.primary.iter().map(|name| quote_identifier(name)).collect();
                let order = if order.is_empty() { String::new() } else { format!("ORDER BY {} ", order.join(", ")) };
                self.for_each_row(table, &format!("{order}LIMIT {max_rows}"), sink)?;
            }
        }
        Ok(SampleExtent { is_complete: false, estimated_rows: estimates.first().copied().flatten() })
    }

    /// Reads clusters of rows that start at random values of an integer key.
    fn sample_clusters(
        &mut self,
        table: &SourceTable,
        key: &str,
        max_rows: u64,
        seed: u64,
        sink: &mut RowSink<'_>,
    ) -> Result<(), Error> {
        let (name, column) = (quote_identifier(&table.shape.name), quote_identifier(key));
        let purpose = format!("read the range of {key}");
        let range: Vec<(Option<i64>, Option<i64>)> =
            self.query(&purpose, &format!("SELECT MIN({column}), MAX({column}) FROM {name} {BASE_TABLE_ONLY}"))?;
        let Some((Some(low), Some(high))) = range.first().copied() else { return Ok(()) };
        let Some(position) = table.columns.iter().position(|one| one.name == key) else { return Ok(()) };
        let mut next = low;
        let mut left = max_rows;
        for start in draw_starts(low, high, max_rows.div_ceil(CLUSTER_ROWS), seed) {
            // Begins after the last row read, so that overlapping clusters repeat no row.
            let from = start.max(next);
            let condition = format!("WHERE {column} >= {from} ORDER BY {column} LIMIT {}", left.min(CLUSTER_ROWS));
            let mut last = None;
            let read = self.for_each_row(table, &condition, &mut |row| {
                if let Some(Value::Int(value)) = row[position] {
                    last = Some(value);
                }
                sink(row)
            })?;
            left -= read;
            let Some(after) = last.and_then(|last| last.checked_add(1)) else { return Ok(()) };
            next = after;
        }
        Ok(())
    }
}

/// Draws `count` values between `low` and `high`, in ascending order.
fn draw_starts(low: i64, high: i64, count: u64, seed: u64) -> Vec<i64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let span = high.abs_diff(low).saturating_add(1);
    let draw = |random: &mut Xoshiro256PlusPlus| low.wrapping_add_unsigned(random.next_u64() % span);
    let mut starts: Vec<i64> = (0..count).map(|_| draw(&mut random)).collect();
    starts.sort_unstable();
    starts
}

fn is_system_schema(schema: &str) -> bool {
    matches!(schema, "information_schema" | "mysql" | "performance_schema" | "sys")
}

impl TableSource for ServerSource {
    fn origin(&self) -> Origin {
        Origin { label: self.version.clone(), identity: self.identity.clone() }
    }

    fn definitions(&mut self) -> Result<Definitions, Error> {
        let all: Vec<(String, String)> = self.query("list the tables", "SHOW FULL TABLES")?;
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        if let Some(unknown) = self.tables.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(Error::Missing(format!(
                "{}: {} has no table {unknown}; it has: {}",
                self.label,
                self.schema,
                names.join(", ")
            )));
        }
        let mut definitions = Definitions::default();
        let wanted: Vec<String> = self.tables.clone();
        for (name, kind) in all.iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name)) {
            match kind.as_str() {
                // The rows of a system-versioned table (MariaDB) are read as they are now.
                "BASE TABLE" | "SYSTEM VERSIONED" => {
                    let create = self.show_create("TABLE", name)?;
                    let (create, columns) = without_sequence_defaults(&create);
                    let default = |column| format!("the default of {name}.{column} from a sequence");
                    definitions.others.extend(columns.into_iter().map(default));
                    definitions.tables.push((name.clone(), create))
                }
                "VIEW" => match self.unopened_views.refuse_to_open(&self.schema, name) {
                    None => definitions.views.push((name.clone(), self.show_create("VIEW", name)?)),
                    Some(reason) => definitions.others.push(format!("the view {name} ({reason})")),
                },
                // A sequence (MariaDB).
                _ => definitions.others.push(format!("the {} {name}", kind.to_lowercase())),
            }
        }
        Ok(definitions)
    }

    fn sample(
        &mut self,
        table: &SourceTable,
        rows: u64,
        seed: u64,
        sink: &mut RowSink<'_>,
    ) -> Result<SampleExtent, Error> {
        self.sample_rows(table, rows, seed, sink)
    }

    fn rows_by_keys(&mut self, requests: &[KeyRequest<'_>], sink: &mut TableRowSink<'_>) -> Result<(), Error> {
        for KeyRequest { at, table, positions, keys } in requests {
            let names: Vec<String> =
                positions.iter().map(|position| quote_identifier(&table.columns[*position].name)).collect();
            // Sorted, so that the file doesn't depend on the hash order.
            for chunk in keys.values().chunks(MAX_KEYS_PER_QUERY) {
                let tuples: Vec<String> = chunk.iter().map(|key| key_tuple(key)).collect();
                let condition = format!("WHERE ({}) IN ({})", names.join(", "), tuples.join(", "));
                self.for_each_row(table, &condition, &mut |row| sink(*at, row))?;
            }
        }
        Ok(())
    }
}

/// Returns a definition without defaults such as ``nextval(`shop`.`ids`)`` (MariaDB), and the names
/// of their columns: sequences are not captured.
fn without_sequence_defaults(create: &str) -> (String, Vec<String>) {
    let (mut text, mut columns) = (create.to_owned(), Vec::new());
    for definition in sql::ddl::split_definitions(create) {
        let Some((head, value, tail)) = sql::ddl::split_default(definition) else { continue };
        let column = definition.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        if let Some((column, _)) = column.filter(|_| value.to_lowercase().starts_with("nextval(")) {
            text = text.replace(definition, &format!("{}{tail}", head.trim_end()));
            columns.push(column.to_owned());
        }
    }
    (text, columns)
}

/// Returns what is selected for a column. Servers print a FLOAT with six digits, and its sum with a
/// DOUBLE with as many as it takes to load the same FLOAT again (MySQL 5.6 to 9.7, MariaDB 10.1 to
/// 11.8).
fn selected_value(table: &SourceTable, column: &Column) -> String {
    let name = quote_identifier(&column.name);
    let is_float = table.shape.columns.iter().any(|own| own.name == column.name && own.data_type == "float");
    if is_float { format!("{name} + 0e0") } else { name }
}

fn key_tuple(key: &[Value]) -> String {
    format!("({})", key.iter().map(|value| value.to_literal(SqlMode::default())).collect::<Vec<_>>().join(", "))
}

/// Converts a value of the text protocol, which sends all values except NULL as bytes.
fn convert_cell(column: &Column, value: mysql::Value) -> Cell {
    match value {
        mysql::Value::NULL => None,
        mysql::Value::Bytes(bytes) => Some(value_from_bytes(column, bytes)),
        other => Some(Value::Text(other.as_sql(true).trim_matches('\'').to_owned())),
    }
}

/// Converts the text of a value by the type of its column. Bytes that aren't UTF-8 are replaced by
/// U+FFFD, except in binary columns.
pub fn value_from_bytes(column: &Column, bytes: Vec<u8>) -> Value {
    if column.kind == CellType::Hex {
        return Value::Bytes(bytes);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match column.kind {
        CellType::Int => text.parse().map_or_else(|_| Value::Decimal(text), Value::Int),
        CellType::Decimal => Value::Decimal(text),
        CellType::Float => Value::Float(text),
        CellType::Text | CellType::Hex => Value::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_sequences_of_defaults_out() {
        let create = "CREATE TABLE `a` (\n  `id` int(11) NOT NULL DEFAULT nextval(`sq`.`s 1`) COMMENT 'x',\n  `t` varchar(9) DEFAULT 'nextval(1)'\n)";
        let (text, columns) = without_sequence_defaults(create);
        assert_eq!(
            text,
            "CREATE TABLE `a` (\n  `id` int(11) NOT NULL COMMENT 'x',\n  `t` varchar(9) DEFAULT 'nextval(1)'\n)"
        );
        assert_eq!(columns, ["id"]);
    }

    #[test]
    fn starts_depend_on_the_seed_only() {
        assert_eq!(draw_starts(1, 1000, 5, 7), draw_starts(1, 1000, 5, 7));
        assert_ne!(draw_starts(1, 1000, 5, 7), draw_starts(1, 1000, 5, 8));
        let range = draw_starts(i64::MIN, i64::MAX, 100, 1);
        assert!(range.is_sorted() && range[0] < 0 && range[99] > 0);
        assert_eq!(draw_starts(5, 5, 2, 1), [5, 5]);
    }

    #[test]
    fn writes_keys_as_literals() {
        assert_eq!(
            key_tuple(&[Value::Int(1), Value::Text("it's".to_owned()), Value::Bytes(vec![255])]),
            "(1, 'it''s', X'FF')"
        );
    }
}
