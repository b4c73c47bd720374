//! All that checks look at.

use facts::{Facts, Unseen};
use serde::{Deserialize, Serialize};

use crate::target::Target;

/// All that checks look at. Parts that no chosen check reads are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was read of the server.
    pub facts: Facts,
    /// Comparisons that were explained.
    pub joins: Vec<JoinProof>,
    /// Views that were explained.
    pub views: Vec<ViewProof>,
    /// Columns of which rows were read.
    pub samples: Vec<ColumnSample>,
    /// Rows that were read.
    pub sampled_rows: u64,
    /// Statements of files.
    pub statements: Vec<Statement>,
    /// The target of a migration.
    pub target: Option<Target>,
    /// What could not be seen beside what `facts` tells.
    pub unseen: Vec<Unseen>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnRef {
    /// Schema.
    pub schema: String,
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
}

impl std::fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.schema, self.table, self.column)
    }
}

/// Why two columns are taken to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinKind {
    /// A foreign key of this name.
    ForeignKey(String),
    /// They have the same name, and one is indexed.
    SameName,
}

/// A comparison of two columns, explained from each side that has an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinProof {
    /// One column; the child's, for a foreign key.
    pub left: ColumnRef,
    /// The other.
    pub right: ColumnRef,
    /// Why they are taken to be compared.
    pub kind: JoinKind,
    /// What `EXPLAIN` said.
    pub probes: Vec<Probe>,
}

/// One look-up by an index, explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The column that is looked up by the other's values.
    pub indexed: ColumnRef,
    /// The index that was to be used.
    pub index: String,
    /// Whether it was.
    pub usage: IndexUse,
    /// Warnings and notes of the server.
    pub warnings: Vec<Warning>,
}

/// Whether an index is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexUse {
    /// For look-ups.
    Kept,
    /// Not, or only to be read from end to end.
    Lost,
    /// The comparison is refused.
    Refused,
    /// The plan doesn't tell: the optimiser took the table for empty, or the statement could not be explained.
    Unknown,
}

/// A warning, a note or an error of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Its number.
    pub code: u16,
    /// Its text.
    pub message: String,
}

/// A view, explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewProof {
    /// Schema.
    pub schema: String,
    /// View.
    pub name: String,
    /// Warnings that tell of lost indexes, or the error that it is refused with.
    pub warnings: Vec<Warning>,
}

/// What the rows of a sample hold in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSample {
    /// Schema.
    pub schema: String,
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
    /// Values that were read, NULLs and empty ones left out.
    pub values: u64,
    /// How they are encoded.
    pub encodings: Counts,
    /// Whether they are serialised.
    pub serialized: Counts,
    /// Whether all are ASCII.
    pub ascii: u64,
    /// Primary keys of some double-encoded or mixed rows.
    pub encoding_keys: Vec<String>,
    /// Primary keys of some serialised rows whose lengths depend on the encoding or are wrong.
    pub serialized_keys: Vec<String>,
}

/// How many values are of each class. Which class a field stands for, [`ColumnSample`]'s field tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Beyond ASCII and as it should be; or serialised, ASCII only.
    pub clean: u64,
    /// Double-encoded; or serialised with lengths in UTF-8.
    pub utf8: u64,
    /// In part double-encoded; or serialised with lengths in latin1.
    pub mixed: u64,
    /// Could be either; or serialised with wrong lengths.
    pub doubtful: u64,
}

/// A statement of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Where it stands: `app.sql:12`.
    pub place: String,
    /// Its text.
    pub text: String,
}
