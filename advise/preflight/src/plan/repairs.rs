//! Repairs of double-encoded text that keys tie together.

use std::collections::BTreeSet;

use check::ObjectKind;

use crate::finding::Finding;
use crate::job::Job;

/// A column: schema, table and name.
type ColumnName = (String, String, String);

/// Takes the repairs that a key forbids out of the findings. A foreign key or unique key needs all
/// values of its columns repaired, or none.
pub(super) fn withhold_repairs(job: &Job<'_>, findings: &mut [Finding]) {
    let mut groups = unique_columns(job);
    groups.extend(foreign_key_columns(job));
    // A column may be in several groups.
    while groups.iter().any(|group| withhold_from(job, group, findings)) {}
}

/// True if there were repairs to take out.
fn withhold_from(job: &Job<'_>, group: &TiedColumns, findings: &mut [Finding]) -> bool {
    let is_of_group = |finding: &Finding| column_of(job, finding).is_some_and(|column| group.columns.contains(&column));
    let is_refused = findings.iter().any(|finding| {
        is_double_encoding(finding)
            && finding.object.kind == ObjectKind::Index
            && finding.details.target == job.targets[0]
            && group.unique_key.as_ref() == Some(&finding.object.name)
    });
    let is_converted = |(schema, table, column): &ColumnName| job.converts(schema, table, column);
    let is_partial = findings.iter().any(|finding| is_of_group(finding) && !finding.details.in_plan);
    if !is_refused && !is_partial && group.columns.iter().all(is_converted) {
        return false;
    }
    let mut is_changed = false;
    for finding in findings.iter_mut().filter(|finding| is_of_group(finding) && !finding.details.statements.is_empty())
    {
        finding.details.statements.clear();
        finding.details.in_plan = false;
        finding.action =
            format!("repair all of them by hand: {}, and the plan can't repair all, so it repairs none", group.reason);
        is_changed = true;
    }
    is_changed
}

fn is_double_encoding(finding: &Finding) -> bool {
    finding.check == "double-encoding"
}

/// Returns the column that a finding of double-encoded text is about. `None` for other findings.
fn column_of(job: &Job<'_>, finding: &Finding) -> Option<ColumnName> {
    if !is_double_encoding(finding) || finding.object.kind != ObjectKind::Column {
        return None;
    }
    let table = job.table(&finding.details.schema, finding.details.table.as_deref()?)?;
    let conversion = table
        .conversions
        .iter()
        .find(|conversion| table.column_name(&conversion.column.name) == finding.object.name)?;
    Some((table.table.schema.clone(), table.table.name.clone(), conversion.column.name.clone()))
}

/// Text columns that are repaired all or not at all.
struct TiedColumns {
    columns: BTreeSet<ColumnName>,
    /// Name of the index as findings have it. `None` for foreign keys.
    unique_key: Option<String>,
    /// Reason for the sentence of a finding: `foreign keys tie shop.customers.code,
    /// shop.orders.code`.
    reason: String,
}

fn unique_columns(job: &Job<'_>) -> Vec<TiedColumns> {
    let mut groups = Vec::new();
    for table in &job.tables {
        for index in table.unique_indexes() {
            let converted = index.parts.iter().filter_map(|part| table.conversion(part.column.as_deref()?));
            let name = |column: &str| (table.table.schema.clone(), table.table.name.clone(), column.to_owned());
            groups.push(TiedColumns {
                columns: converted.map(|conversion| name(&conversion.column.name)).collect(),
                unique_key: Some(check::index_name(&table.table.schema, &table.table.name, &index.name)),
                reason: format!("the values are in the unique key {}", index.name),
            });
        }
    }
    groups
}

/// Returns the columns that foreign keys connect, group by group.
fn foreign_key_columns(job: &Job<'_>) -> Vec<TiedColumns> {
    let mut groups: Vec<BTreeSet<ColumnName>> = Vec::new();
    for key in job.foreign_keys() {
        for (child, parent) in key.columns.iter().zip(&key.parent_columns) {
            if !job.converts(&key.schema, &key.table, child)
                && !job.converts(&key.parent_schema, &key.parent_table, parent)
            {
                continue;
            }
            let mut joined = BTreeSet::from([
                (key.schema.clone(), key.table.clone(), child.clone()),
                (key.parent_schema.clone(), key.parent_table.clone(), parent.clone()),
            ]);
            groups.retain(|group| {
                let is_apart = group.is_disjoint(&joined);
                if !is_apart {
                    joined.extend(group.iter().cloned());
                }
                is_apart
            });
            groups.push(joined);
        }
    }
    let describe = |columns: BTreeSet<ColumnName>| {
        let names: Vec<String> =
            columns.iter().map(|(schema, table, column)| check::column_name(schema, table, column)).collect();
        TiedColumns { columns, unique_key: None, reason: format!("foreign keys tie {}", names.join(", ")) }
    };
    groups.into_iter().map(describe).collect()
}

/// Sorts repairs of key columns last, because all other repairs find their rows by the key.
pub(super) fn keys_last(job: &Job<'_>, repairs: &mut [&Finding]) {
    let is_key = |finding: &&Finding| {
        let Some((schema, table, column)) = column_of(job, finding) else { return false };
        job.table(&schema, &table).is_some_and(|table| {
            let mut parts = table.unique_indexes().flat_map(|index| &index.parts);
            parts.any(|part| part.column.as_deref() == Some(column.as_str()))
        })
    };
    repairs.sort_by_key(is_key);
}
