//! Steps that wait until errors are fixed by hand.

use std::collections::BTreeSet;

use check::{ObjectKind, table_name};

use crate::checks::{PROGRAM_MIX, PROGRAMS};
use crate::finding::{Finding, blocks};
use crate::job::Job;
use crate::model::{Phase, Plan};
use crate::program::{object_kind, used_tables};

/// Marks the steps that must wait until errors which the plan doesn't solve are solved by hand, and
/// lists the objects with such errors.
pub fn block_steps(job: &Job<'_>, findings: &[Finding], plan: &mut Plan) {
    let planned = || {
        job.tables.iter().flat_map(|table| {
            let column = |name: &str| table.column_name(name);
            table.conversions.iter().map(move |one| (column(&one.column.name), one.planned_target().name.as_str()))
        })
    };
    let blocking: Vec<&Finding> =
        findings.iter().filter(|finding| blocks(finding, &job.targets[0], planned())).collect();
    let blocked: BTreeSet<String> = blocking
        .iter()
        .filter_map(|finding| Some(table_name(&finding.details.schema, finding.details.table.as_ref()?)))
        .collect();
    let blocked_programs: BTreeSet<&str> = blocking
        .iter()
        .filter(|finding| finding.details.table.is_none())
        .map(|finding| finding.object.name.as_str())
        .collect();
    let used = blocking.iter().flat_map(|finding| broken_by_tables(job, finding));
    let unsolved = find_blocked_objects(job, blocked.iter().cloned().chain(used).collect());
    for step in plan.steps.iter_mut().chain(&mut plan.back) {
        let is_in_blocked_table = || unsolved.tables.iter().any(|table| step.object.starts_with(&format!("{table}.")));
        step.blocked = blocked_programs.contains(step.object.as_str())
            || match step.phase {
                // The object of a repair is a column, `shop.orders.code`, or a table.
                Phase::Repair => is_in_blocked_table() || unsolved.tables.contains(&step.object),
                // A program may use any table of its schema.
                Phase::Programs => unsolved.schemas.iter().any(|schema| step.object.starts_with(&format!("{schema}."))),
                _ => unsolved.tables.contains(&step.object) || unsolved.schemas.contains(&step.object),
            };
    }
    plan.blocked = blocked.into_iter().chain(blocked_programs.into_iter().map(str::to_owned)).collect();
}

/// Returns the converted tables that break the program or view of an error. Other errors than those
/// of views and of `program-mix` don't come from tables that a program uses.
fn broken_by_tables(job: &Job<'_>, finding: &Finding) -> BTreeSet<String> {
    let is_broken = finding.object.kind == ObjectKind::View || finding.check == PROGRAM_MIX.name;
    let programs = job.definitions.objects.iter().filter(|object| {
        is_broken
            && object.name.kind.is_program_or_view()
            && object_kind(object.name.kind) == finding.object.kind
            && table_name(&object.name.schema, &object.name.name) == finding.object.name
    });
    programs.flat_map(|program| used_tables(job, program)).collect()
}

/// Objects whose steps wait until errors are solved by hand.
struct BlockedObjects {
    /// Tables with an unsolved error, and the tables connected to them by foreign keys. Otherwise
    /// the plan would drop foreign keys that it can't add again.
    tables: BTreeSet<String>,
    /// Schemas of these tables.
    schemas: BTreeSet<String>,
}

fn find_blocked_objects(job: &Job<'_>, blocked: BTreeSet<String>) -> BlockedObjects {
    let mut tables = blocked;
    loop {
        let before = tables.len();
        for key in job.foreign_keys() {
            let ends = [table_name(&key.schema, &key.table), table_name(&key.parent_schema, &key.parent_table)];
            if ends.iter().any(|end| tables.contains(end)) {
                tables.extend(ends);
            }
        }
        if tables.len() == before {
            break;
        }
    }
    let blocked_tables = job.tables.iter().filter(|table| tables.contains(&table.name()));
    let schemas = blocked_tables.map(|table| table.table.schema.clone()).collect();
    BlockedObjects { tables, schemas }
}

/// Changes the findings of programs that keep an old collation where the plan leaves some of them
/// out.
pub fn mark_programs_left_out(findings: &mut [Finding], plan: &Plan) {
    for finding in findings.iter_mut().filter(|finding| finding.check == PROGRAMS.name && finding.details.in_plan) {
        let prefix = format!("{}.", finding.details.schema);
        let left_out: BTreeSet<&str> = plan
            .steps
            .iter()
            .filter(|step| step.blocked && step.phase == Phase::Programs && step.object.starts_with(&prefix))
            .map(|step| step.object.as_str())
            .collect();
        if !left_out.is_empty() {
            let names: Vec<String> = left_out.into_iter().map(str::to_owned).collect();
            finding.details.in_plan = false;
            finding.action = format!(
                "mend the errors first: until then the plan leaves {} out, and the rest of it must not run, since converted \
                 columns would meet the old collation",
                message::list_names(&names, 3)
            );
        }
    }
}
