//! Queries that verify the result.

use std::collections::BTreeMap;

use facts::ForeignKey;
use sql::{quote_identifier, quote_string, quote_table};

use crate::job::{Job, TableJob};

/// Returns queries that return no row after a successful conversion, except for children that had
/// no parent before.
pub(super) fn verification_queries(job: &Job<'_>, converted: &[&TableJob<'_>]) -> Vec<String> {
    let mut by_collation: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for of in converted {
        for conversion in &of.conversions {
            let names = [&of.table.schema, &of.table.name, &conversion.column.name].map(|name| quote_string(name));
            by_collation.entry(&conversion.planned_target().name).or_default().push(format!("({})", names.join(", ")));
        }
    }
    let columns = by_collation.into_iter().map(|(collation, columns)| {
        format!(
            "SELECT table_schema, table_name, column_name, collation_name FROM information_schema.columns\nWHERE collation_name <> {} AND (table_schema, table_name, column_name) IN (\n  {})",
            quote_string(collation),
            columns.join(",\n  ")
        )
    });
    let mut queries: Vec<String> = columns.collect();
    let orphan = |key: &ForeignKey| {
        let joined = |left: &str, right: &str| {
            let pairs = key.columns.iter().zip(&key.parent_columns);
            pairs
                .map(|(column, parent)| {
                    format!("{left}.{} = {right}.{}", quote_identifier(column), quote_identifier(parent))
                })
                .collect::<Vec<_>>()
                .join(" AND ")
        };
        let not_null = key
            .columns
            .iter()
            .map(|column| format!("c.{} IS NOT NULL", quote_identifier(column)))
            .collect::<Vec<_>>()
            .join(" AND ");
        format!(
            "SELECT c.* FROM {} c LEFT JOIN {} p ON {} WHERE {not_null} AND p.{} IS NULL",
            quote_table(&key.schema, &key.table),
            quote_table(&key.parent_schema, &key.parent_table),
            joined("c", "p"),
            quote_identifier(&key.parent_columns[0]),
        )
    };
    queries.extend(job.foreign_keys().map(orphan));
    queries
}
