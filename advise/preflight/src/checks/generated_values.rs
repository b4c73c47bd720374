//! Generated values that a copy of the table computes differently.

use facts::{Column, Table};

use super::question::Question;
use super::{Check, CheckFunction};
use crate::expression::{dependent_columns, find_unprintable, generated_expression};
use crate::finding::{Finding, column_finding, index_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "generated-values",
    title: "stored generated values that differ from their expression, which a copy computes anew",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "An ALTER that copies a table computes its generated columns anew, under the settings of the session that runs it: DATE(ts) of a \
              TIMESTAMP by its time_zone, DAYNAME(d) by its lc_time_names, a division by its div_precision_increment. Where the rows were \
              written under other settings, stored values change without an error. The server compares each stored value with its \
              expression, in its own time zone, in which the plan runs, too. Where that takes longer than the time limit of a statement, \
              the column is listed as not checked, with the query.",
    run: CheckFunction::Questions(questions),
};

pub static ZONE: Check = Check {
    name: "zone-index",
    title: "indexes of generated columns or expressions of a TIMESTAMP, which a copy builds in the session's time zone",
    reads: &[Reading::Schemas],
    doc: "HOUR(ts) of a TIMESTAMP depends on the time zone of the session. An index holds what it was when the row was written; a copy of \
              the table builds the index anew in the time zone of the plan. Queries that used the index in another time zone then find \
              other rows.",
    run: CheckFunction::Facts(find_zone_indexes),
};

/// Returns the time zone in which the plan runs: the one that sessions of the server begin with.
pub fn plan_time_zone<'j>(job: &'j Job<'_>) -> &'j str {
    job.facts.server.variable("time_zone").unwrap_or("SYSTEM")
}

/// True if the time zone of the session that copies a table may decide on stored values or on the
/// entries of an index.
pub fn depends_on_time_zone(table: &Table) -> bool {
    let dependent = zone_columns(table);
    let is_stored = |column: &&Column| {
        dependent.contains(&column.name.as_str()) && column.generated.as_ref().is_some_and(|generated| generated.stored)
    };
    table.columns.iter().any(|column| is_stored(&column)) || zone_indexes(table).next().is_some()
}

/// Returns the generated columns that are computed from a TIMESTAMP. Their value may depend on the
/// session's time zone.
fn zone_columns(table: &Table) -> Vec<&str> {
    dependent_columns(table, timestamps(table))
}

fn timestamps(table: &Table) -> Vec<&str> {
    let is_timestamp = |column: &&Column| column.data_type == "timestamp";
    table.columns.iter().filter(is_timestamp).map(|column| column.name.as_str()).collect()
}

/// Returns the indexes of virtual columns that are computed from a TIMESTAMP, and of expressions
/// with such a column or a TIMESTAMP.
fn zone_indexes(table: &Table) -> impl Iterator<Item = &facts::Index> {
    let (dependent, timestamps) = (zone_columns(table), timestamps(table));
    table.indexes.iter().filter(move |index| {
        index.parts.iter().any(|part| match (&part.column, &part.expression) {
            (Some(name), _) => {
                let generated = table.column(name).and_then(|column| column.generated.as_ref());
                dependent.contains(&name.as_str()) && generated.is_some_and(|generated| !generated.stored)
            }
            (None, Some(expression)) => {
                let mut names = timestamps.iter().chain(&dependent);
                names.any(|name| crate::expression::mentions_column(expression, name))
            }
            (None, None) => false,
        })
    })
}

fn find_zone_indexes(job: &Job<'_>) -> Vec<Finding> {
    let converted = job.tables.iter().filter(|table| !table.conversions.is_empty());
    converted
        .flat_map(|table| zone_indexes(table.table).map(move |index| zone_finding(job, table, &index.name)))
        .collect()
}

fn zone_finding(job: &Job<'_>, table: &TableJob<'_>, index: &str) -> Finding {
    let mut finding = index_finding(&ZONE, Severity::Warning, table, index, &job.targets[0]);
    finding.details.count = 1;
    finding.what = format!("a copy of the table builds it anew in the time zone {}", plan_time_zone(job));
    finding.why = "it depends on a TIMESTAMP, and so on the time_zone of the session that writes".into();
    finding.action = "set the plan's time_zone to the one in which the application writes and reads".into();
    finding
}

fn questions(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Question> {
    table.table.columns.iter().filter_map(|column| question(job, table, column)).collect()
}

/// `None` for columns that aren't stored and generated, for types whose values a query can't
/// compute exactly as the server stores them, and if the server can't print the expression.
fn question(job: &Job<'_>, table: &TableJob<'_>, column: &Column) -> Option<Question> {
    let is_period = |expression: &str| matches!(expression.to_uppercase().as_str(), "ROW START" | "ROW END");
    let is_computed = |generated: &&facts::Generated| generated.stored && !is_period(&generated.expression);
    column.generated.as_ref().filter(is_computed)?;
    let expression = generated_expression(job, table, column)?;
    // The check `lost-character-rows` asks about those of converted columns.
    if find_unprintable(job, &expression).is_some() {
        return None;
    }
    let name = sql::quote_identifier(&column.name);
    let (stored, computed) = comparable_values(column, &name, &expression)?;
    let from = format!(
        "FROM {} {} WHERE NOT ({stored} <=> {computed})",
        sql::quote_table(&table.table.schema, &table.table.name),
        sql::BASE_TABLE_ONLY
    );
    let time_zone = plan_time_zone(job);
    let finding = column_finding(&CHECK, Severity::Warning, table, &column.name, &job.targets[0]);
    let mut details = finding.details.clone();
    details.statements.push(format!("SELECT *, {computed} {from}"));
    Some(Question {
        subject: format!("stored values of {} against their expression", table.column_name(&column.name)),
        query: format!("SELECT COUNT(*) {from}"),
        noun: "stored value",
        default: None,
        time_zone: Some(time_zone.to_owned()),
        unanswerable: None,
        finding: Finding {
            what: "unlike what the expression gives now: a copy of the table changes it".into(),
            why: format!(
                "an ALTER that copies computes generated columns anew, under the settings of its session; compared with time_zone = {time_zone}"
            ),
            action: "set the plan's time_zone (and lc_time_names, div_precision_increment) to those under which the rows were written, or \
                     take the new values on purpose"
                .into(),
            details,
            ..finding
        },
    })
}

/// Returns the stored value and the computed one in the form in which they are equal if nothing
/// changed. `None` for types without such a form, such as FLOAT and JSON.
pub fn comparable_values(column: &Column, name: &str, expression: &str) -> Option<(String, String)> {
    let cast = |to: String| (name.to_owned(), format!("CAST({expression} AS {to})"));
    let fraction = column.precision.unwrap_or(0);
    Some(match column.data_type.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => {
            (name.to_owned(), format!("ROUND({expression})"))
        }
        "decimal" => cast(format!("DECIMAL({}, {})", column.precision?, column.scale.unwrap_or(0))),
        "date" => cast("DATE".into()),
        "datetime" | "timestamp" => cast(format!("DATETIME({fraction})")),
        "time" => cast(format!("TIME({fraction})")),
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
            let charset = column.charset.as_deref()?;
            let bytes = |value: &str| format!("CAST(CONVERT({value} USING {charset}) AS BINARY)");
            match column.data_type.as_str() {
                "char" => (bytes(name), bytes(&format!("TRIM(TRAILING ' ' FROM {expression})"))),
                _ => (bytes(name), bytes(expression)),
            }
        }
        "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => cast("BINARY".into()),
        _ => return None,
    })
}
