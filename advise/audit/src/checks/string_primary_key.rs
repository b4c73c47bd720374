//! Primary keys that begin with a string.

use facts::Table;

use super::Check;
use super::common::{Draft, list_names};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "string-primary-key",
    title: "primary keys that begin with a string, by whose order tools read the table in chunks",
    reads: &[Reading::Schemas],
    doc: "\
Tools that copy or compare a table in chunks select the rows after the last key read. If the tool or the connection sorts keys by another collation than the column's, rows are left out or read twice \
(vitess #6622). `_bin` columns and numbers are not reported, because their order doesn't depend on a collation. One finding per schema. What to do: let the server compare (`WHERE key > CONVERT(? USING charset) COLLATE collation`), as `weigh` does; \
test a tool on this table before using it.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        let keys: Vec<String> = schema.tables.iter().filter_map(string_key).collect();
        if keys.is_empty() {
            continue;
        }
        findings.push(
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Schema,
                name: schema.name.clone(),
                what: format!(
                    "{} with a string: {}",
                    if keys.len() == 1 {
                        "1 primary key begins".into()
                    } else {
                        format!("{} primary keys begin", keys.len())
                    },
                    list_names(&keys, 5)
                ),
                why: "A tool that chunks by its own order of strings leaves rows out or copies them twice.".into(),
                action: "Check that the tool compares keys in the server by the column's own collation.".into(),
            }
            .into_group(CHECK.name, keys),
        );
    }
    findings
}

/// Writes `orders.code (latin1_swedish_ci)`. `None` unless the primary key begins with a text
/// column that isn't `_bin`.
fn string_key(table: &Table) -> Option<String> {
    let first = table.primary_key().and_then(|key| key.parts.first()).and_then(|part| part.column.as_deref());
    let column = first.and_then(|name| table.column(name))?;
    let collation = column.collation.as_deref().filter(|collation| !collation.ends_with("_bin"))?;
    Some(format!("{}.{} ({collation})", table.name, column.name))
}
