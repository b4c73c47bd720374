//! Schemas whose default collation is not the server's.

use rules::charset::current_collation_name;

use super::Check;
use super::common::Draft;
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
                why: "Created anew without a collation, it will differ, and so will its tables.".into(),
                action: format!(
                    "Write CREATE DATABASE {} CHARACTER SET {} COLLATE {} in scripts, or set collation_server.",
                    quote_identifier(&schema.name),
                    schema.charset,
                    schema.collation
                ),
            }
            .into_finding(CHECK.name)
        })
        .collect()
}
