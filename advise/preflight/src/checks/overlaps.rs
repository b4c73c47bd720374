//! Unique keys of a period WITHOUT OVERLAPS (MariaDB 10.5.3 and later).

use facts::Index;
use sql::{SqlMode, Token, TokenKind, ddl, quote_identifier};

use super::expression_key::CHECK;
use super::question::Question;
use crate::expression::converted_value;
use crate::finding::{Finding, index_finding};
use crate::job::{Job, TableJob};
use check::Severity;

/// Period of a unique key.
pub struct Period {
    name: String,
    /// Columns of its begin and end.
    begin: String,
    end: String,
    /// Other columns of the key.
    columns: Vec<String>,
}

/// Returns the period of a key. `None` for keys without a period.
pub fn find_period(job: &Job<'_>, table: &TableJob<'_>, index: &Index) -> Option<Period> {
    let create = job.create_table(table);
    let (_, parts, _) = ddl::find_index(create, &index.name)?;
    if !parts.to_uppercase().contains("WITHOUT OVERLAPS") {
        return None;
    }
    let in_parentheses = format!("({parts})");
    let names = ddl::split_definitions(&in_parentheses).into_iter().map(|part| (part, first_name(part)));
    let (periods, columns): (Vec<_>, Vec<_>) =
        names.partition(|(part, _)| part.to_uppercase().ends_with("WITHOUT OVERLAPS"));
    let name = periods.first()?.1.clone()?;
    let (begin, end) = ddl::split_definitions(create).into_iter().find_map(|definition| {
        let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
        let is_period = tokens.len() >= 8 && tokens[0].is_keyword("period") && tokens[1].is_keyword("for");
        (is_period && tokens[2].name().as_ref() == Some(&name)).then(|| Some((tokens[4].name()?, tokens[6].name()?)))?
    })?;
    Some(Period { name, begin, end, columns: columns.into_iter().filter_map(|(_, name)| name).collect() })
}

fn first_name(part: &str) -> Option<String> {
    sql::tokenize(part, SqlMode::default()).next()?.name()
}

/// Returns an expression with an alias before each column: ``upper(a.`name`)`` for
/// ``upper(`name`)``.
fn with_alias(table: &TableJob<'_>, alias: &str, expression: &str) -> String {
    let (mut text, mut copied) = (String::new(), 0);
    for token in sql::tokenize(expression, SqlMode::default()).filter(|token| token.kind == TokenKind::QuotedName) {
        if token.name().is_some_and(|name| table.table.column(&name).is_some()) {
            text += &format!("{}{alias}.", &expression[copied..token.start]);
            copied = token.start;
        }
    }
    text + &expression[copied..]
}

/// Asks for pairs of rows that overlap once the other columns of the key are equal. `None` if the
/// conversion doesn't change these columns.
pub fn question(
    job: &Job<'_>,
    table: &TableJob<'_>,
    index: &Index,
    period: &Period,
    target: usize,
) -> Option<Question> {
    let is_changed = |column: &String| converted_value(job, table, target, column).is_some();
    if !period.columns.iter().any(is_changed) {
        return None;
    }
    let name = sql::quote_table(&table.table.schema, &table.table.name);
    let side = |alias: &str, column: &str| format!("{alias}.{}", quote_identifier(column));
    let value = |alias: &str, column: &String| match converted_value(job, table, target, column) {
        Some(value) => with_alias(table, alias, &value),
        None => side(alias, column),
    };
    let mut conditions: Vec<String> =
        period.columns.iter().map(|column| format!("{} = {}", value("a", column), value("b", column))).collect();
    conditions.push(format!("{} < {}", side("a", &period.begin), side("b", &period.end)));
    conditions.push(format!("{} < {}", side("b", &period.begin), side("a", &period.end)));
    let key: Option<Vec<&str>> =
        table.table.primary_key().and_then(|key| key.parts.iter().map(|part| part.column.as_deref()).collect());
    let same: Vec<String> =
        key.iter().flatten().map(|column| format!("{} <=> {}", side("a", column), side("b", column))).collect();
    conditions.extend((!same.is_empty()).then(|| format!("NOT ({})", same.join(" AND "))));
    let conditions = conditions.join(" AND ");
    let from = format!("FROM {name} AS a JOIN {name} AS b ON {conditions}");
    let only_table = sql::BASE_TABLE_ONLY;
    let target_name = &job.targets[target];
    let finding = index_finding(&CHECK, Severity::Error, table, &index.name, target_name);
    let mut details = finding.details.clone();
    details.statements.push(format!("SELECT a.*, b.* {from}"));
    Some(Question {
        subject: format!("unique key {} of {} under {target_name}", index.name, table.name()),
        query: format!(
            "SELECT COUNT(*) DIV 2 FROM {name} AS a {only_table} JOIN {name} AS b {only_table} ON {conditions}"
        ),
        noun: "pair",
        default: None,
        time_zone: None,
        unanswerable: key.is_none().then(|| "the table has no primary key to tell rows apart".to_owned()),
        finding: Finding {
            what: format!("of rows that become equal under {target_name} and overlap in the period {}", period.name),
            why: "ALTER TABLE ends with error 1062 (duplicate entry)".into(),
            action: "change the rows or their periods first; the query lists each pair twice".into(),
            details,
            ..finding
        },
    })
}
