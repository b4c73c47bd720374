//! workload.toml.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// What workload.toml holds. Only `format` has to be there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format: 1.
    pub format: u32,
    /// What reports call the workload; the folder's name where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How statements travel. A slow log doesn't tell; what a driver prepares on the server's side is `prepared`.
    #[serde(default)]
    pub protocol: Protocol,
    /// What sessions are set to before they send anything.
    #[serde(default, skip_serializing_if = "Session::is_empty")]
    pub session: Session,
    /// Where it was captured; absent in one that was written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// How statements travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// As text with their values in it.
    #[default]
    Text,
    /// Prepared once, executed with values.
    Prepared,
}

/// What sessions are set to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Character set of the connection, such as `latin1`; `utf8mb4` where absent. It is the same whatever the columns are converted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// `sql_mode`; the server's where absent. It decides how statements/ is read: `ANSI_QUOTES`, `NO_BACKSLASH_ESCAPES`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql_mode: Option<String>,
    /// `time_zone`; the server's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Session {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a workload was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// When, UTC.
    pub captured: String,
    /// Version of weigh.
    pub by: String,
    /// The schema's name there.
    pub schema: String,
    /// The server's version, or the dump's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// What tells this server from others: its `server_uuid` where it has one, else host name, port, server id and data folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// What samples were drawn by.
    pub seed: u64,
    /// The tables, and how many of their rows are here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableOrigin>,
}

/// How many rows of a table were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableOrigin {
    /// The table.
    pub name: String,
    /// Rows that are here.
    pub rows: u64,
    /// Rows that there were, by the server's estimate; absent where it has none, and where all were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
}
