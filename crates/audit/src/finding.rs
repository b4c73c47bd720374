//! What a check finds.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing before a change.
    Note,
    /// Costs now, or will surprise.
    Warning,
    /// Fails or loses data now, or will with the change that was named.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// What kind of object a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    /// The server as a whole.
    Server,
    /// A global variable.
    Variable,
    /// A replica.
    Replica,
    /// A live session, or several of one account.
    Session,
    /// A schema.
    Schema,
    /// A table.
    Table,
    /// A column.
    Column,
    /// Two columns that are compared.
    Columns,
    /// An index.
    Index,
    /// A foreign key.
    ForeignKey,
    /// A check constraint.
    CheckConstraint,
    /// A view.
    View,
    /// A stored procedure or function.
    Routine,
    /// A trigger.
    Trigger,
    /// An event.
    Event,
    /// A collation.
    Collation,
    /// A statement of a file.
    Statement,
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObjectKind::Server => "server",
            ObjectKind::Variable => "variable",
            ObjectKind::Replica => "replica",
            ObjectKind::Session => "session",
            ObjectKind::Schema => "schema",
            ObjectKind::Table => "table",
            ObjectKind::Column => "column",
            ObjectKind::Columns => "columns",
            ObjectKind::Index => "index",
            ObjectKind::ForeignKey => "foreign key",
            ObjectKind::CheckConstraint => "check constraint",
            ObjectKind::View => "view",
            ObjectKind::Routine => "routine",
            ObjectKind::Trigger => "trigger",
            ObjectKind::Event => "event",
            ObjectKind::Collation => "collation",
            ObjectKind::Statement => "statement",
        })
    }
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Object {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its name, from the schema down: `shop.orders.code`.
    pub name: String,
}

impl Object {
    /// An object of this kind and name.
    pub fn new(kind: ObjectKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the check.
    pub check: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What it is about.
    pub object: Object,
    /// What is so.
    pub what: String,
    /// Why it matters, with the cost where one is known.
    pub why: String,
    /// What to do.
    pub action: String,
}

/// The server that was audited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audited {
    /// What it is called.
    pub label: String,
    /// `SELECT VERSION()`.
    pub version: String,
    /// Schemas that were read.
    pub schemas: Vec<String>,
    /// Base tables that were read.
    pub tables: u64,
    /// Columns of those tables.
    pub columns: u64,
    /// Statements that were read from files.
    pub statements: u64,
    /// Rows that were read as a sample.
    pub sampled_rows: u64,
}

/// The result of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// Version of this format.
    pub format: u32,
    /// Version of `weigh`.
    pub weigh: String,
    /// The server.
    pub server: Audited,
    /// The target that was named.
    pub target: Option<String>,
    /// Names of the checks that were run.
    pub checks: Vec<String>,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
    /// What could not be seen, and what would show it.
    pub unseen: Vec<Unseen>,
}

/// Something that could not be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unseen {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// What would show it, where something would.
    pub remedy: Option<String>,
}

impl Audit {
    /// How many findings weigh this much.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}
