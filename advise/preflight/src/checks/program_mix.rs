//! Stored programs and views that compare converted columns with columns that stay.

use std::collections::BTreeSet;

use check::{Object, ObjectKind, Reading, Severity};
use facts::{Column, Table};
use rehearsal::{Kind, Object as Program};
use sql::{SqlMode, Token, TokenKind};

use super::{Check, CheckFunction, program_text};
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Conversion, Job};
use crate::plan::{programs_left, without_conversions};

pub static CHECK: Check = Check {
    name: "program-mix",
    title: "programs and views of all schemas that compare converted columns with text that stays (error 1267)",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "A trigger with `other.dict.title = NEW.name` fails with error 1267 (illegal mix of collations) once only one of the two columns is \
              converted, and every INSERT that fires it with it. The server notices it when the program runs, and no index or foreign key \
              names the pair. Reports routines, triggers, events and views, also of other schemas, that name a converted column and one of \
              the same character set that keeps another collation. They may not compare them: look. Also reports comparisons with text of \
              the program itself: a parameter or variable declared with CHARACTER SET, CONVERT(x USING utf8mb4), CAST(x AS CHAR). It has \
              the default collation of its character set, which is seldom the new one of the column. Such a trigger on a converted column \
              is an error: each INSERT or UPDATE would fail.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let recreated = programs_left(job, &job.request);
    let programs = job.definitions.objects.iter().filter(|object| object.name.kind.is_program_or_view());
    programs
        .flat_map(|program| {
            let is_recreated = recreated.contains(&program.name);
            let planned = without_conversions(job, program).filter(|_| is_recreated);
            let planned = planned.map(|create| Program { create, ..program.clone() });
            let program = planned.as_ref().unwrap_or(program);
            let mode = program.session.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse);
            let tokens: Vec<Token<'_>> =
                sql::tokenize(&program.create, mode).filter(|token| token.kind != TokenKind::Comment).collect();
            let tables = named_tables(job, program, &tokens);
            let own_text = program_text::check(job, program, &tokens, &tables, is_recreated);
            check_columns(job, program, &tokens, &tables).into_iter().chain(own_text)
        })
        .collect()
}

/// A pair of columns that fit now, and not after the conversion.
struct Pair<'f> {
    converted: &'f Conversion<'f>,
    converted_table: &'f Table,
    kept: &'f Column,
    kept_table: &'f Table,
}

fn check_columns(job: &Job<'_>, program: &Program, tokens: &[Token<'_>], tables: &[&Table]) -> Option<Finding> {
    if !compares(tokens) {
        return None;
    }
    let Pair { converted, converted_table, kept, kept_table } = find_pair(job, tokens, tables)?;
    let converted_name = check::column_name(&converted_table.schema, &converted_table.name, &converted.column.name);
    let kept_name = check::column_name(&kept_table.schema, &kept_table.name, &kept.name);
    let kept_collation = kept.collation.as_deref().unwrap_or_default();
    Some(Finding {
        what: format!(
            "it names {converted_name}, which becomes {}, and {kept_name}, which keeps {kept_collation}",
            converted.planned_target().name
        ),
        why: "where it compares them, it fails after the plan: error 1267 (illegal mix of collations)".into(),
        action: "look whether it compares them; then convert both in one run, or write COLLATE into the program".into(),
        ..program_finding(job, program, Severity::Warning)
    })
}

/// Creates a finding about a program. `what`, `why` and `action` are empty.
pub(super) fn program_finding(job: &Job<'_>, program: &Program, severity: Severity) -> Finding {
    Finding {
        check: CHECK.name.into(),
        severity,
        object: Object::new(
            object_kind(program.name.kind),
            check::table_name(&program.name.schema, &program.name.name),
        ),
        what: String::new(),
        why: String::new(),
        action: String::new(),
        details: ConversionDetails {
            schema: program.name.schema.clone(),
            target: job.targets[0].clone(),
            count: 1,
            ..ConversionDetails::default()
        },
    }
}

pub(super) fn object_kind(kind: Kind) -> ObjectKind {
    match kind {
        Kind::Trigger => ObjectKind::Trigger,
        Kind::Event => ObjectKind::Event,
        Kind::View => ObjectKind::View,
        _ => ObjectKind::Routine,
    }
}

/// True if a program has anything that compares or joins text.
fn compares(tokens: &[Token<'_>]) -> bool {
    const WORDS: [&str; 12] =
        ["like", "in", "using", "natural", "union", "between", "concat", "coalesce", "ifnull", "case", "if", "replace"];
    tokens.iter().any(|token| {
        token.is_any_keyword(&WORDS) || token.is_symbol('=') || token.is_symbol('<') || token.is_symbol('>')
    })
}

fn find_pair<'f>(job: &'f Job<'f>, tokens: &[Token<'_>], tables: &[&'f Table]) -> Option<Pair<'f>> {
    let names: BTreeSet<String> = tokens.iter().filter_map(Token::name).map(|name| name.to_lowercase()).collect();
    let is_named = |name: &str| names.contains(&name.to_lowercase());
    for converted_table in tables {
        let Some(table) = job.table(&converted_table.schema, &converted_table.name) else { continue };
        for converted in table.conversions.iter().filter(|conversion| is_named(&conversion.column.name)) {
            for kept_table in tables {
                let is_kept = |column: &&Column| {
                    !job.converts(&kept_table.schema, &kept_table.name, &column.name)
                        && is_named(&column.name)
                        && column.collation.as_deref().is_some_and(|kept| {
                            mixes_illegally(&converted.planned_target().name, kept)
                                && !mixes_illegally(&converted.from, kept)
                        })
                };
                if let Some(kept) = kept_table.columns.iter().find(is_kept) {
                    return Some(Pair { converted, converted_table, kept, kept_table });
                }
            }
        }
    }
    None
}

/// Returns the tables that a program names, of its own schema or with their schema, and the table
/// of a trigger.
fn named_tables<'f>(job: &Job<'f>, program: &Program, tokens: &[Token<'_>]) -> Vec<&'f Table> {
    let mut named: BTreeSet<(String, String)> = BTreeSet::new();
    let own = &program.name.schema;
    named.extend(program.table.iter().map(|table| (own.clone(), table.clone())));
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        match tokens.get(at + 1..at + 3) {
            Some([dot, table]) if dot.is_symbol('.') => {
                named.extend(table.name().map(|table| (name.clone(), table)));
            }
            _ => {}
        }
        named.insert((own.clone(), name));
    }
    job.facts.tables().filter(|table| named.contains(&(table.schema.clone(), table.name.clone()))).collect()
}

/// True if the server refuses to compare columns of two collations: of one character set, neither
/// of them `_bin`.
fn mixes_illegally(a: &str, b: &str) -> bool {
    let charset = |name: &str| server::current_charset_name(server::collation_charset(name)).to_owned();
    !a.eq_ignore_ascii_case(b) && charset(a) == charset(b) && !a.ends_with("_bin") && !b.ends_with("_bin")
}

#[cfg(test)]
mod tests {
    use super::mixes_illegally;

    #[test]
    fn knows_illegal_mixes() {
        assert!(mixes_illegally("utf8mb4_general_ci", "utf8mb4_0900_ai_ci"));
        assert!(!mixes_illegally("utf8mb4_general_ci", "utf8mb4_bin"), "_bin wins");
        assert!(!mixes_illegally("utf8mb4_general_ci", "latin1_swedish_ci"), "latin1 is converted");
        assert!(!mixes_illegally("utf8_bin", "utf8mb3_bin"));
    }
}
