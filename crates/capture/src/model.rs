//! What was captured, told.

use replay::Protocol;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reason::Reason;

/// What a capture wrote (`weigh capture --format json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Captured {
    /// The folder.
    pub folder: String,
    /// The schema.
    pub schema: String,
    /// The server's name and version, or the dump's file.
    pub from: String,
    /// How statements will travel.
    #[schemars(with = "String")]
    pub protocol: Protocol,
    /// Tables in the order of schema.sql.
    pub tables: Vec<CapturedTable>,
    /// Views.
    pub views: Vec<String>,
    /// Statements and commands in the logs.
    pub seen: u64,
    /// Of these, those of the classes that were captured.
    pub replayed: u64,
    /// Classes, those that took most time first.
    pub classes: Vec<CapturedClass>,
    /// What is not replayed, the most frequent first.
    pub left_out: Vec<LeftOut>,
    /// Definitions that are left out as they name another schema: foreign keys, views.
    #[serde(default)]
    pub of_other_schemas: Vec<String>,
    /// Values of foreign keys whose parent isn't in the source either.
    pub orphans: u64,
    /// What draws samples.
    pub seed: u64,
}

/// A table that was captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedTable {
    /// Name.
    pub name: String,
    /// Rows that were taken.
    pub rows: u64,
    /// Of these, those that were taken because a row of another table refers to them.
    pub parents: u64,
    /// Whether these are all rows.
    pub all: bool,
    /// Rows that there are, by the server's estimate, where not all were taken.
    pub of: Option<u64>,
}

/// A class of statements that was captured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedClass {
    /// Name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it changes rows.
    pub writes: bool,
    /// Calls.
    pub seen: u64,
    /// Seconds that these took together; absent where no log told.
    pub seconds: Option<f64>,
    /// Samples of values.
    pub samples: u64,
}

/// Statements that are not replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Why.
    pub reason: Reason,
    /// What it is about: a verb, a schema, a table; empty where nothing is named.
    pub word: String,
    /// How many.
    pub count: u64,
}

impl Captured {
    /// Rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Samples of all classes.
    pub fn samples(&self) -> u64 {
        self.classes.iter().map(|class| class.samples).sum()
    }
}
