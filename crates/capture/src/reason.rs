//! Why a statement of a log isn't replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a statement of a log isn't replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A command of the protocol, no statement: `Prepare`, `Quit`.
    Command,
    /// It neither reads nor changes rows: `SET`, `SHOW`, `BEGIN`, `CREATE TABLE`.
    NotRows,
    /// It was used in another schema, or names one.
    OtherSchema,
    /// The log doesn't say which schema was in use.
    UnknownSchema,
    /// It names a table that wasn't captured.
    UnknownTable,
    /// It depends on what its session did before: a variable, `LAST_INSERT_ID()`, a lock.
    Session,
    /// The source has `?` where its values were.
    NoValues,
    /// The source has only its beginning, or it is longer than what is kept.
    Cut,
    /// Its values are longer than a sample may be.
    Large,
    /// It is not in UTF-8, and no log says what it is in.
    NotUtf8,
    /// Its class is one too many (`--max-classes`).
    Rare,
}

impl Reason {
    /// A sentence about such statements.
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::Command => "commands of the protocol, no statements",
            Reason::NotRows => "neither read nor change rows",
            Reason::OtherSchema => "are of another schema",
            Reason::UnknownSchema => "the log does not say in which schema (--assume-schema takes them as of this one)",
            Reason::UnknownTable => "name a table that was not captured",
            Reason::Session => "depend on what their session did before",
            Reason::NoValues => "have ? in place of their values",
            Reason::Cut => "were cut off by the server, or are longer than 4 MiB",
            Reason::Large => "have more than 64 KiB of values",
            Reason::NotUtf8 => "are not in UTF-8, and no log says what they are in",
            Reason::Rare => "are of rare classes, beyond --max-classes",
        }
    }
}
