//! Collations and character sets in the application's statements.

use super::Check;
use super::common::{Draft, truncate};
use crate::input::AuditInput;
use crate::mentions::find_mentions;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "statement-collate",
    title: "COLLATE, introducers, CONVERT and SET NAMES in the statements of --sql and --slow-log",
    reads: &[Reading::Statements],
    doc: "\
An application that names a collation keeps naming it after a conversion: COLLATE of another character set fails with error 1253, of another collation loses the index. Names that the server, or the target of --target, doesn't have \
are errors (1273). Each statement of a script, and each kind of statement of a slow query log, is read; text in quotes and comments is not. What to do: change the application together with the columns. From: metabase #76540.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for statement in &input.statements {
        let mentions = find_mentions(&statement.text);
        if mentions.is_empty() {
            continue;
        }
        let clauses: Vec<String> = mentions.iter().map(ToString::to_string).collect();
        let collations: Vec<&str> = mentions.iter().filter_map(|mention| mention.collation()).collect();
        let is_unknown = |name: &&&str| {
            input.facts.server.collation(&rules::charset::current_collation_name(name)).is_none()
                && input.facts.server.collation(name).is_none()
        };
        let unknown_here = collations.iter().find(is_unknown);
        let unknown_to_target = input
            .target
            .as_ref()
            .and_then(|target| Some((target, *collations.iter().find(|name| target.collation(name).is_none())?)));
        let (severity, why) = match (unknown_here, unknown_to_target) {
            (Some(name), _) => (
                Severity::Error,
                format!("{} has no {name}: the statement fails with error 1273.", input.facts.server.label),
            ),
            (None, Some((target, name))) => {
                (Severity::Error, format!("{target} has no {name}: the statement will fail with error 1273."))
            }
            _ => (
                Severity::Note,
                "A conversion of the columns does not change it: the statement fails with error 1253, or can no longer use the index.".into(),
            ),
        };
        findings.push(
            Draft {
                severity,
                kind: ObjectKind::Statement,
                name: statement.place.clone(),
                what: format!("{} in: {}", clauses.join(", "), truncate(&statement.text)),
                why,
                action: "Change the statement together with the columns.".into(),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}
