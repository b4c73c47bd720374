//! Resolves the request to columns, their collations and their target collations. Pure.

use std::collections::BTreeMap;

use facts::{Column, Facts, ForeignKey, Index, IndexKind, Table, TextType};
use mysql_collation::{Charset, Collation, Flavour};
use rehearsal::{Definitions, Kind, Object};
use rules::conversion::{self, is_no_pad};
use sql::{SqlMode, Token, ddl};

use crate::Error;
use crate::model::ColumnChange;

/// Columns to convert and their target collations.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Target collations. The plan is for the first.
    pub targets: Vec<String>,
    /// Schemas to convert. Empty: all. Others may be among the facts, because foreign keys tie
    /// their tables to these.
    pub schemas: Vec<String>,
    /// Tables to convert, as `table` or `schema.table`. Empty: all.
    pub tables: Vec<String>,
    /// Columns to convert, as `column`, `table.column` or `schema.table.column`. Empty: all.
    pub columns: Vec<String>,
    /// Convert columns that would be kept (`ascii`, `binary`), too, and give `_bin` columns the
    /// target itself instead of the `_bin` collation of its character set. Naming `columns` has the
    /// same effect.
    pub all_columns: bool,
    /// Maximum number of groups, examples and repairs of a finding about rows.
    pub examples: usize,
    /// Write the statements that lead back, too.
    pub plan_back: bool,
}

impl Request {
    /// True if `schemas` and `tables` include the table. `columns` is ignored.
    pub fn selects(&self, table: &Table) -> bool {
        self.selects_table(&table.schema, &table.name)
    }

    /// As [`Self::selects`], for a table of this name.
    pub fn selects_table(&self, schema: &str, name: &str) -> bool {
        self.selects_schema(schema) && is_named(&self.tables, &[schema, name])
    }

    /// Returns the table's text columns that the request includes.
    fn text_columns<'t>(&self, table: &'t Table) -> impl Iterator<Item = &'t Column> {
        let is_requested = |column: &&Column| is_named(&self.columns, &[&table.schema, &table.name, &column.name]);
        table.columns.iter().filter(|column| column.text_type().is_some()).filter(is_requested)
    }

    /// Checks that every schema, table and column that the request names exists.
    ///
    /// # Errors
    ///
    /// Names the first one that doesn't, and the most similar name.
    pub fn check_names(&self, facts: &Facts) -> Result<(), Error> {
        let unknown = |kind: &str, given: &str, names: Vec<&str>| {
            let suggestion = message::suggest_name(given.rsplit('.').next().unwrap_or(given), names);
            Err(Error::Request(format!("{} has no {kind} {given}{suggestion}", facts.server.label)))
        };
        for schema in &self.schemas {
            if facts.schema(schema).is_none() {
                return unknown("schema", schema, facts.schemas.iter().map(|schema| schema.name.as_str()).collect());
            }
        }
        let in_schemas = || facts.tables().filter(|table| self.selects_schema(&table.schema));
        for pattern in &self.tables {
            let named = |table: &Table| is_named(std::slice::from_ref(pattern), &[&table.schema, &table.name]);
            if !in_schemas().any(named) {
                return unknown("table", pattern, in_schemas().map(|table| table.name.as_str()).collect());
            }
        }
        for pattern in &self.columns {
            let named = |(table, column): (&Table, &Column)| {
                is_named(std::slice::from_ref(pattern), &[&table.schema, &table.name, &column.name])
            };
            let columns = || {
                in_schemas()
                    .filter(|table| self.selects(table))
                    .flat_map(|table| table.columns.iter().map(move |column| (table, column)))
            };
            if !columns().any(named) {
                return unknown("column", pattern, columns().map(|(_, column)| column.name.as_str()).collect());
            }
        }
        Ok(())
    }

    pub fn selects_schema(&self, name: &str) -> bool {
        self.schemas.is_empty() || self.schemas.iter().any(|schema| schema == name)
    }

    /// True if the request names tables or columns instead of whole schemas.
    pub fn names_tables(&self) -> bool {
        !self.tables.is_empty() || !self.columns.is_empty()
    }
}

/// The tables and columns of a request.
pub struct Job<'f> {
    pub facts: &'f Facts,
    /// `CREATE` statements of the objects, as the server or the dump prints them.
    pub definitions: &'f Definitions,
    /// Requested target collations.
    pub targets: Vec<String>,
    /// Requested tables with at least one column that is converted or kept for a reason.
    pub tables: Vec<TableJob<'f>>,
    /// Number of text columns that the request includes, converted or not.
    pub columns: u64,
    /// Maximum number of groups, examples and repairs of a finding about rows.
    pub examples: usize,
    pub request: Request,
}

/// A table's columns: those to convert, and those to keep.
pub struct TableJob<'f> {
    pub table: &'f Table,
    pub conversions: Vec<Conversion<'f>>,
    /// Text columns that keep their collation, with the reason.
    pub kept: Vec<ColumnChange>,
    /// Name of the column that says when a row ceased to be current, in a table WITH SYSTEM
    /// VERSIONING (MariaDB). `None` for other tables.
    pub row_end: Option<String>,
}

#[derive(Clone)]
pub struct Conversion<'f> {
    pub column: &'f Column,
    /// Name of the column's collation.
    pub from: String,
    /// Character set of the column. `None` if `mysql-collation` lacks it; then the server converts
    /// values to utf8mb4 when they are read.
    pub source_charset: Option<Charset>,
    /// Collation of the column. `None` if `mysql-collation` lacks it.
    pub source_collation: Option<Collation>,
    /// Target collation of the column for each requested target.
    pub targets: Vec<TargetCollation>,
    /// Reason for the target of a column that stays `_bin`. `None` for other columns.
    pub reason: Option<String>,
}

/// Collation that a column is converted to.
#[derive(Clone, Debug)]
pub struct TargetCollation {
    pub name: String,
    /// Name of the character set.
    pub charset: String,
    /// `None` if `mysql-collation` lacks the collation.
    pub collation: Option<Collation>,
}

impl TargetCollation {
    pub fn new(name: &str, flavour: Flavour) -> Self {
        let charset = name.split('_').next().unwrap_or(name);
        let charset = if charset.eq_ignore_ascii_case("uca1400") { "utf8mb4" } else { charset };
        Self {
            name: name.to_owned(),
            charset: charset.to_lowercase(),
            collation: Collation::lookup(flavour, name).ok(),
        }
    }

    /// `None` if `mysql-collation` lacks the character set.
    pub fn charset(&self) -> Option<Charset> {
        Charset::by_name(&self.charset)
    }

    /// Maximum bytes per character; 4 if the server lacks the character set.
    pub fn max_bytes(&self, facts: &Facts) -> u64 {
        facts.server.charset(&self.charset).map_or(4, |charset| u64::from(charset.max_bytes))
    }
}

pub fn flavour(facts: &Facts) -> Flavour {
    check::collation_flavour(facts.server.flavour)
}

impl Conversion<'_> {
    /// Character set of the values that are read: the column's, or utf8mb4 if the server converts.
    pub fn read_charset(&self) -> Charset {
        self.source_charset.unwrap_or(Charset::Utf8mb4)
    }

    pub fn source_charset_name(&self) -> &str {
        self.column.charset.as_deref().unwrap_or_default()
    }

    /// Target collation that the plan uses: the first.
    pub fn planned_target(&self) -> &TargetCollation {
        &self.targets[0]
    }

    pub fn column_change(&self) -> ColumnChange {
        ColumnChange {
            column: self.column.name.clone(),
            from: self.from.clone(),
            to: self.planned_target().name.clone(),
            reason: self.reason.clone(),
        }
    }
}

impl<'f> Job<'f> {
    pub fn new(facts: &'f Facts, definitions: &'f Definitions, request: &Request) -> Self {
        let requested: Vec<&Table> = facts.tables().filter(|table| request.selects(table)).collect();
        let columns = requested.iter().map(|table| request.text_columns(table).count() as u64).sum();
        let tables = requested
            .into_iter()
            .map(|table| TableJob::new(facts, definitions, table, request))
            .filter(|job| !job.conversions.is_empty() || !job.kept.is_empty());
        Self {
            facts,
            definitions,
            targets: request.targets.clone(),
            tables: tables.collect(),
            columns,
            examples: request.examples.max(1),
            request: request.clone(),
        }
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<&TableJob<'f>> {
        self.tables.iter().find(|job| job.table.schema == schema && job.table.name == name)
    }

    /// Returns a table as the server or a dump prints it. `None` for CSV and Parquet files, and for
    /// a table whose definition could not be read.
    pub fn table_object(&self, table: &TableJob<'_>) -> Option<&'f Object> {
        self.definitions.find(Kind::Table, &table.table.schema, &table.table.name)
    }

    /// Returns a table's `CREATE TABLE`; empty if it is unknown.
    pub fn create_table(&self, table: &TableJob<'_>) -> &'f str {
        self.table_object(table).map_or("", |object| object.create.as_str())
    }

    pub fn converts(&self, schema: &str, table: &str, column: &str) -> bool {
        self.table(schema, table).is_some_and(|job| job.conversion(column).is_some())
    }

    /// Returns the foreign keys with a converted column on either side.
    pub fn foreign_keys(&self) -> impl Iterator<Item = &'f ForeignKey> {
        let is_affected = |key: &&ForeignKey| {
            key.columns.iter().any(|column| self.converts(&key.schema, &key.table, column))
                || key.parent_columns.iter().any(|column| self.converts(&key.parent_schema, &key.parent_table, column))
        };
        self.facts.tables().flat_map(|table| &table.foreign_keys).filter(is_affected)
    }

    /// Groups the tables to read, so that tables connected by affected foreign keys are together.
    ///
    /// A group is the unit of parallel work and of resuming.
    pub fn connected_tables(&self) -> Vec<Vec<&TableJob<'f>>> {
        let jobs: Vec<&TableJob<'f>> = self.tables.iter().filter(|job| !job.conversions.is_empty()).collect();
        let mut group_of: Vec<usize> = (0..jobs.len()).collect();
        let position =
            |schema: &str, name: &str| jobs.iter().position(|job| job.table.schema == schema && job.table.name == name);
        for key in self.foreign_keys() {
            if let (Some(child), Some(parent)) =
                (position(&key.schema, &key.table), position(&key.parent_schema, &key.parent_table))
            {
                let (from, to) = (group_of[child], group_of[parent]);
                group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
        let mut groups: BTreeMap<usize, Vec<&TableJob<'f>>> = BTreeMap::new();
        for (job, group) in jobs.into_iter().zip(group_of) {
            groups.entry(group).or_default().push(job);
        }
        groups.into_values().collect()
    }
}

impl<'f> TableJob<'f> {
    fn new(facts: &'f Facts, definitions: &Definitions, table: &'f Table, request: &Request) -> Self {
        let object = definitions.find(Kind::Table, &table.schema, &table.name);
        let row_end = object.and_then(|object| find_row_end(&object.create));
        let mut job = Self { table, conversions: Vec::new(), kept: Vec::new(), row_end };
        for column in request.text_columns(table) {
            let Some(from) = column.collation.clone() else { continue };
            let kept = |reason: &str| ColumnChange {
                column: column.name.clone(),
                from: from.clone(),
                to: from.clone(),
                reason: Some(reason.to_owned()),
            };
            let keeps = !request.all_columns && request.columns.is_empty();
            let reason = column.charset.as_deref().filter(|_| keeps).and_then(conversion::keep_reason);
            match reason {
                Some(reason) => job.kept.push(kept(reason)),
                None => {
                    let (targets, reason) = target_collations(facts, column, request);
                    // The first target decides whether the column is converted, because the plan
                    // uses it.
                    if targets.first().is_some_and(|target| !target.name.eq_ignore_ascii_case(&from)) {
                        job.conversions.push(Conversion {
                            column,
                            source_charset: column.charset.as_deref().and_then(Charset::by_name),
                            source_collation: Collation::lookup(flavour(facts), &from).ok(),
                            from,
                            targets,
                            reason,
                        });
                    }
                }
            }
        }
        job
    }

    /// Returns `schema.table`.
    pub fn name(&self) -> String {
        check::table_name(&self.table.schema, &self.table.name)
    }

    /// Returns `schema.table.column`.
    pub fn column_name(&self, column: &str) -> String {
        check::column_name(&self.table.schema, &self.table.name, column)
    }

    pub fn conversion(&self, column: &str) -> Option<&Conversion<'f>> {
        self.conversions.iter().find(|conversion| conversion.column.name.eq_ignore_ascii_case(column))
    }

    /// Returns the unique indexes with a converted column.
    pub fn unique_indexes(&self) -> impl Iterator<Item = &'f Index> {
        self.table.indexes.iter().filter(|index| index.unique && self.converts_part_of(index))
    }

    /// True if a B-tree or hash index has a converted column. False for full-text and spatial
    /// indexes.
    pub fn converts_part_of(&self, index: &Index) -> bool {
        let is_converted = |column: &String| self.conversion(column).is_some();
        matches!(index.kind, IndexKind::Btree | IndexKind::Hash)
            && index.parts.iter().filter_map(|part| part.column.as_ref()).any(is_converted)
    }
}

/// True if a pattern matches the last parts of a name, or if there are no patterns. `t.c` matches
/// `s.t.c`.
fn is_named(patterns: &[String], parts: &[&str]) -> bool {
    let matches = |pattern: &String| {
        let pattern: Vec<&str> = pattern.split('.').collect();
        pattern.len() <= parts.len()
            && pattern.iter().rev().zip(parts.iter().rev()).all(|(wanted, part)| wanted.eq_ignore_ascii_case(part))
    };
    patterns.is_empty() || patterns.iter().any(matches)
}

/// Returns the name of the column with the end of a row's time, from a table's definition. A table
/// without such a column in its definition has an invisible one. `None` without system versioning.
fn find_row_end(create: &str) -> Option<String> {
    if !ddl::table_options(create).contains("WITH SYSTEM VERSIONING") {
        return None;
    }
    let is_row_end = |definition: &&str| {
        let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
        tokens
            .windows(3)
            .any(|words| ["as", "row", "end"].iter().zip(words).all(|(word, token)| token.is_keyword(word)))
    };
    let definition = ddl::split_definitions(create).into_iter().find(is_row_end);
    let name = definition.and_then(|definition| sql::tokenize(definition, SqlMode::default()).next()?.name());
    Some(name.unwrap_or_else(|| "row_end".to_owned()))
}

/// Returns a column's collation for each target, and the reason if the column stays `_bin`.
///
/// Unless the request sets `all_columns` or names columns, a `_bin` column stays `_bin`. For a
/// target that isn't `_bin`, it gets the `_bin` collation of the target's character set.
fn target_collations(facts: &Facts, column: &Column, request: &Request) -> (Vec<TargetCollation>, Option<String>) {
    let from = column.collation.as_deref().unwrap_or_default();
    let is_binary_collation = conversion::is_binary(from) && !request.all_columns && request.columns.is_empty();
    let target = |name: &String| {
        let target = TargetCollation::new(name, flavour(facts));
        match is_binary_collation && !conversion::is_binary(name) {
            true => TargetCollation::new(&binary_collation(facts, from, &target.charset), flavour(facts)),
            false => target,
        }
    };
    let targets: Vec<TargetCollation> = request.targets.iter().map(target).collect();
    let reason = is_binary_collation.then(|| binary_reason(from, &targets));
    (targets, reason)
}

/// Returns why a `_bin` column gets another `_bin` collation, and what differs if one of `targets`
/// does not pad as `from` does.
fn binary_reason(from: &str, targets: &[TargetCollation]) -> String {
    let padding = match targets.iter().find(|target| is_no_pad(&target.name) != is_no_pad(from)) {
        None => "with the same padding",
        Some(target) if is_no_pad(&target.name) => "but 'a' and 'a ', which are equal now, differ then (NO PAD)",
        Some(_) => "but 'a' and 'a ', which differ now, are equal then (PAD SPACE)",
    };
    format!("its _bin collation compares code points, and the new one does, too, {padding}")
}

/// Returns the `_bin` collation of `charset` for a column with the collation `from`.
pub fn binary_collation(facts: &Facts, from: &str, charset: &str) -> String {
    conversion::binary_collation(from, charset, |name| facts.server.collation(name).is_some())
}

/// True for ENUM and SET, whose rows store member numbers or bits instead of text.
pub fn has_members(column: &Column) -> bool {
    matches!(column.text_type(), Some(TextType::Enum | TextType::Set))
}

#[cfg(test)]
mod tests {
    use super::find_row_end;

    #[test]
    fn finds_the_end_of_a_rows_time() {
        let implicit = "CREATE TABLE `t` (\n  `a` int COMMENT 'GENERATED ALWAYS AS ROW END'\n) ENGINE=InnoDB WITH SYSTEM VERSIONING";
        assert_eq!(find_row_end(implicit).as_deref(), Some("row_end"));
        let explicit = "CREATE TABLE `t` (\n  `a` int,\n  `since` timestamp(6) GENERATED ALWAYS AS ROW START,\n  \
                        `till` timestamp(6) GENERATED ALWAYS AS ROW END,\n  PERIOD FOR SYSTEM_TIME (`since`, `till`)\n) \
                        ENGINE=InnoDB WITH SYSTEM VERSIONING";
        assert_eq!(find_row_end(explicit).as_deref(), Some("till"));
        assert_eq!(find_row_end("CREATE TABLE `t` (\n  `row_end` int\n) ENGINE=InnoDB"), None);
    }
}
