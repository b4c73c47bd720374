//! Stored programs and views that keep the collations of their creation.

use rules::charset::{current_collation_name, current_name};

use super::Check;
use super::common::{Draft, program_name, programs};
use crate::input::AuditInput;
use check::{Finding, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "program-old-collation",
    title: "routines, triggers, events and views that keep the collations of their creation",
    reads: &[Reading::Programs],
    doc: "\
With each program the server stores `character_set_client` and `collation_connection` of the session, and for routines, triggers and events the schema's collation. Variables and parameters without a collation have the schema's collation of that time, literals the connection's. ALTER DATABASE and \
CONVERT don't change them, so comparisons with converted columns fail (error 1267) or convert. Reports programs whose schema had another collation, and programs and views whose \
`character_set_client` was neither utf8mb4 nor binary. What to do: SHOW CREATE, SET NAMES utf8mb4, DROP, CREATE. From: MySQL bugs 62455, 92741; MySQL manual, \"SHOW CREATE PROCEDURE\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        for (kind, program) in programs(schema) {
            let stored = &program.charsets;
            let old_schema_collation = stored
                .database
                .as_deref()
                .filter(|name| current_collation_name(name) != current_collation_name(&schema.collation));
            let client =
                Some(current_name(&stored.client)).filter(|client| !matches!(*client, "utf8mb4" | "binary" | ""));
            let what = match (old_schema_collation, client) {
                (Some(collation), _) => {
                    format!("created when the schema was {collation}; it is {} now", schema.collation)
                }
                (None, Some(client)) => format!("created by a session with {client} ({})", stored.connection),
                (None, None) => continue,
            };
            let kept = match old_schema_collation {
                Some(collation) => format!("Its variables and parameters without a collation keep {collation}"),
                None => format!("Its literals keep {}", stored.connection),
            };
            findings.push(
                Draft {
                    severity: if old_schema_collation.is_some() { Severity::Warning } else { Severity::Note },
                    kind,
                    name: program_name(program),
                    what,
                    why: format!(
                        "{kept}: comparisons with converted columns convert the column, or fail with error 1267."
                    ),
                    action: "SHOW CREATE it; then, after SET NAMES utf8mb4, DROP it and CREATE it again.".into(),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
