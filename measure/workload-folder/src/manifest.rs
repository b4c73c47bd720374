//! The file workload.toml.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Format version that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// Contents of workload.toml. Only `format` is required.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format: 1.
    pub format: u32,
    /// Name of the workload in reports; by default the folder's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Protocol of the statements. A capture doesn't read it from logs: use `prepared` if the
    /// application prepares statements on the server.
    #[serde(default)]
    pub protocol: Protocol,
    /// Session settings, applied before any statement is sent.
    #[serde(default, skip_serializing_if = "Session::is_empty")]
    pub session: Session,
    /// Origin of a captured workload; absent in one written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Protocol of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Statements are sent as text with their values.
    #[default]
    Text,
    /// Statements are prepared once and executed with values.
    Prepared,
}

/// Session settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Character set of the connection, such as `latin1`; by default `utf8mb4`. It stays the same
    /// when columns are converted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// `sql_mode`; by default the server's. `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES` also decide
    /// how statements/ is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql_mode: Option<String>,
    /// `time_zone`; by default the server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Session {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Origin of a captured workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Time of the capture, in UTC.
    pub captured: String,
    /// Version of weigh that captured the workload.
    pub by: String,
    /// Name of the captured schema.
    pub schema: String,
    /// Flavour and version of the server, or path of the dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Identity of the server: its `server_uuid`, or else host name, port, server id and data
    /// folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// Seed of the samples.
    pub seed: u64,
    /// Tables with their numbers of captured rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableOrigin>,
}

/// Number of captured rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableOrigin {
    /// Name of the table.
    pub name: String,
    /// Number of rows in rows/.
    pub rows: u64,
    /// Number of rows of the table: estimated by a server, counted in a dump. Absent if all were
    /// captured or the number is unknown.
    #[serde(default, rename = "of", skip_serializing_if = "Option::is_none")]
    pub estimated_rows: Option<u64>,
}
