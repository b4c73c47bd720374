//! Collations in the application's statements.

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::mentions::mentions;

pub(super) static CHECK: Check = Check {
    name: "statement-collate",
    title: "COLLATE, introducers, CONVERT and SET NAMES in the statements of --sql and --slow-log",
    reads: &[Reading::Statements],
    doc: "\
An application that names a collation keeps naming it after a conversion: COLLATE of another character set fails with error 1253, of another collation loses the index. Names that the server, or the target of --target, doesn't have \
are errors (1273). Each statement of a script, and each kind of statement of a slow query log, is read; text in quotes and comments is not. What to do: change the application together with the columns. From: metabase #76540.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for statement in &evidence.statements {
        let all = mentions(&statement.text);
        if all.is_empty() {
            continue;
        }
        let told: Vec<String> = all.iter().map(ToString::to_string).collect();
        let collations: Vec<&str> = all.iter().filter_map(|mention| mention.collation()).collect();
        let here = |name: &&&str| {
            evidence.facts.server.collation(&rules::charset::modern_collation(name)).is_none()
                && evidence.facts.server.collation(name).is_none()
        };
        let unknown_here = collations.iter().find(here);
        let lacking = evidence
            .target
            .as_ref()
            .and_then(|target| Some((target, *collations.iter().find(|name| target.collation(name).is_none())?)));
        let (severity, why) = match (unknown_here, lacking) {
            (Some(name), _) => (
                Severity::Error,
                format!("{} has no {name}: the statement fails with error 1273.", evidence.facts.server.label),
            ),
            (None, Some((target, name))) => {
                (Severity::Error, format!("{target} has no {name}: the statement will fail with error 1273."))
            }
            _ => (
                Severity::Note,
                "It stays when columns are converted: error 1253, or an index that no longer serves.".into(),
            ),
        };
        findings.push(
            Draft {
                severity,
                kind: ObjectKind::Statement,
                name: statement.place.clone(),
                what: format!("{} in: {}", told.join(", "), shortened(&statement.text)),
                why,
                action: "Change the statement together with the columns.".into(),
            }
            .of(CHECK.name),
        );
    }
    findings
}

/// The beginning of a statement, on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
