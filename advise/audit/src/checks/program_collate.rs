//! Stored programs and views that name a collation or a character set.

use super::Check;
use super::common::{Draft, program_name, program_texts, programs};
use crate::distinct::Distinct;
use crate::input::AuditInput;
use crate::mentions::{Mention, find_mentions_in};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "program-collate",
    title: "routines, triggers and events with COLLATE, CONVERT or a character set in their text, and views with COLLATE",
    reads: &[Reading::Programs],
    doc: "\
The text of a program stays when columns are converted: `COLLATE utf8mb4_unicode_ci` on a column of another collation loses its index, on one of another character set it fails (error 1253). Parameters and variables that name \
a character set keep its default collation: compared with a column of another collation, they fail (error 1267) or one side is converted. Introducers of literals (`_latin1'x'`) are not reported: information_schema omits them from the text of programs. To the text of views it adds introducers and conversions, so only COLLATE is reported there. What to do: change the text together with the columns.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        for (kind, program) in programs(schema) {
            let (texts, mode) = (program_texts(program), program.lexer_mode());
            let mentions: Distinct<Mention> = texts.iter().flat_map(|text| find_mentions_in(text, mode)).collect();
            // The server itself adds introducers and conversions to the text of views, so only
            // COLLATE counts there.
            let clauses = mentions
                .list
                .iter()
                .filter(|mention| kind != ObjectKind::View || matches!(mention, Mention::Collate(_)));
            let clauses: Vec<String> = clauses.map(ToString::to_string).collect();
            if clauses.is_empty() {
                continue;
            }
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind,
                    name: program_name(program),
                    what: format!("its text has {}", clauses.join(", ")),
                    why: "It stays unchanged when columns are converted: an index can be lost, or the statement fail (error 1253 or 1267).".into(),
                    action: "Change the text together with the columns that it compares.".into(),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
