//! What is to be converted: which columns of which tables, from which collation to which. Pure.

use std::collections::BTreeMap;

use facts::{Column, Facts, ForeignKey, Index, IndexKind, Table, TextType};
use mysql_collation::{Charset, Collation, Flavour};

use crate::model::ColumnChange;

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Target collations. The plan is for the first.
    pub targets: Vec<String>,
    /// Tables to convert, as `table` or `schema.table`; empty for all.
    pub tables: Vec<String>,
    /// Columns to convert, as `column`, `table.column` or `schema.table.column`; empty for all.
    pub columns: Vec<String>,
    /// Convert columns, too, whose collation was chosen on purpose: `_bin` ones and those of `ascii`.
    pub all_columns: bool,
    /// The most groups and examples that a finding lists.
    pub examples: usize,
}

impl Request {
    /// Whether a table is asked for.
    pub fn selects(&self, table: &Table) -> bool {
        is_named(&self.tables, &[&table.schema, &table.name])
    }
}

/// The work, resolved.
pub struct Job<'f> {
    /// What is known of the server.
    pub facts: &'f Facts,
    /// `SHOW CREATE TABLE` of each table, by schema and name.
    pub creates: &'f BTreeMap<(String, String), String>,
    /// Target collations that were asked for.
    pub targets: Vec<String>,
    /// Tables with text columns in scope.
    pub tables: Vec<TableJob<'f>>,
    /// The most groups and examples that a finding lists.
    pub examples: usize,
}

/// A table's part of the work.
pub struct TableJob<'f> {
    /// The table.
    pub table: &'f Table,
    /// Columns to convert.
    pub conversions: Vec<Conversion<'f>>,
    /// Text columns that stay as they are.
    pub kept: Vec<ColumnChange>,
}

/// A column to convert.
#[derive(Clone)]
pub struct Conversion<'f> {
    /// The column.
    pub column: &'f Column,
    /// Its collation.
    pub from: String,
    /// Its character set, where the library implements it; else the server converts to utf8mb4 while it is read.
    pub source: Option<Charset>,
    /// The weights that it is compared by now, where they are implemented.
    pub before: Option<Collation>,
    /// What it gets: one for each target.
    pub to: Vec<Target>,
    /// Why it gets another collation than the one that was asked for.
    pub reason: Option<String>,
}

/// A collation that a column gets.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its character set's name.
    pub charset: String,
    /// Its weights, where the library implements them.
    pub collation: Option<Collation>,
}

impl Target {
    /// The target of this name on a server.
    pub fn new(name: &str, flavour: Flavour) -> Self {
        let charset = name.split('_').next().unwrap_or(name);
        let charset = if charset.eq_ignore_ascii_case("uca1400") { "utf8mb4" } else { charset };
        Self {
            name: name.to_owned(),
            charset: charset.to_lowercase(),
            collation: Collation::lookup(flavour, name).ok(),
        }
    }

    /// Its character set, where the library implements it.
    pub fn charset(&self) -> Option<Charset> {
        Charset::by_name(&self.charset)
    }

    /// The most bytes that a character takes.
    pub fn max_bytes(&self, facts: &Facts) -> u64 {
        facts.server.charset(&self.charset).map_or(4, |charset| u64::from(charset.max_bytes))
    }
}

/// The library's flavour for the server's.
pub fn flavour(facts: &Facts) -> Flavour {
    match facts.server.flavour {
        server::Flavour::MySql => Flavour::MySql,
        server::Flavour::MariaDb => Flavour::MariaDb,
    }
}

impl Conversion<'_> {
    /// The charset that values are read in: the column's own, or utf8mb4 where the server has to convert.
    pub fn read_charset(&self) -> Charset {
        self.source.unwrap_or(Charset::Utf8mb4)
    }

    /// The character set's name.
    pub fn old_charset(&self) -> &str {
        self.column.charset.as_deref().unwrap_or_default()
    }

    /// The target that the plan is for.
    pub fn planned(&self) -> &Target {
        &self.to[0]
    }

    /// Before and after.
    pub fn change(&self) -> ColumnChange {
        ColumnChange {
            column: self.column.name.clone(),
            from: self.from.clone(),
            to: self.planned().name.clone(),
            reason: self.reason.clone(),
        }
    }
}

impl<'f> Job<'f> {
    /// Resolves what was asked for.
    pub fn new(facts: &'f Facts, creates: &'f BTreeMap<(String, String), String>, request: &Request) -> Self {
        let tables = facts.tables().filter(|table| request.selects(table));
        let tables = tables
            .map(|table| TableJob::new(facts, table, request))
            .filter(|job| !job.conversions.is_empty() || !job.kept.is_empty());
        Self {
            facts,
            creates,
            targets: request.targets.clone(),
            tables: tables.collect(),
            examples: request.examples.max(1),
        }
    }

    /// The part of a table.
    pub fn table(&self, schema: &str, name: &str) -> Option<&TableJob<'f>> {
        self.tables.iter().find(|job| job.table.schema == schema && job.table.name == name)
    }

    /// Whether a column would be converted.
    pub fn converts(&self, schema: &str, table: &str, column: &str) -> bool {
        self.table(schema, table).is_some_and(|job| job.conversion(column).is_some())
    }

    /// Foreign keys of which either side has a column that would be converted.
    pub fn foreign_keys(&self) -> impl Iterator<Item = &'f ForeignKey> {
        let is_affected = |key: &&ForeignKey| {
            key.columns.iter().any(|column| self.converts(&key.schema, &key.table, column))
                || key.parent_columns.iter().any(|column| self.converts(&key.parent_schema, &key.parent_table, column))
        };
        self.facts.tables().flat_map(|table| &table.foreign_keys).filter(is_affected)
    }

    /// Tables to be read, in groups that are tied together by affected foreign keys. A group is the unit of parallel work, and of resuming.
    pub fn units(&self) -> Vec<Vec<&TableJob<'f>>> {
        let jobs: Vec<&TableJob<'f>> = self.tables.iter().filter(|job| !job.conversions.is_empty()).collect();
        let mut unit_of: Vec<usize> = (0..jobs.len()).collect();
        let place =
            |schema: &str, name: &str| jobs.iter().position(|job| job.table.schema == schema && job.table.name == name);
        for key in self.foreign_keys() {
            if let (Some(child), Some(parent)) =
                (place(&key.schema, &key.table), place(&key.parent_schema, &key.parent_table))
            {
                let (from, to) = (unit_of[child], unit_of[parent]);
                unit_of.iter_mut().filter(|unit| **unit == from).for_each(|unit| *unit = to);
            }
        }
        let mut units: BTreeMap<usize, Vec<&TableJob<'f>>> = BTreeMap::new();
        for (job, unit) in jobs.into_iter().zip(unit_of) {
            units.entry(unit).or_default().push(job);
        }
        units.into_values().collect()
    }
}

impl<'f> TableJob<'f> {
    fn new(facts: &'f Facts, table: &'f Table, request: &Request) -> Self {
        let mut job = Self { table, conversions: Vec::new(), kept: Vec::new() };
        for column in table.columns.iter().filter(|column| column.text_type().is_some()) {
            let Some(from) = column.collation.clone() else { continue };
            if !is_named(&request.columns, &[&table.schema, &table.name, &column.name]) {
                continue;
            }
            let kept = |reason: &str| ColumnChange {
                column: column.name.clone(),
                from: from.clone(),
                to: from.clone(),
                reason: Some(reason.to_owned()),
            };
            let keeps = if request.all_columns || !request.columns.is_empty() { None } else { keep(column) };
            match keeps {
                Some(reason) => job.kept.push(kept(reason)),
                None => {
                    let (to, reason) = targets(facts, column, request);
                    // Targets that are what the column has already change nothing; the plan's one decides.
                    if to.first().is_some_and(|target| !target.name.eq_ignore_ascii_case(&from)) {
                        job.conversions.push(Conversion {
                            column,
                            source: column.charset.as_deref().and_then(Charset::by_name),
                            before: Collation::lookup(flavour(facts), &from).ok(),
                            from,
                            to,
                            reason,
                        });
                    }
                }
            }
        }
        job
    }

    /// `schema.table`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.table.schema, self.table.name)
    }

    /// The conversion of a column, where it has one.
    pub fn conversion(&self, column: &str) -> Option<&Conversion<'f>> {
        self.conversions.iter().find(|conversion| conversion.column.name.eq_ignore_ascii_case(column))
    }

    /// Unique indexes with a part that is converted.
    pub fn unique_indexes(&self) -> impl Iterator<Item = &'f Index> {
        self.table.indexes.iter().filter(|index| index.unique && self.touches(index))
    }

    /// Whether a part of an index is converted.
    pub fn touches(&self, index: &Index) -> bool {
        let is_converted = |column: &String| self.conversion(column).is_some();
        matches!(index.kind, IndexKind::Btree | IndexKind::Hash)
            && index.parts.iter().filter_map(|part| part.column.as_ref()).any(is_converted)
    }
}

/// Whether an object is asked for: a pattern names its last part, its last two, or all of them.
fn is_named(patterns: &[String], parts: &[&str]) -> bool {
    let matches = |pattern: &String| {
        let pattern: Vec<&str> = pattern.split('.').collect();
        pattern.len() <= parts.len()
            && pattern.iter().rev().zip(parts.iter().rev()).all(|(wanted, part)| wanted.eq_ignore_ascii_case(part))
    };
    patterns.is_empty() || patterns.iter().any(matches)
}

/// Why a column keeps its collation, where it does.
fn keep(column: &Column) -> Option<&'static str> {
    match column.charset.as_deref()? {
        "ascii" => {
            Some("ascii was chosen for it: its text is the same in any other character set, and its keys are shorter")
        }
        "binary" => Some("it holds bytes"),
        _ => None,
    }
}

/// What a column gets for each target. One that compares codes goes on doing so.
fn targets(facts: &Facts, column: &Column, request: &Request) -> (Vec<Target>, Option<String>) {
    let from = column.collation.as_deref().unwrap_or_default();
    let compares_codes = from.ends_with("_bin") && !request.all_columns && request.columns.is_empty();
    let of = |name: &String| {
        let target = Target::new(name, flavour(facts));
        if compares_codes && !name.ends_with("_bin") {
            Target::new(&format!("{}_bin", target.charset), flavour(facts))
        } else {
            target
        }
    };
    let reason = compares_codes.then(|| "it compares codes now (_bin), and goes on doing so".to_owned());
    (request.targets.iter().map(of).collect(), reason)
}

/// Whether a column's type is stored as a number: its values are its members.
pub fn has_members(column: &Column) -> bool {
    matches!(column.text_type(), Some(TextType::Enum | TextType::Set))
}
