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
ALTER TABLE … CONVERT TO don't change them. A comparison of such a variable with a converted column fails (error 1267), or converts one side. Literals take the collation of a column that they are compared with, but a view's or table's column that is made from a literal alone has the literal's character set. \
Reports programs whose schema had another collation, and programs and views whose `collation_connection` is of a character set without all Unicode characters, such as utf8mb3. \
What to do: after SET NAMES utf8mb4, create it again from SHOW CREATE. A program keeps the session's SQL mode, and an event its time zone, too: set those that SHOW CREATE shows before. DROP takes away the privileges on a routine: grant them again. SHOW CREATE FUNCTION adds the old character set to RETURNS: take it out. From: MySQL bugs 62455, 92741; MySQL manual, \"SHOW CREATE PROCEDURE\".",
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
            findings.push(
                Draft {
                    severity,
                    kind,
                    name: program_name(program),
                    what,
                    why,
                    action: advise_creation(kind, old_schema_collation.is_some()),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}

/// Returns how to create a program or view again with the present collations, and with the rest as
/// it was.
fn advise_creation(kind: ObjectKind, has_old_schema_collation: bool) -> String {
    if kind == ObjectKind::View {
        return "After SET NAMES utf8mb4, SHOW CREATE it, and run the text as CREATE OR REPLACE VIEW.".to_owned();
    }
    let session = if kind == ObjectKind::Event { "sql_mode and time_zone" } else { "sql_mode" };
    let again = match kind {
        ObjectKind::Routine => " GRANT again what DROP takes away.",
        ObjectKind::Trigger => {
            " If the table has other triggers of its time and event, keep its place by FOLLOWS or PRECEDES."
        }
        _ => "",
    };
    let returns = if kind == ObjectKind::Routine && has_old_schema_collation {
        " Of a function, take out the character set that SHOW CREATE adds to RETURNS."
    } else {
        ""
    };
    format!(
        "After SET NAMES utf8mb4, SHOW CREATE it, set {session} as shown there, and DROP and CREATE it.{again}{returns}"
    )
}
