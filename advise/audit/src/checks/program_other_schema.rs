//! Stored programs and views that use another schema.

use super::Check;
use super::common::{Draft, find_used_schemas, program_name, programs};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "program-other-schema",
    title: "triggers, routines, events and views that use tables of another schema",
    reads: &[Reading::Programs],
    doc: "\
A trigger that writes to a log in another schema is easily forgotten when schemas are converted one by one: the log keeps the old character set, and values are converted, truncated or refused. Reports programs whose text names \
another schema that was read. What to do: convert both together. From: civicrm-core #18751.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        for (kind, program) in programs(schema) {
            let schemas = find_used_schemas(&input.facts, program);
            if schemas.is_empty() {
                continue;
            }
            findings.push(
                Draft {
                    severity: if kind == ObjectKind::Trigger { Severity::Warning } else { Severity::Note },
                    kind,
                    name: program_name(program),
                    what: format!("it uses schema {}", schemas.join(", ")),
                    why: "Converted one by one, the two schemas differ, and values are converted, cut off or refused on their way.".into(),
                    action: format!("Convert {} and {} together.", schema.name, schemas.join(", ")),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
