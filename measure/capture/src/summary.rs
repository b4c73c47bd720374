use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload_folder::Protocol;

use crate::reason::Reason;

/// Name and version of the JSON format that this version of `weigh` writes.
pub(crate) const FORMAT: &str = "weighbridge-capture/1";

/// Summary of a capture: tables, rows, statement classes (`weigh capture --format json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureSummary {
    /// Name and version of the format.
    pub format: String,
    /// Path of the workload folder.
    pub folder: String,
    /// Name of the captured schema.
    pub schema: String,
    /// Flavour and version of the server, or path of the dump.
    #[serde(rename = "from")]
    pub source: String,
    /// Protocol of the replay.
    #[schemars(with = "String")]
    pub protocol: Protocol,
    /// Tables in the order of schema.sql.
    pub tables: Vec<CapturedTable>,
    /// Names of views.
    pub views: Vec<String>,
    /// Number of statements and commands in the logs, digests and history.
    pub seen: u64,
    /// Number of statements whose class was captured.
    pub replayed: u64,
    /// Statement classes by total time, longest first.
    pub classes: Vec<CapturedClass>,
    /// Statements that are not replayed, by reason, most frequent first.
    #[serde(rename = "left_out")]
    pub not_replayed: Vec<NotReplayedCount>,
    /// Foreign keys and views that were left out because they name another schema, and options of
    /// tables that reach out of the server's folder.
    #[serde(default, rename = "of_other_schemas")]
    pub cross_schema_definitions: Vec<String>,
    /// Objects that were left out because they are neither tables nor views, and views that must
    /// not be opened, with the reason: `the sequence s`.
    #[serde(default)]
    pub other_objects: Vec<String>,
    /// Number of foreign key values whose parent row the source lacks.
    pub orphans: u64,
    /// Seed of the samples.
    pub seed: u64,
}

/// A captured table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedTable {
    pub name: String,
    /// Number of captured rows.
    pub rows: u64,
    /// Number of rows captured only because another row refers to them.
    #[serde(rename = "parents")]
    pub parent_rows: u64,
    /// True if all rows of the table were captured.
    #[serde(rename = "all")]
    pub is_complete: bool,
    /// Number of rows of the table if only a part was captured; a server estimates it. `None` if
    /// unknown.
    #[serde(rename = "of")]
    pub estimated_rows: Option<u64>,
}

/// A captured statement class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedClass {
    /// File name without ending.
    pub name: String,
    /// Template of the statements.
    pub text: String,
    /// True if the statements change rows.
    pub writes: bool,
    /// Number of calls in the logs, digests and history.
    pub seen: u64,
    /// Total duration of the calls in seconds; `None` if their logs have no durations.
    pub seconds: Option<f64>,
    /// Number of samples.
    pub samples: u64,
}

/// Number of statements that are not replayed for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotReplayedCount {
    pub reason: Reason,
    /// Verb, command, schema or table that the reason is about. Can be empty.
    #[serde(rename = "word")]
    pub subject: String,
    /// Number of statements.
    pub count: u64,
}

impl CaptureSummary {
    /// Returns the number of captured rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Returns the number of samples of all classes.
    pub fn samples(&self) -> u64 {
        self.classes.iter().map(|class| class.samples).sum()
    }
}
