//! The types.

mod program;
mod server;
mod session;
mod table;

pub use program::{Event, Parameter, Program, ProgramCharsets, Routine, Trigger, View};
pub use server::{CharsetInfo, CollationFact, ServerFacts};
pub use session::{Replica, Replication, Session};
pub use table::{
    CheckConstraint, Column, ForeignKey, Generated, Index, IndexKind, IndexPart, Partition, Partitioning, RowFormat,
    Table, TextType,
};

use serde::{Deserialize, Serialize};

/// Everything that was read of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The server itself.
    pub server: ServerFacts,
    /// The schemas that were asked for, by name.
    pub schemas: Vec<Schema>,
    /// Live sessions; empty where they were not read or can't be seen ([`Facts::unseen`] tells).
    pub sessions: Vec<Session>,
    /// Binary log and replicas.
    pub replication: Replication,
    /// What could not be seen.
    pub unseen: Vec<Unseen>,
}

/// A schema (a database) and all that is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Name.
    pub name: String,
    /// Default character set of its new tables.
    pub charset: String,
    /// Default collation of its new tables.
    pub collation: String,
    /// Base tables, by name.
    pub tables: Vec<Table>,
    /// Views, by name.
    pub views: Vec<View>,
    /// Stored procedures and functions, by name.
    pub routines: Vec<Routine>,
    /// Triggers, by name. [`Trigger::table`] names the table.
    pub triggers: Vec<Trigger>,
    /// Events, by name.
    pub events: Vec<Event>,
}

/// Something that could not be seen, and what would let it be seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unseen {
    /// What: "live sessions", "triggers of `shop`".
    pub what: String,
    /// Why: a missing privilege, a version that lacks it, a setting that is off.
    pub why: String,
    /// The statement or setting that would show it, where there is one: "GRANT PROCESS ON *.* TO …".
    pub remedy: Option<String>,
}

impl Facts {
    /// All base tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.schemas.iter().flat_map(|schema| &schema.tables)
    }

    /// All columns, each with its table.
    pub fn columns(&self) -> impl Iterator<Item = (&Table, &Column)> {
        self.tables().flat_map(|table| table.columns.iter().map(move |column| (table, column)))
    }

    /// The schema of this name.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.iter().find(|schema| schema.name == name)
    }

    /// The base table of this schema and name.
    pub fn table(&self, schema: &str, name: &str) -> Option<&Table> {
        self.schema(schema)?.tables.iter().find(|table| table.name == name)
    }
}
