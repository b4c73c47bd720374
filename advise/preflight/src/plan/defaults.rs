//! Defaults of tables and schemas.

use sql::{quote_identifier, quote_table};

use check::table_name;
use facts::Facts;
use rules::conversion::is_binary;

use super::{convert, generated, step};
use crate::job::{Job, Request, TargetCollation, binary_collation, flavour};
use crate::model::{Phase, Step};
use crate::quote::charset_name;

/// Returns steps that set the defaults of tables and schemas.
///
/// The steps are separate, because some servers rebuild the table if one ALTER changes columns and
/// defaults. If the request names columns, defaults stay.
pub(super) fn set_defaults(job: &Job<'_>, request: &Request) -> Vec<Step> {
    let Some(target) = job.targets.first() else { return Vec::new() };
    let keeps_defaults = !request.columns.is_empty();
    let to = TargetCollation::new(target, flavour(job.facts));
    let charset = charset_name(job.facts, &to.charset);
    let mut steps = Vec::new();
    for table in job.facts.tables().filter(|table| request.selects(table)) {
        let name = table_name(&table.schema, &table.name);
        let wanted = new_default(job.facts, table.collation.as_deref(), &to, request).filter(|_| !keeps_defaults);
        // The conversion may have changed the default for generated columns.
        let changes = job.tables.iter().any(|own| own.name() == name && convert::new_default(job, own).is_some());
        if let Some(collation) = wanted.or_else(|| table.collation.clone().filter(|_| changes)) {
            let sql = format!(
                "ALTER TABLE {} {}",
                quote_table(&table.schema, &table.name),
                generated::default_clause(job, &collation)
            );
            steps.push(step(Phase::Defaults, &name, sql));
        }
    }
    let selects_schema = |name: &str| !keeps_defaults && request.tables.is_empty() && request.selects_schema(name);
    for schema in job.facts.schemas.iter().filter(|schema| selects_schema(&schema.name)) {
        if let Some(collation) = new_default(job.facts, Some(&schema.collation), &to, request) {
            let name = quote_identifier(&schema.name);
            let sql = format!("ALTER DATABASE {name} CHARACTER SET {charset} COLLATE {collation}");
            steps.push(step(Phase::Defaults, &schema.name, sql));
        }
    }
    steps
}

/// Returns the new default collation. `None` if the default stays.
///
/// Unless `all_columns` is requested, `binary` and ascii defaults stay, and `_bin` defaults become
/// the `_bin` collation of the target's character set.
fn new_default(facts: &Facts, collation: Option<&str>, to: &TargetCollation, request: &Request) -> Option<String> {
    let from = collation?;
    let keeps_intended = !request.all_columns;
    if keeps_intended && (from == "binary" || from.starts_with("ascii_")) {
        return None;
    }
    let new = match keeps_intended && is_binary(from) && !is_binary(&to.name) {
        true => binary_collation(facts, from, &to.charset),
        false => to.name.clone(),
    };
    (!new.eq_ignore_ascii_case(from)).then_some(new)
}
