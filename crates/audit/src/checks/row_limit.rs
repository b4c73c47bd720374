//! Rows and columns near the limit.

use facts::{Column, Table};
use rules::charset::max_bytes;
use rules::rows::{ROW_LIMIT, row_bytes};

use super::common::{Draft, column_name, quoted_table, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "row-limit",
    title: "rows and columns that would be too long in utf8mb4",
    reads: &[Reading::Schemas],
    doc: "\
The columns of a row may take 65,535 bytes together, TEXT and BLOB counted by their pointers, each VARCHAR by its longest value: 16,383 characters of utf8mb4. Told are tables that would not fit once \
their text columns are utf8mb4 (error 1118, or 1074 for one column), and TEXT columns that CONVERT would widen to the next type to hold as many characters. What to do: shorten columns, or make them TEXT; \
keep types by an explicit MODIFY. From: nextcloud #15648, ILIAS #12020, matomo #19115; MySQL manual, \"Limits on Table Column Count and Row Size\".",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        findings.extend(of_columns(table));
        findings.extend(of_row(table));
    }
    findings
}

fn now(column: &Column) -> u64 {
    u64::from(column.charset.as_deref().and_then(max_bytes).unwrap_or(1))
}

fn then(column: &Column) -> u64 {
    match column.charset.as_deref() {
        Some("ascii" | "binary") | None => 1,
        Some(_) => 4,
    }
}

fn of_row(table: &Table) -> Option<Finding> {
    let (before, after) = (row_bytes(table, now), row_bytes(table, then));
    if after <= ROW_LIMIT {
        return None;
    }
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Table,
            name: table_name(table),
            what: format!("a row takes up to {before} bytes, {after} in utf8mb4; {ROW_LIMIT} are allowed"),
            why: "CONVERT TO CHARACTER SET utf8mb4 fails with error 1118.".into(),
            action: format!("Shorten VARCHAR columns of {} or make the longest of them TEXT.", quoted_table(table)),
        }
        .of(CHECK.name),
    )
}

fn of_columns(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for column in table.columns.iter().filter(|column| column.charset.is_some() && then(column) > now(column)) {
        let characters = column.characters.unwrap_or(0);
        if column.data_type == "varchar" && characters > 16_383 {
            findings.push(
                Draft {
                    severity: Severity::Warning,
                    kind: ObjectKind::Column,
                    name: column_name(table, column),
                    what: format!("{} has more than the 16383 characters that utf8mb4 allows", column.column_type),
                    why: "A conversion fails with error 1074, or makes it MEDIUMTEXT in non-strict mode.".into(),
                    action: "Make it TEXT, or shorten it.".into(),
                }
                .of(CHECK.name),
            );
        }
        let wider = match column.data_type.as_str() {
            "tinytext" => "TEXT",
            "text" => "MEDIUMTEXT",
            "mediumtext" => "LONGTEXT",
            _ => continue,
        };
        findings.push(
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Column,
                name: column_name(table, column),
                what: format!("CONVERT TO would make it {wider}, so that it holds as many characters as before"),
                why: "The application's idea of the type changes, and clients may reserve more memory for it.".into(),
                action: format!(
                    "MODIFY it to {} CHARACTER SET utf8mb4 by itself, if its longest value allows.",
                    column.data_type.to_uppercase()
                ),
            }
            .of(CHECK.name),
        );
    }
    findings
}
