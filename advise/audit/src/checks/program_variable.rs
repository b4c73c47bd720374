//! Compares collations of parameters, variables and temporary tables of stored programs with those
//! of columns and of each other.

use std::collections::BTreeSet;

use facts::{Program, Schema, ServerFacts};
use rules::coercibility::{Coercibility, Outcome, Side, choose_collation};

use super::Check;
use super::charset_default::default_collation;
use super::common::{Draft, list_names, program_name};
use crate::distinct::Distinct;
use crate::input::AuditInput;
use crate::text::{
    ComparisonKind, CreatedTable, Declaration, Operand, Scope, created_table, declared_variables, find_comparisons,
    split_body, text_columns,
};
use check::{Finding, ObjectKind, Reading, Severity};
use server::{Flavour, Version, error_code};

pub(super) static CHECK: Check = Check {
    name: "program-variable",
    title: "routines, triggers and events whose parameters, variables or temporary tables do not fit the columns they are compared with",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "\
A parameter or variable without a character set has the collation that the schema had when the program was created; one with a character set only has that character set's default. Compared with a column of another collation of one character set, the statement fails (1267, \
\"Illegal mix of collations\"). Compared with a column of a narrower character set (latin1, utf8mb3 against utf8mb4), the column is converted and its index is lost. A temporary table of a program takes the schema's default of today. Reads the text of each program: names on both sides of an operator, operands of BETWEEN, elements of rows, MIN and MAX, subqueries of one column, the columns of a UNION (1271), CONCAT of two collations beside a literal (MariaDB, MySQL up to 8.0.12); not other expressions. \
What to do: declare the collation, or create the program again after ALTER DATABASE, which alone changes no program. From: MySQL bug 92741, mysql-random-data-generator #4; MySQL manual, \"CREATE PROCEDURE\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for schema in &input.facts.schemas {
        for routine in &schema.routines {
            let mut scope = Scope::default();
            for parameter in &routine.parameters {
                if let (Some(name), Some(collation)) = (&parameter.name, &parameter.collation) {
                    scope.add_variable(name, collation);
                }
            }
            findings.extend(check_program(input, schema, ObjectKind::Routine, &routine.program, scope));
        }
        for trigger in &schema.triggers {
            let mut scope = Scope::default();
            for row in ["new", "old"] {
                scope.add_row(row, text_columns(&input.facts, &schema.name, &trigger.table));
            }
            findings.extend(check_program(input, schema, ObjectKind::Trigger, &trigger.program, scope));
        }
        for event in &schema.events {
            findings.extend(check_program(input, schema, ObjectKind::Event, &event.program, Scope::default()));
        }
    }
    findings
}

/// `scope` starts with the parameters of a routine, or with OLD and NEW of a trigger.
fn check_program(
    input: &AuditInput,
    schema: &Schema,
    kind: ObjectKind,
    program: &Program,
    mut scope: Scope<'_>,
) -> Vec<Finding> {
    let (mut refused, mut lost, mut codes) = (Distinct::default(), Distinct::default(), BTreeSet::new());
    for part in split_body(program.body.as_deref().unwrap_or("")) {
        for variable in declared_variables(&part) {
            let stored = program.charsets.database.as_deref().unwrap_or(&schema.collation);
            scope.add_variable(&variable.name, &collation_of(input, &variable, stored));
        }
        if let Some(table) = created_table(&part) {
            scope.add_table(&table.name, created_columns(input, &table, &schema.collation));
        }
        let own_scope = Scope::from_statement(&input.facts, &part, Some(&schema.name));
        for comparison in find_comparisons(&part) {
            let find = |name| own_scope.find_within(&scope, name);
            let (left, right) = (find(&comparison.left), find(&comparison.right));
            // A name that several tables in scope have is skipped: only the server knows which is
            // meant.
            let ([left], [right]) = (left.as_slice(), right.as_slice()) else { continue };
            match judge(input, comparison.kind, left, right) {
                Some(Problem::Refused(code)) => {
                    codes.insert(code);
                    refused.add(describe(left, right));
                }
                Some(Problem::IndexLost(index)) => lost.add(format!("{}, index {index}", describe(left, right))),
                None => {}
            }
        }
    }
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let draft = |severity, problems: &[String], what: &str, why: &str| {
        let draft = Draft {
            severity,
            kind,
            name: program_name(program),
            what: format!("{what}: {}", list_names(problems, 3)),
            why: why.to_owned(),
            action: advise(schema, program),
        };
        draft.into_finding(CHECK.name)
    };
    let mut findings = Vec::new();
    if !refused.list.is_empty() {
        findings.push(draft(
            Severity::Error,
            &refused.list,
            &format!("the server refuses to compare (error {})", codes.join(", ")),
            "Each call that reaches the statement fails.",
        ));
    }
    if !lost.list.is_empty() {
        findings.push(draft(
            Severity::Warning,
            &lost.list,
            "the column is converted",
            "Each call reads the whole index or table instead of a few rows.",
        ));
    }
    findings
}

fn describe(left: &Operand<'_>, right: &Operand<'_>) -> String {
    format!("{} ({}) with {} ({})", left.name, left.collation, right.name, right.collation)
}

enum Problem {
    /// The server refuses, with this error.
    Refused(u16),
    /// The column is converted, so this index of it is unusable.
    IndexLost(String),
}

fn judge(input: &AuditInput, kind: ComparisonKind, left: &Operand<'_>, right: &Operand<'_>) -> Option<Problem> {
    let server = &input.facts.server;
    let outcome = choose_collation(server.flavour, server.version_number(), implicit(left), implicit(right));
    let converted = match outcome {
        Outcome::Collation(Side::Left) | Outcome::CollationIfRepresentable(Side::Left) => right,
        Outcome::Collation(Side::Right) | Outcome::CollationIfRepresentable(Side::Right) => left,
        _ => return refusal(server, kind).map(Problem::Refused),
    };
    // Whether a join of two columns loses an index is left to `join-mismatch`, which explains
    // likely joins. A variable with `_bin` keeps the index of a column of its character set (MySQL
    // 5.6, 9.7, MariaDB 10.11, 11.8).
    let is_variable = left.column.is_none() || right.column.is_none();
    let charset = |one: &Operand<'_>| rules::charset::collation_charset(&one.collation).to_owned();
    let is_looked_up = matches!(kind, ComparisonKind::Compared | ComparisonKind::Between);
    let is_converted = is_variable && is_looked_up && charset(left) != charset(right);
    converted.index().filter(|_| is_converted).map(|index| Problem::IndexLost(index.to_owned()))
}

/// Returns the error with which a server refuses two collations. `None` if it takes them: MySQL
/// 9.7 compares a CONCAT of two collations with a literal, MySQL up to 8.0.12 and MariaDB refuse.
fn refusal(server: &ServerFacts, kind: ComparisonKind) -> Option<u16> {
    let is_new = server.flavour == Flavour::MySql && server.version_number() > Version::new(8, 0, 12);
    match kind {
        ComparisonKind::Concatenated if is_new => None,
        ComparisonKind::Compared | ComparisonKind::Value | ComparisonKind::Concatenated => {
            Some(error_code::CANT_AGGREGATE_2COLLATIONS)
        }
        ComparisonKind::Between => Some(error_code::CANT_AGGREGATE_3COLLATIONS),
        ComparisonKind::United => Some(error_code::CANT_AGGREGATE_NCOLLATIONS),
    }
}

fn implicit<'o>(operand: &'o Operand<'_>) -> rules::coercibility::Operand<'o> {
    rules::coercibility::Operand::new(&operand.collation, Coercibility::Implicit)
}

/// Returns the collation of a variable, a column or a table. `default` is the collation of one
/// without clauses.
fn collation_of(input: &AuditInput, declared: &Declaration, default: &str) -> String {
    match (&declared.collation, &declared.charset) {
        (Some(collation), _) => collation.clone(),
        (None, Some(charset)) => charset_default(input, charset).unwrap_or_else(|| default.to_owned()),
        (None, None) => default.to_owned(),
    }
}

fn charset_default(input: &AuditInput, charset: &str) -> Option<String> {
    let server = &input.facts.server;
    let info = server.charset(charset)?;
    Some(default_collation(server, rules::charset::current_name(&info.name), &info.default_collation).0)
}

fn created_columns<'a>(input: &AuditInput, table: &CreatedTable, schema: &str) -> Vec<Operand<'a>> {
    let options =
        Declaration { name: String::new(), charset: table.charset.clone(), collation: table.collation.clone() };
    let default = collation_of(input, &options, schema);
    let operand = |column: &Declaration| Operand {
        name: format!("{}.{}", table.name, column.name),
        collation: collation_of(input, column, &default),
        column: None,
    };
    table.columns.iter().map(operand).collect()
}

fn advise(schema: &Schema, program: &Program) -> String {
    let stored = program.charsets.database.as_deref().unwrap_or(&schema.collation);
    let is_old =
        rules::charset::current_collation_name(stored) != rules::charset::current_collation_name(&schema.collation);
    let now = if is_old {
        format!(" Created anew, what it declares without a collation gets {} instead of {stored}.", schema.collation)
    } else {
        String::new()
    };
    format!(
        "Declare the columns' CHARACTER SET and COLLATE in the program, then DROP and CREATE it. ALTER DATABASE alone changes no program.{now}"
    )
}
