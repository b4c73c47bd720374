//! Programs that name a collation.

use super::common::{Draft, program_name, programs};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::mentions::{Mention, mentions};

pub(super) static CHECK: Check = Check {
    name: "program-collate",
    title: "routines, triggers, events and views with COLLATE, CONVERT or a character set in their text",
    reads: &[Reading::Programs],
    doc: "\
What is written in a program stays when columns are converted: `COLLATE utf8mb4_unicode_ci` on a column of another collation loses its index, on one of another character set it fails (error 1253). Parameters and variables that name \
a character set do the same. Literals' introducers (`_latin1'x'`) are not told: information_schema leaves them out of the text of programs, and writes them into that of views by itself. What to do: change the text together with the columns.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &evidence.facts.schemas {
        for (kind, program) in programs(schema) {
            let Some(body) = program.body.as_deref() else { continue };
            let all = mentions(body);
            // The server prints literals of views with introducers, and conversions that it inserted.
            let written =
                all.iter().filter(|mention| kind != ObjectKind::View || matches!(mention, Mention::Collate(_)));
            let written: Vec<String> = written.map(ToString::to_string).collect();
            if written.is_empty() {
                continue;
            }
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind,
                    name: program_name(program),
                    what: format!("its text has {}", written.join(", ")),
                    why: "It stays as it is when columns are converted: an index is lost, or error 1253 comes.".into(),
                    action: "Change the text together with the columns that it compares.".into(),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}
