//! Reads the objects of schemas.

mod programs;
mod tables;
mod values;

pub(crate) use values::checksum_expression;

use lifecycle::interrupt;
use mysql::Row;
use mysql::prelude::{FromRow, Queryable};
use server::Conn;
use server::{Flavour, Server};
use sql::quote_identifier;

use crate::definitions::{Definitions, Kind, Object, ObjectName, Unread};
use crate::error::{Error, refusal};

/// Whether to read checksums of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values<'t> {
    Skip,
    /// Reads the number and a checksum of each column's values, for these tables (schema and name):
    /// part ``values of `a` ``. Each table is scanned once.
    Checksums(&'t [(String, String)]),
}

/// Reads every object of the schemas. Objects that can't be read go to [`Definitions::unread`].
///
/// Changes the session's connection character set, `sql_mode` and `sql_quote_show_create`.
pub fn read(server: &Server, conn: &mut Conn, schemas: &[String], values: Values<'_>) -> Result<Definitions, Error> {
    let mut reader =
        Reader { conn, label: server.label().to_owned(), flavour: server.flavour(), found: Definitions::default() };
    for setting in ["SET NAMES utf8mb4", "SET SESSION sql_quote_show_create = 1", "SET SESSION sql_mode = ''"] {
        reader.run(setting)?;
    }
    for schema in schemas {
        interrupt::check()?;
        reader.read_schema(schema)?;
        reader.read_tables(schema)?;
        reader.read_programs(schema)?;
        reader.read_grants(schema)?;
    }
    if let Values::Checksums(tables) = values {
        reader.read_values(tables)?;
    }
    let mut found = reader.found;
    // Stable: triggers stay in the order in which they run.
    found.objects.sort_by_key(|object| object.name.kind);
    Ok(found)
}

struct Reader<'c> {
    conn: &'c mut Conn,
    label: String,
    flavour: Flavour,
    found: Definitions,
}

impl Reader<'_> {
    fn run(&mut self, statement: &str) -> Result<(), Error> {
        let what = format!("set up a session ({statement})");
        self.conn.query_drop(statement).map_err(|source| self.failed(what, source))
    }

    fn query<T: FromRow>(&mut self, what: &str, query: &str) -> Result<Vec<T>, Error> {
        self.conn.query(query).map_err(|source| self.failed(what.to_owned(), source))
    }

    /// Returns no rows if the server refuses the query, such as for a missing table or privilege.
    fn query_optional<T: FromRow>(&mut self, query: &str) -> Result<Vec<T>, Error> {
        match self.conn.query(query) {
            Err(mysql::Error::MySqlError(_)) => Ok(Vec::new()),
            rows => rows.map_err(|source| self.failed("read a dictionary table".into(), source)),
        }
    }

    fn failed(&self, what: String, source: mysql::Error) -> Error {
        Error::Statement { what, server: self.label.clone(), source }
    }

    /// Runs `SHOW CREATE`. `None` if the server refuses it; the object is then unread.
    fn show_create(&mut self, kind: Kind, schema: &str, name: &str) -> Result<Option<Row>, Error> {
        let qualified = match kind {
            Kind::Schema => quote_identifier(schema),
            _ => sql::quote_table(schema, name),
        };
        let row: Result<Option<Row>, mysql::Error> =
            self.conn.query_first(format!("SHOW CREATE {} {qualified}", kind.keyword()));
        match row {
            Ok(Some(row)) => Ok(Some(row)),
            Ok(None) => {
                self.add_unread(kind, schema, name, (0, "the server returns no definition".into()));
                Ok(None)
            }
            Err(error @ mysql::Error::MySqlError(_)) => {
                self.add_unread(kind, schema, name, refusal(&error));
                Ok(None)
            }
            Err(source) => Err(self.failed(format!("read the definition of {schema}.{name}"), source)),
        }
    }

    fn add_unread(&mut self, kind: Kind, schema: &str, name: &str, (code, message): (u16, String)) {
        let name = ObjectName { kind, schema: schema.to_owned(), name: name.to_owned() };
        self.found.unread.push(Unread { name, code, message });
    }

    fn read_schema(&mut self, schema: &str) -> Result<(), Error> {
        let Some(row) = self.show_create(Kind::Schema, schema, schema)? else { return Ok(()) };
        let create: String = column(&row, &["Create Database"]).unwrap_or_default();
        let mut object = Object::new(Kind::Schema, schema, schema, create);
        let query = format!(
            "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}",
            sql::quote_string(schema)
        );
        for collation in self.query::<String>("read the schema's collation", &query)? {
            object.parts.insert("collation".into(), collation);
        }
        self.found.objects.push(object);
        Ok(())
    }

    fn object_mut(&mut self, kind: Kind, schema: &str, name: &str) -> Option<&mut Object> {
        self.found
            .objects
            .iter_mut()
            .find(|object| object.name.kind == kind && object.name.schema == schema && object.name.name == name)
    }
}

/// Returns the row's first column that has one of the names. `None` if there is none, or for NULL.
fn column(row: &Row, names: &[&str]) -> Option<String> {
    let at = row
        .columns_ref()
        .iter()
        .position(|column| names.iter().any(|name| column.name_str().eq_ignore_ascii_case(name)))?;
    let bytes: Option<Vec<u8>> = row.get(at)?;
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
