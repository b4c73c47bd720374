//! What a run is, as it lies on disk: `run.json` holds a [`Run`], each line of `samples.jsonl` a [`Block`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Flavour, Layers, Server};

use crate::recipe::RecipeRecord;
use crate::recording::RecordingRecord;

/// The format that this version writes.
pub const FORMAT: &str = "weighbridge-run/2";

/// Earlier formats that it reads too: `weighbridge-run/1` has other names for some fields, and one load for all blocks.
pub const EARLIER_FORMATS: [&str; 1] = ["weighbridge-run/1"];

/// What stands for the text of rows that are a folder's, or that a script prepares.
pub const OWN_TEXT: &str = "own";

/// Everything about a run but its samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The format's name and version.
    pub format: String,
    /// Version of `weigh` that wrote it.
    pub weigh: String,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// When it ended; absent while it runs and after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// Why it ended early, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The command line that repeats it, as a shell takes it; passwords are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Where it comes from, where `weigh` did not measure it. Machine, settings and most options are not known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The machine that put the load on, and that the servers ran on where they are private.
    pub machine: Machine,
    /// The servers, in the order asked for.
    pub servers: Vec<ServerInfo>,
    /// The options in force.
    pub options: Options,
    /// The recipe that it follows, where it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<RecipeRecord>,
    /// The workload's folder that was measured in place of the built-in workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingRecord>,
    /// The script that sysbench ran in place of the built-in workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptRecord>,
    /// All variants that were measured.
    pub variants: Vec<Variant>,
    /// All conditions that the variants were measured under.
    #[serde(alias = "cells")]
    pub conditions: Vec<Condition>,
    /// Which variants are held against which.
    pub pairs: Vec<Pair>,
    /// The room that the tables of each variant take; the copies' are left out. Read once, after loading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<TableSize>,
    /// How the servers carry out the statements, by their EXPLAIN.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Plan>,
    /// What was left out and why, and what else a reader must know.
    pub notes: Vec<String>,
    /// How far it is; absent where it can't be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// A script of the user's that sysbench ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptRecord {
    /// The conditions' workload: the file's name without ending.
    pub name: String,
    /// The file, as it was named.
    pub file: String,
    /// Options of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// SHA-256 of the file, by which a run that is resumed knows that it is the same.
    pub digest: String,
}

impl From<&drive::SysbenchScript> for ScriptRecord {
    fn from(script: &drive::SysbenchScript) -> Self {
        let drive::SysbenchScript { name, named, options, digest, .. } = script.clone();
        Self { name, file: named, options, digest }
    }
}

/// The replicates of a run that are whole. Blocks of later ones are dropped when it is resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// How many.
    pub replicates: u32,
    /// Time for load that they used, in seconds.
    pub load_s: f64,
    /// What starting servers and loading rows took in the slowest of them, in seconds.
    pub renewal_s: f64,
}

/// "no whole replicate", "1 whole replicate", "3 whole replicates"
impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.replicates {
            0 => f.write_str("no whole replicate"),
            1 => f.write_str("1 whole replicate"),
            several => write!(f, "{several} whole replicates"),
        }
    }
}

/// Where a run comes from that another program measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The program, such as `sysbench 1.0.20`.
    pub from: String,
    /// The files, as they were named.
    pub files: Vec<String>,
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Operating system's name and version.
    pub system: String,
    /// Kernel release.
    pub kernel: String,
    /// Processor's model name.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// A server of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerInfo {
    /// Its name in tables and messages.
    pub label: String,
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// What `VERSION()` answers.
    pub version: String,
    /// What `@@version_comment` answers.
    pub comment: String,
    /// Whether `weigh` started it for this run alone.
    pub private: bool,
    /// Settings that bear on the load, as the server says they are in force, and all others that are not at their defaults, where it
    /// tells which are.
    pub settings: BTreeMap<String, String>,
    /// What the load's connections agreed on with it, by the protocol's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agreed: BTreeMap<String, String>,
}

impl ServerInfo {
    /// Describes a server, with those of the named settings that it has.
    pub fn read(server: &Server, settings: &[&str]) -> Result<Self, server::Error> {
        Ok(Self {
            label: server.label().into(),
            flavour: server.flavour(),
            version: server.version().into(),
            comment: server.version_comment().into(),
            private: server.is_private(),
            settings: {
                let mut all = server.changed_settings()?.unwrap_or_default();
                all.extend(server.settings_in_force(settings)?);
                all
            },
            agreed: BTreeMap::new(),
        })
    }
}

/// How load is put on: the two answer different questions (see docs/bench.md) and never share a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Two variants under load in the same block.
    Duet,
    /// One variant at a time, rounds interleaved.
    Solo,
}

/// Who puts the load on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// Weighbridge's own client.
    Native,
    /// The sysbench that is installed.
    Sysbench,
}

/// The options of a run, after defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    /// Duet or solo.
    pub mode: Mode,
    /// Who puts the load on.
    pub driver: Driver,
    /// Half-width of the ratio's interval at which a pair is done, as a fraction.
    pub precision: f64,
    /// Measuring stops after this many seconds, all pairs together.
    pub max_time_s: f64,
    /// Length of a block in seconds.
    pub block_s: f64,
    /// Load before a pair's first counted block in each replicate, in seconds.
    pub warmup_s: f64,
    /// The most replicates that were to be measured; absent in runs of versions that had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicates: Option<u32>,
    /// Whether each connection was bound to a core, the client's thread and the server's together, as the operating system said on being
    /// asked; else the operating system placed them.
    pub pinned: bool,
    /// Whether the two sides of a duet took turns; else both ran at the same time. In runs that don't tell, those that were bound did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<bool>,
    /// Transactions a second of an open loop; absent where the loop was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Tables of each kind; of a workload's folder, all of them; 0 where a script prepares them.
    pub tables: u32,
    /// Rows of a table; 0 where they are a folder's or a script's.
    pub table_size: u32,
    /// Rows that a range statement spans, where the workload has no range of its own.
    pub range_size: u32,
    /// Whether statements are prepared or travel as text.
    pub protocol: String,
    /// Whether transactions are left out.
    pub skip_trx: bool,
    /// How row numbers are drawn.
    pub rand_type: String,
    /// Seed of rows, statements and bootstrap.
    pub seed: u64,
    /// The buffer pool that was asked for each variant's own instance, in bytes or as a share of the baseline's tables; what it came to stands
    /// in the servers' settings. Absent where the variants of a server shared one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_pool: Option<String>,
}

impl Options {
    /// Whether the two sides of a duet took turns.
    pub fn took_turns(&self) -> bool {
        self.turns.unwrap_or(self.pinned) && self.mode == Mode::Duet && self.driver == Driver::Native
    }
}

/// One server with one collation and connection charset in force, holding one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Index in [`Run::servers`].
    pub server: usize,
    /// The collation of schema, table and columns; of a workload's folder, what its columns are converted to, or `as-is`.
    pub collation: String,
    /// Its charset.
    pub charset: String,
    /// Charset asked for on the connections.
    pub connection_charset: String,
    /// The text in the rows.
    pub text: String,
    /// Whether this is the second copy of a baseline, for A/A duets.
    pub copy: bool,
    /// Share of transactions that it does beside those that are counted: injected extra work, in a self-test.
    #[serde(default, alias = "handicap", skip_serializing_if = "Option::is_none")]
    pub extra_work: Option<f64>,
    /// What the server says is in force, layer by layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
}

/// The room that InnoDB has allocated for a variant's table, in whole pages, and in a small table in whole extents: more than is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableSize {
    /// Index in [`Run::variants`].
    pub variant: usize,
    /// The table's name.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Bytes of the clustered index, which is where the rows are (`DATA_LENGTH` of `information_schema.tables`).
    pub data_bytes: u64,
    /// Bytes of all other indexes (`INDEX_LENGTH`).
    pub index_bytes: u64,
    /// Pages of the clustered index that hold rows (`n_leaf_pages` of `mysql.innodb_index_stats`); absent where the account may not
    /// read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf_pages: Option<u64>,
    /// Bytes of a page (`innodb_page_size`).
    pub page_bytes: u64,
}

impl TableSize {
    /// Rows for each page of the clustered index that holds rows.
    pub fn rows_per_page(&self) -> Option<f64> {
        self.leaf_pages.filter(|pages| *pages > 0).map(|pages| self.rows as f64 / pages as f64)
    }
}

/// How a server carries out one statement of a condition for a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Index in [`Run::conditions`].
    pub condition: usize,
    /// Index in [`Run::variants`].
    pub variant: usize,
    /// The statement, with a `?` or a name for each parameter.
    pub statement: String,
    /// A step for each table, in the order in which the server joins them.
    pub steps: Vec<PlanStep>,
    /// What `EXPLAIN FORMAT=JSON` says, where the server has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
}

/// A row of EXPLAIN, without estimates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// Table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// How it is read: `const`, `range`, `index`, `ALL`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// The index that is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What else is done: `Using temporary; Using filesort`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl std::fmt::Display for PlanStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.access, &self.key, &self.extra];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        f.write_str(&parts.join(", "))
    }
}

/// A condition: what is run, on which text, how hard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// The workload's name; of a folder, its name, and behind a colon the class that is measured by itself.
    pub workload: String,
    /// The text in the rows; `own` where they are a folder's.
    pub text: String,
    /// Connections to each variant.
    pub threads: u32,
}

/// What a pair is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairKind {
    /// A baseline against its own copy: the true ratio is 1, what is found is noise.
    AA,
    /// A collation or connection charset against the baseline of the same server.
    Collation,
    /// The same collation on another server.
    Server,
}

/// A variant and the baseline that it is held against, in one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// Index in [`Run::conditions`].
    #[serde(alias = "cell")]
    pub condition: usize,
    /// Index in [`Run::variants`].
    pub variant: usize,
    /// Index in [`Run::variants`].
    pub baseline: usize,
    /// What it is for.
    pub kind: PairKind,
}

/// A block of load: what each of its sides did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Index in [`Run::conditions`].
    #[serde(alias = "cell")]
    pub condition: usize,
    /// Index in [`Run::pairs`]; absent for a solo block, which serves every pair of its variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
    /// Replicate that it belongs to, from 0: rows loaded, connections made and private servers started for it alone. Absent in runs of
    /// versions that had one load for all blocks, and in imported ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicate: Option<u32>,
    /// Round within the condition and the replicate, from 0; solo blocks of one round belong together.
    pub round: u32,
    /// Whether the block only warmed up and is not counted.
    pub warm_up: bool,
    /// Seconds since the run began, at the block's end.
    pub at_s: f64,
    /// Length of the block in seconds.
    pub seconds: f64,
    /// Share of the time of this machine's cores that a hypervisor gave to others meanwhile; absent where the kernel doesn't tell, and in runs
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen: Option<f64>,
    /// One side for a solo; baseline, then variant for a duet.
    pub sides: Vec<Side>,
}

/// What one variant did in a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Index in [`Run::variants`].
    pub variant: usize,
    /// How long this side was under load, in seconds: the block's length, or where the sides took turns the sum of its own.
    pub seconds: f64,
    /// Transactions completed in that time.
    pub events: u64,
    /// Statements of those transactions.
    pub queries: u64,
    /// Rows that the server sent for them; absent where the driver does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Failed transactions by the server's error number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<u16, u64>,
    /// What the statements made the server do, by the sessions' own status counters (`Handler_read_key`, `Created_tmp_disk_tables`, …), a
    /// statement, counted on two connections; counters that did not grow are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub work: BTreeMap<String, f64>,
    /// Whether the server's threads behind the connections could not be found or bound, as they were for the other blocks: the block is left
    /// out, and its counts are 0.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unbound: bool,
    /// Connections that were lost, and made anew afterwards: the block is left out, and its counts are 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_connections: u32,
    /// Transactions of an open loop that were due and could not begin, as the server fell too far behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// CPU time of the server's threads behind the load's connections, in µs a statement, lead-in included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_us: Option<f64>,
    /// Pages that the server read from disk, a statement, lead-in included; where each variant has an instance of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<f64>,
    /// What one of its transactions took on average when it was called by itself before the load, in seconds. Of two blocks of a mix, one happens
    /// to have more calls of what takes long; ratios take that out. Absent where nothing tells, and where all transactions are of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<f64>,
    /// The same a statement, lead-in included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_effort: Option<f64>,
    /// CPU time of the client's threads, in µs a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cpu_us: Option<f64>,
    /// Latency of a transaction.
    pub latency: Latency,
    /// What else a log told, where the block was read from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogFigures>,
}

/// The figures of a log that have no other place, as it prints them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogFigures {
    /// Statements that read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// Statements that write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<u64>,
    /// Other statements, such as BEGIN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<u64>,
    /// Connections made anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnects: Option<u64>,
    /// Least latency in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<f64>,
    /// Average latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avg_ms: Option<f64>,
    /// Most latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<f64>,
    /// Which percentile the log has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
    /// That percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile_ms: Option<f64>,
    /// The course of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<LogInterval>,
}

/// A line of a log that tells of the time since the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogInterval {
    /// Its end, in seconds since the load began.
    pub until_s: f64,
    /// Transactions a second.
    pub transactions_per_s: f64,
    /// Latency in milliseconds, of the log's percentile.
    pub latency_ms: f64,
    /// Errors a second, where the log tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_per_s: Option<f64>,
}

/// Latency of the transactions of one side of a block, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// The whole histogram in nanoseconds: HdrHistogram's compressed V2 encoding in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdr: Option<String>,
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        let text = if self.text == OWN_TEXT { String::new() } else { format!(", {} text", self.text) };
        write!(f, "{}{text}, {} thread{plural}", self.workload, self.threads)
    }
}

/// The collation, with the connection's charset where it is not the collation's own, and its extra work.
impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.collation)?;
        if self.connection_charset != self.charset {
            write!(f, " over a {} connection", self.connection_charset)?;
        }
        self.extra_work.map_or(Ok(()), |share| write!(f, " with {:.0} % more work", share * 100.0))
    }
}

pub(crate) fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

fn is_false(flag: &bool) -> bool {
    !flag
}
