//! Rehearses the way back, and reads whether the plan left anything.

use check::table_name;
use facts::Facts;
use rehearsal::{Definitions, Kind, Outcome, Rehearsal};
use server::Server;

use super::findings::unconverted_finding;
use crate::Error;
use crate::finding::Finding;
use crate::job::{Job, Request};
use crate::model::Plan;
use crate::plan::programs_left;

/// Runs the steps back after the plan. Returns what they don't restore.
pub fn rehearse_back(
    rehearsal: &mut Rehearsal<'_>,
    plan: &Plan,
    schemas: &[String],
    tables: &[(String, String)],
) -> Result<Vec<String>, Error> {
    let mut lost = Vec::new();
    for step in plan.back.iter().filter(|step| !step.blocked) {
        if let Outcome::Refused { code, message } = rehearsal.apply(&step.sql)? {
            lost.push(format!("{}: error {code}: {message}", step.object));
        }
    }
    let (_, changes) = rehearsal.changes(schemas, tables)?;
    // Programs are created again by a client that sends utf8mb4, which can be another character set
    // than before.
    let is_lost = |change: &&rehearsal::Change| {
        !change.part.as_deref().is_some_and(|part| part.starts_with("character set of its "))
    };
    lost.extend(changes.iter().filter(is_lost).map(|change| {
        let part = change.part.as_deref().unwrap_or("the object itself");
        format!("{}: {part} is not as it was", change.object)
    }));
    Ok(lost)
}

/// Returns a finding for each table and program that preflight would convert again after the plan,
/// except those with a blocked step. `facts` and `definitions` are those after the plan.
pub fn find_unconverted(
    private: &Server,
    facts: &Facts,
    definitions: &Definitions,
    request: &Request,
    job: &Job<'_>,
    plan: &Plan,
) -> Vec<Finding> {
    let again = Job::new(facts, definitions, request);
    let is_blocked = |name: &str| plan.steps.iter().any(|step| step.blocked && step.object == name);
    let tables = again
        .tables
        .iter()
        .filter(|table| !table.conversions.is_empty())
        .filter(|table| !is_blocked(&table.name()) && job.table(&table.table.schema, &table.table.name).is_some());
    let mut findings: Vec<Finding> = tables
        .map(|table| unconverted_finding(job, private, Kind::Table, &table.table.schema, &table.table.name))
        .collect();
    let programs =
        programs_left(&again, request).into_iter().filter(|name| !is_blocked(&table_name(&name.schema, &name.name)));
    findings.extend(programs.map(|name| unconverted_finding(job, private, name.kind, &name.schema, &name.name)));
    findings
}
