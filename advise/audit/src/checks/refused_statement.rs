//! Statements of a dump that the private server refuses.

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "refused-statement",
    title: "statements of --dump that the server refuses",
    reads: &[Reading::Dump],
    doc: "\
A migration that fails, files in the wrong order, or a definition of another server version: what the statement defines or adds is in no other check. A statement on settings, locks, accounts or the server's own schemas is a note: it defines nothing of yours. With --dump it runs also if --check names other checks. \
What to do: fix the statement or the order of the files, or name the dump's version by --server; --skip refused-statement leaves the check out.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let finding = |refused: &crate::input::RefusedStatement| {
        let (severity, why) = match refused.is_setup {
            true => (Severity::Note, "The statements behind it ran without it."),
            false => (Severity::Error, "What it defines or adds was not checked."),
        };
        Draft {
            severity,
            kind: ObjectKind::Statement,
            name: refused.place.clone(),
            what: format!("the server refuses it: {}", refused.error),
            why: why.into(),
            action: "Fix the statement or the order of the files, or name the dump's version by --server.".into(),
        }
        .into_finding(CHECK.name)
    };
    input.refused.iter().map(finding).collect()
}
