//! Tables and rows of a workload in a schema made by weigh.

use std::time::Duration;

use mysql::prelude::{FromRow, Queryable};
use server::{Conn, Flavour, Server};
use sql::SqlMode;
use workload_folder::{Cell, RowsFile, SchemaStatementKind, Workload};

use crate::colliding::LeftOut;
use crate::convert::{ConversionTarget, TableDefinition, TextColumn};
use crate::error::Error;

/// Timeout of a statement that creates, fills or converts a table.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(1800);

/// Writer of one schema's tables, rows and programs.
pub struct SchemaFiller<'a> {
    pub server: &'a Server,
    pub conn: Conn,
    pub workload: &'a Workload,
}

impl<'a> SchemaFiller<'a> {
    /// Connects to the server and enters a schema that weigh made.
    pub fn new(server: &'a Server, schema: &str, workload: &'a Workload) -> Result<Self, Error> {
        let conn = server.connect_with_limit(STATEMENT_TIMEOUT)?;
        let mut filling = Self { server, conn, workload };
        for statement in [
            "SET NAMES utf8mb4",
            "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, unique_checks = 0, time_zone = '+00:00'",
        ] {
            filling.run("prepare a connection", statement)?;
        }
        filling.run("enter a schema", &format!("USE {}", sql::quote_identifier(schema)))?;
        Ok(filling)
    }

    fn statement_error(&self, what: &str) -> impl Fn(mysql::Error) -> Error + use<> {
        let (server, what) = (self.server.label().to_owned(), what.to_owned());
        move |source| Error::Statement { server: server.clone(), what: what.clone(), source }
    }

    pub fn run(&mut self, what: &str, statement: &str) -> Result<(), Error> {
        lifecycle::interrupt::check()?;
        let failed = self.statement_error(what);
        self.conn.query_drop(statement).map_err(failed)
    }

    pub fn query<T: FromRow>(&mut self, what: &str, statement: &str) -> Result<Vec<T>, Error> {
        lifecycle::interrupt::check()?;
        let failed = self.statement_error(what);
        self.conn.query(statement).map_err(failed)
    }

    /// Creates the tables and inserts their rows, but for those that are left out.
    pub fn create_and_fill_tables(&mut self, left_out: &LeftOut) -> Result<(), Error> {
        let workload = self.workload;
        let select = |kind| workload.schema.statements.iter().filter(move |statement| statement.kind == kind);
        for statement in select(SchemaStatementKind::Table).chain(select(SchemaStatementKind::Rows)) {
            self.run("run a statement of schema.sql", &statement.text)?;
        }
        workload.rows.iter().try_for_each(|file| self.insert_rows(file, left_out))
    }

    /// Creates views, routines and triggers. Called after the tables are converted.
    pub fn create_programs(&mut self) -> Result<(), Error> {
        let workload = self.workload;
        let mut programs =
            workload.schema.statements.iter().filter(|statement| statement.kind == SchemaStatementKind::Program);
        programs.try_for_each(|statement| self.run("run a statement of schema.sql", &statement.text))
    }

    fn insert_rows(&mut self, file: &RowsFile, left_out: &LeftOut) -> Result<(), Error> {
        let mut inserts = insert_builder(file);
        let what = format!("write rows of {}", file.table);
        self.for_each_row(file, left_out, |filler, _, row| {
            let literals: Vec<String> = row.iter().map(cell_literal).collect();
            inserts.push(&literals).map_or(Ok(()), |statement| filler.run(&what, &statement))
        })?;
        inserts.finish().map_or(Ok(()), |statement| self.run(&what, &statement))
    }

    /// Calls `each` for the rows of a file, with their numbers from 1, but for those that are left
    /// out.
    pub fn for_each_row(
        &mut self,
        file: &RowsFile,
        left_out: &LeftOut,
        mut each: impl FnMut(&mut Self, u64, &[Cell]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let bad = |line, problem| Error::Rows { file: file.path.display().to_string(), line, problem };
        let mut reader = file.open().map_err(|error| bad(1, error.to_string()))?;
        let (mut row, mut number) = (Vec::new(), 0);
        while reader.read(&mut row).map_err(|(line, problem)| bad(line, problem))? {
            number += 1;
            if !left_out.has(&file.table, number) {
                each(self, number, &row)?;
            }
        }
        Ok(())
    }

    /// Reads the definitions of all base tables except weigh's own marker table.
    pub fn read_definitions(&mut self) -> Result<Vec<TableDefinition>, Error> {
        let failed = self.statement_error("read the tables' definitions");
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
            let create: Option<(String, String)> = self
                .conn
                .query_first(format!("SHOW CREATE TABLE {}", sql::quote_identifier(&name)))
                .map_err(&failed)?;
            let own = columns.iter().filter(|(table, ..)| *table == name);
            let columns = own.map(|(_, column, charset, collation)| TextColumn {
                name: column.clone(),
                charset: charset.clone(),
                collation: collation.clone(),
            });
            let charset = collation.split('_').next().unwrap_or_default().to_owned();
            let columns = columns.collect();
            let create = create.map(|(_, create)| create).unwrap_or_default();
            found.push(TableDefinition { name, create, collation, charset, engine, columns });
        }
        Ok(found)
    }

    /// Converts all tables to `target`, or rebuilds them if `keep_collations` is true, and runs
    /// `ANALYZE TABLE`. With `left_out`, rows that collide are added to it, and a table that has
    /// some is incomplete.
    pub fn convert_tables(
        &mut self,
        definitions: &[TableDefinition],
        target: &ConversionTarget,
        keep_collations: bool,
        mut left_out: Option<&mut LeftOut>,
    ) -> Result<(), Error> {
        // MariaDB 10.11 refuses to alter a foreign key's columns without checks, too (error 1832).
        let drops_keys = self.server.flavour() == Flavour::MariaDb;
        let keys = definitions.iter().filter(|_| drops_keys).map(TableDefinition::foreign_key_statements);
        let (drops, adds): (Vec<_>, Vec<_>) = keys.unzip();
        drops.iter().flatten().try_for_each(|statement| self.run("drop a foreign key", statement))?;
        for definition in definitions {
            let what = match keep_collations {
                true => format!("rebuild {}", definition.name),
                false => format!("convert {} to {}", definition.name, target.collation),
            };
            match (self.run(&what, &definition.alter_statement(target, keep_collations)), &mut left_out) {
                (Err(error), Some(left_out)) if error.is_collision() => {
                    if !self.leave_out_colliding_rows(definition, target, left_out)? {
                        return Err(error);
                    }
                }
                (done, _) => done?,
            }
        }
        adds.iter().flatten().try_for_each(|statement| self.run("add a foreign key again", statement))?;
        for definition in definitions {
            self.run("analyse a table", &format!("ANALYZE TABLE {}", sql::quote_identifier(&definition.name)))?;
        }
        Ok(())
    }
}

pub fn insert_builder(file: &RowsFile) -> sql::InsertBuilder {
    let columns: Vec<String> = file.columns.iter().map(|column| sql::quote_identifier(&column.name)).collect();
    sql::InsertBuilder::new(&sql::quote_identifier(&file.table), &columns)
}

/// Writes a value of a row as a literal, for a session without `NO_BACKSLASH_ESCAPES`.
pub fn cell_literal(cell: &Cell) -> String {
    cell.as_ref().map_or_else(|| "NULL".to_owned(), |value| value.to_literal(SqlMode::default()))
}
