//! Foreign keys of which only one side is converted.

use super::{Check, Run, finding};
use crate::job::{Job, TableJob};
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "foreign-key-partner",
    summary: "foreign keys whose two sides would have different collations",
    explain: "The columns of a foreign key and those that it refers to must have one character set and collation. Where only one side is \
              converted, adding the key again ends with error 3780 (MySQL) or 150 (MariaDB). Both tables must be converted together.",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for key in job.foreign_keys() {
        let after = |schema: &str, table: &str, column: &str| {
            let of = job
                .table(schema, table)
                .and_then(|table| table.conversion(column))
                .map(|conversion| conversion.planned().name.clone());
            of.or_else(|| job.facts.table(schema, table)?.column(column)?.collation.clone())
        };
        for (column, parent) in key.columns.iter().zip(&key.parent_columns) {
            let (child_has, parent_has) =
                (after(&key.schema, &key.table, column), after(&key.parent_schema, &key.parent_table, parent));
            if child_has == parent_has {
                continue;
            }
            let side = job.table(&key.schema, &key.table).filter(|table| table.conversion(column).is_some());
            let Some(table) = side.or_else(|| job.table(&key.parent_schema, &key.parent_table)) else { continue };
            found.push(about(job, table, key, &[column, parent], [child_has, parent_has]));
        }
    }
    found
}

fn about(
    job: &Job<'_>,
    table: &TableJob<'_>,
    key: &facts::ForeignKey,
    columns: &[&String; 2],
    has: [Option<String>; 2],
) -> Finding {
    let mut one = finding(&CHECK, Severity::Error, table, &job.targets[0]);
    one.object = format!("{}: {}", one.object, key.name);
    one.count = 1;
    let [child, parent] = has.map(|name| name.unwrap_or_else(|| "a type without collation".into()));
    one.what = format!("{}.{} would have {child}, {}.{} {parent}", key.table, columns[0], key.parent_table, columns[1]);
    one.why = "the servers refuse a foreign key between columns of different collations (error 3780, or 150)".into();
    one.todo = format!("convert {}.{} and {}.{} together", key.schema, key.table, key.parent_schema, key.parent_table);
    one
}
