//! Settings under which the server refuses to alter tables, or to add foreign keys, that it once
//! accepted.

use facts::{ForeignKey, Table};

use super::{Check, CheckFunction};
use crate::finding::{Finding, foreign_key_finding, table_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "refusing-setting",
    title: "settings under which the server refuses to alter a table, or to add a foreign key again",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "With sql_require_primary_key = ON, MySQL 8.0.13 and later refuse to alter a table without a primary key (error 3750). With \
              restrict_fk_on_non_standard_key = ON, MySQL 8.4 and later refuse a foreign key that doesn't refer to a whole unique key (error \
              6125), so a plan that drops it to convert its columns couldn't add it again. Such tables and keys were made while the \
              setting was off. The plan switches it off for its session.",
    run: CheckFunction::Facts(run),
};

const REQUIRE_PRIMARY_KEY: &str = "sql_require_primary_key";
const RESTRICT_KEYS: &str = "restrict_fk_on_non_standard_key";

/// Settings of this check, which the rehearsal takes over from the source server.
pub const SETTINGS: [&str; 2] = [REQUIRE_PRIMARY_KEY, RESTRICT_KEYS];

/// Returns the settings that a plan which alters `tables` and adds `keys` has to switch off.
pub fn refusing_settings(job: &Job<'_>, tables: &[&Table], keys: &[&ForeignKey]) -> Vec<&'static str> {
    let is_on = |name: &str| job.facts.server.is_on(name);
    let lacks_key = tables.iter().any(|table| table.primary_key().is_none());
    let has_loose_key = keys.iter().any(|key| is_non_standard(job, key));
    [(REQUIRE_PRIMARY_KEY, lacks_key), (RESTRICT_KEYS, has_loose_key)]
        .into_iter()
        .filter(|(name, matters)| *matters && is_on(name))
        .map(|(name, _)| name)
        .collect()
}

/// True if no unique key of the parent has exactly the columns that a foreign key refers to, in
/// this order. False if the parent is not known.
fn is_non_standard(job: &Job<'_>, key: &ForeignKey) -> bool {
    let Some(parent) = job.facts.table(&key.parent_schema, &key.parent_table) else { return false };
    let is_whole_key = |index: &facts::Index| {
        let columns = index.parts.iter().filter(|part| part.prefix.is_none()).filter_map(|part| part.column.as_ref());
        index.unique && index.parts.len() == key.parent_columns.len() && columns.eq(&key.parent_columns)
    };
    !parent.indexes.iter().any(is_whole_key)
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let server = &job.facts.server;
    let mut findings = Vec::new();
    if server.is_on(REQUIRE_PRIMARY_KEY) {
        let lacks_key = |table: &&TableJob<'_>| !table.conversions.is_empty() && table.table.primary_key().is_none();
        findings.extend(job.tables.iter().filter(lacks_key).map(|table| primary_key_finding(job, table)));
    }
    if server.is_on(RESTRICT_KEYS) {
        let loose = job.foreign_keys().filter(|key| is_non_standard(job, key));
        findings.extend(loose.filter_map(|key| loose_key_finding(job, key)));
    }
    findings
}

fn primary_key_finding(job: &Job<'_>, table: &TableJob<'_>) -> Finding {
    Finding {
        what: format!("it has no primary key, and {REQUIRE_PRIMARY_KEY} is on"),
        why: "the server would refuse to alter it: error 3750".into(),
        action: action(REQUIRE_PRIMARY_KEY),
        ..mark_solved_by_plan(table_finding(&CHECK, Severity::Warning, table, &job.targets[0]))
    }
}

/// `None` if neither end of the key is a table of the request.
fn loose_key_finding(job: &Job<'_>, key: &ForeignKey) -> Option<Finding> {
    let table = job.table(&key.schema, &key.table).or_else(|| job.table(&key.parent_schema, &key.parent_table))?;
    Some(Finding {
        what: format!(
            "it refers to ({}) of {}.{}, which is no unique key, and {RESTRICT_KEYS} is on",
            key.parent_columns.join(", "),
            key.parent_schema,
            key.parent_table
        ),
        why: "the server would refuse to add it again: error 6125".into(),
        action: action(RESTRICT_KEYS),
        ..mark_solved_by_plan(foreign_key_finding(&CHECK, Severity::Warning, table, &key.name, &job.targets[0]))
    })
}

fn action(setting: &str) -> String {
    let privilege = privilege_to_switch_off(setting).map(|privilege| format!(", which {privilege}"));
    format!("the plan sets {setting} = 0 for its session{}", privilege.unwrap_or_default())
}

/// `None` if every account may switch the setting off, as MySQL 9.7 lets it.
pub fn privilege_to_switch_off(setting: &str) -> Option<&'static str> {
    (setting == REQUIRE_PRIMARY_KEY).then_some("takes SESSION_VARIABLES_ADMIN, SYSTEM_VARIABLES_ADMIN or SUPER")
}

fn mark_solved_by_plan(mut finding: Finding) -> Finding {
    finding.details.count = 1;
    finding.details.in_plan = true;
    finding
}
