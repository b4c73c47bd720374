//! The collation advised for a column: all checks advise the same.

use std::collections::BTreeMap;

use facts::{Column, Table};
use rules::charset::{collation_charset, current_collation_name, current_name, lacks_unicode_characters};

use crate::fix::preflight_command;
use crate::input::{AuditInput, ColumnRef};

/// Collations that columns should have.
///
/// Columns that are joined, also by way of others, get one collation: the most common of utf8mb4
/// among them. Other columns of old character sets get the utf8mb4 collation of their table, schema
/// or server.
pub struct Advice<'a> {
    input: &'a AuditInput,
    /// Collations of joined columns.
    joined: BTreeMap<ColumnRef, String>,
}

impl<'a> Advice<'a> {
    pub fn new(input: &'a AuditInput) -> Self {
        let mut advice = Self { input, joined: BTreeMap::new() };
        for group in groups(input) {
            if let Some(collation) = advice.common_collation(&group) {
                advice.joined.extend(group.into_iter().map(|column| (column, collation.clone())));
            }
        }
        advice
    }

    /// Returns the collation that joined columns should have. `None` for other columns.
    pub fn joined(&self, column: &ColumnRef) -> Option<&str> {
        self.joined.get(column).map(String::as_str)
    }

    /// Returns the collation that a column should have, its own if it should stay. `None` for a
    /// column without a collation, or if the server lacks utf8mb4.
    pub fn collation(&self, table: &Table, column: &Column) -> Option<String> {
        let own = column.collation.as_deref()?;
        let name = ColumnRef { schema: table.schema.clone(), table: table.name.clone(), column: column.name.clone() };
        if let Some(joined) = self.joined(&name) {
            return Some(joined.to_owned());
        }
        let charset = current_name(collation_charset(own)).to_owned();
        let default = table.collation.as_deref().unwrap_or_default();
        if is_old(&charset) {
            return self.unicode_collation(table);
        }
        let stays = own.ends_with("_bin") || charset == "ascii" || !default.starts_with("utf8mb4_");
        Some(if stays { own.to_owned() } else { default.to_owned() })
    }

    /// Returns the collation that all columns of a table should have. `None` if they should have
    /// several. Columns that stay `_bin` or ascii are left out.
    pub fn table_collation(&self, table: &Table) -> Option<String> {
        let mut all: Vec<String> = table.columns.iter().filter_map(|column| self.collation(table, column)).collect();
        all.retain(|name| !name.ends_with("_bin") && !name.starts_with("ascii_"));
        all.dedup();
        match all.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// Writes what to convert columns to: `` `shop`.`orders` to utf8mb4_bin ``, or `a, b to
    /// utf8mb4_bin; c to utf8mb4_unicode_ci`.
    pub fn conversions(&self, table: &Table, columns: &[String]) -> String {
        if let Some(collation) = self.table_collation(table) {
            return format!("{} to {collation}", sql::quote_table(&table.schema, &table.name));
        }
        let mut by_collation: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for column in columns.iter().filter_map(|name| table.column(name)) {
            let collation = self.collation(table, column).unwrap_or_else(|| "utf8mb4".into());
            by_collation.entry(collation).or_default().push(&column.name);
        }
        let parts = by_collation.iter().map(|(collation, columns)| format!("{} to {collation}", columns.join(", ")));
        parts.collect::<Vec<_>>().join("; ")
    }

    /// Returns the commands that convert those of the columns that have another collation.
    pub fn commands(&self, columns: &[&ColumnRef]) -> Option<String> {
        let command = |column: &&ColumnRef| {
            preflight_command(&column.schema, Some(&column.table), Some(&column.column), self.joined(column)?)
        };
        let commands: Option<Vec<String>> = self.to_convert(columns).iter().map(command).collect();
        commands.filter(|commands| !commands.is_empty()).map(|commands| commands.join(" && "))
    }

    /// Returns those of joined columns that have another collation than they should.
    pub fn to_convert<'c>(&self, columns: &[&'c ColumnRef]) -> Vec<&'c ColumnRef> {
        let differs = |column: &&ColumnRef| {
            let own = self.own_collation(column);
            self.joined(column).is_some_and(|joined| own.is_none_or(|own| !is_same(own, joined)))
        };
        columns.iter().copied().filter(differs).collect()
    }

    fn own_collation(&self, column: &ColumnRef) -> Option<&'a str> {
        let table = self.input.facts.table(&column.schema, &column.table)?;
        table.column(&column.column)?.collation.as_deref()
    }

    /// Returns the collation for joined columns. `None` if one of them holds bytes.
    fn common_collation(&self, group: &[ColumnRef]) -> Option<String> {
        let all: Option<Vec<&str>> = group.iter().map(|column| self.own_collation(column)).collect();
        let all = all?;
        let unicode: Vec<&str> = all.iter().copied().filter(|name| name.starts_with("utf8mb4_")).collect();
        let has_old = all.iter().any(|name| is_old(current_name(collation_charset(name))));
        if unicode.is_empty() && has_old {
            let first = group.first()?;
            return self.unicode_collation(self.input.facts.table(&first.schema, &first.table)?);
        }
        let candidates = if unicode.is_empty() { &all } else { &unicode };
        crate::checks::most_common(candidates.iter().copied()).map(|(name, _)| name.to_owned())
    }

    /// Returns the utf8mb4 collation that a table's new columns get, or else its schema's tables,
    /// or the server's.
    fn unicode_collation(&self, table: &Table) -> Option<String> {
        let facts = &self.input.facts;
        let schema = facts.schema(&table.schema).map(|schema| schema.collation.as_str());
        let own = [table.collation.as_deref(), schema].into_iter().flatten();
        own.chain(facts.server.charset("utf8mb4").map(|charset| charset.default_collation.as_str()))
            .find(|name| name.starts_with("utf8mb4_") && !name.ends_with("_bin"))
            .map(str::to_owned)
    }
}

/// True for character sets of before utf8mb4 whose columns are to be converted.
fn is_old(charset: &str) -> bool {
    charset == "utf8mb3" || lacks_unicode_characters(charset) && !matches!(charset, "ascii" | "ucs2")
}

fn is_same(one: &str, other: &str) -> bool {
    current_collation_name(one) == current_collation_name(other)
}

/// Groups the columns that are joined, also by way of others.
fn groups(input: &AuditInput) -> Vec<Vec<ColumnRef>> {
    let mut groups: Vec<Vec<ColumnRef>> = Vec::new();
    let of_statements = input.statement_plans.iter().flat_map(|plan| &plan.joins);
    for join in input.joins.iter().chain(of_statements) {
        let mut merged = vec![join.left.clone(), join.right.clone()];
        let (touched, rest): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group: &Vec<ColumnRef>| group.contains(&join.left) || group.contains(&join.right));
        merged.extend(touched.into_iter().flatten());
        merged.sort();
        merged.dedup();
        groups = rest;
        groups.push(merged);
    }
    groups
}
