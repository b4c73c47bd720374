//! Results of a diagnosis.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Diagnosis of one or more statements.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Format of this document.
    pub format: u32,
    /// Version of weigh.
    pub weigh: String,
    /// Label and version of the server that was asked.
    pub server: String,
    pub version: String,
    /// Private copy on which remedies were tried: its server and version. It is `server` itself if
    /// no running server was named.
    pub copy: String,
    /// Statements in the order given. Statements that set up the session are not listed.
    pub statements: Vec<Judged>,
    /// Limits of the diagnosis, such as made-up rows.
    pub notes: Vec<String>,
}

/// Format number of [`Diagnosis`].
pub const FORMAT: u32 = 1;

/// A statement and what was found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// `app.sql:12`, or `statement` for one of the command line.
    pub place: String,
    pub text: String,
    /// Total time in a slow log, in seconds.
    pub seconds: Option<f64>,
    /// Number of calls in a slow log.
    pub calls: Option<u64>,
    pub findings: Vec<Finding>,
    /// True if a plan could not be judged; a note says why.
    #[serde(default)]
    pub is_unjudged: bool,
    /// Lost indexes without a remedy that reads fewer rows on the copy. They are findings if the
    /// running server's plan shows the loss.
    #[serde(skip)]
    pub suspects: Vec<Finding>,
    /// Number of made-up rows in the tables that the plans of the copy read.
    #[serde(default)]
    pub made_up_rows: u64,
    /// Warnings of the server about indexes that it cannot use, if nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A cause of an error or of a lost index, with the remedies that a server was seen to accept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    pub kind: Kind,
    /// The server's error, `1267: Illegal mix of collations …`. `None` if the statement runs.
    pub error: Option<String>,
    /// Comparisons, calls and unions that take part.
    pub sites: Vec<Site>,
    /// Details of the cause, and consequences, a sentence each.
    #[serde(rename = "costs")]
    pub details: Vec<String>,
    /// Plan before any remedy, on the private server that the remedies were tried on. `None` if the
    /// server refuses the statement.
    pub plan: Option<PlanFigures>,
    /// Plan of the running server for the same statement. The two servers have different rows, so
    /// this plan can't be compared with those of remedies.
    #[serde(default)]
    pub server_plan: Option<PlanFigures>,
    /// True if the index is missed only if many rows meet a condition such as `created > …`, as
    /// half of the made-up rows then do.
    #[serde(skip)]
    pub depends_on_rows: bool,
    /// The smallest first, remedies that lose characters last. Remedies for a definition are in the
    /// order in which they were tried.
    pub remedies: Vec<Remedy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The server refuses to combine operands: errors 1267, 1270, 1271, 3854, 3988, 3995. In a
    /// definition also the columns of a FULLTEXT index: error 1283.
    Refused,
    /// A COLLATE clause does not fit the character set: error 1253.
    WrongCollate,
    /// A collation or character set that the server does not have: errors 1273, 1115.
    Unknown,
    /// An index cannot be used for a lookup.
    IndexLost,
    /// A key would be too long: errors 1071, 1709, 3886.
    KeyTooLong,
    /// A column or a row would be too long, as each character counts with the most bytes that it
    /// can take: errors 1074, 1118.
    TooWide,
    /// Values become equal: errors 1062, 1291, 1495.
    Duplicates,
    /// Columns of a foreign key do not fit: errors 1005, 1215, 1832, 1833, 1846, 3780.
    ForeignKey,
    /// A character has no place in the column's character set: errors 1366, 1067, 1300.
    Unrepresentable,
}

/// An expression in which two or more texts meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// `procedure route`, `view v`; `None` for the statement itself.
    pub program: Option<String>,
    /// Text of the expression.
    pub text: String,
    /// `=`, `find_in_set`, `UNION`.
    pub operation: String,
    pub sides: Vec<Side>,
    /// Collation by which the server compares. `None` if it refuses, or if no side has a collation
    /// that counts.
    pub winner: Option<String>,
    /// Whether the server refuses this expression by itself, on no rows.
    pub is_refused: bool,
    /// True if LOWER or UPPER hides a column from its index, and no side is converted.
    #[serde(default)]
    pub is_folded: bool,
    /// True if a column of text is compared with a number, so that both are compared as numbers.
    #[serde(default)]
    pub is_numeric: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    pub text: String,
    pub charset: String,
    pub collation: String,
    /// The server's number of the coercibility.
    pub coercibility: i64,
    /// EXPLICIT, NONE, IMPLICIT, SYSCONST, COERCIBLE, NUMERIC or IGNORABLE.
    pub strength: String,
    pub origin: Origin,
    /// Origin of the collation, in words.
    pub source: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Column,
    /// Column of a view.
    View,
    /// Column of a subquery in FROM, or of WITH.
    Derived,
    InformationSchema,
    JsonTable,
    TemporaryTable,
    /// Literal or placeholder under `collation_connection`.
    Connection,
    Introducer,
    Collate,
    /// Parameter or variable of a stored program.
    Parameter,
    UserVariable,
    /// Result of a stored function.
    StoredFunction,
    /// Result of another expression.
    Expression,
    Subquery,
}

/// A change after which the finding was gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    pub scope: Scope,
    /// Advice in words.
    pub what: String,
    /// Statements to run instead, or before.
    pub sql: Vec<String>,
    /// Plan with the change; `None` if the statement has none.
    pub plan: Option<PlanFigures>,
    /// Other effects of the change, in words.
    pub effects: Vec<String>,
    /// True if the statement then compares texts that lost characters.
    #[serde(default)]
    pub is_lossy: bool,
}

/// Extent of a remedy's change, the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Statement,
    Session,
    Program,
    Column,
    Table,
    Server,
}

/// Access to the tables of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanFigures {
    /// Sum over the parts of a plan of the product of their tables' rows. A dependent subquery
    /// counts once per row of the outermost part.
    pub rows: u64,
    /// Tables in the order of the plan.
    pub tables: Vec<TableAccess>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableAccess {
    pub table: String,
    /// `type` of EXPLAIN.
    pub access: String,
    pub key: Option<String>,
    pub key_len: Option<String>,
    /// `Extra` of EXPLAIN.
    pub extra: String,
    /// Rows that the server expects to read each time.
    pub rows: u64,
    /// Rows of these that it expects to keep after the table's conditions: `filtered` of EXPLAIN,
    /// and on a running MariaDB at most the rows of one value of an index that it warns of. Absent
    /// before MySQL 5.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
}
