//! Full-text indexes over several columns.

use facts::IndexKind;

use super::Check;
use super::common::{Draft, quote_table, table_name};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "fulltext-columns",
    title: "full-text indexes over columns that can only be converted together",
    reads: &[Reading::Schemas],
    doc: "\
All columns of a full-text index must have one collation: every server refuses an index over columns of different collations, and an ALTER that changes one of them, with error 1283 (\"Column … cannot be part of FULLTEXT index\"; tried on MySQL 5.6 and 9.7, \
MariaDB 10.11 and 11.8). Reports indexes over several columns whose character set isn't utf8mb4 or whose collation isn't the table's default: a conversion of one column at a time fails. \
What to do: MODIFY all of them in one ALTER TABLE. From: espocrm #1588.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        for index in table.indexes.iter().filter(|index| index.kind == IndexKind::Fulltext && index.parts.len() > 1) {
            let columns: Vec<&str> = index.parts.iter().filter_map(|part| part.column.as_deref()).collect();
            let Some(collation) = columns.first().and_then(|name| table.column(name)?.collation.as_deref()) else {
                continue;
            };
            if rules::charset::collation_charset(collation) == "utf8mb4"
                && table.collation.as_deref() == Some(collation)
            {
                continue;
            }
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind: ObjectKind::Index,
                    name: format!("{}.{}", table_name(table), index.name),
                    what: format!("full-text over {}, all {collation}", columns.join(", ")),
                    why: "Converting one of them by itself fails with error 1283.".into(),
                    action: format!("MODIFY all of them in one ALTER TABLE {}.", quote_table(table)),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
