//! Stored programs and views that keep an old collation.

use super::{Check, CheckFunction};
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::model::Example;
use check::{Object, ObjectKind, Reading, Severity};

pub static CHECK: Check = Check {
    name: "programs",
    title: "routines, triggers, views and events that keep an old collation",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "A routine, trigger, event or view keeps the character set and collation of the session that created it, and all but views those of \
              the schema for parameters and variables that name none. After a conversion they compare new columns with old variables: \
              error 1267 (illegal mix of collations), or an index that is no longer used. The plan creates them again.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &job.facts.schemas {
        let target = &job.targets[0];
        let keeps_old_collation = |program: &facts::Program| {
            let is_old = |name: &str| !name.is_empty() && !name.eq_ignore_ascii_case(target);
            is_old(&program.charsets.connection) || program.charsets.database.as_deref().is_some_and(is_old)
        };
        let is_converted =
            job.tables.iter().any(|table| table.table.schema == schema.name && !table.conversions.is_empty());
        let programs = schema
            .routines
            .iter()
            .map(|routine| (routine.kind.to_lowercase(), &routine.program))
            .chain(schema.triggers.iter().map(|trigger| ("trigger".into(), &trigger.program)))
            .chain(schema.events.iter().map(|event| ("event".into(), &event.program)))
            .chain(schema.views.iter().map(|view| ("view".into(), &view.program)));
        let examples: Vec<Example> = programs
            .filter(|(_, program)| is_converted && keeps_old_collation(program))
            .map(|(kind, program)| Example {
                key: Vec::new(),
                values: vec![kind, program.name.clone()],
                note: Some(match &program.charsets.database {
                    Some(database) => format!("connection {}, schema {database}", program.charsets.connection),
                    None => format!("connection {}", program.charsets.connection),
                }),
            })
            .collect();
        if !examples.is_empty() {
            findings.push(Finding {
                check: CHECK.name.into(),
                severity: Severity::Warning,
                object: Object::new(ObjectKind::Schema, schema.name.clone()),
                what: match examples.len() {
                    1 => "a stored program keeps an old collation".into(),
                    count => format!("{count} routines, triggers, events and views keep an old collation"),
                },
                why: "they compare converted columns with variables and literals of the old collation".into(),
                action: "create them again, as the plan does at its end".into(),
                details: ConversionDetails {
                    schema: schema.name.clone(),
                    target: target.clone(),
                    count: examples.len() as u64,
                    examples,
                    in_plan: true,
                    ..ConversionDetails::default()
                },
            });
        }
    }
    findings
}
