//! The session that runs a plan, and how long it waits for other transactions.

use facts::{ForeignKey, Table};
use mysql_collation::Flavour;
use server::Version;

use super::step;
use crate::checks::{depends_on_time_zone, plan_time_zone, privilege_to_switch_off, refusing_settings};
use crate::finding::Finding;
use crate::job::{Job, TableJob, flavour};
use crate::model::{Phase, Step};

/// Longest time that an ALTER waits for transactions that use its table, in seconds. New statements
/// on the table queue behind the ALTER. The servers' default limits, a day or a year, would block
/// an application.
const LOCK_WAIT_SECONDS: u32 = 10;

/// Returns steps that set the character set of the script, a strict SQL mode and the time to wait
/// for locks, and override global settings which would stop the plan. For tables that need it, they
/// also set the time zone, and permit altering system-versioned tables. The mode allows invalid
/// dates, because a stored one such as 2020-02-31 would stop a copy (error 1292).
pub(super) fn prepare_session(job: &Job<'_>, converted: &[&TableJob<'_>]) -> Vec<Step> {
    let set = |sql: &str| step(Phase::Session, "session", sql.to_owned());
    let mut steps = vec![
        set(if job.facts.server.charset("utf8mb4").is_some() { "SET NAMES utf8mb4" } else { "SET NAMES utf8" }),
        set("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES'"),
        Step {
            note: Some(format!(
                "a statement waits for transactions that use its table for {LOCK_WAIT_SECONDS} s at most, and others wait behind it. \
                 Then it ends with error 1205 and has changed nothing: end such a transaction, and run this again"
            )),
            ..set(&format!("SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}"))
        },
    ];
    steps.extend(reset_inherited(job));
    if converted.iter().any(|table| depends_on_time_zone(table.table)) {
        steps.push(Step {
            note: Some("a copy computes generated columns of a TIMESTAMP in this time zone: set the one in which rows are written".into()),
            ..set(&format!("SET SESSION time_zone = {}", sql::quote_string(plan_time_zone(job))))
        });
    }
    if converted.iter().any(|table| table.row_end.is_some()) {
        steps.push(set("SET SESSION system_versioning_alter_history = KEEP"));
    }
    steps
}

/// Returns a step before the repairs and one after them: repairs that find a row by a TIMESTAMP
/// need UTC, in which the rows were read. Everything else needs the plan's own time zone.
pub(super) fn repair_in_utc(job: &Job<'_>, repairs: &[&Finding]) -> Option<(Step, Step)> {
    let set =
        |zone: &str| step(Phase::Repair, "session", format!("SET SESSION time_zone = {}", sql::quote_string(zone)));
    let needs_utc = repairs.iter().any(|finding| has_timestamp_key(job, finding));
    needs_utc.then(|| (set("+00:00"), set(plan_time_zone(job))))
}

/// True if a unique key of a finding's table has a TIMESTAMP.
fn has_timestamp_key(job: &Job<'_>, finding: &Finding) -> bool {
    let table = finding.details.table.as_ref().and_then(|name| job.facts.table(&finding.details.schema, name));
    table.is_some_and(|table| {
        let mut parts = table.indexes.iter().filter(|index| index.unique).flat_map(|index| &index.parts);
        parts.any(|part| {
            let column = part.column.as_deref().and_then(|name| table.column(name));
            column.is_some_and(|column| column.data_type == "timestamp")
        })
    })
}

/// Global settings that sessions begin with, and under which a plan would stop or be undone: the
/// value that does no harm, and the one that the plan sets.
const INHERITED: [(&str, &str, &str); 4] = [
    // The repairs would not be committed.
    ("autocommit", "ON", "1"),
    // Foreign keys would be added without a look at the rows.
    ("foreign_key_checks", "ON", "1"),
    // MariaDB: a longer ALTER ends with error 1969.
    ("max_statement_time", "0.000000", "0"),
    // MariaDB up to 11.4: an ALTER that copies ends with error 1846.
    ("alter_algorithm", "DEFAULT", "'DEFAULT'"),
];

/// Returns steps that set anew what the server's global settings would impose on the session.
fn reset_inherited(job: &Job<'_>) -> Vec<Step> {
    let differs = |(name, harmless, _): &&(&str, &str, &str)| {
        job.facts.server.variable(name).is_some_and(|value| !value.eq_ignore_ascii_case(harmless))
    };
    let reset = |(name, _, value): &(&str, &str, &str)| {
        step(Phase::Session, "session", format!("SET SESSION {name} = {value}"))
    };
    INHERITED.iter().filter(differs).map(reset).collect()
}

/// Returns steps that switch off the settings under which the server would refuse `steps`. If
/// that takes a privilege that the account lacks, the plan stops before it has changed anything.
pub(super) fn switch_off_settings(job: &Job<'_>, steps: &[Step], keys: &[&ForeignKey]) -> Vec<Step> {
    let is_altered = |table: &&Table| {
        let name = check::table_name(&table.schema, &table.name);
        steps.iter().any(|step| step.object == name && step.sql.starts_with("ALTER TABLE"))
    };
    let altered: Vec<&Table> = job.facts.tables().filter(is_altered).collect();
    let switch_off = |name: &str| Step {
        note: privilege_to_switch_off(name).map(str::to_owned),
        ..step(Phase::Session, "session", format!("SET SESSION {name} = 0"))
    };
    refusing_settings(job, &altered, keys).into_iter().map(switch_off).collect()
}

/// Returns a query that lists the transactions that a statement of the plan may wait for.
///
/// Only `performance_schema` of MySQL 8.0 and later knows each transaction's tables by default.
/// Elsewhere, the query lists all transactions of InnoDB, the oldest first.
pub(super) fn lock_holders_query(job: &Job<'_>) -> String {
    let server = &job.facts.server;
    let lists_locks = flavour(job.facts) == Flavour::MySql
        && server.version_number() >= Version::new(8, 0, 0)
        && server.is_on("performance_schema");
    if lists_locks {
        "SELECT OBJECT_SCHEMA, OBJECT_NAME, LOCK_TYPE, LOCK_STATUS, PROCESSLIST_ID, PROCESSLIST_USER, PROCESSLIST_TIME, PROCESSLIST_INFO \
         FROM performance_schema.metadata_locks JOIN performance_schema.threads ON THREAD_ID = OWNER_THREAD_ID \
         WHERE OBJECT_TYPE = 'TABLE' AND PROCESSLIST_ID <> CONNECTION_ID()"
            .to_owned()
    } else {
        "SELECT trx_started, trx_mysql_thread_id, USER, HOST, COMMAND, TIME, INFO FROM information_schema.INNODB_TRX \
         LEFT JOIN information_schema.PROCESSLIST ON ID = trx_mysql_thread_id ORDER BY trx_started"
            .to_owned()
    }
}

/// Names what else lists locks, where [`lock_holders_query`] lists transactions of any table.
pub(super) fn lock_holders_hint(job: &Job<'_>) -> Option<&'static str> {
    let version = job.facts.server.version_number();
    match flavour(job.facts) {
        Flavour::MySql if version >= Version::new(8, 0, 0) => None,
        Flavour::MySql if version >= Version::new(5, 7, 0) => Some(
            "with the instrument wait/lock/metadata/sql/mdl switched on before, sys.schema_table_lock_waits names the table",
        ),
        Flavour::MySql => None,
        Flavour::MariaDb => {
            Some("with INSTALL SONAME 'metadata_lock_info', information_schema.METADATA_LOCK_INFO names the tables")
        }
    }
}
