//! Results of a rehearsal.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rehearsal of an upgrade.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Format of this document.
    pub format: u32,
    /// Version of weigh.
    pub weigh: String,
    /// Server before the upgrade: a private one of its version, or a running one if `live`.
    pub from: ServerSide,
    /// Server after the upgrade.
    pub to: ServerSide,
    /// Schema in which the statements run.
    pub schema: String,
    /// How much was tried, or compared if `live`.
    #[serde(default)]
    pub tried: Tried,
    /// Series through which an upgrade in place goes, from the old to the new one, by the servers'
    /// manuals. weigh loads definitions, and does not try an upgrade in place. Empty between
    /// products, to an older version, within a series, and if `live`.
    #[serde(default)]
    pub in_place: Vec<String>,
    /// Faults, slower statements and differences on the new server, without further settings.
    pub findings: Vec<Finding>,
    pub settings: Settings,
    /// Remarks that need no action, and limits of the rehearsal.
    pub notes: Vec<String>,
    /// Parts that were not looked at.
    #[serde(default)]
    pub unchecked: Vec<String>,
    /// Parts of the schema that the account may not see: `triggers of shop`.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// Faults that stop replication between the servers, or make them differ, while both run.
    #[serde(default)]
    pub replication: Vec<ReplicationFault>,
    /// Dump that was written for the new server.
    #[serde(default)]
    pub rewritten: Option<Rewritten>,
    /// True if two running servers were compared, and nothing was rehearsed.
    #[serde(default)]
    pub live: bool,
    /// Phases of the whole command in their order, with the time they took.
    pub phases: Vec<Phase>,
}

/// Format number of [`Report`].
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServerSide {
    pub label: String,
    pub version: String,
    /// `collation_server`: collation of new schemas.
    pub collation_server: String,
    /// Collation of `CHARACTER SET utf8mb4` without COLLATE. `None` on servers without utf8mb4.
    pub utf8mb4: Option<String>,
}

/// Numbers of what was tried on both servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tried {
    /// Private servers that were started.
    pub servers: u64,
    /// Statements of the dump, or those that create the definitions of a running server. 0 if
    /// `live`.
    pub schema_statements: u64,
    /// Tables on the old server.
    pub tables: u64,
    /// Views, routines, packages, triggers, events and sequences on the old server.
    pub other_objects: u64,
    /// Statements of migrations, scripts and logs. If `live`, queries.
    pub statements: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    pub kind: Kind,
    pub area: Area,
    /// Place: `schema.sql:12`, `function app.f`, `next migration`.
    pub place: String,
    /// Fact in a sentence without a full stop.
    pub what: String,
    /// Statement that the finding is about. Empty for an object as a whole.
    pub statement: String,
    /// The new server's error, `1273: Unknown collation …`; that of the old server if both fail.
    pub error: Option<String>,
    /// Causes, a sentence each.
    pub reasons: Vec<String>,
    /// Further places of the same fault.
    pub also: Vec<String>,
    /// Changes that mend the finding, or a part of it. Those without statements are advice that was
    /// not tried.
    pub mends: Vec<Mend>,
}

/// Effect of a mend whose statements are not shown as they are.
const HAS_BYTES: &str = "It has bytes that are no UTF-8, shown here as U+FFFD: --rewrite writes them as they are.";

impl Finding {
    /// Shows bytes that are no UTF-8 as U+FFFD, and says so at mends that have some.
    pub(crate) fn show_bytes(&mut self) {
        let own = [&mut self.what, &mut self.statement];
        for text in own.into_iter().chain(&mut self.error).chain(&mut self.reasons) {
            show_bytes(text);
        }
        for mend in &mut self.mends {
            if mend.sql.iter_mut().fold(false, |any, text| show_bytes(text) | any) {
                mend.effects.push(HAS_BYTES.into());
            }
        }
    }

    /// Masks the passwords of the statement, also in its mends. The server's error ends before the
    /// part of the statement that it quotes.
    pub(crate) fn mask_passwords(&mut self) {
        let Some(masked) = sql::mask_passwords(&self.statement) else { return };
        self.statement = masked;
        for text in self.error.iter_mut().chain([&mut self.what]) {
            *text = sql::without_quotation(text).to_owned();
        }
        for sql in self.mends.iter_mut().flat_map(|mend| &mut mend.sql) {
            if let Some(masked) = sql::mask_passwords(sql) {
                *sql = masked;
            }
        }
    }
}

/// Returns true if the text had bytes that are no UTF-8.
fn show_bytes(text: &mut String) -> bool {
    let has_bytes = sql::has_bytes(text);
    if has_bytes {
        *text = sql::show_bytes(text).into_owned();
    }
    has_bytes
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Works on the old server, and is refused by the new one or missing there.
    Breaks,
    /// Loses an index on the new server.
    Slower,
    /// Has a different definition, setting, collation, rows or order on the new server.
    Differs,
    /// New columns of a migration without COLLATE could not be joined with the old ones.
    NextMigration,
    /// Fails on the old server as well.
    FailsAlready,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Loading the schema as it was given.
    Load,
    /// Loading a dump that the old server writes.
    Dump,
    /// Stored programs and views.
    Program,
    /// Statements of scripts, migrations and logs.
    Statement,
    /// Tables that a migration creates.
    NextMigration,
    /// Collations of one name with different weights.
    Collation,
    /// Options of the given option file with which the new server does not start.
    Option,
    /// Definitions of two running servers.
    Definition,
    /// Defaults of two running servers.
    Default,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mend {
    pub what: String,
    /// Statements in place of the finding's statement, or to run before it.
    pub sql: Vec<String>,
    /// Other effects, a sentence each.
    pub effects: Vec<String>,
    /// The new server's error after the change, if the statement has a further fault.
    #[serde(default)]
    pub left: Option<String>,
}

/// Settings of the new server under which it behaves more like the old one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Settings with which everything was rehearsed again: `sql_mode = …`.
    #[serde(default)]
    pub tried: Vec<String>,
    /// Lines for the group `[mysqld]` of the option file.
    pub my_cnf: Vec<String>,
    /// Statements to run on the new server before anything else.
    pub statements: Vec<String>,
    /// Other effects of the settings.
    pub effects: Vec<String>,
    /// Findings that are left with these settings, as `place: what`, except those that fail
    /// already. All of these, if no setting was tried or helps.
    pub left: Vec<String>,
}

impl Settings {
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }
}

/// A fault of replication between the two servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicationFault {
    pub direction: Direction,
    /// Fact in a sentence without a full stop.
    pub what: String,
    /// Columns, schemas, settings and connections that have the collation, or places of statements.
    pub places: Vec<String>,
    /// Change after which it does not happen.
    pub action: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The new server is a replica of the old one.
    ToNew,
    /// The old server is a replica of the new one.
    ToOld,
}

/// A dump that was rewritten for the new server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rewritten {
    pub file: String,
    /// Number of statements that differ from the dump.
    pub statements: u64,
    pub changes: Vec<DumpChange>,
    /// Other effects of the changes, a sentence each.
    pub effects: Vec<String>,
    /// Errors that are left: the new server was seen to refuse these statements of the file.
    pub left: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DumpChange {
    pub what: String,
    /// Number of statements.
    pub statements: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    pub name: String,
    pub seconds: f64,
}

impl Phase {
    /// Makes a phase, with its time in tenths of a second.
    pub fn new(name: &str, took: Duration) -> Self {
        Self { name: name.to_owned(), seconds: (took.as_secs_f64() * 10.0).round() / 10.0 }
    }
}

impl Report {
    pub fn count(&self, kind: Kind) -> usize {
        self.findings.iter().filter(|finding| finding.kind == kind).count()
    }
}
