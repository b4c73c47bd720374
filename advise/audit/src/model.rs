//! Result of an audit, as `schemas/audit.schema.json` describes it.

use check::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The audited server and what was read of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Audited")]
pub struct AuditedServer {
    /// Label of the server: `mysql@sid`, or flavour, version and address of a running one.
    pub label: String,
    /// Result of `SELECT VERSION()`.
    pub version: String,
    /// Names of the schemas that were read.
    pub schemas: Vec<String>,
    /// Names of schemas that a run of `weigh` made, which were left out.
    #[serde(default)]
    pub own_schemas: Vec<String>,
    /// Number of base tables that were read.
    pub tables: u64,
    /// Number of columns of the base tables that were read.
    pub columns: u64,
    /// Number of statements read from files.
    pub statements: u64,
    /// Number of sampled rows.
    pub sampled_rows: u64,
}

/// A finding of an audit.
pub type Finding = check::Finding<Place>;

/// Schema, table and column of a finding, its fix, and the rows that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Name of the finding that stays the same between audits: `utf8mb3: shop.orders`.
    #[serde(default)]
    pub id: String,
    /// Schema of the object, without quotes. `null` for objects outside a schema.
    #[serde(default)]
    pub schema: Option<String>,
    /// Table of the object, without quotes. For a pair of columns, the table of the first.
    #[serde(default)]
    pub table: Option<String>,
    /// Column, without quotes. For a pair of columns, the first.
    #[serde(default)]
    pub column: Option<String>,
    /// Tables, columns or keys with their collations, if the finding groups several:
    /// `orders (latin1_swedish_ci)`. A baseline knows them one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Command or SQL statement that fixes the finding and can be run without changes. Absent if
    /// someone has to decide or to write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Number of values of the column in the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<u64>,
    /// Number of sampled values that the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Primary keys of some of their rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// Number of findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
}

/// Result of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// Version of this format.
    pub format: u32,
    /// Version of `weigh`.
    pub weigh: String,
    /// The audited server.
    pub server: AuditedServer,
    /// Server version of `--target`, such as `MySQL 8.4`.
    pub target: Option<String>,
    /// Names of the checks that ran.
    pub checks: Vec<String>,
    /// Number of findings.
    #[serde(default)]
    pub counts: Counts,
    /// Findings, the most severe first.
    pub findings: Vec<Finding>,
    /// Data that could not be read.
    pub unseen: Vec<Unseen>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unseen {
    /// Description of the missing data: `rows of shop.orders`.
    pub what: String,
    /// The reason, such as the server's error message.
    pub why: String,
    /// Statement or setting that would make it visible, if known.
    pub remedy: Option<String>,
}

impl AuditedServer {
    /// Names the schemas of `weigh` itself, and the command that removes them. `None` without any.
    pub fn describe_own_schemas(&self) -> Option<String> {
        check::describe_own_schemas(&self.own_schemas)
    }
}

impl Audit {
    /// Returns the number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}
