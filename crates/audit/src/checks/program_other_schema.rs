//! Triggers that reach into other schemas.

use super::common::{Draft, program_name, programs};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::mentions::schemas_named;

pub(super) static CHECK: Check = Check {
    name: "program-other-schema",
    title: "triggers, routines, events and views that use tables of another schema",
    reads: &[Reading::Programs],
    doc: "\
A trigger that writes to a log in another schema is easily forgotten when schemas are converted one by one: its target keeps the old character set, and values are converted, cut off or refused on their way. Told are programs whose text names \
another schema that was read. What to do: convert both together. From: civicrm-core #18751.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &evidence.facts.schemas {
        for (kind, program) in programs(schema) {
            let named = schemas_named(program.body.as_deref().unwrap_or(""));
            let others: Vec<String> = named
                .into_iter()
                .filter(|name| *name != schema.name && evidence.facts.schema(name).is_some())
                .collect();
            if others.is_empty() {
                continue;
            }
            findings.push(
                Draft {
                    severity: if kind == ObjectKind::Trigger { Severity::Warning } else { Severity::Note },
                    kind,
                    name: program_name(program),
                    what: format!("it uses schema {}", others.join(", ")),
                    why: "Converted one by one, the two schemas differ, and values are converted, cut off or refused on their way.".into(),
                    action: format!("Convert {} and {} together.", schema.name, others.join(", ")),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}
