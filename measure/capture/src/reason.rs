//! Reasons why statements aren't replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason why a statement isn't replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A protocol command that is not a statement: `Prepare`, `Quit`.
    Command,
    /// The statement is not of a kind that is replayed, such as `SELECT` or `INSERT`, or reads no
    /// table: `SET`, `BEGIN`, `CREATE TABLE`, `CALL`, `SELECT 1`.
    NotRows,
    /// The statement ran in another schema, or names one.
    OtherSchema,
    /// The log doesn't name the default schema.
    UnknownSchema,
    /// The statement names a table that wasn't captured.
    UnknownTable,
    /// The statement depends on what its session did before: a user variable, `LAST_INSERT_ID()`.
    Session,
    /// The statement calls a function, or has a clause, that reaches out of the tables or blocks
    /// sessions: `LOAD_FILE()`, `SLEEP()`, `INTO OUTFILE`, `PROCEDURE`.
    Scope,
    /// The source has `?` in place of the values.
    NoValues,
    /// The source truncated the statement, or it is longer than 4 MiB.
    Cut,
    /// Every call of the statement's class has more than 64 KiB of values.
    Large,
    /// The statement isn't valid UTF-8. Logs don't name the character set.
    NotUtf8,
    /// The statement's class is beyond `--max-classes`.
    Rare,
}

impl Reason {
    /// Returns the end of a sentence about such statements: "have more than 64 KiB of values".
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::Command => "are protocol commands, not statements",
            Reason::NotRows => "are of a kind that is not replayed, or read no table",
            Reason::OtherSchema => "are for another schema",
            Reason::UnknownSchema => "have no known schema (--assume-schema counts them as of this one)",
            Reason::UnknownTable => "name a table that was not captured",
            Reason::Session => "depend on what their session did before",
            Reason::Scope => {
                "have a function or clause that a workload may not have, as it reaches out of the tables or blocks sessions"
            }
            Reason::NoValues => "have ? in place of their values",
            Reason::Cut => "were truncated by the server, or are longer than 4 MiB",
            Reason::Large => "have more than 64 KiB of values",
            Reason::NotUtf8 => "are not valid UTF-8, and logs do not name their character set",
            Reason::Rare => "are of rare classes, beyond --max-classes",
        }
    }
}
