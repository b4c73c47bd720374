//! Partition keys.

use super::{Check, Run, finding};
use crate::job::Job;
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "partition-key",
    summary: "tables that are partitioned by a column that is converted: rows belong elsewhere afterwards",
    explain: "PARTITION BY KEY hashes the column's sort key, RANGE COLUMNS and LIST COLUMNS compare it. Another collation sends rows \
              elsewhere. A conversion in place leaves them where they are (MySQL bug 106884): lookups then miss them. The plan makes \
              the server copy the table.",
    run: Run::Facts(run),
};

/// Columns of a table's partitioning that are converted.
pub fn converted_keys<'j>(table: &'j crate::job::TableJob<'_>) -> Vec<&'j str> {
    let Some(partitioning) = &table.table.partitioning else { return Vec::new() };
    let expressions = [&partitioning.expression, &partitioning.sub_expression].into_iter().flatten();
    let text: String = expressions.map(|expression| format!("{expression},")).collect();
    // KEY() without columns means the primary key's.
    let is_whole_key = partitioning.method.contains("KEY") && text.trim_matches(',').trim().is_empty();
    let names = |name: &str| {
        text.to_lowercase()
            .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '$'))
            .any(|word| word == name.to_lowercase())
            || (is_whole_key
                && table
                    .table
                    .primary_key()
                    .is_some_and(|key| key.parts.iter().any(|part| part.column.as_deref() == Some(name))))
    };
    table.conversions.iter().map(|conversion| conversion.column.name.as_str()).filter(|name| names(name)).collect()
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        let columns = converted_keys(table);
        let Some(partitioning) = table.table.partitioning.as_ref().filter(|_| !columns.is_empty()) else { continue };
        for target in &job.targets {
            let mut one = finding(&CHECK, Severity::Warning, table, target);
            one.count = partitioning.partitions.len() as u64;
            one.what =
                format!("it is partitioned by {} ({}), which is converted", partitioning.method, columns.join(", "));
            one.why =
                "rows belong to other partitions under another collation, and a conversion in place doesn't move them"
                    .into();
            one.todo = "the plan asks for ALGORITHM=COPY, which moves them; CHECK TABLE … afterwards".into();
            one.statements = vec![format!("CHECK TABLE {}", crate::sql::table(&table.table.schema, &table.table.name))];
            one.in_plan = true;
            found.push(one);
        }
    }
    found
}
