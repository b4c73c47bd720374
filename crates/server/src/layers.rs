//! Which charset and collation are in force, layer by layer, as the server itself says.

use mysql::prelude::Queryable;
use mysql::{Conn, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A character set and a collation of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CharsetCollation {
    /// Character set, such as `utf8mb4`.
    pub charset: String,
    /// Collation, such as `utf8mb4_general_ci`.
    pub collation: String,
}

/// The session's character set variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionCharsets {
    /// `character_set_client`: what statements are taken to be written in.
    pub client: String,
    /// `character_set_connection`: what literals are converted to.
    pub connection: String,
    /// `character_set_results`: what results are converted to; absent where the server converts nothing.
    pub results: Option<String>,
    /// `collation_connection`: what literals are compared by.
    pub collation: String,
}

/// What is in force at every layer between a client and a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layers {
    /// The server's defaults.
    pub server: CharsetCollation,
    /// The database's defaults.
    pub database: CharsetCollation,
    /// The table's defaults.
    pub table: CharsetCollation,
    /// The column's own; absent where the column holds no text.
    pub column: Option<CharsetCollation>,
    /// The load's session variables; absent until the load has connected.
    pub connection: Option<ConnectionCharsets>,
    /// The id of the collation that the load's client named in its handshake.
    pub handshake_collation_id: Option<u16>,
}

/// Reads the layers from the server down to a column. The connection's are the load's to add, by
/// [`connection_charsets`] on its own connection: a control connection's would tell nothing.
pub fn layers(conn: &mut Conn, schema: &str, table: &str, column: &str) -> Result<Layers, Error> {
    let server = "SELECT @@GLOBAL.character_set_server, @@GLOBAL.collation_server";
    let (charset, collation) = row(conn.query_first(server)?)?;
    let database = "SELECT default_character_set_name, default_collation_name FROM information_schema.schemata \
                    WHERE schema_name = ?";
    let (database_charset, database_collation) = row(conn.exec_first(database, (schema,))?)?;
    let of_table = "SELECT table_collation FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let table_collation: String = row(conn.exec_first(of_table, (schema, table))?)?;
    let of_column = "SELECT character_set_name, collation_name FROM information_schema.columns \
                     WHERE table_schema = ? AND table_name = ? AND column_name = ?";
    let of_column: (Option<String>, Option<String>) = row(conn.exec_first(of_column, (schema, table, column))?)?;
    Ok(Layers {
        server: CharsetCollation { charset, collation },
        database: CharsetCollation { charset: database_charset, collation: database_collation },
        table: CharsetCollation { charset: charset_of(&table_collation).to_owned(), collation: table_collation },
        column: match of_column {
            (Some(charset), Some(collation)) => Some(CharsetCollation { charset, collation }),
            _ => None,
        },
        connection: None,
        handshake_collation_id: None,
    })
}

/// Reads the character sets of this connection's session.
pub fn connection_charsets(conn: &mut Conn) -> Result<ConnectionCharsets, Error> {
    let variables = "SELECT @@SESSION.character_set_client, @@SESSION.character_set_connection, \
                     @@SESSION.character_set_results, @@SESSION.collation_connection";
    let (client, connection, results, collation) = row(conn.query_first(variables)?)?;
    Ok(ConnectionCharsets { client, connection, results, collation })
}

/// A collation's name begins with its charset's, up to the first underscore; `binary` is both.
fn charset_of(collation: &str) -> &str {
    collation.split('_').next().unwrap_or(collation)
}

/// The schema, table or column that was asked for is there, so a row must come.
fn row<T>(row: Option<T>) -> Result<T, Error> {
    row.ok_or_else(|| {
        Error::IoError(std::io::Error::new(std::io::ErrorKind::NotFound, "no such schema, table or column"))
    })
}
