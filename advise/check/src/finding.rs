//! Findings: what a check reports.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Severity;

/// Kind of the object that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    Server,
    /// Global variable.
    Variable,
    Replica,
    /// Live session, or several of one account.
    Session,
    Schema,
    Table,
    Column,
    /// Two columns that are compared.
    Columns,
    Index,
    ForeignKey,
    CheckConstraint,
    View,
    /// Stored procedure or function.
    Routine,
    Trigger,
    Event,
    Collation,
    /// Statement of a script or a slow query log.
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

/// Object that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Object {
    pub kind: ObjectKind,
    /// Name of the object. Objects of a schema are qualified: `shop.orders.code`.
    pub name: String,
}

impl Object {
    pub fn new(kind: ObjectKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// A result of a check: one problem of one object. `D` is what a command adds for its own report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub struct Finding<D = Members> {
    /// Name of the check: `replica-defaults`.
    pub check: String,
    pub severity: Severity,
    pub object: Object,
    /// The problem, in one sentence.
    pub what: String,
    /// Why the problem matters, with its cost if known.
    pub why: String,
    /// Advice on the problem.
    pub action: String,
    #[serde(flatten)]
    pub details: D,
}

/// Details of an audit's finding: the members of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Members {
    /// Names of the objects that the finding is about, if it groups several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
}
