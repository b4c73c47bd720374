//! Schemas whose default collation is not the server's.

use facts::Schema;
use rules::charset::{collation_charset, current_collation_name};

use super::Check;
use super::common::Draft;
use crate::advice::{Advice, is_same};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};
use sql::quote_identifier;

pub(super) static CHECK: Check = Check {
    name: "schema-mismatch",
    title: "schemas whose default collation is not the server's",
    reads: &[Reading::Settings],
    doc: "\
A schema that is created without a collation gets the server's (`collation_server`), and a table without a collation gets the schema's. If a schema differs from the server, a schema that a test or a dump without \
CREATE DATABASE creates again has another collation. What to do: name the collation in CREATE DATABASE, or set `collation_server`.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let Some(server) = input.facts.server.variable("collation_server") else { return Vec::new() };
    let different = input
        .facts
        .schemas
        .iter()
        .filter(|schema| current_collation_name(&schema.collation) != current_collation_name(server));
    different
        .map(|schema| {
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Schema,
                name: schema.name.clone(),
                what: format!("its default is {}, the server's is {server}", schema.collation),
                why: "If it is created again without a collation, its default and those of its tables will differ."
                    .into(),
                action: advise(schema, server, advice.schema_target(&schema.name).unwrap_or(&schema.collation)),
            }
            .into_finding(CHECK.name)
        })
        .collect()
}

/// Advises `ALTER DATABASE` if `target` is the server's default, else to name `target` in scripts
/// that create the schema.
fn advise(schema: &Schema, server: &str, target: &str) -> String {
    let name = quote_identifier(&schema.name);
    if is_same(target, server) {
        return format!("ALTER DATABASE {name} COLLATE {target};");
    }
    let charset = collation_charset(target);
    format!(
        "Write CREATE DATABASE {name} CHARACTER SET {charset} COLLATE {target} in scripts, or set collation_server."
    )
}
