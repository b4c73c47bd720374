//! Types of the facts.

mod program;
mod server;
mod session;
mod table;
mod user_code;

pub use program::{Event, Parameter, Program, ProgramCharsets, Routine, Trigger, View};
pub use server::{CharsetInfo, CollationFact, ServerFacts};
pub use session::{Replica, Replication, Session};
pub use table::{
    CheckConstraint, Column, ForeignKey, Generated, Index, IndexKind, IndexPart, Partition, Partitioning, RowFormat,
    Table, TextType,
};
pub use user_code::{UserCode, ViewText};

use serde::{Deserialize, Serialize};

/// Facts about one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub server: ServerFacts,
    /// Requested schemas, sorted by name.
    pub schemas: Vec<Schema>,
    /// Live sessions. Empty if they were not requested or are not visible, see [`Facts::unseen`].
    pub sessions: Vec<Session>,
    pub replication: Replication,
    /// Requested facts that could not be read.
    pub unseen: Vec<Unseen>,
    /// Schemas that a run of `weigh` made, and that were left out. Empty if schemas were requested
    /// by name.
    #[serde(default)]
    pub own_schemas: Vec<String>,
    /// Text columns of `information_schema` (not in MySQL 8.0 and later) and
    /// `performance_schema`, if a routine, trigger or event names the schema.
    #[serde(default)]
    pub system_columns: Vec<SystemColumn>,
}

/// A text column of a table of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemColumn {
    pub schema: String,
    pub table: String,
    pub column: String,
    pub collation: String,
}

/// A schema (database) with its tables and stored programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub name: String,
    /// Default character set of new tables.
    pub charset: String,
    /// Default collation of new tables.
    pub collation: String,
    /// Base tables, sorted by name.
    pub tables: Vec<Table>,
    /// Views, sorted by name.
    pub views: Vec<View>,
    /// Stored procedures, functions and packages, sorted by name.
    pub routines: Vec<Routine>,
    /// Triggers of all tables, sorted by name.
    pub triggers: Vec<Trigger>,
    /// Events, sorted by name.
    pub events: Vec<Event>,
}

/// Facts that could not be read, and how to make them visible.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unseen {
    /// Noun phrase, such as "triggers of shop".
    pub what: String,
    /// Cause, such as a missing privilege, the server's version or a disabled setting.
    pub why: String,
    /// Statement or setting that makes the facts visible: "GRANT PROCESS ON *.* TO …". `None` if
    /// nothing does.
    pub remedy: Option<String>,
}

impl Facts {
    /// Iterates over the text columns of a table of the server's own schemas, named in any case of
    /// letters.
    pub fn system_columns<'f>(&'f self, schema: &'f str, table: &'f str) -> impl Iterator<Item = &'f SystemColumn> {
        let is_of = move |column: &&SystemColumn| {
            column.schema.eq_ignore_ascii_case(schema) && column.table.eq_ignore_ascii_case(table)
        };
        self.system_columns.iter().filter(is_of)
    }

    /// Iterates over the base tables of all schemas.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.schemas.iter().flat_map(|schema| &schema.tables)
    }

    /// Iterates over the columns of all base tables.
    pub fn columns(&self) -> impl Iterator<Item = (&Table, &Column)> {
        self.tables().flat_map(|table| table.columns.iter().map(move |column| (table, column)))
    }

    /// Finds a schema by its exact name.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.iter().find(|schema| schema.name == name)
    }

    /// Finds a base table by its exact name.
    pub fn table(&self, schema: &str, name: &str) -> Option<&Table> {
        self.schema(schema)?.tables.iter().find(|table| table.name == name)
    }
}
