//! FULLTEXT indexes whose columns come to differ.

use std::collections::BTreeSet;

use facts::IndexKind;

use super::{Check, Run, finding};
use crate::job::Job;
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "fulltext",
    summary: "FULLTEXT indexes over columns that would have different collations",
    explain: "All columns of a FULLTEXT index must have one collation. Where only some of them are converted, ALTER TABLE ends with error \
              1283.",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        for index in table.table.indexes.iter().filter(|index| index.kind == IndexKind::Fulltext) {
            for (target, name) in job.targets.iter().enumerate() {
                let columns = index.parts.iter().filter_map(|part| table.table.column(part.column.as_deref()?));
                let after = |column: &facts::Column| match table.conversion(&column.name) {
                    Some(conversion) => Some(conversion.to[target].name.clone()),
                    None => column.collation.clone(),
                };
                let after: BTreeSet<String> = columns.filter_map(after).collect();
                let is_touched = index
                    .parts
                    .iter()
                    .any(|part| part.column.as_deref().is_some_and(|column| table.conversion(column).is_some()));
                if is_touched && after.len() > 1 {
                    let mut one = finding(&CHECK, Severity::Error, table, name);
                    one.object = format!("{}: {}", one.object, index.name);
                    one.count = after.len() as u64;
                    one.what =
                        format!("its columns would have {}", after.into_iter().collect::<Vec<_>>().join(" and "));
                    one.why = "ALTER TABLE ends with error 1283 (column can't be part of FULLTEXT index)".into();
                    one.todo = "convert all columns of the index: --all-columns, or --column for each of them".into();
                    found.push(one);
                }
            }
        }
    }
    found
}
