//! Stored programs and views that keep the collations of their creation.

use rules::charset::{collation_charset, current_collation_name, current_name, lacks_unicode_characters};

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
CONVERT don't change them. Variables of another collation than the converted columns are compared with error 1267, or one side is converted. Literals take the collation of a column that they are compared with, but a view's or table's column that is made from a literal alone has the literal's character set. \
Reports programs whose schema had another collation, and programs and views whose `collation_connection` is of a character set without all Unicode characters, such as utf8mb3. \
What to do: SHOW CREATE, SET NAMES utf8mb4, DROP, CREATE. SHOW CREATE FUNCTION adds the old character set to RETURNS: take it out. From: MySQL bugs 62455, 92741; MySQL manual, \"SHOW CREATE PROCEDURE\".",
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
            let literals = collation_charset(&stored.connection);
            let (severity, what, why) = if let Some(old) = old_schema_collation {
                (
                    Severity::Warning,
                    format!("created when the schema was {old}; it is {} now", schema.collation),
                    format!(
                        "Its parameters and variables without a collation of their own keep {old}: compared with a column of another collation, one side is converted, or the statement fails with error 1267."
                    ),
                )
            } else if !literals.is_empty() && lacks_unicode_characters(literals) {
                (
                    Severity::Note,
                    format!("created by a session with {} ({})", current_name(&stored.client), stored.connection),
                    format!(
                        "Its literals keep {}: they can't have characters that {literals} lacks, and a column that a view or CREATE TABLE … SELECT makes from one is {literals}.",
                        stored.connection
                    ),
                )
            } else {
                continue;
            };
            let returns = match (kind, old_schema_collation) {
                (ObjectKind::Routine, Some(_)) => {
                    " Of a function, take out the character set that SHOW CREATE adds to RETURNS."
                }
                _ => "",
            };
            findings.push(
                Draft {
                    severity,
                    kind,
                    name: program_name(program),
                    what,
                    why,
                    action: format!(
                        "SHOW CREATE it; then, after SET NAMES utf8mb4, DROP it and CREATE it again.{returns}"
                    ),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}
