//! MariaDB's JSON.

use facts::{Column, ServerFacts};
use server::Flavour;

use super::common::{Draft, column_name, quoted, quoted_table};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "json-as-text",
    title: "MariaDB's JSON columns, which are text and lose their collation by CONVERT",
    reads: &[Reading::Schemas],
    doc: "\
JSON in MariaDB is LONGTEXT in utf8mb4_bin with a check `json_valid(…)`. ALTER TABLE … CONVERT TO changes it as any text column, so that values are compared without regard to case or accents. Told where the collation is \
utf8mb4_bin still in a table of another default (a conversion would reset it), and where it was lost. What to do: MODIFY the column to JSON after a conversion. (MariaDB manual, \"JSON Data Type\".)",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        for column in table.columns.iter().filter(|column| column.data_type == "longtext") {
            let check = format!("json_valid({})", quoted(&column.name));
            let is_json = table.checks.iter().any(|one| one.expression.contains(&check));
            let collation = column.collation.as_deref().unwrap_or("");
            let kept = collation == "utf8mb4_bin";
            if evidence.facts.server.flavour != Flavour::MariaDb
                || !is_json
                || kept && table.collation.as_deref() == Some(collation)
            {
                continue;
            }
            let (severity, what, why) = if kept {
                (
                    Severity::Note,
                    format!("JSON, {collation}, in a table of {}", table.collation.as_deref().unwrap_or("")),
                    "CONVERT TO would reset its collation.",
                )
            } else {
                (
                    Severity::Warning,
                    format!("JSON, but its collation is {collation}"),
                    "Documents that differ in case or accents compare as equal.",
                )
            };
            findings.push(
                Draft {
                    severity,
                    kind: ObjectKind::Column,
                    name: column_name(table, column),
                    what,
                    why: why.into(),
                    action: format!(
                        "ALTER TABLE {} MODIFY {} JSON after a conversion, with NULL and default as they are.",
                        quoted_table(table),
                        quoted(&column.name)
                    ),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}

/// Whether a column has the type and collation of MariaDB's JSON.
pub(super) fn may_be_json(server: &ServerFacts, column: &Column) -> bool {
    server.flavour == Flavour::MariaDb
        && column.data_type == "longtext"
        && column.collation.as_deref() == Some("utf8mb4_bin")
}
