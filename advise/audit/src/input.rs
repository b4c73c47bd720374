//! Everything that the audit's checks read.

use check::Target;
use facts::{Facts, Unseen};
use serde::{Deserialize, Serialize};

/// Plans, views and samples, and the programs and sessions of `facts`, are empty if no selected
/// check reads them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditInput {
    pub facts: Facts,
    pub joins: Vec<JoinPlans>,
    pub views: Vec<ViewPlan>,
    pub samples: Vec<ColumnSample>,
    pub sampled_rows: u64,
    /// Statements of a dump that the server refuses.
    pub refused: Vec<RefusedStatement>,
    /// Statements of SQL scripts and slow query logs.
    pub statements: Vec<Statement>,
    /// Plans of the statements that the server could explain, or refused because of a collation.
    pub statement_plans: Vec<StatementPlan>,
    pub target: Option<Target>,
    /// Arguments that name the server or dump, for the commands that findings advise.
    #[serde(default)]
    pub source: Vec<String>,
    /// Data that could not be read, in addition to `facts.unseen`.
    pub unseen: Vec<Unseen>,
}

/// Name of a column, displayed as `shop.orders.code`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnRef {
    pub schema: String,
    pub table: String,
    pub column: String,
}

impl std::fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&check::column_name(&self.schema, &self.table, &self.column))
    }
}

/// Reason to assume that queries join two columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinKind {
    /// A foreign key of this name.
    ForeignKey(String),
    /// The names match, and one column is indexed.
    SameName,
    /// A statement compares them.
    Compared,
}

/// Plans of a join of two columns: one plan for each column that has an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinPlans {
    /// The child's column if the join follows a foreign key.
    pub left: ColumnRef,
    pub right: ColumnRef,
    pub kind: JoinKind,
    pub lookups: Vec<LookupPlan>,
}

/// Whether a join can look up an index, by `EXPLAIN` or by the server's rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookupPlan {
    /// Column that is looked up by the values of the join's other column.
    pub indexed_column: ColumnRef,
    /// Index that the join is to look up.
    pub index: String,
    pub usage: IndexUse,
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexUse {
    /// The index is used for lookups.
    Kept,
    /// The index is unused, or scanned from end to end.
    Lost,
    /// The server refuses the comparison.
    Refused,
    /// The plan is inconclusive, for example because the optimiser assumed an empty table or
    /// `EXPLAIN` failed.
    Unknown,
}

/// Warning, note or error of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Error code, see [`server::error_code`].
    pub code: u16,
    pub message: String,
}

/// Result of explaining a `SELECT` from a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewPlan {
    pub schema: String,
    pub name: String,
    /// Warnings about unusable indexes, or the error if the server refuses the view.
    pub warnings: Vec<Warning>,
    /// Columns that the server refuses to compare with a literal of another collation.
    pub weak_columns: Vec<IncomparableColumn>,
    /// Conversions in the view's text without which the server looks up an index.
    pub index_losses: Vec<IndexLoss>,
}

/// A conversion that keeps the server from looking up an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexLoss {
    /// `convert(o.code using utf8mb4)`
    pub clause: String,
    /// Table or alias whose index is looked up without the conversion.
    pub table: String,
}

/// Column of a view that can't be compared with a literal of another collation: its expression is
/// itself a literal, or mixes two collations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncomparableColumn {
    pub name: String,
    pub collation: String,
    /// The server's refusal (1267). Its message names the column's coercibility: `NONE` if the
    /// expression mixes two collations, `COERCIBLE` if it is a literal.
    pub refusal: Warning,
}

/// Statistics of a column's sampled values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSample {
    pub schema: String,
    pub table: String,
    pub column: String,
    /// Number of classified values: no NULLs, no empty strings, none above 64 KiB.
    pub values: u64,
    pub ascii_values: u64,
    /// Classes of the values that are not ASCII.
    pub encodings: EncodingCounts,
    /// Classes of the values that are serialised by PHP.
    pub serialized: SerializedCounts,
    /// Primary keys of up to 3 rows with double-encoded or mixed values.
    pub encoding_keys: Vec<String>,
    /// Primary keys of up to 3 rows with serialised values that are not ASCII or have wrong
    /// lengths.
    pub serialized_keys: Vec<String>,
}

/// Numbers of values that are not ASCII, by whether they were encoded twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingCounts {
    pub clean: u64,
    pub double_encoded: u64,
    /// Double-encoded in parts.
    pub mixed: u64,
    /// Double-encoded or clean: both readings make sense.
    pub undecidable: u64,
}

/// Numbers of values serialised by PHP, by the encoding that their byte lengths fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SerializedCounts {
    pub ascii: u64,
    pub utf8: u64,
    pub latin1: u64,
    /// The lengths fit neither UTF-8 nor latin1.
    pub broken: u64,
}

/// Statement of a dump that the private server refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedStatement {
    /// File and line: `schema.sql:12`.
    pub place: String,
    /// Code and message.
    pub error: String,
    /// True for statements on settings, locks, accounts and the server's own schemas.
    pub is_setup: bool,
}

/// Statement of a script or a slow query log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// File and line: `app.sql:12`.
    pub place: String,
    pub text: String,
    /// Default schema, if the file names it.
    pub schema: Option<String>,
}

/// Result of explaining a statement of a script or a slow query log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementPlan {
    /// Index in [`AuditInput::statements`].
    pub statement: usize,
    /// Default schema in which the statement was explained.
    pub schema: Option<String>,
    /// Error of the server, if it refuses the statement because of a collation.
    pub refused: Option<Warning>,
    /// Warnings about unusable indexes.
    pub warnings: Vec<Warning>,
    /// Joins of columns that the statement compares, with the look-ups that lose their index
    /// without a warning of the server.
    pub joins: Vec<JoinPlans>,
}
