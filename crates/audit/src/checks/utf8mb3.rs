//! utf8mb3.

use rules::charset::modern;

use super::common::{Draft, counted, quoted_table, some_of, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "utf8mb3",
    title: "columns in utf8mb3 (utf8), which has no characters beyond U+FFFF",
    reads: &[Reading::Schemas],
    doc: "\
utf8mb3, long called utf8, has three bytes a character at most: emoji and parts of Chinese are refused (error 1366), or cut off in non-strict mode. It is deprecated in MySQL 8, and the name `utf8` is to mean \
utf8mb4 later (it does in MariaDB where `old_mode` lacks UTF8_IS_UTF8MB3). What to do: convert to utf8mb4 (`weigh preflight`); where a column isn't indexed both MySQL 8 and \
MariaDB 10.4.3 do so without copying the table. (MySQL manual, \"The utf8mb3 Character Set\".)",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        let of_charset = |column: &&facts::Column| column.charset.as_deref().map(modern) == Some("utf8mb3");
        let columns: Vec<String> = table.columns.iter().filter(of_charset).map(|column| column.name.clone()).collect();
        if columns.is_empty() {
            continue;
        }
        findings.push(
            Draft {
                severity: Severity::Warning,
                kind: ObjectKind::Table,
                name: table_name(table),
                what: format!("{} in utf8mb3: {}", counted(columns.len(), "column"), some_of(&columns, 5)),
                why: "Characters beyond U+FFFF, emoji among them, are refused (error 1366) or cut off.".into(),
                action: format!(
                    "Convert {} to utf8mb4; see first by weigh preflight what that meets.",
                    quoted_table(table)
                ),
            }
            .of(CHECK.name),
        );
    }
    findings
}
