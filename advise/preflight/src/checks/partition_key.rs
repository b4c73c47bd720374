//! Tables partitioned by a converted column.

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::Job;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "partition-key",
    title: "tables that are partitioned by a column that is converted: rows belong elsewhere afterwards",
    reads: &[Reading::Schemas],
    doc: "PARTITION BY KEY hashes the column's sort key, RANGE COLUMNS and LIST COLUMNS compare it. Another collation sends rows \
              elsewhere. A conversion in place leaves them where they are (MySQL bug 106884): lookups then miss them. The plan makes \
              the server copy the table.",
    run: CheckFunction::Facts(run),
};

/// Returns the converted columns that the table is partitioned by.
pub fn converted_partition_columns<'j>(table: &'j crate::job::TableJob<'_>) -> Vec<&'j str> {
    let Some(partitioning) = &table.table.partitioning else { return Vec::new() };
    let expressions = [&partitioning.expression, &partitioning.sub_expression].into_iter().flatten();
    let text: String = expressions.map(|expression| format!("{expression},")).collect();
    // `PARTITION BY KEY()` without columns uses the primary key, else a unique key without NULLs.
    let uses_unique_key = partitioning.method.contains("KEY") && text.trim_matches(',').trim().is_empty();
    let partition_key = || table.table.primary_key().or_else(|| table.table.indexes.iter().find(|index| index.unique));
    let is_partition_column = |name: &str| {
        text.to_lowercase()
            .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '$'))
            .any(|word| word == name.to_lowercase())
            || (uses_unique_key
                && partition_key().is_some_and(|key| key.parts.iter().any(|part| part.column.as_deref() == Some(name))))
    };
    table
        .conversions
        .iter()
        .map(|conversion| conversion.column.name.as_str())
        .filter(|name| is_partition_column(name))
        .collect()
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        let columns = converted_partition_columns(table);
        let Some(partitioning) = table.table.partitioning.as_ref().filter(|_| !columns.is_empty()) else { continue };
        for target in &job.targets {
            let mut finding = table_finding(&CHECK, Severity::Warning, table, target);
            finding.details.count = partitioning.partitions.len() as u64;
            finding.what =
                format!("it is partitioned by {} ({}), which is converted", partitioning.method, columns.join(", "));
            finding.why =
                "rows belong to other partitions under another collation, and a conversion in place doesn't move them"
                    .into();
            finding.action = "the plan asks for ALGORITHM=COPY, which moves them; CHECK TABLE … afterwards".into();
            finding.details.statements =
                vec![format!("CHECK TABLE {}", sql::quote_table(&table.table.schema, &table.table.name))];
            finding.details.in_plan = true;
            findings.push(finding);
        }
    }
    findings
}
