//! Primary keys of strings.

use super::common::{Draft, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "string-primary-key",
    title: "primary keys that begin with a string, by whose order tools read the table in chunks",
    reads: &[Reading::Schemas],
    doc: "\
Tools that copy or compare a table in chunks ask for the rows beyond the last key that they saw. Where their idea of the order, or the connection's collation, is not the column's, rows are left out or read twice \
(vitess #6622). Bytes order the same everywhere, so `_bin` columns and numbers are not told. What to do: let the server compare (`WHERE key > CONVERT(? USING charset) COLLATE collation`), as `weigh` does; \
test a tool on this table before trusting it with it.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        let first = table.primary_key().and_then(|key| key.parts.first()).and_then(|part| part.column.as_deref());
        let Some(column) = first.and_then(|name| table.column(name)) else { continue };
        let Some(collation) = column.collation.as_deref().filter(|collation| !collation.ends_with("_bin")) else {
            continue;
        };
        findings.push(
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Table,
                name: table_name(table),
                what: format!("its primary key begins with {} ({}, {collation})", column.name, column.column_type),
                why: "A tool that chunks by its own order of strings leaves rows out or copies them twice.".into(),
                action: "Check that the tool compares keys in the server by the column's own collation.".into(),
            }
            .of(CHECK.name),
        );
    }
    findings
}
