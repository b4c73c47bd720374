//! The collation advised for schemas, tables and columns, so that checks advise the same one.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Column, Facts, Table};
use rules::charset::{collation_charset, current_collation_name, current_name, lacks_unicode_characters};

use crate::fix::preflight_command;
use crate::input::{AuditInput, ColumnRef, JoinPlans};

/// Collations that columns should have.
///
/// Schemas that foreign keys, joins, views or programs connect form a group, which has one
/// [`target`]. Columns that joins connect form a group with one collation: see
/// [`Advice::common_collation`].
pub struct Advice<'a> {
    input: &'a AuditInput,
    /// Target by schema.
    targets: BTreeMap<&'a str, String>,
    /// Advised collation by joined column.
    joined: BTreeMap<ColumnRef, String>,
}

impl<'a> Advice<'a> {
    pub fn new(input: &'a AuditInput) -> Self {
        let mut advice = Self { input, targets: BTreeMap::new(), joined: BTreeMap::new() };
        for group in
            connect(input.facts.schemas.iter().map(|schema| schema.name.as_str()), connected_schemas(input).into_iter())
        {
            if let Some(target) = target(&input.facts, &group) {
                advice.targets.extend(group.into_iter().map(|schema| (schema, target.clone())));
            }
        }
        for group in connect(std::iter::empty(), joins(input).map(|join| (&join.left, &join.right))) {
            if let Some(collation) = advice.common_collation(&group) {
                advice.joined.extend(group.into_iter().map(|column| (column.clone(), collation.clone())));
            }
        }
        advice
    }

    /// Returns the collation that a schema and its tables should have as default. `None` if the
    /// server lacks utf8mb4.
    pub fn schema_target(&self, schema: &str) -> Option<&str> {
        self.targets.get(schema).map(String::as_str)
    }

    /// Returns the target if all schemas have the same.
    pub fn only_target(&self) -> Option<&str> {
        let first = self.targets.values().next()?;
        self.targets.values().all(|target| target == first).then_some(first)
    }

    /// Returns the collation that a joined column should have. `None` for other columns, and if a
    /// column that it is joined with isn't text.
    pub fn joined(&self, column: &ColumnRef) -> Option<&str> {
        self.joined.get(column).map(String::as_str)
    }

    /// Returns the collation that a column should have, its own if it should stay. `None` for a
    /// column without a collation, and for one to convert on a server without utf8mb4.
    ///
    /// Columns that are not joined get the schema's target. Exceptions are ascii columns, `_bin`
    /// columns of utf8mb4, utf16 and the like, and other columns of ucs2, utf16 and the like unless
    /// the table's default is utf8mb4.
    pub fn collation(&self, table: &Table, column: &Column) -> Option<String> {
        let own = column.collation.as_deref()?;
        let name = ColumnRef { schema: table.schema.clone(), table: table.name.clone(), column: column.name.clone() };
        if let Some(joined) = self.joined(&name) {
            return Some(joined.to_owned());
        }
        let charset = current_name(collation_charset(own));
        let is_meant = !is_old(charset) && (own.ends_with("_bin") || charset == "ascii");
        let is_of_default = table.collation.as_deref().is_some_and(|name| name.starts_with("utf8mb4_"));
        let moves = charset == "utf8mb4" || is_old(charset) || is_of_default;
        if is_meant || !moves { Some(own.to_owned()) } else { self.schema_target(&table.schema).map(str::to_owned) }
    }

    /// Returns the collation that all columns of a table should have, those aside that stay `_bin`
    /// or ascii. `None` if they should have several, or if no column is left.
    pub fn table_collation(&self, table: &Table) -> Option<String> {
        let advised = |column| {
            let collation = self.collation(table, column)?;
            let is_meant = collation.ends_with("_bin") || collation.starts_with("ascii_");
            (!is_meant || column.collation.as_ref() != Some(&collation)).then_some(collation)
        };
        let all: BTreeSet<String> = table.columns.iter().filter_map(advised).collect();
        if all.len() == 1 { all.into_iter().next() } else { None }
    }

    /// Writes what to convert columns to: `` `shop`.`orders` to utf8mb4_bin ``, or `a, b to
    /// utf8mb4_bin; c to utf8mb4_unicode_ci`. `None` if all of them should stay as they are.
    pub fn conversions(&self, table: &Table, columns: &[String]) -> Option<String> {
        if let Some(collation) = self.table_collation(table) {
            return Some(format!("{} to {collation}", sql::quote_table(&table.schema, &table.name)));
        }
        let mut by_collation: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for column in columns.iter().filter_map(|name| table.column(name)) {
            let collation = self.collation(table, column).unwrap_or_else(|| "utf8mb4".into());
            if !column.collation.as_deref().is_some_and(|own| is_same(own, &collation)) {
                by_collation.entry(collation).or_default().push(&column.name);
            }
        }
        let parts = by_collation.iter().map(|(collation, columns)| format!("{} to {collation}", columns.join(", ")));
        (!by_collation.is_empty()).then(|| parts.collect::<Vec<_>>().join("; "))
    }

    /// Returns the commands that convert joined columns to the collation that they should have: one
    /// for each schema and collation, with `; ` between them. `None` if all columns have it, or if
    /// a command can't name one of them.
    pub fn commands(&self, columns: &[&ColumnRef]) -> Option<String> {
        let mut together: BTreeMap<(&str, &str), Vec<&ColumnRef>> = BTreeMap::new();
        for column in self.to_convert(columns) {
            together.entry((&column.schema, self.joined(column)?)).or_default().push(column);
        }
        let command = |((schema, collation), columns): (&(&str, &str), &Vec<&ColumnRef>)| {
            if let [column] = columns.as_slice() {
                return preflight_command(self.input, schema, &[&column.table], &[&column.column], collation);
            }
            let tables: BTreeSet<&str> = columns.iter().map(|column| column.table.as_str()).collect();
            let names: Vec<String> =
                columns.iter().map(|column| format!("{}.{}", column.table, column.column)).collect();
            let tables: Vec<&str> = tables.into_iter().collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            preflight_command(self.input, schema, &tables, &names, collation)
        };
        let commands: Option<Vec<String>> = together.iter().map(command).collect();
        // A preflight with findings can end with status 1, and `&&` would stop there.
        commands.filter(|commands| !commands.is_empty()).map(|commands| commands.join("; "))
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

    /// Returns the collation for joined columns. `None` if one of them isn't text, or if the server
    /// lacks utf8mb4.
    ///
    /// It is the `_bin` collation that is the most common among the utf8mb4 ones, else the schema's
    /// target. Without utf8mb4 and old character sets, it is the most common: `ascii_general_ci`.
    fn common_collation(&self, group: &[&ColumnRef]) -> Option<String> {
        let all: Option<Vec<&str>> = group.iter().map(|column| self.own_collation(column)).collect();
        let all = all?;
        let unicode = all.iter().copied().filter(|name| name.starts_with("utf8mb4_"));
        let has_old = all.iter().any(|name| is_old(current_name(collation_charset(name))));
        let common = match crate::checks::most_common(unicode) {
            Some((common, _)) => common,
            None if has_old => return self.schema_target(&group.first()?.schema).map(str::to_owned),
            None => return crate::checks::most_common(all.into_iter()).map(|(name, _)| name.to_owned()),
        };
        match common.ends_with("_bin") {
            true => Some(common.to_owned()),
            false => self.schema_target(&group.first()?.schema).map(str::to_owned),
        }
    }
}

/// Returns the target of a group of schemas: the utf8mb4 collation that most of their columns have,
/// `_bin` aside. Of equally common ones, the one that most schemas, then most tables, have as
/// default. Without any, the server's default collation for utf8mb4.
fn target(facts: &Facts, group: &[&str]) -> Option<String> {
    let schemas = || group.iter().filter_map(|name| facts.schema(name));
    let tables = || schemas().flat_map(|schema| &schema.tables);
    let columns = tables().flat_map(|table| &table.columns).filter_map(|column| column.collation.as_deref());
    let found = columns
        .map(|name| (name, 0))
        .chain(schemas().map(|schema| (schema.collation.as_str(), 1)))
        .chain(tables().filter_map(|table| Some((table.collation.as_deref()?, 2))));
    // Number of columns, schemas and tables with each collation.
    let mut votes: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (name, kind) in found.filter(|(name, _)| name.starts_with("utf8mb4_") && !name.ends_with("_bin")) {
        votes.entry(name).or_default()[kind] += 1;
    }
    let common = votes.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name.to_owned());
    common.or_else(|| Some(facts.server.charset("utf8mb4")?.default_collation.clone()))
}

/// True for character sets whose columns are to be converted: utf8mb3, latin1, gbk and others that
/// lack Unicode characters, except ascii and ucs2.
fn is_old(charset: &str) -> bool {
    charset == "utf8mb3" || lacks_unicode_characters(charset) && !matches!(charset, "ascii" | "ucs2")
}

/// True for two names of one collation: `utf8_bin` and `utf8mb3_bin`.
pub fn is_same(one: &str, other: &str) -> bool {
    current_collation_name(one) == current_collation_name(other)
}

fn joins(input: &AuditInput) -> impl Iterator<Item = &JoinPlans> {
    input.joins.iter().chain(input.statement_plans.iter().flat_map(|plan| &plan.joins))
}

/// Returns the pairs of different schemas that a foreign key, a join, a view or a program connects.
fn connected_schemas(input: &AuditInput) -> BTreeSet<(&str, &str)> {
    let facts = &input.facts;
    if facts.schemas.len() < 2 {
        return BTreeSet::new();
    }
    let known = |name: &str| facts.schema(name).is_some();
    let keys = facts.tables().flat_map(|table| &table.foreign_keys);
    let keys = keys.map(|key| (key.schema.as_str(), key.parent_schema.as_str()));
    let joins = joins(input).map(|join| (join.left.schema.as_str(), join.right.schema.as_str()));
    let mut pairs: BTreeSet<(&str, &str)> =
        keys.chain(joins).filter(|(one, other)| one != other && known(one) && known(other)).collect();
    for schema in &facts.schemas {
        for (_, program) in crate::checks::programs(schema) {
            let used = crate::checks::find_used_schemas(facts, program);
            pairs.extend(used.into_iter().map(|other| (schema.name.as_str(), other)));
        }
    }
    pairs
}

/// Groups things that pairs connect, also by way of others. Things without a pair are groups of
/// one.
fn connect<T: Copy + Ord>(things: impl Iterator<Item = T>, pairs: impl Iterator<Item = (T, T)>) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = things.map(|thing| vec![thing]).collect();
    for (left, right) in pairs {
        let (touched, rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group: &Vec<T>| group.contains(&left) || group.contains(&right));
        let merged: BTreeSet<T> = touched.into_iter().flatten().chain([left, right]).collect();
        groups = rest;
        groups.push(merged.into_iter().collect());
    }
    groups
}
