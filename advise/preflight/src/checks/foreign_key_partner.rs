//! Foreign keys whose columns would have different collations.

use super::{Check, CheckFunction};
use crate::finding::{Finding, foreign_key_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "foreign-key-partner",
    title: "foreign keys whose two sides would have different collations",
    reads: &[Reading::Schemas],
    doc: "The columns of a foreign key and those that it refers to must have one character set and collation. Where only one side is \
              converted, adding the key again ends with error 3780 (MySQL 8.0.14 and later), 1215 (before) or 1005 (MariaDB). Both tables must be converted together.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for key in job.foreign_keys() {
        let collation_after = |schema: &str, table: &str, column: &str| {
            let converted = job
                .table(schema, table)
                .and_then(|table| table.conversion(column))
                .map(|conversion| conversion.planned_target().name.clone());
            converted.or_else(|| job.facts.table(schema, table)?.column(column)?.collation.clone())
        };
        for (column, parent) in key.columns.iter().zip(&key.parent_columns) {
            let (child_collation, parent_collation) = (
                collation_after(&key.schema, &key.table, column),
                collation_after(&key.parent_schema, &key.parent_table, parent),
            );
            if child_collation == parent_collation {
                continue;
            }
            let side = job.table(&key.schema, &key.table).filter(|table| table.conversion(column).is_some());
            let Some(table) = side.or_else(|| job.table(&key.parent_schema, &key.parent_table)) else { continue };
            findings.push(key_finding(job, table, key, &[column, parent], [child_collation, parent_collation]));
        }
    }
    findings
}

fn key_finding(
    job: &Job<'_>,
    table: &TableJob<'_>,
    key: &facts::ForeignKey,
    columns: &[&String; 2],
    collations: [Option<String>; 2],
) -> Finding {
    let mut finding = foreign_key_finding(&CHECK, Severity::Error, table, &key.name, &job.targets[0]);
    finding.details.count = 1;
    let [child, parent] = collations.map(|name| name.unwrap_or_else(|| "a type without collation".into()));
    finding.what =
        format!("{}.{} would have {child}, {}.{} {parent}", key.table, columns[0], key.parent_table, columns[1]);
    finding.why =
        "the servers refuse a foreign key between columns of different collations (error 3780, 1215 or 1005)".into();
    finding.action =
        format!("convert {}.{} and {}.{} together", key.schema, key.table, key.parent_schema, key.parent_table);
    finding
}
