//! A connection to one of the two servers, and what a statement did there.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;
use std::time::SystemTime;

use check::Target;
use mysql::Value;
use mysql::prelude::Queryable;
use server::{Conn, LoadLimits, Server, Version};
use sql::quote_identifier;
use why::Refusal;

use crate::Error;

/// Maximum number of rows that are kept for messages.
const MAX_KEPT_ROWS: usize = 200;

/// Rows are kept until their length in bytes reaches this.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Longer statements are left out of [`Session::prelude`].
const MAX_PRELUDE_BYTES: usize = 4096;

/// Rows of all results of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub count: u64,
    /// Hash of the rows that depends on their order.
    pub ordered: u64,
    /// Hash of the rows that doesn't depend on their order.
    pub content: u64,
    /// First rows, as text: up to [`MAX_KEPT_ROWS`] and about [`MAX_KEPT_BYTES`].
    pub first: Vec<String>,
    pub affected: u64,
    /// Names of the columns of the first result. Empty without rows.
    pub labels: Vec<String>,
}

pub type Ran = Result<Rows, Refusal>;

/// A column of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    pub collation: String,
    pub is_indexed: bool,
    /// True for columns of the primary key, and for columns with a unique key of their own.
    pub is_unique: bool,
}

/// Text columns by schema, table and name.
pub type Columns = BTreeMap<(String, String, String), TextColumn>;

/// A session that remembers the statements that set it up.
pub struct Session<'s> {
    pub server: &'s Server,
    pub conn: Conn,
    /// Schema in use.
    pub schema: Option<String>,
    /// `SET …` and `CREATE TEMPORARY TABLE …` that ran, in order, without those longer than
    /// `MAX_PRELUDE_BYTES`.
    pub prelude: Vec<String>,
    pub encoding: why::Encoding,
}

impl<'s> Session<'s> {
    pub fn open(server: &'s Server, schema: Option<&str>, first: &[String]) -> Result<Self, Error> {
        let conn = server.connect_patiently()?;
        let encoding = why::Encoding::default();
        let mut session = Self { server, conn, schema: None, prelude: Vec::new(), encoding };
        server.limit_load(&session.conn, LoadLimits::default());
        let _ = session.run("SET NAMES utf8mb4")?;
        let _ = stop_clock(&mut session.conn);
        if let Some(schema) = schema {
            let _ = session.run(&format!("USE {}", quote_identifier(schema)))?;
        }
        for statement in first {
            let _ = session.run(statement)?;
        }
        Ok(session)
    }

    /// Runs a statement with all its results, without table options such as DATA DIRECTORY (see
    /// [`sql::keep_local`]). Bytes that are no UTF-8 are sent in hexadecimal.
    pub fn run(&mut self, statement: &str) -> Result<Ran, Error> {
        lifecycle::interrupt::check()?;
        let local = sql::keep_local(statement, sql::SqlMode::default());
        self.conn.add_load(statement.len());
        let ran = match read_rows(&mut self.conn, &mut self.encoding, &local.text) {
            Ok(rows) => Ok(rows),
            Err(mysql::Error::MySqlError(error)) => Err(Refusal::new(&error, statement)),
            Err(source) => return Err(failed(self.server, "run a statement", source)),
        };
        if ran.is_ok() {
            self.remember(statement)?;
        }
        Ok(ran)
    }

    fn remember(&mut self, statement: &str) -> Result<(), Error> {
        let first = first_word(statement);
        if first == "use" || first == "create" && statement.len() < MAX_PRELUDE_BYTES {
            let schema: Option<Option<String>> = self
                .conn
                .query_first("SELECT DATABASE()")
                .map_err(|source| failed(self.server, "read the schema in use", source))?;
            self.schema = schema.flatten();
        }
        let sets = first == "set" || first == "create" && why::sets_up(statement);
        if sets && statement.len() < MAX_PRELUDE_BYTES {
            self.prelude.push(statement.to_owned());
        }
        Ok(())
    }

    /// Session for `why`.
    pub fn setup(&self) -> why::Session {
        why::Session { schema: self.schema.clone(), prelude: self.prelude.clone() }
    }
}

/// Time of all sessions of this process, in seconds since 1970.
static NOW: LazyLock<u64> =
    LazyLock::new(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()));

/// Freezes NOW() at the same value for all sessions of this process. SYSDATE() keeps running.
/// `false` if the account may not: on MySQL 8 it takes SESSION_VARIABLES_ADMIN.
pub fn stop_clock(conn: &mut Conn) -> bool {
    conn.query_drop(format!("SET timestamp = {}", *NOW)).is_ok()
}

pub fn failed(server: &Server, what: &'static str, source: mysql::Error) -> Error {
    Error::Driver { what, server: server.label().to_owned(), source }
}

/// First word of a statement in lower case, without comments; words in conditional comments count.
pub fn first_word(statement: &str) -> String {
    let is_word = |token: &sql::Token<'_>| token.kind == sql::TokenKind::Word;
    sql::tokenize(statement, sql::SqlMode::default())
        .take(8)
        .find(is_word)
        .map(|token| token.text.to_lowercase())
        .unwrap_or_default()
}

fn read_rows(conn: &mut Conn, encoding: &mut why::Encoding, statement: &str) -> mysql::Result<Rows> {
    let mut rows = Rows::default();
    let mut kept_bytes = 0;
    let sent = encoding.hex(conn, statement)?;
    rows.affected = conn.for_each_row(sent, |row| {
        if rows.count == 0 {
            rows.labels = row.columns_ref().iter().map(|column| column.name_str().into_owned()).collect();
        }
        let values: Vec<Value> = row.unwrap();
        let mut hasher = DefaultHasher::new();
        let texts: Vec<Option<Vec<u8>>> = values.iter().map(text).collect();
        texts.hash(&mut hasher);
        let hash = hasher.finish();
        rows.ordered = rows.ordered.rotate_left(5).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash;
        rows.content = rows.content.wrapping_add(hash);
        rows.count += 1;
        if rows.first.len() < MAX_KEPT_ROWS && kept_bytes < MAX_KEPT_BYTES {
            let shown: Vec<String> = texts
                .iter()
                .map(|text| text.as_ref().map_or("NULL".into(), |text| String::from_utf8_lossy(text).into_owned()))
                .collect();
            rows.first.push(shown.join(", "));
            kept_bytes += rows.first.last().map_or(0, String::len);
        }
    })?;
    Ok(rows)
}

fn text(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::NULL => None,
        other => Some(other.as_sql(true).into_bytes()),
    }
}

/// Schemas of the user.
pub fn user_schemas(server: &Server) -> Result<Vec<String>, Error> {
    server
        .connect()?
        .query(
            "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN \
             ('mysql', 'information_schema', 'performance_schema', 'sys') ORDER BY 1",
        )
        .map_err(|source| failed(server, "list the schemas", source))
}

/// Drops the user's schemas of a private server, also `test`, which old servers come with, and the
/// accounts and roles that a dump made.
pub fn clear(server: &Server) -> Result<(), Error> {
    let mut conn = server.connect_patiently()?;
    let _ = conn.query_drop("SET SESSION foreign_key_checks = 0");
    for schema in user_schemas(server)? {
        conn.query_drop(format!("DROP DATABASE {}", quote_identifier(&schema)))
            .map_err(|source| failed(server, "drop a schema", source))?;
    }
    for (user, host) in made_accounts(server, &mut conn)? {
        // MariaDB's roles have no host. A server drops no account that it needs itself.
        let account = format!("{}@{}", sql::quote_string(&user), sql::quote_string(&host));
        if host.is_empty() || conn.query_drop(format!("DROP USER {account}")).is_err() {
            let _ = conn.query_drop(format!("DROP ROLE {}", quote_identifier(&user)));
        }
    }
    Ok(())
}

/// Lists accounts and roles but those that servers come with, and that of the connection.
fn made_accounts(server: &Server, conn: &mut Conn) -> Result<Vec<(String, String)>, Error> {
    conn.query(
        "SELECT User, Host FROM mysql.user WHERE NOT (User IN ('', 'root', 'mysql', 'mariadb.sys') AND Host <> '%') \
         AND User NOT LIKE 'mysql.%' AND User <> 'PUBLIC' AND CONCAT(User, '@', Host) <> CURRENT_USER()",
    )
    .map_err(|source| failed(server, "list the accounts", source))
}

/// Reads the text columns of all tables, except those of system schemas.
pub fn read_columns(server: &Server) -> Result<Columns, Error> {
    type Row = (String, String, String, String, String);
    let rows: Vec<Row> = server
        .connect_patiently()?
        .query(
            "SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLLATION_NAME, c.COLUMN_KEY \
             FROM information_schema.COLUMNS c JOIN information_schema.TABLES t \
             ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME \
             AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') \
             WHERE c.COLLATION_NAME IS NOT NULL AND c.TABLE_SCHEMA NOT IN \
             ('mysql', 'information_schema', 'performance_schema', 'sys')",
        )
        .map_err(|source| failed(server, "list the columns", source))?;
    let entry = |(schema, table, column, collation, key): Row| {
        (
            (schema, table, column),
            TextColumn { collation, is_indexed: !key.is_empty(), is_unique: matches!(key.as_str(), "PRI" | "UNI") },
        )
    };
    Ok(rows.into_iter().map(entry).collect())
}

/// Version as a target of [`check`].
pub fn version(server: &Server) -> Target {
    let text = server.version();
    let number = text.split_once(':').map_or(text, |(_, number)| number);
    let version = Version::find(number).unwrap_or(Version::new(0, 0, 0));
    Target { flavour: server.flavour(), version: (version.major, version.minor, version.patch) }
}

/// Setting of MySQL 8.4 and later that refuses foreign keys to columns without a unique key.
pub const NON_STANDARD_KEYS: &str = "restrict_fk_on_non_standard_key";

/// Reads settings that decide about collations and about what definitions the server takes, by
/// name.
pub fn read_defaults(server: &Server) -> Result<BTreeMap<String, String>, Error> {
    let names = [
        "character_set_server",
        "collation_server",
        "default_collation_for_utf8mb4",
        "character_set_collations",
        "old_mode",
        "sql_mode",
        "explicit_defaults_for_timestamp",
        crate::events::SETTING,
        NON_STANDARD_KEYS,
    ];
    Ok(server.read_settings(&names)?)
}

/// Reads the collations that Unicode character sets have without COLLATE, by the current name of
/// the character set.
pub fn read_charset_defaults(server: &Server) -> Result<BTreeMap<String, String>, Error> {
    let mut conn = server.connect()?;
    let mut found = BTreeMap::new();
    for charset in ["utf8mb4", "utf8mb3", "utf8", "ucs2", "utf16", "utf32"] {
        // A server refuses the names that it does not have.
        let collation: mysql::Result<Option<String>> = conn.query_first(format!("SELECT COLLATION(_{charset} X'')"));
        if let Ok(Some(collation)) = collation {
            let name = server::current_charset_name(charset).to_owned();
            found.insert(name, server::current_collation_name(&collation).into_owned());
        }
    }
    Ok(found)
}
