//! Expressions of tables that depend on a collation.

use facts::Table;

use super::common::{Draft, column_name, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::mentions::{Mention, mentions};

pub(super) static CHECK: Check = Check {
    name: "expression-collate",
    title: "generated columns, checks, functional indexes and partitions with COLLATE or CONVERT, or over text",
    reads: &[Reading::Schemas],
    doc: "\
COLLATE and CONVERT inside a generated column, a check constraint or a functional index stay when the columns are converted: the ALTER fails (errors 1253, 3988), or the index no longer serves the comparison. A table that is partitioned by a text column \
places rows by its collation: after a change rows may lie in a partition where look-ups don't find them (MySQL bug 106884). What to do: change the expression in the same ALTER; rebuild partitions (ALTER TABLE … REBUILD PARTITION ALL does not \
move rows: recreate the partitioning).",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        for column in &table.columns {
            let expression = column.generated.as_ref().map_or("", |generated| generated.expression.as_str());
            findings.extend(mentioned(ObjectKind::Column, column_name(table, column), expression));
        }
        for check in &table.checks {
            let name = format!("{}.{}", table_name(table), check.name);
            findings.extend(mentioned(ObjectKind::CheckConstraint, name, &check.expression));
        }
        for index in &table.indexes {
            for part in index.parts.iter().filter_map(|part| part.expression.as_deref()) {
                let name = format!("{}.{}", table_name(table), index.name);
                findings.extend(mentioned(ObjectKind::Index, name, part));
            }
        }
        findings.extend(partitioned(table));
    }
    findings
}

fn mentioned(kind: ObjectKind, name: String, expression: &str) -> Option<Finding> {
    let all = mentions(expression);
    let written: Vec<String> =
        all.iter().filter(|mention| !matches!(mention, Mention::Introducer(_))).map(ToString::to_string).collect();
    if written.is_empty() {
        return None;
    }
    Some(
        Draft {
            severity: Severity::Note,
            kind,
            name,
            what: format!("its expression has {}", written.join(", ")),
            why: "It stays as it is when columns are converted: the ALTER fails (1253, 3988), or an index no longer serves.".into(),
            action: "Change the expression in the same ALTER TABLE as the columns.".into(),
        }
        .of(CHECK.name),
    )
}

fn partitioned(table: &Table) -> Option<Finding> {
    let partitioning = table.partitioning.as_ref()?;
    let text = table.columns.iter().find(|column| {
        let quoted = format!("`{}`", column.name);
        let names = |expression: &Option<String>| {
            expression
                .as_deref()
                .is_some_and(|text| text.contains(&quoted) || text.split(',').any(|part| part.trim() == column.name))
        };
        column.collation.is_some() && (names(&partitioning.expression) || names(&partitioning.sub_expression))
    })?;
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Table,
            name: table_name(table),
            what: format!("partitioned by {} of {}, {}", partitioning.method, text.name, text.collation.as_deref().unwrap_or("")),
            why: "Rows lie where this collation puts them; after a change of collation some are in another partition than look-ups go to (MySQL bug 106884).".into(),
            action: "Take the partitioning off before a conversion and make it anew after it.".into(),
        }
        .of(CHECK.name),
    )
}
