//! The ALTER that converts a table's columns.

use facts::Index;
use mysql_collation::Flavour;
use server::Version;
use sql::{ddl, quote_identifier, quote_table};

use super::{generated, step};
use crate::checks::{converted_partition_columns, find_server_fault};
use crate::expression::{self, mentions_column};
use crate::finding::Finding;
use crate::job::{Conversion, Job, TableJob, flavour};
use crate::limits::{needs_dynamic_format, shortened_prefixes};
use crate::model::{Phase, Step};
use crate::quote::charset_name;

pub(super) fn convert_table(job: &Job<'_>, table: &TableJob<'_>, findings: &[Finding]) -> Step {
    let clauses = convert_clauses(job, table, findings).join(",\n  ");
    let sql = format!("ALTER TABLE {}\n  {clauses}", quote_table(&table.table.schema, &table.table.name));
    let mut step = step(Phase::Convert, &table.name(), sql);
    step.note = copy_reason(job, table);
    step
}

/// Returns the reason to copy a table instead of converting it in place.
fn copy_reason(job: &Job<'_>, table: &TableJob<'_>) -> Option<String> {
    let columns = converted_partition_columns(table);
    if !columns.is_empty() {
        return Some(format!("copied, so that rows move to their new partitions ({})", columns.join(", ")));
    }
    let generated = dependent_columns(table);
    if !generated.is_empty() {
        return Some(format!("copied, so that generated columns are computed anew ({})", generated.join(", ")));
    }
    find_server_fault(job, table).map(|fault| format!("copied because of {}", fault.name))
}

/// Returns the generated columns whose expression names a converted column, or another such
/// generated column.
///
/// An ALTER in place leaves their stored values and index entries as they are: seen on MySQL 9.7,
/// MariaDB 10.11 and 11.8.
pub fn dependent_columns<'t>(table: &'t TableJob<'_>) -> Vec<&'t str> {
    let changed = table.conversions.iter().map(|conversion| conversion.column.name.as_str()).collect();
    expression::dependent_columns(table.table, changed)
}

pub(super) fn convert_clauses(job: &Job<'_>, table: &TableJob<'_>, findings: &[Finding]) -> Vec<String> {
    let mut clauses: Vec<String> =
        table.conversions.iter().map(|conversion| modify_column(job, table, conversion, findings)).collect();
    clauses.extend(new_default(job, table).map(|collation| generated::default_clause(job, collation)));
    for (index, prefixes) in rebuilt_indexes(job, table, findings) {
        clauses.extend(rebuild_index(job, table, index, prefixes));
    }
    if needs_dynamic_format(job.facts, table, 0) {
        clauses.push("ROW_FORMAT=DYNAMIC".into());
    }
    if copy_reason(job, table).is_some() {
        clauses.push("ALGORITHM=COPY".into());
    }
    clauses
}

/// Returns the default that the conversion gives the table for the sake of its generated columns.
pub(super) fn new_default<'t>(job: &Job<'_>, table: &'t TableJob<'_>) -> Option<&'t str> {
    generated::default_collation(job, table, |conversion| &conversion.planned_target().name)
}

/// Returns the indexes that the ALTER drops and adds, with their new prefixes.
pub(super) fn rebuilt_indexes<'t>(
    job: &Job<'_>,
    table: &TableJob<'t>,
    findings: &[Finding],
) -> Vec<(&'t Index, Option<Vec<Option<u64>>>)> {
    let new_type =
        |name: &str| table.conversion(name).and_then(|conversion| new_type(table, conversion, findings)).is_some();
    let rebuilt = |index: &'t Index| {
        let prefixes =
            if table.converts_part_of(index) { shortened_prefixes(job.facts, table, index, 0) } else { None };
        // A column gets another type, and the index has no prefix for it.
        let gets_other_type =
            index.parts.iter().any(|part| part.prefix.is_none() && part.column.as_deref().is_some_and(new_type));
        let is_rebuilt = prefixes.is_some()
            || gets_other_type
            || has_dependent_part(table, index)
            || may_be_implicit(job, table, index);
        is_rebuilt.then_some((index, prefixes))
    };
    table.table.indexes.iter().filter_map(rebuilt).collect()
}

/// True if an index has an expression that names a converted column. MySQL 9.7 keeps the old
/// collation in such an index: it is no longer used, and a unique one lets duplicates in.
fn has_dependent_part(table: &TableJob<'_>, index: &Index) -> bool {
    let is_dependent = |expression: &String| {
        table.conversions.iter().any(|conversion| mentions_column(expression, &conversion.column.name))
    };
    index.parts.iter().filter_map(|part| part.expression.as_ref()).any(is_dependent)
}

/// True if the server may have made an index for a foreign key that the plan drops. It then
/// replaces the index, under another name, when the key is added again (MySQL 5.6, 9.7, MariaDB
/// 10.11, 11.8). An index that the ALTER itself adds stays, so the plan rebuilds it. A definition
/// doesn't show whether the server or a user made an index.
fn may_be_implicit(job: &Job<'_>, table: &TableJob<'_>, index: &Index) -> bool {
    let columns: Vec<&String> = index.parts.iter().filter_map(|part| part.column.as_ref()).collect();
    let is_plain = !index.unique && index.parts.iter().all(|part| part.prefix.is_none() && !part.descending);
    let is_of_table = |key: &&facts::ForeignKey| key.schema == table.table.schema && key.table == table.table.name;
    is_plain
        && columns.len() == index.parts.len()
        && job.foreign_keys().filter(is_of_table).any(|key| key.columns.iter().eq(columns.iter().copied()))
}

fn new_type(table: &TableJob<'_>, conversion: &Conversion<'_>, findings: &[Finding]) -> Option<String> {
    let object = table.column_name(&conversion.column.name);
    let is_about_column = |finding: &&Finding| {
        finding.object.name == object && finding.details.target == conversion.planned_target().name
    };
    findings.iter().filter(is_about_column).find_map(|finding| finding.details.new_type.clone())
}

fn modify_column(job: &Job<'_>, table: &TableJob<'_>, conversion: &Conversion<'_>, findings: &[Finding]) -> String {
    let to = conversion.planned_target();
    let name = &conversion.column.name;
    let create = job.create_table(table);
    let definition = ddl::find_column(create, name).unwrap_or(&conversion.column.column_type);
    let charset = charset_name(job.facts, &to.charset);
    let new_type = new_type(table, conversion, findings);
    let modified = if conversion.column.generated.is_some() && new_default(job, table) == Some(to.name.as_str()) {
        ddl::without_collation(definition)
    } else {
        ddl::with_collation(definition, &charset, &to.name, new_type.as_deref())
    };
    let becomes_text = new_type.is_some() && !conversion.column.data_type.ends_with("text");
    format!(
        "MODIFY {} {}",
        quote_identifier(name),
        if becomes_text { with_text_default(job, &modified) } else { modified }
    )
}

/// Adapts a literal default to a TEXT column: error 1101 otherwise. MySQL takes an expression from
/// 8.0.13 on, MariaDB a literal from 10.2.1 on. For older versions the default is dropped.
fn with_text_default(job: &Job<'_>, definition: &str) -> String {
    let version = job.facts.server.version_number();
    let takes_literals = flavour(job.facts) == Flavour::MariaDb && version >= Version::new(10, 2, 1);
    let Some((head, literal, tail)) = ddl::split_default(definition).filter(|_| !takes_literals) else {
        return definition.to_owned();
    };
    if !literal.starts_with('\'') {
        return definition.to_owned();
    }
    match flavour(job.facts) == Flavour::MySql && version >= Version::new(8, 0, 13) {
        true => format!("{head}DEFAULT ({literal}){tail}"),
        false => format!("{}{tail}", head.trim_end()),
    }
}

/// Returns the clauses that drop an index and add it with new prefixes. `None` keeps the prefixes.
/// The rest is taken from the table's definition; without one, its comment, parser and visibility
/// are lost.
pub(super) fn rebuild_index(
    job: &Job<'_>,
    table: &TableJob<'_>,
    index: &Index,
    prefixes: Option<Vec<Option<u64>>>,
) -> Vec<String> {
    let part = |(at, part): (usize, &facts::IndexPart)| {
        let prefix = prefixes.as_ref().map_or(part.prefix, |prefixes| prefixes[at]);
        let length = prefix.map_or(String::new(), |prefix| format!("({prefix})"));
        let order = if part.descending { " DESC" } else { "" };
        match (&part.column, &part.expression) {
            (Some(column), _) => format!("{}{length}{order}", quote_identifier(column)),
            (None, expression) => format!("({}){order}", expression.as_deref().unwrap_or_default()),
        }
    };
    let parts = index.parts.iter().enumerate().map(part).collect::<Vec<_>>().join(", ");
    let drop = match index.name.as_str() {
        "PRIMARY" => "DROP PRIMARY KEY".to_owned(),
        name => format!("DROP INDEX {}", quote_identifier(name)),
    };
    let add = match ddl::find_index(job.create_table(table), &index.name) {
        // The definition's own text has expressions as the server takes them.
        Some((head, own_parts, tail)) => {
            let parts = if prefixes.is_some() { &parts } else { own_parts };
            format!("ADD {head} ({parts}){tail}")
        }
        None if index.name == "PRIMARY" => format!("ADD PRIMARY KEY ({parts})"),
        None => {
            let kind = if index.unique { "UNIQUE INDEX" } else { "INDEX" };
            format!("ADD {kind} {} ({parts})", quote_identifier(&index.name))
        }
    };
    vec![drop, add]
}

/// Returns steps that collect the histograms of converted columns again: a conversion drops them.
pub(super) fn restore_histograms(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Step> {
    let Some(object) = job.table_object(table) else { return Vec::new() };
    let name = quote_table(&table.table.schema, &table.table.name);
    let restore = |conversion: &Conversion<'_>| {
        let column = quote_identifier(&conversion.column.name);
        let options = object.parts.get(&format!("histogram of {column}"));
        options.map_or(Vec::new(), |options| rehearsal::histogram_statements(&name, &column, options))
    };
    let statements = table.conversions.iter().flat_map(restore);
    statements.map(|sql| step(Phase::Statistics, &table.name(), sql)).collect()
}
