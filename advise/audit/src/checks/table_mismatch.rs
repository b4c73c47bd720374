//! Tables whose default collation is not their schema's.

use std::collections::BTreeMap;

use facts::Schema;
use rules::charset::current_collation_name;

use super::Check;
use super::common::{Draft, counted, list_names, name_members};
use crate::advice::{Advice, is_same};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};
use sql::quote_identifier;

pub(super) static CHECK: Check = Check {
    name: "table-mismatch",
    title: "tables whose default collation is not their schema's",
    reads: &[Reading::Schemas],
    doc: "\
A new table takes its schema's default, and will then differ from the other tables. Joins of tables with different collations lose indexes, and comparisons \
are refused (`join-mismatch`). One finding per schema and collation. What to do: give schema and tables the collation that most columns have. Changing a default changes no column.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        let mut different: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for table in &schema.tables {
            if let Some(collation) = table.collation.as_deref()
                && current_collation_name(collation) != current_collation_name(&schema.collation)
            {
                different.entry(collation).or_default().push(table.name.clone());
            }
        }
        for (collation, tables) in different {
            let is_every_table = tables.len() == schema.tables.len();
            let action = advise(schema, collation, advice.schema_target(&schema.name).unwrap_or(&schema.collation));
            findings.push(
                Draft {
                    severity: Severity::Warning,
                    kind: ObjectKind::Schema,
                    name: schema.name.clone(),
                    what: format!(
                        "{} of {} {} {collation}, the schema's default is {}: {}",
                        tables.len(),
                        counted(schema.tables.len(), "table"),
                        if tables.len() == 1 { "is" } else { "are" },
                        schema.collation,
                        list_names(&tables, 5)
                    ),
                    why: if collation == "binary" {
                        "New tables will hold text where these hold bytes: they compare and sort differently.".into()
                    } else if is_every_table {
                        "New tables will match no existing table: comparisons are refused or lose an index.".into()
                    } else {
                        "New tables will not match these: comparisons are refused or lose an index.".into()
                    },
                    action,
                }
                .into_group(CHECK.name, name_members(&tables, collation)),
            );
        }
    }
    findings
}

/// Says how tables with a default of `collation`, and their schema, get `target`.
fn advise(schema: &Schema, collation: &str, target: &str) -> String {
    let alter = format!("ALTER DATABASE {} COLLATE {target};", quote_identifier(&schema.name));
    match (is_same(&schema.collation, target), is_same(collation, target)) {
        _ if collation == "binary" => "Nothing, if these hold bytes on purpose.".to_owned(),
        (true, _) => format!("Convert the tables to {target} (weigh preflight)."),
        (false, true) => alter,
        (false, false) => format!("{alter} and convert the tables to it, too (weigh preflight)."),
    }
}
