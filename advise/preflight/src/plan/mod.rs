//! Writes the statements that convert, in an order that foreign keys allow. They are printed, and
//! run only on copies.

mod advice;
mod back;
mod block;
mod client;
mod convert;
mod defaults;
mod foreign_keys;
mod generated;
mod programs;
mod repairs;
mod session;
mod tools;
mod verification;
mod views;

use facts::ForeignKey;
use rehearsal::Kind;

use crate::finding::Finding;
use crate::job::{Job, Request, TableJob};
use crate::model::{Phase, Plan, Step};
use back::build_back;
use convert::{convert_clauses, convert_table};
use defaults::set_defaults;
use foreign_keys::{add_foreign_key, drop_foreign_key};
use programs::{chosen_programs, drop_triggers, recreate};
use session::{lock_holders_hint, lock_holders_query, prepare_session, switch_off_settings};
use verification::verification_queries;

pub use block::{block_steps, mark_programs_left_out};
pub use convert::dependent_columns;
pub use generated::generated_targets;
pub use programs::{NO_ACCOUNTS, events_left_out, keeps_old_collation, programs_left, without_return_charset};
pub use views::without_conversions;

/// Findings decide which steps are blocked, which columns get another type, and which text is
/// repaired. Adds a finding for each object with a statement that a client would misread.
pub fn build_plan(job: &Job<'_>, request: &Request, findings: &mut Vec<Finding>) -> Plan {
    repairs::withhold_repairs(job, findings);
    let mut plan = plan_steps(job, request, findings);
    findings.extend(client::find_misread(job, &plan));
    block_steps(job, findings, &mut plan);
    mark_programs_left_out(findings, &plan);
    plan
}

fn plan_steps(job: &Job<'_>, request: &Request, findings: &[Finding]) -> Plan {
    let converted: Vec<&TableJob<'_>> = job.tables.iter().filter(|table| !table.conversions.is_empty()).collect();
    let keys: Vec<&ForeignKey> = job.foreign_keys().collect();
    let mut repairs: Vec<&Finding> = findings.iter().filter(|finding| !repair_statements(finding).is_empty()).collect();
    repairs::keys_last(job, &mut repairs);
    let programs = chosen_programs(job, request, &repairs);
    let mut steps: Vec<Step> = keys.iter().map(|key| drop_foreign_key(job, key)).collect();
    steps.extend(converted.iter().map(|table| convert_table(job, table, findings)));
    steps.extend(drop_triggers(job, &repairs));
    let (before, after) = session::repair_in_utc(job, &repairs).unzip();
    steps.extend(before);
    steps.extend(repairs.iter().flat_map(|finding| {
        repair_statements(finding).iter().map(|sql| step(Phase::Repair, &finding.object.name, sql.clone()))
    }));
    steps.extend(after);
    steps.extend(set_defaults(job, request));
    steps.extend(keys.iter().flat_map(|key| add_foreign_key(job, key, findings)));
    steps.extend(programs.iter().flat_map(|program| recreate(job, program)));
    steps.extend(converted.iter().flat_map(|table| convert::restore_histograms(job, table)));
    if !steps.is_empty() {
        let mut session = prepare_session(job, &converted);
        session.extend(switch_off_settings(job, &steps, &keys));
        steps.splice(0..0, session);
    }
    Plan {
        blocked: Vec::new(),
        tools: converted
            .iter()
            .map(|table| tools::plan_tools(job, table, &convert_clauses(job, table, findings), findings))
            .collect(),
        verification: verification_queries(job, &converted),
        put_back: keys
            .iter()
            .flat_map(|key| add_foreign_key(job, key, findings))
            .chain(
                programs.iter().filter(|program| program.object.name.kind != Kind::View).flat_map(programs::put_back),
            )
            .collect(),
        back: if request.plan_back { build_back(job, &steps, &keys, &programs, findings) } else { Vec::new() },
        not_restored: Vec::new(),
        algorithms_from: String::new(),
        rehearsal: None,
        advice: advice::write_advice(job, &converted, &programs, &steps),
        lock_holders: lock_holders_query(job),
        lock_holders_hint: lock_holders_hint(job).map(str::to_owned),
        steps,
    }
}

/// Returns the statements of a finding that repair double-encoded text.
fn repair_statements(finding: &Finding) -> &[String] {
    if finding.check == "double-encoding" { &finding.details.statements } else { &[] }
}

fn step(phase: Phase, object: &str, sql: String) -> Step {
    Step { phase, object: object.to_owned(), sql, algorithm: None, note: None, time: None, blocked: false }
}
