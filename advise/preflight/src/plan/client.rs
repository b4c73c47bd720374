//! Statements that a command-line client would misread. Definitions are quoted as the server prints
//! them: a body can be written for the client instead of the server, and a server can lie.

use std::collections::BTreeSet;

use check::{Object, ObjectKind, Severity, table_name};
use sql::{ClientReader, Misreading};

use crate::checks::CLIENT;
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::model::{Plan, Step};
use crate::program::object_kind;

/// Returns an error for each object with a statement that a client would misread.
pub(super) fn find_misread(job: &Job<'_>, plan: &Plan) -> Vec<Finding> {
    let mut objects = BTreeSet::new();
    let mut findings = Vec::new();
    for steps in [&plan.steps, &plan.back] {
        let mut reader = ClientReader::default();
        for step in steps {
            if let Err(misreading) = step.read_as_client(&mut reader)
                && objects.insert(step.object.as_str())
            {
                findings.push(finding(job, step, &misreading));
            }
        }
    }
    findings
}

/// Returns the kind of a program or view that a step is about. A routine, if a trigger or event has
/// the same name.
fn program_kind(job: &Job<'_>, name: &str) -> ObjectKind {
    let mut kinds = job
        .definitions
        .objects
        .iter()
        .filter(|object| object.name.kind.is_program_or_view())
        .filter(|object| table_name(&object.name.schema, &object.name.name) == name)
        .map(|object| object_kind(object.name.kind));
    match (kinds.next(), kinds.next()) {
        (Some(kind), None) => kind,
        _ => ObjectKind::Routine,
    }
}

fn finding(job: &Job<'_>, step: &Step, misreading: &Misreading) -> Finding {
    // The object of a repair is a column or a table.
    let table = job.facts.tables().find(|table| {
        let name = table_name(&table.schema, &table.name);
        step.object.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let kind = match table {
        Some(_) => ObjectKind::Table,
        None if job.facts.schema(&step.object).is_some() => ObjectKind::Schema,
        None => program_kind(job, &step.object),
    };
    let schema = step.object.split('.').next().unwrap_or_default().to_owned();
    Finding {
        check: CLIENT.name.into(),
        severity: Severity::Error,
        object: Object::new(kind, table.map_or(step.object.clone(), |table| table_name(&table.schema, &table.name))),
        what: format!("in its statement, a command-line client sees {misreading}"),
        why: "the client would act on it on your machine, or send something else than the statement".into(),
        action:
            "look at the definition, and convert it by hand with another program than mysql or mariadb: --format json \
                 has the statement"
                .into(),
        details: ConversionDetails {
            schema: table.map_or(schema, |table| table.schema.clone()),
            table: table.map(|table| table.name.clone()),
            target: job.targets[0].clone(),
            count: 1,
            ..ConversionDetails::default()
        },
    }
}
