//! A workload's tables and rows in a schema of weigh's own.

use std::path::Path;
use std::time::Duration;

use mysql::Conn;
use mysql::prelude::Queryable;
use replay::{Cell, RowsFile, SchemaKind, Workload};
use server::Server;
use sql::Value;

use crate::convert::{Definition, Target, TextColumn};
use crate::error::Error;

/// How long a server may take to convert or fill a table of a sample's size.
const LONGEST_STATEMENT: Duration = Duration::from_secs(1800);

/// A schema while it is filled.
pub struct Filling<'a> {
    pub server: &'a Server,
    pub conn: Conn,
    pub workload: &'a Workload,
}

impl<'a> Filling<'a> {
    /// Enters a schema of weigh's.
    pub fn new(server: &'a Server, schema: &str, workload: &'a Workload) -> Result<Self, Error> {
        let conn = server.control_within(LONGEST_STATEMENT)?;
        let mut filling = Self { server, conn, workload };
        for statement in [
            "SET NAMES utf8mb4",
            "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, unique_checks = 0, time_zone = '+00:00'",
        ] {
            filling.run("prepare a connection", statement)?;
        }
        filling.run("enter a schema", &format!("USE {}", sql::identifier(schema)))?;
        Ok(filling)
    }

    fn failed(&self, what: &str) -> impl Fn(mysql::Error) -> Error + use<> {
        let (server, what) = (self.server.label().to_owned(), what.to_owned());
        move |source| Error::Statement { server: server.clone(), what: what.clone(), source }
    }

    fn run(&mut self, what: &str, statement: &str) -> Result<(), Error> {
        server::interrupt::check()?;
        let failed = self.failed(what);
        self.conn.query_drop(statement).map_err(failed)
    }

    /// Tables, then rows.
    pub fn fill(&mut self) -> Result<(), Error> {
        let workload = self.workload;
        let of = |kind| workload.schema.statements.iter().filter(move |statement| statement.kind == kind);
        for statement in of(SchemaKind::Table).chain(of(SchemaKind::Rows)) {
            self.run("run a statement of schema.sql", &statement.text)?;
        }
        workload.rows.iter().try_for_each(|file| self.rows(file))
    }

    /// Views and routines, when the tables are what they will be.
    pub fn programs(&mut self) -> Result<(), Error> {
        let workload = self.workload;
        let mut programs = workload.schema.statements.iter().filter(|statement| statement.kind == SchemaKind::Program);
        programs.try_for_each(|statement| self.run("run a statement of schema.sql", &statement.text))
    }

    fn rows(&mut self, file: &RowsFile) -> Result<(), Error> {
        let bad = |line, problem| Error::Rows { file: shown(&file.path), line, problem };
        let mut reader = file.open().map_err(|error| bad(1, error.to_string()))?;
        let columns: Vec<String> = file.columns.iter().map(|column| sql::identifier(&column.name)).collect();
        let mut inserts = sql::Inserts::new(&sql::identifier(&file.table), &columns);
        let what = format!("write rows of {}", file.table);
        let mut row = Vec::new();
        while reader.read(&mut row).map_err(|(line, problem)| bad(line, problem))? {
            let literals: Vec<String> = row.iter().map(literal).collect();
            if let Some(statement) = inserts.push(&literals) {
                self.run(&what, &statement)?;
            }
        }
        inserts.finish().map_or(Ok(()), |statement| self.run(&what, &statement))
    }

    /// The tables as the server defines them.
    pub fn definitions(&mut self) -> Result<Vec<Definition>, Error> {
        let failed = self.failed("read the tables' definitions");
        let tables: Vec<(String, String, String)> = self
            .conn
            .query(
                "SELECT TABLE_NAME, TABLE_COLLATION, ENGINE FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> 'weigh_marker' ORDER BY TABLE_NAME",
            )
            .map_err(&failed)?;
        let columns: Vec<(String, String, String, String)> = self
            .conn
            .query(
                "SELECT TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = DATABASE() AND COLLATION_NAME IS NOT NULL ORDER BY TABLE_NAME, ORDINAL_POSITION",
            )
            .map_err(&failed)?;
        let mut found = Vec::new();
        for (name, collation, engine) in tables {
            let create: Option<(String, String)> =
                self.conn.query_first(format!("SHOW CREATE TABLE {}", sql::identifier(&name))).map_err(&failed)?;
            let of = columns.iter().filter(|(table, ..)| *table == name);
            let columns = of.map(|(_, column, charset, collation)| TextColumn {
                name: column.clone(),
                charset: charset.clone(),
                collation: collation.clone(),
            });
            let charset = collation.split('_').next().unwrap_or_default().to_owned();
            let columns = columns.collect();
            let create = create.map(|(_, create)| create).unwrap_or_default();
            found.push(Definition { name, create, collation, charset, engine, columns });
        }
        Ok(found)
    }

    /// Rebuilds all tables, and has the server count their keys.
    pub fn rebuild(&mut self, definitions: &[Definition], target: &Target, as_is: bool) -> Result<(), Error> {
        for definition in definitions {
            let what = match as_is {
                true => format!("rebuild {}", definition.name),
                false => format!("convert {} to {}", definition.name, target.collation),
            };
            self.run(&what, &definition.alter(target, as_is))?;
        }
        for definition in definitions {
            self.run("analyse a table", &format!("ANALYZE TABLE {}", sql::identifier(&definition.name)))?;
        }
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A value of a row as a literal, for a session in which backslashes escape.
fn literal(cell: &Cell) -> String {
    match cell {
        None => "NULL".to_owned(),
        Some(Value::Int(number)) => number.to_string(),
        Some(Value::Decimal(number) | Value::Float(number)) => number.clone(),
        Some(Value::Text(text)) => sql::string(text),
        Some(Value::Bytes(bytes)) => sql::bytes(bytes),
        // Rows have none; their check says so.
        Some(Value::List(_)) => "NULL".to_owned(),
    }
}
