//! Runs a plan on another running server, which holds a copy of the schemas.

mod invokers;
mod reach;

use std::collections::BTreeSet;
use std::time::Duration;

use check::{Object, ObjectKind, Severity};
use mysql::prelude::Queryable;
use server::{Conn, Server, error_code};
use sql::SqlMode;

use crate::Error;
use crate::checks::REHEARSAL;
use crate::finding::{ConversionDetails, Finding};
use crate::model::{Report, Step};
use crate::run::sort_findings;
use reach::{Reach, creates_running_event, granted_account, reach};

/// Longest time of a statement. A server that answers no new connection is given up earlier, after
/// `--timeout`.
const MAX_STATEMENT_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Longest part of a statement that a finding or an error quotes, in characters.
const MAX_QUOTED: usize = 120;

/// Fails if `scratch` is the server `source`, or if one of them doesn't report its identity.
pub fn check_is_other(scratch: &Server, source: &Server) -> Result<(), Error> {
    let problem = match (scratch.read_identity()?, source.read_identity()?) {
        (Some(one), Some(other)) if one != other => return Ok(()),
        (Some(_), Some(_)) => "is the server that is read, or has its identity",
        _ => "doesn't report its identity, and may be the server that is read",
    };
    Err(Error::Request(format!("{} {problem}; --apply-to takes a copy on another server", scratch.label())))
}

/// Runs the steps of the report's plan that aren't blocked, up to the first that is refused, which
/// becomes a finding. Leaves out enabled events, and on MariaDB views that name functions, as the
/// server could run these; and grants to accounts that the server lacks, as it could create those.
/// `schemas` are the ones that were read. Before the first step, fails if the server lacks a schema
/// of the plan, or if a step reaches out of `schemas`.
pub fn apply_plan(scratch: &Server, schemas: &[String], report: &mut Report) -> Result<(), Error> {
    let Some(plan) = &report.plan else { return Ok(()) };
    let (blocked, steps): (Vec<&Step>, Vec<&Step>) = plan.steps.iter().partition(|step| step.blocked);
    let named = named_schemas(&steps, schemas)?;
    check_schemas_exist(scratch, &named)?;
    let (steps, events) = leave_out_events(steps);
    let (steps, views) = invokers::leave_out_views(scratch, steps)?;
    let (label, total) = (scratch.label(), steps.len());
    let mut conn = scratch.connect_with_limit(MAX_STATEMENT_TIME)?;
    let (mut refused, mut mode) = (None, SqlMode::default());
    let (mut lacking, mut left_out_grants) = (BTreeSet::new(), 0);
    for (number, step) in (1..).zip(&steps) {
        lifecycle::interrupt::check()?;
        if let Some(account) = granted_account(&step.sql, mode)
            && !has_account(&mut conn, account, scratch)?
        {
            lacking.insert(account.to_owned());
            left_out_grants += 1;
            continue;
        }
        mode = sql::set_mode(&step.sql, mode).unwrap_or(mode);
        match conn.query_drop(&step.sql) {
            Ok(()) => {}
            Err(mysql::Error::MySqlError(refusal)) => {
                let what = format!(
                    "the plan stopped on {label}: statement {number} of {total} is refused: error {}: {}",
                    refusal.code, refusal.message
                );
                refused = Some(refusal_finding(step, refusal.code, what, &report.targets));
                break;
            }
            Err(source) => {
                return Err(Error::Statement {
                    what: format!("run statement {number} of {total} of the plan on {label}"),
                    source,
                });
            }
        }
    }
    match refused {
        Some(finding) => {
            report.findings.push(finding);
            sort_findings(&mut report.findings);
        }
        None => {
            let left_out = match blocked.len() {
                0 => String::new(),
                count => {
                    format!("; {} that the plan leaves out did not run", message::count_noun(count as u64, "statement"))
                }
            };
            let ran = message::count_noun((total - left_out_grants) as u64, "statement");
            report.notes.push(format!("the plan was applied to {label}: {ran} ran without an error{left_out}"));
        }
    }
    if !lacking.is_empty() {
        let names = lacking.into_iter().collect::<Vec<_>>().join(", ");
        report.notes.push(format!(
            "grants to accounts that {label} lacks, or that could not be looked up there, were left out: {names}"
        ));
    }
    if !events.is_empty() {
        let names = events.into_iter().collect::<Vec<_>>().join(", ");
        report
            .notes
            .push(format!("events that are enabled were not created again on {label}, which would run them: {names}"));
    }
    if !views.is_empty() {
        let names = views.into_iter().collect::<Vec<_>>().join(", ");
        report.notes.push(format!(
            "views that name a stored function were not created again on {label}, which could run it with the rights \
             of this account: {names}"
        ));
    }
    Ok(())
}

/// True if the server has the account. `account` is read as the GRANT would be, in its session.
/// False if the server refuses to say.
fn has_account(conn: &mut Conn, account: &str, scratch: &Server) -> Result<bool, Error> {
    match conn.query_drop(format!("SHOW GRANTS FOR {account}")) {
        Ok(()) => Ok(true),
        Err(mysql::Error::MySqlError(_)) => Ok(false),
        Err(source) => Err(Error::Statement { what: format!("look up an account of {}", scratch.label()), source }),
    }
}

/// Returns the steps without those that drop and create enabled events, and the events' names. The
/// server could run such an event at once, with any definition.
fn leave_out_events(steps: Vec<&Step>) -> (Vec<&Step>, BTreeSet<String>) {
    let (mut kept, mut events, mut mode) = (Vec::new(), BTreeSet::new(), SqlMode::default());
    for step in steps {
        if creates_running_event(&step.sql, mode) {
            events.insert(step.object.clone());
        } else {
            kept.push(step);
        }
        mode = sql::set_mode(&step.sql, mode).unwrap_or(mode);
    }
    kept.retain(|step| !(step.sql.starts_with("DROP EVENT ") && events.contains(&step.object)));
    (kept, events)
}

/// Returns the schemas that the steps name. Fails for a step that reaches out of `schemas`.
fn named_schemas(steps: &[&Step], schemas: &[String]) -> Result<BTreeSet<String>, Error> {
    let (mut named, mut mode) = (BTreeSet::new(), SqlMode::default());
    for step in steps {
        match reach(&step.sql, mode) {
            Reach::Session | Reach::SchemaInUse => {}
            Reach::Schema(name) if schemas.contains(&name) => drop(named.insert(name)),
            Reach::Schema(_) | Reach::Beyond => {
                return Err(Error::Request(format!(
                    "nothing was applied: a statement of the plan reaches out of its schemas: {}",
                    quote(&step.sql)
                )));
            }
        }
        mode = sql::set_mode(&step.sql, mode).unwrap_or(mode);
    }
    Ok(named)
}

fn check_schemas_exist(scratch: &Server, named: &BTreeSet<String>) -> Result<(), Error> {
    let existing: Vec<String> = scratch
        .connect()?
        .query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")
        .map_err(|source| Error::Statement { what: format!("list the schemas of {}", scratch.label()), source })?;
    match named.iter().find(|name| !existing.contains(name)) {
        None => Ok(()),
        Some(missing) => Err(Error::Request(format!(
            "nothing was applied: {} has no schema {missing}; load the plan's schemas there first, such as from a dump",
            scratch.label()
        ))),
    }
}

fn refusal_finding(step: &Step, code: u16, what: String, targets: &[String]) -> Finding {
    let schema = match reach(&step.sql, SqlMode::default()) {
        Reach::Schema(name) => name,
        _ => step.object.split('.').next().unwrap_or_default().to_owned(),
    };
    Finding {
        check: REHEARSAL.name.into(),
        severity: Severity::Error,
        object: Object::new(ObjectKind::Table, step.object.clone()),
        what,
        why: format!("the statement: {}", quote(&step.sql)),
        action: format!(
            "{}; load the schemas there again before the next try: the statements before it ran, those after it did not",
            match code {
                error_code::LOCK_WAIT_TIMEOUT => "end the transaction that uses the table",
                _ => "see why the server refuses it",
            }
        ),
        details: ConversionDetails {
            schema,
            target: targets.first().cloned().unwrap_or_default(),
            count: 1,
            ..ConversionDetails::default()
        },
    }
}

fn quote(sql: &str) -> String {
    let words = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() > MAX_QUOTED {
        format!("{}…", words.chars().take(MAX_QUOTED).collect::<String>())
    } else {
        words
    }
}
