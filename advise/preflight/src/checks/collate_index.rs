//! COLLATE clauses in views and programs that keep an index from being used after the conversion.

use check::{Object, Reading, Severity};
use rehearsal::Object as Program;
use server::current_charset_name;
use sql::Token;

use super::{Check, CheckFunction};
use crate::expression::{mentions_column, mentions_name};
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Conversion, Job, TableJob};
use crate::model::Example;
use crate::program::{object_kind, texts, tokens};

pub static CHECK: Check = Check {
    name: "collate-index",
    title: "COLLATE of the old collation in views and programs, which then lose an index",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "`ON c.code = o.code COLLATE utf8mb4_general_ci` uses the index of c.code as long as the column has that collation. After a \
              conversion of the column within its character set, nothing fails, but the table is read from end to end. Views, routines, \
              triggers and events are reported that compare with such a COLLATE, and name a converted column with an index. The plan keeps \
              their text.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let programs = job.definitions.objects.iter().filter(|object| object.name.kind.is_program_or_view());
    programs.filter_map(|program| check_program(job, program)).collect()
}

fn check_program(job: &Job<'_>, program: &Program) -> Option<Finding> {
    let texts = texts(program);
    let mut examples: Vec<Example> = Vec::new();
    let mut first: Option<(String, String)> = None;
    for collation in tokens(program, &texts).iter().flat_map(|tokens| compared_collations(tokens)) {
        for table in job.tables.iter().filter(|table| mentions_name(&program.create, &table.table.name)) {
            let is_lost = |conversion: &&Conversion<'_>| {
                conversion.from.eq_ignore_ascii_case(&collation)
                    && keeps_charset(conversion)
                    && !conversion.planned_target().name.eq_ignore_ascii_case(&collation)
                    && mentions_column(&program.create, &conversion.column.name)
            };
            for conversion in table.conversions.iter().filter(is_lost) {
                for index in leading_indexes(table, &conversion.column.name) {
                    let name = check::index_name(&table.table.schema, &table.table.name, index);
                    first.get_or_insert_with(|| (collation.clone(), conversion.planned_target().name.clone()));
                    let note = Some(format!("COLLATE {collation}"));
                    let example = Example { key: Vec::new(), values: vec![name], note };
                    if !examples.contains(&example) {
                        examples.push(example);
                    }
                }
            }
        }
    }
    let (from, to) = first?;
    let index = &examples[0].values[0];
    let count = examples.len() as u64;
    let others = if count > 1 { format!(" and {}", message::count_noun(count - 1, "other")) } else { String::new() };
    Some(Finding {
        check: CHECK.name.into(),
        severity: Severity::Warning,
        object: Object::new(
            object_kind(program.name.kind),
            check::table_name(&program.name.schema, &program.name.name),
        ),
        what: format!("COLLATE {from} in its text keeps the server from looking up the index {index}{others}"),
        why: format!(
            "a comparison under {from} can't use an index of {to}: the table is read from end to end where the index \
             finds a few rows now"
        ),
        action: format!("create it without the COLLATE, or with COLLATE {to}, after the plan"),
        details: ConversionDetails {
            schema: program.name.schema.clone(),
            target: job.targets[0].clone(),
            count,
            examples,
            ..ConversionDetails::default()
        },
    })
}

/// Returns the names of the collations in COLLATE clauses of comparisons, without duplicates.
/// Leaves out those in lists of columns, ORDER BY, GROUP BY, SET and declarations.
fn compared_collations(tokens: &[Token<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].is_keyword("collate")) {
        let clause = tokens[..at].iter().rev().find_map(|token| {
            if token.is_any_keyword(&["on", "where", "having", "and", "or", "not", "if", "when", "while"]) {
                return Some(true);
            }
            token.is_any_keyword(&["select", "order", "group", "by", "declare", "set", "returns"]).then_some(false)
        });
        let Some(name) = pair[1].name().filter(|_| clause == Some(true)) else { continue };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn keeps_charset(conversion: &Conversion<'_>) -> bool {
    let to = conversion.planned_target().charset.as_str();
    current_charset_name(conversion.source_charset_name()) == current_charset_name(to)
}

/// Returns the names of the indexes that begin with the column.
fn leading_indexes<'j>(table: &'j TableJob<'_>, column: &'j str) -> impl Iterator<Item = &'j str> {
    let begins = move |index: &&'j facts::Index| {
        let first = index.parts.first().and_then(|part| part.column.as_deref());
        table.converts_part_of(index) && first.is_some_and(|first| first.eq_ignore_ascii_case(column))
    };
    table.table.indexes.iter().filter(begins).map(|index| index.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_collations_of_comparisons() {
        let of = |text: &str| {
            let tokens: Vec<Token<'_>> = sql::tokenize(text, sql::SqlMode::default()).collect();
            compared_collations(&tokens)
        };
        let joined = "select 1 from (`o` join `c` on((`c`.`code` = (`o`.`code` collate utf8mb4_general_ci))))";
        assert_eq!(of(joined), ["utf8mb4_general_ci"]);
        assert_eq!(
            of("SELECT a FROM t WHERE b = x COLLATE utf8mb4_bin AND c = y COLLATE utf8mb4_bin"),
            ["utf8mb4_bin"]
        );
        for other in ["select a collate utf8mb4_bin as b from t", "select a from t order by a collate utf8mb4_bin"] {
            assert_eq!(of(other), [""; 0], "{other}");
        }
    }
}
