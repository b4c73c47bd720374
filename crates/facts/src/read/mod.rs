//! Reads facts off a server: only `information_schema`, `performance_schema`, variables and `SHOW`; nothing is written, no user's row is read.
//!
//! | reading | where from | privilege | without it |
//! | --- | --- | --- | --- |
//! | schemas, tables, columns, indexes, keys, partitions | `information_schema` | any on the table; `SELECT` is enough | the object isn't there |
//! | text of views | `VIEWS` | `SHOW VIEW` | body absent |
//! | routines | `ROUTINES`, `PARAMETERS` | MySQL 8.0.20: `SHOW_ROUTINE`; MariaDB 11.3: `SHOW CREATE ROUTINE`; before: `SELECT` on `mysql.proc` | body absent, or not there |
//! | triggers | `TRIGGERS` | `TRIGGER` | not there |
//! | events | `EVENTS` | `EVENT` | not there |
//! | sessions and their character sets | `performance_schema.threads`, `variables_by_thread` (MySQL 5.7) | `SELECT` on `performance_schema` | [`Unseen`] |
//! | source | `SHOW REPLICA STATUS` | `REPLICATION CLIENT`; MariaDB: `REPLICA MONITOR` | [`Unseen`] |
//! | replicas | `SHOW REPLICAS` | `REPLICATION SLAVE`; MariaDB: `REPLICATION MASTER ADMIN` | [`Unseen`] |

mod cells;
mod connection;
mod dictionary;
mod grants;
mod keys;
mod programs;
mod replication;
mod sessions;
mod settings;
mod tables;

use mysql::Conn;
use mysql::prelude::Queryable;
use server::{Error, Progress, Server};

use crate::{Facts, Replica, Replication, Schema, ServerFacts, Unseen};
use cells::Cells;
use dictionary::Dictionary;
use grants::Grants;

pub use connection::{Limits, connect};
pub use grants::Privilege;
pub use settings::VARIABLES;

/// What of a server is read.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Schemas, by name; all but the system's own where empty.
    pub schemas: Vec<String>,
    /// Whether stored programs and views are read.
    pub programs: bool,
    /// Whether live sessions and replication are read.
    pub activity: bool,
}

impl Scope {
    /// Everything.
    pub fn everything() -> Self {
        Self { schemas: Vec::new(), programs: true, activity: true }
    }
}

/// Schemas that belong to the server.
const SYSTEM_SCHEMAS: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Reads the facts of a server.
///
/// # Errors
/// If the server refuses or breaks off, or hasn't one of the schemas that were named.
pub fn read(server: &Server, scope: &Scope, limits: &Limits, progress: &dyn Progress) -> Result<Facts, Error> {
    let (mut conn, handshake) = connection::open(server, limits)?;
    let mut reader = Reader::new(&mut conn, server)?;
    progress.step("reading settings");
    let settings = ServerFacts { handshake: Some(handshake), ..reader.settings(server)? };
    let names = reader.schema_names(&scope.schemas)?;
    let mut schemas = Vec::new();
    for (index, (name, charset, collation)) in names.iter().enumerate() {
        server::interrupt::check()?;
        progress.step(&format!("reading schema {name}"));
        progress.fraction(index as f64 / names.len() as f64);
        let mut schema =
            Schema { name: name.clone(), charset: charset.clone(), collation: collation.clone(), ..Schema::default() };
        schema.tables = reader.tables(name)?;
        if scope.programs {
            reader.programs(&mut schema)?;
        }
        schemas.push(schema);
    }
    let (mut sessions, mut replication) = (Vec::new(), Replication::default());
    if scope.activity {
        progress.step("reading sessions");
        sessions = reader.sessions(&settings)?;
        replication = reader.replication(&settings)?;
    }
    let mut unseen = reader.unseen;
    unseen.sort();
    unseen.dedup();
    Ok(Facts { server: settings, schemas, sessions, replication, unseen })
}

/// Reads of a replica what is held against its source: version, variables, collations.
///
/// # Errors
/// If the server refuses or breaks off.
pub fn replica(server: &Server, limits: &Limits) -> Result<Replica, Error> {
    let mut conn = connect(server, limits)?;
    let facts = Reader::new(&mut conn, server)?.settings(server)?;
    Ok(Replica {
        label: facts.label,
        version: facts.version,
        variables: facts.variables,
        collations: facts.collations.into_iter().map(|collation| collation.name).collect(),
    })
}

/// A connection with what is known of what its account may see.
struct Reader<'a> {
    conn: &'a mut Conn,
    label: String,
    dictionary: Dictionary,
    grants: Grants,
    unseen: Vec<Unseen>,
}

impl<'a> Reader<'a> {
    fn new(conn: &'a mut Conn, server: &Server) -> Result<Self, Error> {
        let label = server.label().to_owned();
        let failed = |what| {
            let label = label.clone();
            move |source| Error::Statement { label, what, source }
        };
        let dictionary = Dictionary::read(conn).map_err(failed("list the columns of information_schema"))?;
        let grants = Grants::read(conn).map_err(failed("show its grants"))?;
        Ok(Self { conn, label, dictionary, grants, unseen: Vec::new() })
    }

    /// The rows of a query with bound values.
    fn rows(&mut self, what: &'static str, query: &str, values: &[&str]) -> Result<Vec<Cells>, Error> {
        self.try_rows(query, values).map_err(|source| Error::Statement { label: self.label.clone(), what, source })
    }

    /// As [`Self::rows`], where the server's refusal is an answer.
    fn try_rows(&mut self, query: &str, values: &[&str]) -> Result<Vec<Cells>, mysql::Error> {
        let rows: Vec<mysql::Row> = if values.is_empty() {
            self.conn.query(query)?
        } else {
            let values: Vec<mysql::Value> = values.iter().map(|value| (*value).into()).collect();
            self.conn.exec(query, mysql::Params::Positional(values))?
        };
        Ok(rows.into_iter().map(Cells::from).collect())
    }

    fn cannot_see(&mut self, what: impl Into<String>, why: impl Into<String>, remedy: Option<String>) {
        self.unseen.push(Unseen { what: what.into(), why: why.into(), remedy });
    }

    /// Notes what a missing privilege hides.
    fn needs(&mut self, privilege: Privilege, schema: &str, what: &str) {
        let flavour = self.dictionary.flavour;
        if !self.grants.has(privilege.name(flavour, self.dictionary.version), schema) {
            let statement = privilege.statement(flavour, self.dictionary.version, schema, &self.grants.account);
            let missing = privilege.name(flavour, self.dictionary.version);
            self.cannot_see(what, format!("the account {} lacks {missing}", self.grants.account), Some(statement));
        }
    }

    /// Name, character set and collation of each schema that is to be read.
    fn schema_names(&mut self, wanted: &[String]) -> Result<Vec<(String, String, String)>, Error> {
        let query = "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME \
                     FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME";
        let all = self.rows("list its schemas", query, &[])?;
        let all: Vec<_> = all.iter().map(|row| (row.text(0), row.text(1), row.text(2))).collect();
        for name in wanted {
            if !all.iter().any(|(there, ..)| there == name) {
                let there: Vec<&str> = all.iter().map(|(name, ..)| name.as_str()).collect();
                return Err(Error::Started(format!(
                    "{} has no schema {name}, or the account {} may not see it; it sees {}",
                    self.label,
                    self.grants.account,
                    there.join(", ")
                )));
            }
        }
        let is_wanted = |name: &String| {
            if wanted.is_empty() {
                !SYSTEM_SCHEMAS.contains(&name.to_lowercase().as_str())
            } else {
                wanted.contains(name)
            }
        };
        Ok(all.into_iter().filter(|(name, ..)| is_wanted(name)).collect())
    }
}
