//! Full-text indexes over several columns.

use facts::IndexKind;

use super::common::{Draft, quoted_table, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "fulltext-columns",
    title: "full-text indexes over columns that can only be converted together",
    reads: &[Reading::Schemas],
    doc: "\
All columns of a full-text index must have one collation: every server refuses an index over columns of different collations, and an ALTER that changes one of them, with error 1283 (\"Column … cannot be part of FULLTEXT index\"; asked of MySQL 5.6 and 9.7, \
MariaDB 10.11 and 11.8). Told are indexes over several columns whose character set isn't utf8mb4 or whose collation isn't the table's default: those are the ones that a conversion will touch, and one column at a time it fails. \
What to do: MODIFY all of them in one ALTER TABLE. From: espocrm #1588.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        for index in table.indexes.iter().filter(|index| index.kind == IndexKind::Fulltext && index.parts.len() > 1) {
            let columns: Vec<&str> = index.parts.iter().filter_map(|part| part.column.as_deref()).collect();
            let Some(collation) = columns.first().and_then(|name| table.column(name)?.collation.as_deref()) else {
                continue;
            };
            if rules::charset::of_collation(collation) == "utf8mb4" && table.collation.as_deref() == Some(collation) {
                continue;
            }
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind: ObjectKind::Index,
                    name: format!("{}.{}", table_name(table), index.name),
                    what: format!("full-text over {}, all {collation}", columns.join(", ")),
                    why: "Converting one of them by itself fails with error 1283.".into(),
                    action: format!("MODIFY all of them in one ALTER TABLE {}.", quoted_table(table)),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}
