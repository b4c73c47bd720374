//! Generated columns whose values change with the collation.

use facts::Column;
use sql::{SqlMode, Token, TokenKind};

use super::generated_values::comparable_values;
use super::question::Question;
use super::{Check, CheckFunction};
use crate::expression::{
    converted_expression, converted_value, dependent_columns, find_unprintable, generated_expression, mentions_column,
};
use crate::finding::{Finding, column_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "generated-collation",
    title: "generated columns whose values change with the collation, such as (role = 'admin')",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A copy of a table computes its generated columns anew, and comparisons in them follow the new collation: (role = 'admin') is 1 for \
              'Admin' under a _ci collation, and 0 under a _cs one. The server counts the rows whose value changes, for each column with a \
              comparison, LIKE, CASE, LOCATE, REPLACE, JSON_SEARCH, EXTRACTVALUE, COLLATION and the like of converted text. Where that takes longer than the time limit of a \
              statement, the column is listed as not checked, with the query.",
    run: CheckFunction::Questions(questions),
};

fn questions(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Question> {
    let columns = comparing_columns(job, table);
    columns
        .into_iter()
        .flat_map(|column| (0..job.targets.len()).filter_map(move |target| question(job, table, column, target)))
        .collect()
}

/// Returns the generated columns that compare converted text, and those that are computed from
/// such columns.
fn comparing_columns<'t>(job: &Job<'_>, table: &'t TableJob<'_>) -> Vec<&'t Column> {
    let changed: Vec<&str> = table.conversions.iter().map(|conversion| conversion.column.name.as_str()).collect();
    let dependent = dependent_columns(table.table, changed);
    let mut found: Vec<&Column> = Vec::new();
    loop {
        let is_new = |column: &&Column| {
            let is_computed_from_found =
                |expression: &String| found.iter().any(|other| mentions_column(expression, &other.name));
            dependent.contains(&column.name.as_str())
                && !found.iter().any(|other| other.name == column.name)
                && generated_expression(job, table, column)
                    .is_some_and(|expression| compares(&expression) || is_computed_from_found(&expression))
        };
        let new: Vec<&Column> = table.table.columns.iter().filter(is_new).collect();
        if new.is_empty() {
            return found;
        }
        found.extend(new);
    }
}

/// Functions and operators whose results depend on the collation. `JSON_SEARCH` compares so on
/// MariaDB (10.11, 11.8), XPath on all servers; `JSON_CONTAINS`, `JSON_OVERLAPS`, TRIM and
/// `NATURAL_SORT_KEY` don't.
const COMPARING: &[&str] = &[
    "like",
    "rlike",
    "regexp",
    "regexp_like",
    "regexp_instr",
    "regexp_substr",
    "regexp_replace",
    "in",
    "between",
    "case",
    "field",
    "locate",
    "instr",
    "position",
    "replace",
    "strcmp",
    "find_in_set",
    "nullif",
    "greatest",
    "least",
    "weight_string",
    "json_search",
    "extractvalue",
    "updatexml",
    "collation",
    "charset",
];

fn compares(expression: &str) -> bool {
    let is_comparison = |token: &Token<'_>| {
        token.is_any_keyword(COMPARING) || (token.kind == TokenKind::Symbol && token.text.contains(['=', '<', '>']))
    };
    sql::tokenize(expression, SqlMode::default()).any(|token| is_comparison(&token))
}

fn question(job: &Job<'_>, table: &TableJob<'_>, column: &Column, target: usize) -> Option<Question> {
    let expression = generated_expression(job, table, column)?;
    let converted = converted_expression(job, table, target, &expression)?;
    let name = sql::quote_identifier(&column.name);
    let values = comparable_values(column, &name, &converted);
    let (own, computed) = values.clone().unwrap_or((name, converted));
    let from = format!(
        "FROM {} {} WHERE NOT ({own} <=> {computed})",
        sql::quote_table(&table.table.schema, &table.table.name),
        sql::BASE_TABLE_ONLY
    );
    let unanswerable = match find_unprintable(job, &expression) {
        Some(literal) => Some(format!("the server prints {literal} for characters that it can't print")),
        None => values.is_none().then(|| format!("a query can't compare values of {} exactly", column.data_type)),
    };
    let target_name = &job.targets[target];
    let finding = column_finding(&CHECK, Severity::Warning, table, &column.name, target_name);
    let mut details = finding.details.clone();
    details.statements.push(format!("SELECT *, {computed} {from}"));
    Some(Question {
        subject: format!("values of {} under {target_name}", table.column_name(&column.name)),
        query: format!("SELECT COUNT(*) {from}"),
        noun: "value",
        default: None,
        time_zone: None,
        unanswerable,
        finding: Finding {
            what: format!("that {target_name} changes, as the column is computed by {expression}"),
            why: "the ALTER computes generated columns anew, and comparisons follow the new collation".into(),
            action: "see what reads the column, and what has this value on purpose; the query lists the rows".into(),
            details,
            ..finding
        },
    })
}

/// True if the value of a column may be another one after the conversion: of an unconverted column
/// that is computed from converted ones, and of a converted column with a comparison, such as
/// `IF(role = 'admin', 'A', role)`. Other functions keep the values of converted columns.
pub fn is_recomputed(job: &Job<'_>, table: &TableJob<'_>, column: &str) -> bool {
    match table.conversion(column) {
        None => converted_value(job, table, 0, column).is_some(),
        Some(conversion) => {
            conversion.column.generated.is_some()
                && comparing_columns(job, table).iter().any(|other| other.name == conversion.column.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compares;

    #[test]
    fn finds_comparisons() {
        for expression in [
            "(`a` = 'x')",
            "if((`a` <> 'x'),1,2)",
            "locate('x',`a`)",
            "(case `a` when 'x' then 1 end)",
            "json_search(`a`,'one','x')",
        ] {
            assert!(compares(expression), "{expression}");
        }
        for expression in ["concat(`a`,'=')", "substring_index(`a`,'x',1)", "upper(`a`)", "(`n` + 1)", "`like`"] {
            assert!(!compares(expression), "{expression}");
        }
    }
}
