//! FULLTEXT indexes whose columns would have different collations.

use std::collections::BTreeSet;

use facts::IndexKind;

use super::{Check, CheckFunction};
use crate::finding::{Finding, index_finding};
use crate::job::Job;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "fulltext",
    title: "FULLTEXT indexes over columns that would have different collations",
    reads: &[Reading::Schemas],
    doc: "All columns of a FULLTEXT index must have one collation. Where only some of them are converted, ALTER TABLE ends with error \
              1283.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        for index in table.table.indexes.iter().filter(|index| index.kind == IndexKind::Fulltext) {
            for (target, name) in job.targets.iter().enumerate() {
                let columns = index.parts.iter().filter_map(|part| table.table.column(part.column.as_deref()?));
                let collation_after = |column: &facts::Column| match table.conversion(&column.name) {
                    Some(conversion) => Some(conversion.targets[target].name.clone()),
                    None => column.collation.clone(),
                };
                let collations: BTreeSet<String> = columns.filter_map(collation_after).collect();
                let is_touched = index
                    .parts
                    .iter()
                    .any(|part| part.column.as_deref().is_some_and(|column| table.conversion(column).is_some()));
                if is_touched && collations.len() > 1 {
                    let mut finding = index_finding(&CHECK, Severity::Error, table, &index.name, name);
                    finding.details.count = collations.len() as u64;
                    finding.what =
                        format!("its columns would have {}", collations.into_iter().collect::<Vec<_>>().join(" and "));
                    finding.why = "ALTER TABLE ends with error 1283 (column can't be part of FULLTEXT index)".into();
                    finding.action =
                        "convert all columns of the index: --all-columns, or --column for each of them".into();
                    findings.push(finding);
                }
            }
        }
    }
    findings
}
