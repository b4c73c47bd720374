//! Expressions in table definitions that depend on a collation.

use facts::Table;

use super::Check;
use super::common::{Draft, column_name, table_name};
use crate::input::AuditInput;
use crate::mentions::{Mention, find_mentions};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "expression-collate",
    title: "generated columns, checks and functional indexes with COLLATE or CONVERT, and partitions over text",
    reads: &[Reading::Schemas],
    doc: "\
COLLATE and CONVERT inside a generated column, a check constraint or a functional index stay unchanged when the columns are converted: the ALTER fails (errors 1253, 3988), or comparisons can no longer use the index. A table that is partitioned by a text column \
distributes rows by the column's collation: after an ALTER that doesn't copy the table, lookups can miss rows (MySQL bug 106884). What to do: change the expression in the same ALTER; convert such a table with ALGORITHM=COPY, which moves the rows to their \
partitions, as `weigh preflight` does (MySQL 9.7 refuses to convert it without a copy; on MariaDB 10.11, ALTER TABLE … REBUILD PARTITION ALL moves them afterwards).",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        for column in &table.columns {
            let expression = column.generated.as_ref().map_or("", |generated| generated.expression.as_str());
            findings.extend(check_expression(ObjectKind::Column, column_name(table, column), expression));
        }
        for check in &table.checks {
            let name = format!("{}.{}", table_name(table), check.name);
            findings.extend(check_expression(ObjectKind::CheckConstraint, name, &check.expression));
        }
        for index in &table.indexes {
            for part in index.parts.iter().filter_map(|part| part.expression.as_deref()) {
                let name = format!("{}.{}", table_name(table), index.name);
                findings.extend(check_expression(ObjectKind::Index, name, part));
            }
        }
        findings.extend(check_partitioning(table));
    }
    findings
}

fn check_expression(kind: ObjectKind, name: String, expression: &str) -> Option<Finding> {
    let mentions = find_mentions(expression);
    let clauses: Vec<String> =
        mentions.iter().filter(|mention| !matches!(mention, Mention::Introducer(_))).map(ToString::to_string).collect();
    if clauses.is_empty() {
        return None;
    }
    Some(
        Draft {
            severity: Severity::Note,
            kind,
            name,
            what: format!("its expression has {}", clauses.join(", ")),
            why: "A conversion of the columns does not change it: the ALTER fails (1253, 3988), or the index can no longer be used.".into(),
            action: "Change the expression in the same ALTER TABLE as the columns.".into(),
        }
        .into_finding(CHECK.name),
    )
}

fn check_partitioning(table: &Table) -> Option<Finding> {
    let partitioning = table.partitioning.as_ref()?;
    let key = table.columns.iter().find(|column| {
        let quoted = sql::quote_identifier(&column.name);
        let mentions_column = |expression: &Option<String>| {
            expression
                .as_deref()
                .is_some_and(|text| text.contains(&quoted) || text.split(',').any(|part| part.trim() == column.name))
        };
        column.collation.is_some()
            && (mentions_column(&partitioning.expression) || mentions_column(&partitioning.sub_expression))
    })?;
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Table,
            name: table_name(table),
            what: format!("partitioned by {} of {}, {}", partitioning.method, key.name, key.collation.as_deref().unwrap_or("")),
            why: "Rows lie in the partitions where this collation puts them; an ALTER to another collation that doesn't copy the table leaves some where look-ups don't search (MySQL bug 106884).".into(),
            action: "Convert the table with ALGORITHM=COPY, which moves its rows (weigh preflight).".into(),
        }
        .into_finding(CHECK.name),
    )
}
