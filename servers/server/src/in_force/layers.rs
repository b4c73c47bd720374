//! Charsets and collations in force at each layer, as the server reports them.

use crate::connect::Conn;
use mysql::Error;
use mysql::prelude::Queryable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A character set and one of its collations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CharsetCollation {
    /// Character set, such as `utf8mb4`.
    pub charset: String,
    /// Collation, such as `utf8mb4_general_ci`.
    pub collation: String,
}

/// Character set variables of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionCharsets {
    /// `character_set_client`: charset of statements.
    pub client: String,
    /// `character_set_connection`: charset of literals.
    pub connection: String,
    /// `character_set_results`: charset of results; `null` if results are not converted.
    pub results: Option<String>,
    /// `collation_connection`: collation of literals.
    pub collation: String,
}

/// Charsets and collations at each layer between the server and a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layers {
    /// Defaults of the server.
    pub server: CharsetCollation,
    /// Defaults of the schema.
    pub database: CharsetCollation,
    /// Defaults of the table.
    pub table: CharsetCollation,
    /// Charset and collation of the column; `null` if its type is not a string type.
    pub column: Option<CharsetCollation>,
    /// Session variables of the load generator's connection; `null` until it has connected.
    pub connection: Option<ConnectionCharsets>,
    /// Collation id in the handshake of the load generator.
    pub handshake_collation_id: Option<u16>,
}

/// Reads the layers from the server to a column. The caller adds the connection's layer from a
/// connection of the load generator, because `conn` is a control connection.
pub fn read_layers(conn: &mut Conn, schema: &str, table: &str, column: &str) -> Result<Layers, Error> {
    let server = "SELECT @@GLOBAL.character_set_server, @@GLOBAL.collation_server";
    let (charset, collation) = require_row(conn.query_first(server)?)?;
    let database = "SELECT default_character_set_name, default_collation_name FROM information_schema.schemata \
                    WHERE schema_name = ?";
    let (database_charset, database_collation) = require_row(conn.exec_first(database, (schema,))?)?;
    let table_query = "SELECT table_collation FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let table_collation: String = require_row(conn.exec_first(table_query, (schema, table))?)?;
    let column_query = "SELECT character_set_name, collation_name FROM information_schema.columns \
                     WHERE table_schema = ? AND table_name = ? AND column_name = ?";
    let column_row: (Option<String>, Option<String>) =
        require_row(conn.exec_first(column_query, (schema, table, column))?)?;
    Ok(Layers {
        server: CharsetCollation { charset, collation },
        database: CharsetCollation { charset: database_charset, collation: database_collation },
        table: CharsetCollation { charset: collation_charset(&table_collation).to_owned(), collation: table_collation },
        column: match column_row {
            (Some(charset), Some(collation)) => Some(CharsetCollation { charset, collation }),
            _ => None,
        },
        connection: None,
        handshake_collation_id: None,
    })
}

pub fn read_connection_charsets(conn: &mut Conn) -> Result<ConnectionCharsets, Error> {
    let variables = "SELECT @@SESSION.character_set_client, @@SESSION.character_set_connection, \
                     @@SESSION.character_set_results, @@SESSION.collation_connection";
    let (client, connection, results, collation) = require_row(conn.query_first(variables)?)?;
    Ok(ConnectionCharsets { client, connection, results, collation })
}

/// Returns the charset of a collation: the part of its name before the first underscore. `binary`
/// is both a charset and a collation.
pub fn collation_charset(collation: &str) -> &str {
    collation.split('_').next().unwrap_or(collation)
}

/// Fails if a query returned no row: the schema, table or column does not exist.
fn require_row<T>(row: Option<T>) -> Result<T, Error> {
    row.ok_or_else(|| {
        Error::IoError(std::io::Error::new(std::io::ErrorKind::NotFound, "no such schema, table or column"))
    })
}
