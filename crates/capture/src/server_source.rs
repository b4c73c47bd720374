//! Tables and rows of a server, over one connection that can't write.

use mysql::prelude::Queryable;
use mysql::{Conn, Row};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use replay::{Cell, Column, Type};
use server::Server;
use sql::{Value, identifier};

use crate::create::Table;
use crate::error::Error;
use crate::source::{Definitions, Each, Extent, Origin, Source, Take};

/// Rows that are read from one place of a table on, where a sample is drawn by its key: clusters, so that few pages are read.
const CLUSTER: u64 = 100;
/// Keys that are asked for at a time.
const KEYS: usize = 500;

/// A schema of a server.
pub struct ServerSource {
    pub conn: Conn,
    label: String,
    schema: String,
    tables: Vec<String>,
    version: String,
    identity: Option<String>,
}

impl ServerSource {
    /// Connects, and begins a read-only transaction in which all tables are of one moment (where their engine keeps that).
    pub fn open(server: &Server, schema: &str, tables: &[String], limits: &facts::Limits) -> Result<Self, Error> {
        let conn = facts::connect(server, limits)?;
        let version = format!("{} {}", server.flavour(), server.version());
        let mut source = Self {
            conn,
            label: server.label().to_owned(),
            schema: schema.to_owned(),
            tables: tables.to_vec(),
            version,
            identity: server.identity()?,
        };
        let schemas: Vec<String> = source.query("list the schemas", "SHOW DATABASES")?;
        if !schemas.iter().any(|name| name == schema) {
            let known = schemas.into_iter().filter(|name| !is_of_server(name)).collect::<Vec<_>>().join(", ");
            return Err(Error::Missing(format!(
                "{} has no schema {schema} that this account can see; it has: {known}",
                source.label
            )));
        }
        source.run("use the schema", &format!("USE {}", identifier(schema)))?;
        // Timestamps are written as UTC, whatever the server's own time zone.
        source.run("set the time zone", "SET SESSION time_zone = '+00:00'")?;
        source.run("begin to read", "START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
        Ok(source)
    }

    fn failed(&self, what: &str) -> impl Fn(mysql::Error) -> Error + use<> {
        let (server, what) = (self.label.clone(), what.to_owned());
        move |source| Error::Statement { server: server.clone(), what: what.clone(), source }
    }

    fn run(&mut self, what: &str, statement: &str) -> Result<(), Error> {
        let failed = self.failed(what);
        self.conn.query_drop(statement).map_err(failed)
    }

    /// The rows of a statement.
    pub fn query<T: mysql::prelude::FromRow>(&mut self, what: &str, statement: &str) -> Result<Vec<T>, Error> {
        let failed = self.failed(what);
        self.conn.query(statement).map_err(failed)
    }

    /// The second column of `SHOW CREATE …`.
    fn create(&mut self, what: &str, name: &str) -> Result<String, Error> {
        let purpose = format!("read the definition of {name}");
        let rows: Vec<Row> = self.query(&purpose, &format!("SHOW CREATE {what} {}", identifier(name)))?;
        let create = rows.first().and_then(|row| row.get_opt::<String, _>(1)?.ok());
        create.ok_or_else(|| Error::Missing(format!("{}: no definition of {name}", self.label)))
    }

    fn each(&mut self, table: &Table, condition: &str, each: &mut Each<'_>) -> Result<u64, Error> {
        let columns: Vec<String> = table.columns.iter().map(|column| identifier(&column.name)).collect();
        let statement = format!("SELECT {} FROM {} {condition}", columns.join(", "), identifier(&table.shape.name));
        let failed = self.failed(&format!("read rows of {}", table.shape.name));
        let mut rows = 0;
        for row in self.conn.query_iter(statement).map_err(&failed)? {
            let row = row.map_err(&failed)?;
            let cells = table.columns.iter().zip(row.unwrap()).map(|(column, value)| cell(column, value)).collect();
            each(cells)?;
            rows += 1;
        }
        Ok(rows)
    }

    fn sample(&mut self, table: &Table, most: u64, seed: u64, each: &mut Each<'_>) -> Result<Extent, Error> {
        let name = identifier(&table.shape.name);
        let purpose = format!("count the rows of {}", table.shape.name);
        let few = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {name} LIMIT {}) few", most.saturating_add(1));
        let found = self.query::<u64>(&purpose, &few)?.first().copied().unwrap_or(0);
        if found <= most {
            self.each(table, "", each)?;
            return Ok(Extent { all: true, of: None });
        }
        let estimate =
            "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ";
        let of: Vec<Option<u64>> = self.query(&purpose, &format!("{estimate}{}", sql::string(&table.shape.name)))?;
        match table.integer_key() {
            Some(key) => self.clusters(table, key, most, seed, each)?,
            None => {
                let order: Vec<String> = table.primary.iter().map(|name| identifier(name)).collect();
                let order = if order.is_empty() { String::new() } else { format!("ORDER BY {} ", order.join(", ")) };
                self.each(table, &format!("{order}LIMIT {most}"), each)?;
            }
        }
        Ok(Extent { all: false, of: of.first().copied().flatten() })
    }

    /// Clusters of rows from places of a whole number's range on, drawn by the seed.
    fn clusters(&mut self, table: &Table, key: &str, most: u64, seed: u64, each: &mut Each<'_>) -> Result<(), Error> {
        let (name, column) = (identifier(&table.shape.name), identifier(key));
        let purpose = format!("read the range of {key}");
        let range: Vec<(Option<i64>, Option<i64>)> =
            self.query(&purpose, &format!("SELECT MIN({column}), MAX({column}) FROM {name}"))?;
        let Some((Some(low), Some(high))) = range.first().copied() else { return Ok(()) };
        let Some(place) = table.columns.iter().position(|one| one.name == key) else { return Ok(()) };
        let mut next = low;
        let mut left = most;
        for start in starts(low, high, most.div_ceil(CLUSTER), seed) {
            // A cluster that reaches into the next one doesn't come twice.
            let from = start.max(next);
            let condition = format!("WHERE {column} >= {from} ORDER BY {column} LIMIT {}", left.min(CLUSTER));
            let mut last = None;
            let read = self.each(table, &condition, &mut |row| {
                if let Some(Value::Int(value)) = row[place] {
                    last = Some(value);
                }
                each(row)
            })?;
            left -= read;
            let Some(after) = last.and_then(|last| last.checked_add(1)) else { return Ok(()) };
            next = after;
        }
        Ok(())
    }
}

/// Places of a range, drawn by the seed, in ascending order.
fn starts(low: i64, high: i64, count: u64, seed: u64) -> Vec<i64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let span = high.abs_diff(low).saturating_add(1);
    let draw = |random: &mut Xoshiro256PlusPlus| low.wrapping_add_unsigned(random.next_u64() % span);
    let mut starts: Vec<i64> = (0..count).map(|_| draw(&mut random)).collect();
    starts.sort_unstable();
    starts
}

fn is_of_server(schema: &str) -> bool {
    matches!(schema, "information_schema" | "mysql" | "performance_schema" | "sys")
}

impl Source for ServerSource {
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
                "BASE TABLE" => definitions.tables.push((name.clone(), self.create("TABLE", name)?)),
                "VIEW" => definitions.views.push((name.clone(), self.create("VIEW", name)?)),
                // A sequence of MariaDB's.
                _ => {}
            }
        }
        Ok(definitions)
    }

    fn rows(&mut self, table: &Table, take: &Take<'_>, each: &mut Each<'_>) -> Result<Extent, Error> {
        match take {
            Take::Sample { rows, seed } => self.sample(table, *rows, *seed, each),
            Take::Keys { places, keys } => {
                let names: Vec<String> = places.iter().map(|place| identifier(&table.columns[*place].name)).collect();
                let mut keys: Vec<&Vec<Value>> = keys.iter().collect();
                // Whatever the hash, the file is the same.
                keys.sort();
                for some in keys.chunks(KEYS) {
                    let tuples: Vec<String> = some.iter().map(|key| tuple(key)).collect();
                    let condition = format!("WHERE ({}) IN ({})", names.join(", "), tuples.join(", "));
                    self.each(table, &condition, each)?;
                }
                Ok(Extent { all: false, of: None })
            }
        }
    }
}

fn tuple(key: &[Value]) -> String {
    format!("({})", key.iter().map(literal).collect::<Vec<_>>().join(", "))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) | Value::Float(number) => number.clone(),
        Value::Text(text) => sql::string(text),
        Value::Bytes(bytes) => sql::bytes(bytes),
        Value::List(members) => members.iter().map(literal).collect::<Vec<_>>().join(", "),
    }
}

/// A value of the text protocol, in which all but NULL are bytes.
fn cell(column: &Column, value: mysql::Value) -> Cell {
    match value {
        mysql::Value::NULL => None,
        mysql::Value::Bytes(bytes) => Some(of_bytes(column, bytes)),
        other => Some(Value::Text(other.as_sql(true).trim_matches('\'').to_owned())),
    }
}

/// A value as a server or a dump writes it, by its column's type.
pub fn of_bytes(column: &Column, bytes: Vec<u8>) -> Value {
    if column.kind == Type::Hex {
        return Value::Bytes(bytes);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match column.kind {
        Type::Int => text.parse().map_or_else(|_| Value::Decimal(text), Value::Int),
        Type::Decimal => Value::Decimal(text),
        Type::Float => Value::Float(text),
        Type::Text | Type::Hex => Value::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_drawn_by_the_seed() {
        assert_eq!(starts(1, 1000, 5, 7), starts(1, 1000, 5, 7));
        assert_ne!(starts(1, 1000, 5, 7), starts(1, 1000, 5, 8));
        let starts = starts(i64::MIN, i64::MAX, 100, 1);
        assert!(starts.is_sorted() && starts[0] < 0 && starts[99] > 0);
        assert_eq!(super::starts(5, 5, 2, 1), [5, 5]);
    }

    #[test]
    fn keys_are_written_as_literals() {
        assert_eq!(
            tuple(&[Value::Int(1), Value::Text("it's".to_owned()), Value::Bytes(vec![255])]),
            "(1, 'it''s', X'FF')"
        );
    }
}
