//! Texts of different collations that a stored program compares or combines: parameters, variables,
//! columns.

use std::collections::BTreeSet;

use super::Check;
use super::common::{Draft, list_names, program_name};
use crate::input::AuditInput;
use crate::program_conflicts::{Conflict, ConflictEffect, ConflictSide, ProgramConflicts, find_program_conflicts};
use check::{Finding, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "program-variable",
    title: "routines, triggers and events whose parameters, variables or temporary tables do not fit the columns they are compared with",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "\
A parameter or variable without a character set has the collation that the schema had when the program was created; one with a character set only has that character set's default. Compared with a column of another collation of one character set, the statement fails (1267, \
\"Illegal mix of collations\"). Compared with a column of a narrower character set (latin1, utf8mb3 against utf8mb4), the column is converted and its index is lost. A temporary table of a program takes the schema's default of today. Reads the text of each program: names on both sides of an operator, operands of BETWEEN, elements of rows, MIN and MAX, subqueries of one column, the columns of a UNION (1271), CONCAT of two collations beside a literal (MariaDB, MySQL up to 8.0.12), CONVERT, CAST and user variables that are set in the program (but on MariaDB 11.8 and later), results of stored functions beside literals, columns of performance_schema and, on MySQL up to 5.7 and MariaDB, information_schema, UPPER, TRIM and the like around a name, literal texts of PREPARE and EXECUTE IMMEDIATE; not other expressions. Programs that put such a text together when they run are listed as not seen. \
What to do: declare the collation, or create the program again after ALTER DATABASE, which alone changes no program. From: MySQL bug 92741, mysql-random-data-generator #4, vscode-database-client #399, ps_history #1; MySQL manual, \"CREATE PROCEDURE\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    find_program_conflicts(&input.facts).iter().flat_map(describe).collect()
}

/// Returns a finding for the comparisons that the server refuses, and one for the indexes that are
/// lost.
fn describe(program: &ProgramConflicts<'_>) -> Vec<Finding> {
    let (mut refused, mut lost, mut codes) = (Vec::new(), Vec::new(), BTreeSet::new());
    for conflict in &program.conflicts {
        match conflict.effect {
            ConflictEffect::Refused(code) => {
                codes.insert(code);
                refused.push(conflict.to_string());
            }
            ConflictEffect::IndexLost(_) => lost.push(conflict.to_string()),
        }
    }
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let draft = |severity, problems: &[String], what: &str, why: &str| {
        let draft = Draft {
            severity,
            kind: program.kind,
            name: program_name(program.program),
            what: format!("{what}: {}", list_names(problems, 3)),
            why: why.to_owned(),
            action: advise(program),
        };
        draft.into_finding(CHECK.name)
    };
    let mut findings = Vec::new();
    if !refused.is_empty() {
        findings.push(draft(
            Severity::Error,
            &refused,
            &format!("the server refuses to compare (error {})", codes.join(", ")),
            "Each call that reaches the statement fails.",
        ));
    }
    if !lost.is_empty() {
        findings.push(draft(
            Severity::Warning,
            &lost,
            "the column is converted",
            "Each call reads the whole index or table instead of a few rows.",
        ));
    }
    findings
}

fn advise(conflicts: &ProgramConflicts<'_>) -> String {
    let (schema, program) = (conflicts.schema, conflicts.program);
    if let Some(collation) = conflicts.conflicts.iter().find_map(needed_connection) {
        return format!(
            "Create it again after SET collation_connection = {collation}: its literals and user variables have {}, of the session that created it.",
            program.charsets.connection
        );
    }
    let stored = program.charsets.database.as_deref().unwrap_or(&schema.collation);
    let is_old =
        rules::charset::current_collation_name(stored) != rules::charset::current_collation_name(&schema.collation);
    let now = if is_old {
        format!(
            " If it is created again, declarations without a collation get {} instead of {stored}.",
            schema.collation
        )
    } else {
        String::new()
    };
    format!(
        "Declare the columns' CHARACTER SET and COLLATE in the program, then DROP and CREATE it. ALTER DATABASE alone changes no program.{now}"
    )
}

/// Returns the collation that a literal or a user variable of the program would need to have.
/// `None` if neither side is one.
fn needed_connection(conflict: &Conflict) -> Option<&str> {
    let is_of_session = |side: &ConflictSide| !side.is_column && side.name.starts_with(['\'', '"', '@']);
    let Conflict { left, right, .. } = conflict;
    if is_of_session(left) {
        return Some(&right.collation);
    }
    is_of_session(right).then_some(left.collation.as_str())
}
