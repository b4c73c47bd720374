//! Reading facts from a server: `information_schema`, `performance_schema`, variables and `SHOW`.
//! This module writes nothing and reads no rows of users' tables.
//!
//! | facts | source | privilege |
//! | --- | --- | --- |
//! | schemas, tables, columns, keys | `information_schema` | any on the table, such as `SELECT` |
//! | text of views | `VIEWS` | `SHOW VIEW` |
//! | routines | `ROUTINES`, `PARAMETERS` | [`Privilege::ShowRoutine`] |
//! | triggers | `TRIGGERS` | `TRIGGER` |
//! | events | `EVENTS` | `EVENT` |
//! | sessions (MySQL 5.7 and later) | `performance_schema` | `SELECT` on `performance_schema` |
//! | replication source | `SHOW REPLICA STATUS` | [`Privilege::ReplicationStatus`] |
//! | registered replicas | `SHOW REPLICAS` | [`Privilege::ReplicationHosts`] |
//!
//! Without the privilege, the server hides the object or the text of the view or program. An
//! [`Unseen`] entry then names the `GRANT` statement. For the facts of the first row there is an
//! entry only if no schema but the server's own is visible.

mod connection;
mod dictionary;
mod dictionary_row;
mod grants;
mod keys;
mod programs;
mod replication;
mod sessions;
mod settings;
mod system_columns;
mod tables;
mod unopened_views;
mod user_code;

use mysql::prelude::Queryable;
use server::Conn;
use server::{Error, Progress, Server};

use crate::{Facts, Replica, Replication, Schema, ServerFacts, Unseen};
use dictionary::Dictionary;
use dictionary_row::DictionaryRow;
use grants::Grants;

pub use connection::{Limits, apply_settings, connect};
pub use grants::{Privilege, rights_beyond, schemas_without};
pub use settings::VARIABLES;
pub use unopened_views::UnopenedViews;
pub use user_code::{read_code_with_own_rights, read_user_code};

/// Facts to read.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Schema names. Empty: all schemas except the server's own, and those that a run of `weigh`
    /// made.
    pub schemas: Vec<String>,
    /// Whether to read stored programs and views.
    pub programs: bool,
    /// Whether to read live sessions and replication.
    pub activity: bool,
}

impl Scope {
    /// Returns the scope with all facts.
    pub fn all() -> Self {
        Self { schemas: Vec::new(), programs: true, activity: true }
    }
}

/// The server's own schemas.
pub const SYSTEM_SCHEMAS: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Reads the facts of a server. Fails if a requested schema does not exist, or the account may not
/// see it.
pub fn read(server: &Server, scope: &Scope, limits: &Limits, progress: &dyn Progress) -> Result<Facts, Error> {
    let (mut conn, handshake) = connection::open(server, limits)?;
    let mut reader = Reader::new(&mut conn, server)?;
    reader.read_unopened_views(server)?;
    progress.step("reading settings");
    let settings = ServerFacts { handshake: Some(handshake), ..reader.read_settings(server)? };
    let mut names = reader.read_schemas(&scope.schemas)?;
    let own_schemas = if scope.schemas.is_empty() { reader.find_own_schemas(&names)? } else { Vec::new() };
    names.retain(|(name, ..)| !own_schemas.contains(name));
    let mut schemas = Vec::new();
    for (index, (name, charset, collation)) in names.iter().enumerate() {
        lifecycle::interrupt::check()?;
        progress.step(&format!("reading schema {name}"));
        progress.fraction(index as f64 / names.len() as f64);
        let mut schema =
            Schema { name: name.clone(), charset: charset.clone(), collation: collation.clone(), ..Schema::default() };
        let (tables, view_columns) = reader.read_tables(name)?;
        schema.tables = tables;
        if scope.programs {
            reader.read_programs(&mut schema, view_columns)?;
        }
        schemas.push(schema);
    }
    let system_columns = reader.read_system_columns(&schemas)?;
    let (mut sessions, mut replication) = (Vec::new(), Replication::default());
    if scope.activity {
        progress.step("reading sessions");
        sessions = reader.read_sessions(&settings)?;
        replication = reader.read_replication(&settings)?;
    }
    if names.is_empty() && !reader.grants.has("SELECT", "") {
        let account = reader.grants.account.clone();
        let remedy = format!("GRANT SELECT ON *.* TO {account}");
        reader.add_unseen("all schemas", format!("the account {account} may read none"), Some(remedy));
    }
    let mut unseen = reader.unseen;
    unseen.sort();
    unseen.dedup();
    Ok(Facts { server: settings, schemas, sessions, replication, unseen, own_schemas, system_columns })
}

/// Reads the facts of a replica that are compared with its source.
pub fn read_replica(server: &Server, limits: &Limits) -> Result<Replica, Error> {
    let mut conn = connect(server, limits)?;
    let facts = Reader::new(&mut conn, server)?.read_settings(server)?;
    Ok(Replica {
        label: facts.label,
        version: facts.version,
        variables: facts.variables,
        collations: facts.collations.into_iter().map(|collation| collation.name).collect(),
    })
}

/// A connection, the privileges of its account, and the facts that could not be read so far.
struct Reader<'a> {
    conn: &'a mut Conn,
    label: String,
    dictionary: Dictionary,
    grants: Grants,
    unopened_views: UnopenedViews,
    unseen: Vec<Unseen>,
}

impl<'a> Reader<'a> {
    fn new(conn: &'a mut Conn, server: &Server) -> Result<Self, Error> {
        let label = server.label().to_owned();
        let statement_error = |what| {
            let label = label.clone();
            move |source| Error::Statement { label, what, source }
        };
        let dictionary = Dictionary::read(conn).map_err(statement_error("list the columns of information_schema"))?;
        let grants = Grants::read(conn).map_err(statement_error("show its grants"))?;
        Ok(Self { conn, label, dictionary, grants, unopened_views: UnopenedViews::default(), unseen: Vec::new() })
    }

    /// Runs a query with bound values. `what` is a verb phrase for the error message.
    fn query(&mut self, what: &'static str, query: &str, values: &[&str]) -> Result<Vec<DictionaryRow>, Error> {
        self.try_query(query, values).map_err(|source| Error::Statement { label: self.label.clone(), what, source })
    }

    /// Like [`Self::query`], with the driver's error.
    fn try_query(&mut self, query: &str, values: &[&str]) -> Result<Vec<DictionaryRow>, mysql::Error> {
        let rows: Vec<mysql::Row> = if values.is_empty() {
            self.conn.query(query)?
        } else {
            let values: Vec<mysql::Value> = values.iter().map(|value| (*value).into()).collect();
            self.conn.exec(query, mysql::Params::Positional(values))?
        };
        Ok(rows.into_iter().map(DictionaryRow::from).collect())
    }

    fn read_unopened_views(&mut self, server: &Server) -> Result<(), Error> {
        let what = "list functions and views";
        let statement_error = |source| Error::Statement { label: server.label().to_owned(), what, source };
        self.unopened_views = UnopenedViews::read(server, self.conn).map_err(statement_error)?;
        Ok(())
    }

    /// Runs a query of `TABLES` or `COLUMNS` about all tables and views of a schema that may be
    /// opened. `rest` follows the condition on the schema: `AND …`, `ORDER BY …`, or both.
    fn query_schema(
        &mut self,
        what: &'static str,
        select: &str,
        rest: &str,
        schema: &str,
    ) -> Result<Vec<DictionaryRow>, Error> {
        if !self.unopened_views.closes_any(schema) {
            return self.query(what, &format!("{select} WHERE TABLE_SCHEMA = ? {rest}"), &[schema]);
        }
        let names = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME";
        let one = format!("{select} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? {rest}");
        let mut rows = Vec::new();
        for name in self.query("list the names of its tables", names, &[schema])? {
            let name = name.text(0);
            if self.unopened_views.refuse_to_open(schema, &name).is_none() {
                rows.extend(self.query(what, &one, &[schema, &name])?);
            }
        }
        Ok(rows)
    }

    fn add_unseen(&mut self, what: impl Into<String>, why: impl Into<String>, remedy: Option<String>) {
        self.unseen.push(Unseen { what: what.into(), why: why.into(), remedy });
    }

    /// Adds an [`Unseen`] entry if the account lacks a privilege.
    fn check_privilege(&mut self, privilege: Privilege, schema: &str, what: &str) {
        let flavour = self.dictionary.flavour;
        if !self.grants.has(privilege.name(flavour, self.dictionary.version), schema) {
            let statement = privilege.grant_statement(flavour, self.dictionary.version, schema, &self.grants.account);
            let missing = privilege.name(flavour, self.dictionary.version);
            self.add_unseen(what, format!("the account {} lacks {missing}", self.grants.account), Some(statement));
        }
    }

    /// Returns the schemas that a run of `weigh` made, by their names and marker tables.
    fn find_own_schemas(&mut self, schemas: &[(String, String, String)]) -> Result<Vec<String>, Error> {
        let query = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";
        let mut own = Vec::new();
        for (name, ..) in schemas.iter().filter(|(name, ..)| name.starts_with("weigh_")) {
            if !self.query("look for its schemas of weigh", query, &[name, server::MARKER_TABLE])?.is_empty() {
                own.push(name.clone());
            }
        }
        Ok(own)
    }

    /// Returns name, character set and collation of the requested schemas.
    fn read_schemas(&mut self, requested: &[String]) -> Result<Vec<(String, String, String)>, Error> {
        let query = "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME \
                     FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME";
        let all = self.query("list its schemas", query, &[])?;
        let all: Vec<_> = all.iter().map(|row| (row.text(0), row.text(1), row.text(2))).collect();
        for name in requested {
            if !all.iter().any(|(existing, ..)| existing == name) {
                return Err(Error::MissingSchema {
                    label: self.label.clone(),
                    schema: name.clone(),
                    account: self.grants.account.clone(),
                    visible: all.iter().map(|(name, ..)| name.clone()).collect(),
                });
            }
        }
        let is_requested = |name: &String| {
            if requested.is_empty() {
                !SYSTEM_SCHEMAS.contains(&name.to_lowercase().as_str())
            } else {
                requested.contains(name)
            }
        };
        Ok(all.into_iter().filter(|(name, ..)| is_requested(name)).collect())
    }
}
