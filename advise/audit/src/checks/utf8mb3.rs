//! Columns in utf8mb3.

use rules::charset::current_name;

use super::Check;
use super::common::{Draft, counted, differs_from_table, list_names, table_name};
use crate::advice::Advice;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "utf8mb3",
    title: "columns in utf8mb3 (utf8), which has no characters beyond U+FFFF",
    reads: &[Reading::Schemas],
    doc: "\
utf8mb3, long called utf8, has three bytes a character at most: emoji and parts of Chinese are refused (error 1366); outside of strict mode they become ?, or the text ends before them (MySQL, if the client is utf8mb3, too). It is deprecated in MySQL 8, and the name `utf8` is to mean \
utf8mb4 later (it does in MariaDB where `old_mode` lacks UTF8_IS_UTF8MB3). What to do: convert to utf8mb4 (`weigh preflight`); where a column isn't indexed, MySQL 9.7 and \
MariaDB 11.8 do so without copying the table, but for VARCHAR of 64 to 85 characters, whose length takes a second byte then (and ENUM of MariaDB); MySQL 8.0.12 copies. Columns whose character set is not their table's are left to `column-mismatch`. (MySQL manual, \"The utf8mb3 Character Set\".)",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        let is_utf8mb3 = |column: &&facts::Column| {
            column.charset.as_deref().map(current_name) == Some("utf8mb3") && !differs_from_table(table, column)
        };
        let columns: Vec<String> = table.columns.iter().filter(is_utf8mb3).map(|column| column.name.clone()).collect();
        if columns.is_empty() {
            continue;
        }
        let conversions = advice.conversions(table, &columns).unwrap_or_else(|| list_names(&columns, 5));
        findings.push(
            Draft {
                severity: Severity::Warning,
                kind: ObjectKind::Table,
                name: table_name(table),
                what: format!("{} in utf8mb3: {}", counted(columns.len(), "column"), list_names(&columns, 5)),
                why: "Characters beyond U+FFFF, emoji among them, are refused (error 1366); outside of strict mode they become ?, or the text ends before them.".into(),
                action: format!("Convert {conversions}; check first with weigh preflight."),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}
