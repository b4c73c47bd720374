//! Stored programs and views that keep the collations of their creation.

use rules::charset::{current_collation_name, current_name};

use super::Check;
use super::common::{Draft, program_name, programs};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "program-old-collation",
    title: "routines, triggers, events and views that keep the collations of their creation",
    reads: &[Reading::Programs],
    doc: "\
With each program the server stores `character_set_client` and `collation_connection` of the session, and for routines, triggers and events the schema's collation. Variables and parameters without a collation have the schema's collation of that time, literals the connection's. ALTER DATABASE and \
CONVERT don't change them, so comparisons with converted columns fail (error 1267) or convert. Reports programs whose schema had another collation, and programs and views whose \
literals have utf8mb3 or an older character set. What to do: SHOW CREATE, SET NAMES utf8mb4, DROP, CREATE. From: MySQL bugs 62455, 92741; MySQL manual, \"SHOW CREATE PROCEDURE\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        for (kind, program) in programs(schema) {
            let stored = &program.charsets;
            let database = stored
                .database
                .as_deref()
                .filter(|name| current_collation_name(name) != current_collation_name(&schema.collation));
            let client =
                Some(current_name(&stored.client)).filter(|client| !matches!(*client, "utf8mb4" | "binary" | ""));
            let what = match (database, client) {
                (Some(database), _) => {
                    format!("created when the schema was {database}; it is {} now", schema.collation)
                }
                (None, Some(client)) => format!("created by a session with {client} ({})", stored.connection),
                (None, None) => continue,
            };
            let why = if kind == ObjectKind::View {
                "Its literals keep that character set: comparisons with converted columns convert, or fail with error 1267."
            } else {
                "Its variables, parameters and literals keep it: comparisons with converted columns convert, or fail with error 1267."
            };
            findings.push(
                Draft {
                    severity: if database.is_some() { Severity::Warning } else { Severity::Note },
                    kind,
                    name: program_name(program),
                    what,
                    why: why.into(),
                    action: "SHOW CREATE it; then, after SET NAMES utf8mb4, DROP it and CREATE it anew.".into(),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
