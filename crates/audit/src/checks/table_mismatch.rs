//! Tables whose defaults are not their schema's.

use std::collections::BTreeMap;

use rules::charset::modern_collation;

use super::common::{Draft, counted, quoted, some_of};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "table-mismatch",
    title: "tables whose default collation is not their schema's",
    reads: &[Reading::Schemas],
    doc: "\
A new table takes its schema's default, and will then differ from the tables beside it. Tables of one schema that differ among themselves are where joins lose indexes and comparisons \
are refused (`join-mismatch`). One finding a schema and collation. What to do: ALTER DATABASE to what most tables have, or convert the tables. Changing a default changes no column.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &evidence.facts.schemas {
        let mut different: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for table in &schema.tables {
            if let Some(collation) = table.collation.as_deref()
                && modern_collation(collation) != modern_collation(&schema.collation)
            {
                different.entry(collation).or_default().push(table.name.clone());
            }
        }
        for (collation, tables) in different {
            let all = tables.len() == schema.tables.len();
            let most = 2 * tables.len() > schema.tables.len();
            let action = if most {
                format!("ALTER DATABASE {} COLLATE {collation};", quoted(&schema.name))
            } else if collation == "binary" {
                "Nothing, if these hold bytes on purpose.".to_owned()
            } else {
                format!(
                    "Convert the tables to {} (weigh preflight), or the schema's default to {collation}.",
                    schema.collation
                )
            };
            findings.push(
                Draft {
                    severity: if all { Severity::Note } else { Severity::Warning },
                    kind: ObjectKind::Schema,
                    name: schema.name.clone(),
                    what: format!(
                        "{} of {} are {collation}, the schema's default is {}: {}",
                        tables.len(),
                        counted(schema.tables.len(), "table"),
                        schema.collation,
                        some_of(&tables, 5)
                    ),
                    why: if collation == "binary" {
                        "New tables will hold text, where these hold bytes: they compare and sort otherwise.".into()
                    } else {
                        "New tables will not match these: comparisons are refused or lose an index.".into()
                    },
                    action,
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}
