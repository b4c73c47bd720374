//! Columns that are not as their table.

use std::collections::BTreeMap;

use rules::charset::modern_collation;

use super::common::{Draft, some_of, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "column-mismatch",
    title: "columns whose collation is not their table's default",
    reads: &[Reading::Schemas],
    doc: "\
A column keeps its own collation when the table's default changes, so columns are left behind; others have one on purpose (`_bin`, ascii for codes). ALTER TABLE … CONVERT TO resets \
all of them, the ones on purpose too. Those of another character set are warnings, those of another collation notes. What to do: decide for each which it is; convert the \
former, keep the latter by an explicit MODIFY (`weigh preflight` writes it). From: OneZoom/OZtree #885.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        let Some(default) = table.collation.as_deref() else { continue };
        let mut different: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for column in &table.columns {
            if let Some(collation) = column.collation.as_deref()
                && modern_collation(collation) != modern_collation(default)
                && !is_json(evidence, column)
            {
                different.entry(collation).or_default().push(column.name.clone());
            }
        }
        for (collation, columns) in different {
            let on_purpose = collation.ends_with("_bin") || collation.starts_with("ascii_");
            let charset = rules::charset::of_collation(collation) != rules::charset::of_collation(default);
            findings.push(
                Draft {
                    severity: if charset && !on_purpose { Severity::Warning } else { Severity::Note },
                    kind: ObjectKind::Table,
                    name: table_name(table),
                    what: format!("{} is {collation}, the table's default is {default}", some_of(&columns, 5)),
                    why: "ALTER TABLE … CONVERT TO would reset it, and columns that are added later will not match it."
                        .into(),
                    action: "Convert it, or keep it by an explicit MODIFY when the table is converted.".into(),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}

/// MariaDB's JSON columns have a collation of their own, which is the check `json-as-text`'s.
fn is_json(evidence: &Evidence, column: &facts::Column) -> bool {
    super::json_as_text::may_be_json(&evidence.facts.server, column)
}
