//! Reads the objects of schemas.

mod encoding;
mod programs;
mod tables;
mod values;

pub(crate) use values::checksum_expression;

use facts::UnopenedViews;
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
    let mut reader = Reader {
        conn,
        label: server.label().to_owned(),
        flavour: server.flavour(),
        unopened_views: UnopenedViews::default(),
        prepares_views: matches!(values, Values::Checksums(_)) && server.flavour() == Flavour::MySql,
        found: Definitions::default(),
    };
    reader.read_unopened_views(server)?;
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
    unopened_views: UnopenedViews,
    /// True on a private server of MySQL, which since 8.0 answers SHOW FIELDS from its dictionary,
    /// also for a view that it can't open.
    prepares_views: bool,
    found: Definitions,
}

impl Reader<'_> {
    fn run(&mut self, statement: &str) -> Result<(), Error> {
        let what = format!("set up a session ({statement})");
        self.conn.query_drop(statement).map_err(|source| self.failed(what, source))
    }

    fn read_unopened_views(&mut self, server: &Server) -> Result<(), Error> {
        let found = UnopenedViews::read(server, self.conn);
        self.unopened_views = found.map_err(|source| self.failed("list functions and views".into(), source))?;
        Ok(())
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

    /// Runs `SHOW CREATE`. Returns the row and the definition in it, from the column with one of
    /// the names. `None` if the server refuses, or returns no definition; the object is then
    /// unread.
    fn show_create(
        &mut self,
        kind: Kind,
        schema: &str,
        name: &str,
        columns: &[&str],
    ) -> Result<Option<(Row, String)>, Error> {
        let qualified = match kind {
            Kind::Schema => quote_identifier(schema),
            _ => sql::quote_table(schema, name),
        };
        let row: Result<Option<Row>, mysql::Error> =
            self.conn.query_first(format!("SHOW CREATE {} {qualified}", kind.keyword()));
        match row {
            Ok(Some(row)) => match definition(&row, columns) {
                Ok(create) => Ok(Some((row, create))),
                Err(why) => {
                    self.add_unread(kind, schema, name, (0, why));
                    Ok(None)
                }
            },
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
        let Some((_, create)) = self.show_create(Kind::Schema, schema, schema, &["Create Database"])? else {
            return Ok(());
        };
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

/// Returns the definition in a row of `SHOW CREATE`, or the reason why it is missing.
fn definition(row: &Row, names: &[&str]) -> Result<String, String> {
    let columns: Vec<String> = row.columns_ref().iter().map(|column| column.name_str().into_owned()).collect();
    let create = bytes(row, names).ok_or_else(|| explain_missing(&columns, names))?;
    String::from_utf8(create).map_err(|_| "its definition is not UTF-8".to_owned())
}

/// Says why a row with these columns has no definition in a column with one of the names.
fn explain_missing(columns: &[String], names: &[&str]) -> String {
    if position(columns, names).is_some() {
        return "the account may not see its definition".to_owned();
    }
    // A table that was replaced by a view since it was listed has the column "Create View".
    format!("SHOW CREATE returns another kind of object (columns {})", columns.join(", "))
}

/// Returns the row's first column that has one of the names. `None` if no column has, or for NULL.
fn column(row: &Row, names: &[&str]) -> Option<String> {
    bytes(row, names).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes(row: &Row, names: &[&str]) -> Option<Vec<u8>> {
    let columns: Vec<_> = row.columns_ref().iter().map(mysql::Column::name_str).collect();
    row.get::<Option<Vec<u8>>, _>(position(&columns, names)?)?
}

fn position(columns: &[impl AsRef<str>], names: &[&str]) -> Option<usize> {
    columns.iter().position(|column| names.iter().any(|name| column.as_ref().eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_definition_says_why() {
        let explain =
            |columns: [&str; 2]| explain_missing(&columns.map(str::to_owned), &["Create Table", "Create Sequence"]);
        assert_eq!(explain(["Table", "create table"]), "the account may not see its definition");
        let other = "SHOW CREATE returns another kind of object (columns View, Create View)";
        assert_eq!(explain(["View", "Create View"]), other);
    }
}
