//! Rows and columns that exceed their limits in utf8mb4.

use facts::{Column, Table};
use rules::charset::max_bytes;
use rules::rows::{MAX_ROW_BYTES, longest_row_bytes};
use server::Flavour;

use super::Check;
use super::common::{Draft, column_name, quote_table, table_name};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "row-limit",
    title: "rows and columns that would be too long in utf8mb4",
    reads: &[Reading::Schemas],
    doc: "\
All columns of a row may take 65,535 bytes. TEXT and BLOB count with their pointers, VARCHAR with its maximum length: 16,383 characters of utf8mb4. Reports tables that would not fit once \
their text columns are utf8mb4 (error 1118, or 1074 for one column), and TEXT columns that CONVERT would change to the next larger type. InnoDB's other limit, half a page for the parts of columns that it keeps there (error 1118, > 8126), \
isn't computed: `weigh preflight` does. What to do: shorten columns, or make them TEXT; \
keep types by an explicit MODIFY. From: nextcloud #15648, ILIAS #12020, matomo #19115; MySQL manual, \"Limits on Table Column Count and Row Size\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        findings.extend(check_columns(table));
        findings.extend(check_row(input.facts.server.flavour, table));
    }
    findings
}

/// Maximum bytes per character in the column's present character set. 1 for columns without a
/// character set.
fn current_bytes(column: &Column) -> u64 {
    u64::from(column.charset.as_deref().and_then(max_bytes).unwrap_or(1))
}

/// Maximum bytes per character once the text columns are utf8mb4. 1 for columns without a character
/// set, and for ascii columns, which `weigh preflight` keeps by default.
fn utf8mb4_bytes(column: &Column) -> u64 {
    match column.charset.as_deref() {
        Some("ascii" | "binary") | None => 1,
        Some(_) => 4,
    }
}

fn check_row(flavour: Flavour, table: &Table) -> Option<Finding> {
    let (before, after) =
        (longest_row_bytes(flavour, table, current_bytes), longest_row_bytes(flavour, table, utf8mb4_bytes));
    if after <= MAX_ROW_BYTES {
        return None;
    }
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Table,
            name: table_name(table),
            what: format!("a row takes up to {before} bytes, {after} in utf8mb4; {MAX_ROW_BYTES} are allowed"),
            why: "CONVERT TO CHARACTER SET utf8mb4 fails with error 1118.".into(),
            action: format!("Shorten VARCHAR columns of {} or make the longest of them TEXT.", quote_table(table)),
        }
        .into_finding(CHECK.name),
    )
}

fn check_columns(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for column in
        table.columns.iter().filter(|column| column.charset.is_some() && utf8mb4_bytes(column) > current_bytes(column))
    {
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
                .into_finding(CHECK.name),
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
                why: "The application sees a different type, and clients may reserve more memory for it.".into(),
                action: format!(
                    "MODIFY it to {} CHARACTER SET utf8mb4 by itself, if its longest value allows.",
                    column.data_type.to_uppercase()
                ),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}
