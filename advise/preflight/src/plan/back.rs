//! The way back: statements that restore the definitions after the plan. Pure.

use facts::{ForeignKey, Index};
use sql::{ddl, quote_identifier, quote_string, quote_table};

use super::convert::{rebuild_index, rebuilt_indexes, restore_histograms};
use super::foreign_keys::{add_foreign_key, drop_foreign_key};
use super::programs::{ChosenProgram, create_again};
use super::session::{prepare_session, switch_off_settings};
use super::{generated, step};
use crate::finding::Finding;
use crate::job::{Conversion, Job, TableJob};
use crate::limits::needs_dynamic_format;
use crate::model::{Phase, Step};
use crate::quote::charset_name;

/// Returns the steps that restore the definitions that `steps` change, in the order of a plan.
pub(super) fn build_back(
    job: &Job<'_>,
    steps: &[Step],
    keys: &[&ForeignKey],
    programs: &[ChosenProgram<'_>],
    findings: &[Finding],
) -> Vec<Step> {
    let converted: Vec<&TableJob<'_>> = job.tables.iter().filter(|table| !table.conversions.is_empty()).collect();
    let mut back = prepare_session(job, &converted);
    back.extend(switch_off_settings(job, steps, keys));
    back.extend(keys.iter().map(|key| drop_foreign_key(job, key)));
    back.extend(converted.iter().map(|table| restore_table(job, table, findings)));
    back.extend(
        steps.iter().filter(|step| step.phase == Phase::Defaults).filter_map(|step| restore_default(job, step)),
    );
    back.extend(keys.iter().flat_map(|key| add_foreign_key(job, key, findings)));
    back.extend(programs.iter().flat_map(|program| {
        let session = &program.object.session;
        let connection = session.collation_connection.as_deref().unwrap_or(&job.targets[0]);
        create_again(job, program, &program.object.create, connection)
    }));
    back.extend(converted.iter().flat_map(|table| restore_histograms(job, table)));
    back
}

fn restore_table(job: &Job<'_>, table: &TableJob<'_>, findings: &[Finding]) -> Step {
    let create = job.create_table(table);
    let default = generated::default_collation(job, table, |conversion| &conversion.from);
    let restore = |conversion: &Conversion<'_>| {
        let name = &conversion.column.name;
        let definition = ddl::find_column(create, name).unwrap_or(&conversion.column.column_type);
        let charset = charset_name(job.facts, conversion.source_charset_name());
        let restored = if conversion.column.generated.is_some() && default == Some(conversion.from.as_str()) {
            ddl::without_collation(definition)
        } else {
            ddl::with_collation(definition, &charset, &conversion.from, None)
        };
        format!("MODIFY {} {restored}", quote_identifier(name))
    };
    let mut clauses: Vec<String> = table.conversions.iter().map(restore).collect();
    clauses.extend(default.map(|collation| generated::default_clause(job, collation)));
    for index in moved_indexes(job, table, findings) {
        clauses.extend(rebuild_index(job, table, index, None));
    }
    if needs_dynamic_format(job.facts, table, 0) {
        let options = ddl::table_options(create);
        let format = options.split_whitespace().find(|option| option.starts_with("ROW_FORMAT="));
        clauses.push(format.unwrap_or("ROW_FORMAT=DEFAULT").to_owned());
    }
    // Generated values and partitions depend on the collations.
    clauses.push("ALGORITHM=COPY".into());
    let sql =
        format!("ALTER TABLE {}\n  {}", quote_table(&table.table.schema, &table.table.name), clauses.join(",\n  "));
    step(Phase::Convert, &table.name(), sql)
}

/// Returns the indexes that the plan drops and adds, and those that the definition has after them: an
/// index that is added comes after the others. In the order of the definition.
fn moved_indexes<'t>(job: &Job<'_>, table: &TableJob<'t>, findings: &[Finding]) -> Vec<&'t Index> {
    let create = job.create_table(table);
    let rebuilt: Vec<&str> =
        rebuilt_indexes(job, table, findings).into_iter().map(|(index, _)| index.name.as_str()).collect();
    // The primary key is first in any case.
    let first =
        rebuilt.iter().filter(|name| **name != "PRIMARY").filter_map(|name| ddl::index_position(create, name)).min();
    let follows = |place: Option<usize>| place.zip(first).is_some_and(|(place, first)| place > first);
    let placed = table.table.indexes.iter().map(|index| (ddl::index_position(create, &index.name), index));
    let mut moved: Vec<(Option<usize>, &Index)> =
        placed.filter(|(place, index)| rebuilt.contains(&index.name.as_str()) || follows(*place)).collect();
    moved.sort_by_key(|(place, _)| *place);
    moved.into_iter().map(|(_, index)| index).collect()
}

/// Returns the step that sets the default of a table or schema as it is now.
fn restore_default(job: &Job<'_>, forward: &Step) -> Option<Step> {
    let table = job.facts.tables().find(|table| check::table_name(&table.schema, &table.name) == forward.object);
    let (what, collation) = match table {
        Some(table) => (format!("TABLE {} DEFAULT", quote_table(&table.schema, &table.name)), table.collation.clone()?),
        None => {
            let schema = job.facts.schema(&forward.object)?;
            (format!("DATABASE {}", quote_identifier(&schema.name)), schema.collation.clone())
        }
    };
    let charset = job.facts.server.collation(&collation).map(|fact| fact.charset.clone())?;
    let sql = format!("ALTER {what} CHARACTER SET {} COLLATE {collation}", charset_name(job.facts, &charset));
    Some(step(Phase::Defaults, &forward.object, sql))
}

/// Statement that sets a session's collation.
pub(super) fn use_collation(connection: &str) -> String {
    format!("SET SESSION collation_connection = {}", quote_string(connection))
}
