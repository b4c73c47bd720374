//! Statement-based replication.

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "statement-replication",
    title: "a binary log that carries statements, and with them collations",
    reads: &[Reading::Activity],
    doc: "\
With `binlog_format` STATEMENT or MIXED the log contains statements: statements of stored programs are rewritten with NAME_CONST and the collation that was in force, sessions' character sets travel as ids, and \
a replica with another collation can change other rows. During a conversion source and replica differ. What to do: `binlog_format = ROW` before a conversion; \
and note that rows are not converted between character sets on the way (MySQL bug 47673), so replicas are converted in an order that their types allow. \
(MySQL manual, \"Replication and Character Sets\", \"Replication of Stored Programs\".)",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let Some(format) = input.facts.replication.binlog_format.as_deref() else { return Vec::new() };
    if format.eq_ignore_ascii_case("row") {
        return Vec::new();
    }
    let replicas = input.facts.replication.registered.len();
    vec![
        Draft {
            severity: if replicas > 0 { Severity::Warning } else { Severity::Note },
            kind: ObjectKind::Variable,
            name: "binlog_format".into(),
            what: format!("it is {format}, with {}", super::common::counted(replicas, "registered replica")),
            why: "The replica executes the statements under its own collations, which differ during a conversion."
                .into(),
            action:
                "SET GLOBAL binlog_format = 'ROW' before converting; sessions that are connected keep the old format."
                    .into(),
        }
        .into_finding(CHECK.name),
    ]
}
