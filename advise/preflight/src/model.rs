//! Report of preflight, as `schemas/preflight.schema.json` describes it.

use std::collections::BTreeMap;

use check::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sql::{ClientReader, Misreading};

use crate::finding::{self, Finding, FindingRecord};
use crate::trial::display_seconds;

/// Name and version of the report's format.
pub const FORMAT: &str = "weighbridge-preflight/1";

/// Result of a preflight run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Name and version of this format.
    pub format: String,
    /// Name of the server or of the files.
    pub source: String,
    /// Version of the server. `null` for files.
    pub version: Option<String>,
    /// Start of the run by the clock of this machine, UTC.
    pub started: String,
    /// Target collations. The plan is for the first.
    pub targets: Vec<String>,
    /// Number of text columns that were asked for, whether they need a conversion or not.
    #[serde(default)]
    pub columns: u64,
    /// Tables with a column that is converted, or kept for a reason.
    pub tables: Vec<TableReport>,
    /// Findings, the most severe first.
    #[serde(with = "finding::records")]
    #[schemars(with = "Vec<FindingRecord>")]
    pub findings: Vec<Finding>,
    /// Statements that convert. `null` for files and if there is nothing to change.
    pub plan: Option<Plan>,
    /// Throughput of target collations relative to the present ones, from results of `weigh bench`.
    /// Empty if no results were given.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Objects that were not checked, with the reason.
    pub unchecked: Vec<String>,
    /// Remarks on the whole run, such as a target that is an alias.
    pub notes: Vec<String>,
}

impl Report {
    /// True if a finding is a warning or an error.
    pub fn has_problems(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity > Severity::Note)
    }

    /// Returns the errors under the planned collations that the plan doesn't solve. A person has
    /// to, before all of the plan can run.
    pub fn blockers(&self) -> impl Iterator<Item = &Finding> {
        let target = self.targets.first().map_or("", String::as_str);
        let planned = || {
            self.tables.iter().flat_map(|table| {
                let name = |column: &str| check::column_name(&table.schema, &table.name, column);
                table.converted.iter().map(move |change| (name(&change.column), change.to.as_str()))
            })
        };
        self.findings.iter().filter(move |finding| finding::blocks(finding, target, planned()))
    }
}

/// Conversions of a table, and how its rows were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableReport {
    /// Name of the schema, without quotes.
    pub schema: String,
    /// Name of the table, without schema and quotes.
    pub name: String,
    /// Columns whose collation changes.
    pub converted: Vec<ColumnChange>,
    /// Text columns that keep their collation for a reason, such as ascii columns. Columns that
    /// have the target collation already are left out.
    pub kept: Vec<ColumnChange>,
    /// How the rows were read. `null` if they were not read.
    pub reading: Option<Reading>,
    /// Size before and after the conversion.
    pub size: Size,
}

/// Performance of a collation relative to another, measured by `weigh bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Collation before the conversion.
    pub from: String,
    /// Collation after the conversion.
    pub to: String,
    /// Workload, text and number of connections.
    pub workload: String,
    /// Measured server.
    pub server: String,
    /// Throughput under `to` divided by the throughput under `from`.
    pub throughput: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// A/A bound: how far from 1 the intervals of A/A pairs reach. For a ratio combined from
    /// several pairs, the sum of theirs.
    pub aa_bound: f64,
    /// Folder of the results.
    pub results: String,
}

/// Collation of a column before and after the conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnChange {
    /// Name of the column, without table and quotes.
    pub column: String,
    /// Collation before the conversion.
    pub from: String,
    /// Collation after the conversion.
    pub to: String,
    /// Reason if the column keeps its collation or stays `_bin`.
    pub reason: Option<String>,
}

/// How a table was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// `in chunks by PRIMARY`, `in one pass: …`, `from a dump`, `from a file` or `from files`.
    pub how: String,
    /// Start of reading by the server's clock, UTC. For files: time of the last modification.
    pub from: String,
    /// End of reading by the same clock. For files: the same time as `from`. Rows written after
    /// `from` may have been missed.
    pub to: String,
    /// Number of rows that were read and checked.
    pub rows: u64,
    /// Bytes of the values that were read.
    pub bytes: u64,
    /// Number of chunks that were read to their end. 1 for one pass, a dump or a CSV file; for
    /// Parquet, the number of files.
    pub chunks: u64,
    /// Seconds of reading, with pauses.
    pub seconds: f64,
    /// Values of a CSV or Parquet file that the character set of their column lacks, by column. The
    /// rows that were passed on have NULL for them.
    #[serde(skip)]
    pub lacking: BTreeMap<String, LackingValues>,
}

/// Values of a column that its own character set lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LackingValues {
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// Size of a table in bytes. The sizes after the conversion add the growth of the values and ignore
/// how full pages are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Bytes of rows, as the server estimates them.
    pub data: Option<u64>,
    /// Bytes of secondary indexes.
    pub indexes: Option<u64>,
    /// Bytes of rows after the conversion.
    pub data_after: Option<u64>,
    /// Bytes of secondary indexes after the conversion.
    pub indexes_after: Option<u64>,
}

/// Rows or values that become equal, or distinct for the check `separates`, or are equal already
/// for `duplicate-key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollisionGroup {
    /// Number of rows or values in the group, which can exceed the length of `rows`.
    pub count: u64,
    /// The first rows or values of the group.
    pub rows: Vec<Example>,
    /// Why the others become equal to the first, character by character: each reason once. Empty if
    /// unknown.
    pub why: Vec<String>,
    /// Collations of the target's character set that distinguish all of `rows`. Only the check
    /// `unique-key` determines them.
    #[serde(rename = "kept_apart_by")]
    pub distinguished_by: Vec<String>,
}

/// A row, a value or another object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// Values of the primary key, of the key that the table was read by, or of the first column of
    /// a CSV or Parquet file. Empty for values and other objects, and if the table has no key.
    pub key: Vec<String>,
    /// Values of the columns in question, or a description of the object.
    pub values: Vec<String>,
    /// Peculiarity, such as `double-encoded: für` or a character that the target's character set
    /// lacks.
    pub note: Option<String>,
}

/// Statements that convert. `weigh` prints them, and runs them only on copies of the tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Tables and programs with an error that the plan doesn't solve. Their steps are blocked, and
    /// those of tables that foreign keys connect to them.
    pub blocked: Vec<String>,
    /// Steps in the order to run them.
    pub steps: Vec<Step>,
    /// Commands of online schema change tools.
    pub tools: Vec<ToolPlan>,
    /// Queries that verify the result: each returns no row after a successful conversion, except
    /// for children that had no parent before.
    pub verification: Vec<String>,
    /// Foreign keys, routines, triggers and events as they were: to create by hand what is missing
    /// after a plan that stopped.
    #[serde(default)]
    pub put_back: Vec<Step>,
    /// Statements that undo the plan: they restore the definitions from before it. Empty unless
    /// asked for.
    #[serde(default)]
    pub back: Vec<Step>,
    /// Differences that `back` did not restore in the rehearsal.
    #[serde(default, rename = "back_lost")]
    pub not_restored: Vec<String>,
    /// Server and number of rows of the rehearsal. `null` if the steps were not rehearsed to their
    /// end.
    #[serde(default)]
    pub rehearsal: Option<String>,
    /// Source of the `algorithm` of the steps: `tried on a private …`, `tried on SERVER, on empty
    /// tables in …`, or `documentation (…)`.
    pub algorithms_from: String,
    /// Advice on backups, replication and connections.
    pub advice: Vec<String>,
    /// Query that lists the transactions that a statement of the plan may wait for, until error
    /// 1205.
    #[serde(default)]
    pub lock_holders: String,
    /// Source that lists the transactions with their tables, if the query does not. `null` if the
    /// query does, or no source exists.
    #[serde(default)]
    pub lock_holders_hint: Option<String>,
}

impl Plan {
    /// True if the plan leaves out programs, and converts columns. These programs could then fail
    /// with error 1267, so no step must run before the errors are fixed.
    pub fn leaves_programs_behind(&self) -> bool {
        let has = |phase, blocked| self.steps.iter().any(|step| step.phase == phase && step.blocked == blocked);
        has(Phase::Programs, true) && has(Phase::Convert, false)
    }
}

/// A statement of the plan, with its phase and its object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Phase, such as `convert`. Steps run in the order of the phases.
    pub phase: Phase,
    /// Table, view or stored program with its schema, as `shop.orders`; a schema; the column of a
    /// repair; or `session`.
    pub object: String,
    /// The statement, without a delimiter.
    pub sql: String,
    /// How the server runs the statement. `null` for statements other than ALTER TABLE, for steps
    /// that the rehearsal skipped, and in `back` and `put_back`.
    pub algorithm: Option<Algorithm>,
    /// Why the table is copied, why the program is created again, why the server refuses the
    /// statement, or how long it waits for locks.
    pub note: Option<String>,
    /// Estimated time of an ALTER that was rehearsed with rows. `null` for an instant one.
    #[serde(default)]
    pub time: Option<AlterTime>,
    /// Whether the step has to wait until the errors of the plan's `blocked` objects are solved by
    /// hand.
    ///
    /// These are the steps of blocked objects and of tables that foreign keys connect to them, and
    /// the defaults and programs of their schemas. The script contains a blocked step as a comment.
    #[serde(default)]
    pub blocked: bool,
}

impl Step {
    /// Returns the delimiter to write on its own line after the statement. `None` if a semicolon
    /// after the statement is enough. It is not enough for programs, whose body may contain
    /// semicolons or end with a comment.
    pub fn own_delimiter(&self) -> Option<String> {
        let may_hide = [";", "#", "--"].iter().any(|part| self.sql.contains(part));
        (self.phase == Phase::Programs && may_hide).then(|| escape::delimiter(&self.sql))
    }

    /// Reads the statement as the next one of a script, as command-line clients do. Returns the
    /// lines to write after the statement.
    pub fn read_as_client(&self, reader: &mut ClientReader) -> Result<String, Misreading> {
        match self.own_delimiter() {
            Some(delimiter) => reader.read(&self.sql, &delimiter, true),
            None => reader.read(&self.sql, ";", false),
        }
    }
}

/// Estimated time of an ALTER: the time on a sample, extrapolated to all rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlterTime {
    /// Estimated seconds for all rows.
    pub seconds: f64,
    /// Rows of the table, as the server estimates them; at least `sample_rows`.
    pub rows: u64,
    /// Number of rows that were copied to the private server.
    pub sample_rows: u64,
    /// Seconds of the ALTER on the sample, on a private server on the machine that runs `weigh`.
    pub sample_seconds: f64,
}

impl AlterTime {
    /// Number of rows of which an ALTER takes little longer than of none.
    const FEW_ROWS: u64 = 1_000;

    /// True if the sample is too small to extrapolate from: the time of starting the ALTER is then
    /// multiplied, too.
    pub fn is_upper_bound(&self) -> bool {
        self.sample_rows <= Self::FEW_ROWS && self.rows > 10 * Self::FEW_ROWS
    }

    /// Returns `under 1 s`, `about 12 min` or `at most 12 min`.
    pub fn display(&self) -> String {
        let text = display_seconds(self.seconds);
        if self.is_upper_bound() { text.replacen("about", "at most", 1) } else { text }
    }
}

/// Phases of a plan, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Sets up the session.
    Session,
    /// Drops foreign keys that have a converted column on either side.
    DropForeignKeys,
    /// Converts columns.
    Convert,
    /// Repairs double-encoded text, while the foreign keys of converted columns and the triggers
    /// that would fire are away.
    Repair,
    /// Sets the defaults of tables and schemas.
    Defaults,
    /// Adds the foreign keys again.
    AddForeignKeys,
    /// Creates routines, triggers, views and events again.
    Programs,
    /// Collects histograms again.
    Statistics,
}

/// How a server runs an ALTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Changes metadata only.
    Instant,
    /// Changes the table in place, with or without a rebuild. Other sessions can write.
    InPlace,
    /// Changes the table in place, with or without a rebuild. Other sessions can't write.
    InPlaceLocked,
    /// Copies the rows into a new table. Other sessions can write: MariaDB 11.2 and later, for most
    /// tables.
    CopyOnline,
    /// Copies the rows into a new table. Other sessions can't write.
    Copy,
    /// Refuses the statement; the note of the step has the error.
    Refused,
}

impl Algorithm {
    /// True if other sessions can't write to the table while the ALTER runs.
    pub fn blocks_writes(self) -> bool {
        matches!(self, Algorithm::Copy | Algorithm::InPlaceLocked)
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Instant => "instant",
            Algorithm::InPlace => "in place",
            Algorithm::InPlaceLocked => "in place, writes blocked",
            Algorithm::CopyOnline => "copy, writes go on",
            Algorithm::Copy => "copy, writes blocked",
            Algorithm::Refused => "refused",
        }
    }
}

/// Conversion of a table by gh-ost or pt-online-schema-change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPlan {
    /// `schema.table`.
    pub table: String,
    /// Command line of gh-ost. Empty if a name or text has control characters.
    pub gh_ost: String,
    /// Command line of pt-online-schema-change. Empty if a name or text has control characters.
    pub pt_osc: String,
    /// Obstacles and caveats.
    pub warnings: Vec<String>,
}
