//! What preflight found, as it is printed and as it is written (`schemas/preflight.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format that this version writes.
pub const FORMAT: &str = "weighbridge-preflight/1";

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The format's name and version.
    pub format: String,
    /// The server, or the files that were read.
    pub source: String,
    /// The server's version; absent for files.
    pub version: Option<String>,
    /// When reading began: the clock of this machine, UTC.
    pub started: String,
    /// Collations that were asked about. The plan is for the first.
    pub targets: Vec<String>,
    /// Tables with columns that would be converted.
    pub tables: Vec<TableReport>,
    /// What was found, the gravest first.
    pub findings: Vec<Finding>,
    /// Statements that convert; absent for files and where nothing is to be converted.
    pub plan: Option<Plan>,
    /// What the conversions cost at run time, where results of `weigh bench` were given.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// What was not checked, and why.
    pub unchecked: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether anything was found that a conversion breaks or changes.
    pub fn has_findings(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity != Severity::Notice)
    }
}

/// A table, what is converted in it, and what reading it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableReport {
    /// Schema.
    pub schema: String,
    /// Name.
    pub name: String,
    /// Columns whose collation would change.
    pub converted: Vec<ColumnChange>,
    /// Text columns that keep their collation, and why.
    pub kept: Vec<ColumnChange>,
    /// How it was read; absent where it was not.
    pub reading: Option<Reading>,
    /// Bytes before and after.
    pub size: Size,
}

/// What one collation costs against another, as `weigh bench` measured it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// The collation now.
    pub from: String,
    /// The one that columns get.
    pub to: String,
    /// Workload, text and connections.
    pub workload: String,
    /// The server that was measured.
    pub server: String,
    /// Throughput under `to` for each unit of that under `from`.
    pub throughput: f64,
    /// Where its 95 % interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How far noise alone moves such a ratio, from A/A pairs.
    pub aa_bound: f64,
    /// The folder of the results.
    pub results: String,
}

/// A column's collation before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnChange {
    /// Column.
    pub column: String,
    /// Its collation.
    pub from: String,
    /// The one that it gets; the same where it is kept.
    pub to: String,
    /// Why it is kept, or why it gets another than the one that was asked for.
    pub reason: Option<String>,
}

/// How a table was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// In chunks by which index, or in one pass.
    pub how: String,
    /// When reading began, by the server's clock, UTC.
    pub from: String,
    /// When it ended. Rows written after `from` may have been missed.
    pub to: String,
    /// Rows.
    pub rows: u64,
    /// Bytes of values.
    pub bytes: u64,
    /// Chunks.
    pub chunks: u64,
    /// Seconds, pauses included.
    pub seconds: f64,
}

/// Bytes of a table. Those after are those before and what the values that were read grow by; how full pages are stays out of account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Rows, as the server estimates.
    pub data: Option<u64>,
    /// Secondary indexes.
    pub indexes: Option<u64>,
    /// Rows after the conversion.
    pub data_after: Option<u64>,
    /// Secondary indexes after the conversion.
    pub indexes_after: Option<u64>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The conversion is refused, or loses data.
    Error,
    /// It succeeds, and something behaves otherwise afterwards.
    Warning,
    /// Good to know.
    Notice,
}

impl Severity {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The check that found it (`weigh preflight --list`).
    pub check: String,
    /// How grave it is.
    pub severity: Severity,
    /// What it is about: `schema.table`, `schema.table.column`, `schema.table: index name`.
    pub object: String,
    /// Schema.
    pub schema: String,
    /// Table; absent where it is about a routine or the whole schema.
    pub table: Option<String>,
    /// The collation that it holds for.
    pub target: String,
    /// One sentence.
    pub what: String,
    /// Why it matters, or how it comes about.
    pub why: String,
    /// What to do.
    pub todo: String,
    /// How many rows, groups or members.
    pub count: u64,
    /// Groups of rows, or of values, that become equal; not all of them where there are many.
    pub groups: Vec<Group>,
    /// Rows, or values.
    pub examples: Vec<Example>,
    /// Statements that repair, or that look again.
    pub statements: Vec<String>,
    /// The type that the plan gives the column, where it can't keep its own.
    pub new_type: Option<String>,
    /// Whether the plan deals with it; what it doesn't deal with is for people to decide before the plan is run.
    pub in_plan: bool,
}

/// Rows or values that become equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub rows: Vec<Example>,
    /// Why the first two are equal, character by character.
    pub why: Vec<String>,
    /// Collations of the same character set that tell all of `rows` apart.
    pub kept_apart_by: Vec<String>,
}

/// A row, or a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Values of the primary key, or of the key that the table was read by; empty where there is none.
    pub key: Vec<String>,
    /// Values that it is about.
    pub values: Vec<String>,
    /// What more is known of it.
    pub note: Option<String>,
}

/// The statements that convert. Printed, never run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Tables that the server will refuse to convert before their findings are dealt with. Their steps are [`Step::blocked`].
    pub blocked: Vec<String>,
    /// In the order in which to run them.
    pub steps: Vec<Step>,
    /// The same for online schema change tools, a table each.
    pub tools: Vec<ToolPlan>,
    /// Queries that show afterwards whether it has worked: each returns no row then.
    pub verification: Vec<String>,
    /// Where the algorithms are from: a trial on which server, or documentation.
    pub algorithms_from: String,
    /// Going back, replication, connections: what to do around the statements.
    pub advice: Vec<String>,
}

/// One step of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// What kind of step.
    pub phase: Phase,
    /// `schema.table`, or the program's name.
    pub object: String,
    /// The statement, without its end.
    pub sql: String,
    /// How the server runs it.
    pub algorithm: Option<Algorithm>,
    /// What it locks, or why it is refused.
    pub note: Option<String>,
    /// About how long it takes, where a sample of rows told.
    #[serde(default)]
    pub time: Option<AlterTime>,
    /// Whether it waits for people: its table, or one that is tied to it by foreign keys, has a finding that the plan can't deal with. The
    /// script has it as a comment.
    #[serde(default)]
    pub blocked: bool,
}

/// About how long an ALTER takes: a sample of rows, times their number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlterTime {
    /// Seconds for all rows, if each takes as long as one of the sample.
    pub seconds: f64,
    /// Rows of the table, as the server estimates.
    pub rows: u64,
    /// Rows of the sample.
    pub sample_rows: u64,
    /// Seconds that the ALTER took on the sample, on a private server of the machine that runs `weigh`.
    pub sample_seconds: f64,
}

/// What a step is for, in the order of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The session that runs the rest.
    Session,
    /// Foreign keys go.
    DropForeignKeys,
    /// Columns are converted.
    Convert,
    /// Defaults of tables and schemas, apart from the columns.
    Defaults,
    /// Foreign keys come back.
    AddForeignKeys,
    /// Routines, triggers, views and events are created again.
    Programs,
    /// Text that was double-encoded is repaired.
    Repair,
}

/// How a server runs an ALTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Metadata alone.
    Instant,
    /// In place, while others write.
    InPlace,
    /// In place, while nobody writes.
    InPlaceLocked,
    /// Row by row into a new table, while nobody writes.
    Copy,
    /// Not at all.
    Refused,
}

impl Algorithm {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Instant => "instant",
            Algorithm::InPlace => "in place",
            Algorithm::InPlaceLocked => "in place, writes blocked",
            Algorithm::Copy => "copy, writes blocked",
            Algorithm::Refused => "refused",
        }
    }
}

/// A table by way of gh-ost and pt-online-schema-change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPlan {
    /// `schema.table`.
    pub table: String,
    /// The command.
    pub gh_ost: String,
    /// The command.
    pub pt_osc: String,
    /// Why not to, or what to mind.
    pub warnings: Vec<String>,
}
