//! MariaDB's JSON columns, which are LONGTEXT.

use server::Flavour;

use super::Check;
use super::common::{Draft, column_name, quote_table};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};
use sql::quote_identifier;

pub(super) static CHECK: Check = Check {
    name: "json-as-text",
    title: "MariaDB's JSON columns, which are text and lose their collation by CONVERT",
    reads: &[Reading::Schemas],
    doc: "\
JSON in MariaDB is LONGTEXT in utf8mb4_bin with a check `json_valid(…)`. ALTER TABLE … CONVERT TO changes it like any text column, and values are then compared by the new collation, not by utf8mb4_bin. Reports JSON columns that are still \
utf8mb4_bin in a table with another default (a conversion would reset it), and JSON columns with another collation. What to do: MODIFY the column to JSON after a conversion. (MariaDB manual, \"JSON Data Type\".)",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        for column in table.columns.iter().filter(|column| column.data_type == "longtext") {
            let json_valid = format!("json_valid({})", quote_identifier(&column.name));
            let is_json = table.checks.iter().any(|constraint| constraint.expression.contains(&json_valid));
            let collation = column.collation.as_deref().unwrap_or("");
            let kept = collation == "utf8mb4_bin";
            if input.facts.server.flavour != Flavour::MariaDb
                || !is_json
                || kept && table.collation.as_deref() == Some(collation)
            {
                continue;
            }
            let (severity, what, why, when) = if kept {
                (
                    Severity::Note,
                    format!("JSON, {collation}, in a table of {}", table.collation.as_deref().unwrap_or("")),
                    "CONVERT TO would change its collation.".to_owned(),
                    " after a conversion",
                )
            } else {
                (
                    Severity::Warning,
                    format!("JSON, but its collation is {collation}"),
                    format!("Comparisons and unique keys use {collation}; those of JSON use utf8mb4_bin."),
                    "",
                )
            };
            findings.push(
                Draft {
                    severity,
                    kind: ObjectKind::Column,
                    name: column_name(table, column),
                    what,
                    why,
                    action: format!(
                        "ALTER TABLE {} MODIFY {} JSON{when}, with NULL and default as they are.",
                        quote_table(table),
                        quote_identifier(&column.name)
                    ),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
