//! Queries that verify the result.

use std::collections::BTreeMap;

use facts::ForeignKey;
use mysql_collation::Flavour;
use sql::{quote_identifier, quote_string, quote_table};

use crate::job::{Job, TableJob, flavour};

/// Returns queries that return no row after a successful conversion, except for children that had
/// no parent before.
pub(super) fn verification_queries(job: &Job<'_>, converted: &[&TableJob<'_>]) -> Vec<String> {
    let mut queries = match flavour(job.facts) {
        Flavour::MySql => column_queries(converted),
        Flavour::MariaDb => converted.iter().map(|table| column_query(table)).collect(),
    };
    queries.extend(job.foreign_keys().map(orphan_query));
    queries
}

/// Returns a query of the columns of one table that have another collation than planned. MariaDB
/// opens this table only: for conditions other than `=` on both names, it would open every view of
/// the server, and run functions in them.
fn column_query(of: &TableJob<'_>) -> String {
    let mut by_collation: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for conversion in &of.conversions {
        let columns = by_collation.entry(&conversion.planned_target().name).or_default();
        columns.push(quote_string(&conversion.column.name));
    }
    let differs = |(collation, columns): (&str, Vec<String>)| {
        format!("column_name IN ({}) AND collation_name <> {}", columns.join(", "), quote_string(collation))
    };
    format!(
        "SELECT table_schema, table_name, column_name, collation_name FROM information_schema.columns\nWHERE table_schema = {} AND table_name = {} AND ({})",
        quote_string(&of.table.schema),
        quote_string(&of.table.name),
        by_collation.into_iter().map(differs).collect::<Vec<_>>().join("\n  OR ")
    )
}

/// Returns a query for each planned collation, of the columns that have another one.
fn column_queries(converted: &[&TableJob<'_>]) -> Vec<String> {
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
    columns.collect()
}

/// Returns a query of the children without a parent.
fn orphan_query(key: &ForeignKey) -> String {
    let pairs = key.columns.iter().zip(&key.parent_columns);
    let joined: Vec<String> = pairs
        .map(|(column, parent)| format!("c.{} = p.{}", quote_identifier(column), quote_identifier(parent)))
        .collect();
    let not_null: Vec<String> =
        key.columns.iter().map(|column| format!("c.{} IS NOT NULL", quote_identifier(column))).collect();
    format!(
        "SELECT c.* FROM {} c LEFT JOIN {} p ON {} WHERE {} AND p.{} IS NULL",
        quote_table(&key.schema, &key.table),
        quote_table(&key.parent_schema, &key.parent_table),
        joined.join(" AND "),
        not_null.join(" AND "),
        quote_identifier(&key.parent_columns[0]),
    )
}
