//! Schemas whose defaults are not the server's.

use rules::charset::modern_collation;

use super::common::{Draft, quoted};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "schema-mismatch",
    title: "schemas whose default collation is not the server's",
    reads: &[Reading::Settings],
    doc: "\
A schema that is created without a collation gets the server's (`collation_server`), a table without one the schema's. A schema that differs from the server is fine as long as everybody \
knows: one that is created anew, by a test or a restored dump without CREATE DATABASE, will differ from it. What to do: name the collation in CREATE DATABASE, or set `collation_server`.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let Some(server) = evidence.facts.server.variable("collation_server") else { return Vec::new() };
    let different =
        evidence.facts.schemas.iter().filter(|schema| modern_collation(&schema.collation) != modern_collation(server));
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
                    quoted(&schema.name),
                    schema.charset,
                    schema.collation
                ),
            }
            .of(CHECK.name)
        })
        .collect()
}
