//! Rows that collide in unique keys that only the server can compute.

use facts::{Index, IndexPart};
use mysql_collation::Collation;
use sql::ddl;

use super::generated_collation::is_recomputed;
use super::question::Question;
use super::{Check, CheckFunction, overlaps};
use crate::expression::{converted_column, converted_expression, converted_value, find_unprintable};
use crate::finding::{Finding, index_finding};
use crate::job::{Job, TableJob, flavour};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "expression-key",
    title: "rows that become equal in a unique key of an expression, such as lower(name)",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "As unique-key, for keys that weigh can't compute: of expressions (MySQL 8.0.13 and later), of columns that are computed from \
              converted ones, of a period WITHOUT OVERLAPS (MariaDB), or with a column whose collation weigh doesn't know. The server groups \
              the rows by the key as it will be. Where that takes longer than the time limit of a statement, \
              the key is listed as not checked, with the query.",
    run: CheckFunction::Questions(questions),
};

fn questions(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Question> {
    let indexes = table.table.indexes.iter().filter(|index| index.unique);
    indexes
        .filter(|index| !weigh_computes(job, table, index))
        .flat_map(|index| {
            (0..job.targets.len()).filter_map(move |target| match overlaps::find_period(job, table, index) {
                Some(period) => overlaps::question(job, table, index, &period, target),
                None => question(job, table, index, target),
            })
        })
        .collect()
}

/// True if `unique-key` checks the index: all parts are columns with known collations whose values
/// the conversion keeps, and none is a period WITHOUT OVERLAPS.
fn weigh_computes(job: &Job<'_>, table: &TableJob<'_>, index: &Index) -> bool {
    let is_known = |part: &IndexPart| {
        let Some(column) = part.column.as_deref().and_then(|name| table.table.column(name)) else { return false };
        match table.conversion(&column.name) {
            Some(conversion) => conversion.targets.iter().all(|target| target.collation.is_some()),
            None => column.collation.as_deref().is_none_or(|name| Collation::lookup(flavour(job.facts), name).is_ok()),
        }
    };
    let is_computed = |part: &IndexPart| part.column.as_deref().is_some_and(|name| is_recomputed(job, table, name));
    index.parts.iter().all(is_known)
        && !index.parts.iter().any(is_computed)
        && overlaps::find_period(job, table, index).is_none()
}

/// `None` if the conversion doesn't change the key.
fn question(job: &Job<'_>, table: &TableJob<'_>, index: &Index, target: usize) -> Option<Question> {
    let parts = key_expressions(job, table, index, target)?;
    let list = parts.join(", ");
    let not_null: Vec<String> = parts.iter().map(|part| format!("{part} IS NOT NULL")).collect();
    let from = format!(
        "FROM {} {} WHERE {} GROUP BY {list} HAVING COUNT(*) > 1",
        sql::quote_table(&table.table.schema, &table.table.name),
        sql::BASE_TABLE_ONLY,
        not_null.join(" AND ")
    );
    let name = &job.targets[target];
    let finding = index_finding(&CHECK, Severity::Error, table, &index.name, name);
    let mut details = finding.details.clone();
    details.statements.push(format!("SELECT {list}, COUNT(*) {from}"));
    Some(Question {
        subject: format!("unique key {} of {} under {name}", index.name, table.name()),
        query: format!("SELECT COUNT(*) FROM (SELECT 1 {from}) AS g"),
        noun: "group",
        default: None,
        time_zone: None,
        unanswerable: find_unprintable(job, &list)
            .map(|literal| format!("the server prints {literal} for characters that it can't print")),
        finding: Finding {
            what: format!("of rows that become equal under {name}"),
            why: "ALTER TABLE ends with error 1062 (duplicate entry); gh-ost and pt-online-schema-change would keep one row of each \
                  group and drop the others"
                .into(),
            action: "change or merge the rows of each group first, which the query lists".into(),
            details,
            ..finding
        },
    })
}

/// Returns the parts of a key as they are after the conversion. `None` if none of them changes.
fn key_expressions(job: &Job<'_>, table: &TableJob<'_>, index: &Index, target: usize) -> Option<Vec<String>> {
    let own_parts = ddl::find_index(job.create_table(table), &index.name).map_or("", |(_, parts, _)| parts);
    let in_parentheses = format!("({own_parts})");
    let own_parts = ddl::split_definitions(&in_parentheses);
    let mut changes = false;
    let mut expressions = Vec::new();
    for (at, part) in index.parts.iter().enumerate() {
        let (own, converted) = match &part.column {
            Some(column) => {
                let name = sql::quote_identifier(column);
                let value = part.prefix.map_or(name.clone(), |prefix| format!("LEFT({name}, {prefix})"));
                let conversion = table.conversion(column).filter(|_| !is_recomputed(job, table, column));
                let converted = match conversion {
                    Some(conversion) => Some(converted_column(job, conversion, target, &value)),
                    None => converted_value(job, table, target, column).map(|computed| {
                        part.prefix.map_or(computed.clone(), |prefix| format!("LEFT({computed}, {prefix})"))
                    }),
                };
                (value, converted)
            }
            None => {
                let own = without_order(own_parts.get(at)?);
                (own.to_owned(), converted_expression(job, table, target, own))
            }
        };
        changes |= converted.is_some();
        expressions.push(converted.unwrap_or(own));
    }
    changes.then_some(expressions)
}

fn without_order(part: &str) -> &str {
    part.strip_suffix(" DESC").unwrap_or(part)
}
