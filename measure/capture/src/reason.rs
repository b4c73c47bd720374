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
    /// Returns the end of a sentence about a number of such statements: "have more than 64 KiB of
    /// values".
    pub fn sentence(self, count: u64) -> String {
        let agree = |one: &'static str, more: &'static str| if count == 1 { one } else { more };
        let (be, have) = (agree("is", "are"), agree("has", "have"));
        match self {
            Reason::Command => {
                agree("is a protocol command, not a statement", "are protocol commands, not statements").into()
            }
            Reason::NotRows => {
                format!("{be} of a kind that is not replayed, or {} no table", agree("reads", "read"))
            }
            Reason::OtherSchema => format!("{be} for another schema"),
            Reason::UnknownSchema => {
                format!("{have} no known schema (--assume-schema counts {} as of this one)", agree("it", "them"))
            }
            Reason::UnknownTable => format!("{} a table that was not captured", agree("names", "name")),
            Reason::Session => {
                agree("depends on what its session did before", "depend on what their session did before").into()
            }
            Reason::Scope => format!(
                "{have} a function or clause that a workload may not have, as it reaches out of the tables or blocks sessions"
            ),
            Reason::NoValues => format!("{have} ? in place of {} values", agree("its", "their")),
            Reason::Cut => {
                format!("{} truncated by the server, or {be} longer than 4 MiB", agree("was", "were"))
            }
            Reason::Large => format!("{have} more than 64 KiB of values"),
            Reason::NotUtf8 => format!("{be} not valid UTF-8, and logs do not name the character set"),
            Reason::Rare => format!("{be} of {}, beyond --max-classes", agree("a rare class", "rare classes")),
        }
    }
}
