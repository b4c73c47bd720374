//! Stored programs and views that compare converted columns with columns that stay.

use std::collections::BTreeSet;

use check::{Object, Reading, Severity};
use facts::{Column, Table};
use rehearsal::Object as Program;
use sql::Token;

use super::{Check, CheckFunction, program_charset};
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Conversion, Job};
use crate::plan::{programs_left, without_conversions};
use crate::program::{self, named_tables, object_kind};

pub static CHECK: Check = Check {
    name: "program-mix",
    title: "programs and views of all schemas that fail after the plan: error 1267, or 1366 for new characters",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "A trigger with `other.dict.title = NEW.name` fails with error 1267 (illegal mix of collations) once only one of the two columns is \
              converted, and every INSERT that fires it with it. The server notices it when the program runs, and no index or foreign key \
              names the pair. So does a comparison with a parameter, a variable or a column of a temporary table that keeps another \
              collation, with CONVERT(x USING utf8mb4) or with CAST. The rehearsal reads the programs of all schemas before and after the plan, and reports \
              what the server compares before it and refuses after it, and indexes that are lost. Such a trigger of a converted table is \
              an error, as each INSERT or UPDATE would fail: the plan leaves out the tables that it uses. Reports besides, without the rehearsal, programs and \
              views that name a converted column and one of the same character set that keeps another collation: they may not compare \
              them. And programs that name a converted column, and keep its old character set in what they declare or in a column that a \
              trigger writes to: characters that it lacks stop them then (error 1366).",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let recreated = programs_left(job, &job.request);
    let programs = job.definitions.objects.iter().filter(|object| object.name.kind.is_program_or_view());
    programs
        .filter_map(|program| {
            let is_recreated = recreated.contains(&program.name);
            let planned = without_conversions(job, program).filter(|_| is_recreated);
            let planned = planned.map(|create| Program { create, ..program.clone() });
            let program = planned.as_ref().unwrap_or(program);
            let texts = program::texts(program);
            let tokens = program::tokens(program, &texts).concat();
            let tables = named_tables(job, program, &tokens);
            check_columns(job, program, &tokens, &tables)
                .or_else(|| program_charset::check(job, program, &tokens, &tables))
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
pub(crate) fn program_finding(job: &Job<'_>, program: &Program, severity: Severity) -> Finding {
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

/// True if a program has a word or symbol that can compare or join text.
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
