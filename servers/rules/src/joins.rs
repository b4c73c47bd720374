//! Columns that queries are likely to join: columns of foreign keys, and columns whose names match.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Column, Facts, Table, TextType};

/// A column with its table.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn<'a> {
    pub table: &'a Table,
    pub column: &'a Column,
}

impl<'a> TableColumn<'a> {
    /// Schema, table and column.
    pub fn key(self) -> (&'a str, &'a str, &'a str) {
        (&self.table.schema, &self.table.name, &self.column.name)
    }

    /// Returns the name of the first usable B-tree index that begins with the column.
    pub fn leading_index(self) -> Option<&'a str> {
        let mut indexes = self.table.indexes.iter();
        indexes.find(|index| index.can_look_up(&self.column.name)).map(|index| index.name.as_str())
    }
}

/// Two columns that are likely joined.
#[derive(Clone, Copy, Debug)]
pub struct LikelyJoin<'a> {
    pub left: TableColumn<'a>,
    pub right: TableColumn<'a>,
    /// Name of the foreign key from left to right. `None` if the pair was found by name.
    pub foreign_key: Option<&'a str>,
}

/// Schemas in which names are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Schema,
    /// Also from one schema to another.
    AllSchemas,
}

/// Bounds the pairs of a column whose name many tables have, such as `uuid`.
const MAX_PAIRS_PER_COLUMN: usize = 12;

/// Finds the pairs that are likely joined and for which `is_wanted` holds. A pair is found once.
pub fn find_likely_joins<'a>(
    facts: &'a Facts,
    reach: Reach,
    is_wanted: &dyn Fn(TableColumn<'a>, TableColumn<'a>) -> bool,
) -> Vec<LikelyJoin<'a>> {
    let mut seen = BTreeSet::new();
    let mut joins = foreign_key_joins(facts);
    joins.retain(|join| is_wanted(join.left, join.right));
    joins.extend(same_name_joins(facts, reach, is_wanted));
    joins.retain(|join| {
        let (left, right) = (join.left.key(), join.right.key());
        seen.insert(if left <= right { (left, right) } else { (right, left) })
    });
    joins
}

fn foreign_key_joins(facts: &Facts) -> Vec<LikelyJoin<'_>> {
    let mut joins = Vec::new();
    for table in facts.tables() {
        for key in &table.foreign_keys {
            let Some(parent) = facts.table(&key.parent_schema, &key.parent_table) else { continue };
            for (child, of_parent) in key.columns.iter().zip(&key.parent_columns) {
                if let (Some(left), Some(right)) = (table.column(child), parent.column(of_parent)) {
                    joins.push(LikelyJoin {
                        left: TableColumn { table, column: left },
                        right: TableColumn { table: parent, column: right },
                        foreign_key: Some(&key.name),
                    });
                }
            }
        }
    }
    joins
}

fn same_name_joins<'a>(
    facts: &'a Facts,
    reach: Reach,
    is_wanted: &dyn Fn(TableColumn<'a>, TableColumn<'a>) -> bool,
) -> Vec<LikelyJoin<'a>> {
    let place = |schema: &'a str| if reach == Reach::Schema { schema } else { "" };
    let mut by_name: BTreeMap<(&str, String), Vec<TableColumn<'a>>> = BTreeMap::new();
    for table in facts.tables() {
        for column in table.columns.iter().filter(|column| may_be_key(column)) {
            let key = (place(&table.schema), column.name.to_lowercase());
            by_name.entry(key).or_default().push(TableColumn { table, column });
        }
    }
    let mut joins = Vec::new();
    for table in facts.tables() {
        // `customer_code` of any table is assumed to refer to `code` of `customer` or `customers`.
        let singular = table.name.strip_suffix('s').unwrap_or(&table.name).to_lowercase();
        for column in table.columns.iter().filter(|column| may_be_key(column)) {
            let left = TableColumn { table, column };
            if left.leading_index().is_none() {
                continue;
            }
            let find = |name: String| by_name.get(&(place(&table.schema), name));
            let references = find(format!("{singular}_{}", column.name.to_lowercase()));
            let namesakes = find(column.name.to_lowercase());
            let others = references.into_iter().chain(namesakes).flatten();
            let wanted = others
                .filter(|right| (&right.table.schema, &right.table.name) != (&table.schema, &table.name))
                .filter(|right| is_wanted(left, **right));
            joins.extend(wanted.take(MAX_PAIRS_PER_COLUMN).map(|&right| LikelyJoin { left, right, foreign_key: None }));
        }
    }
    joins
}

/// Names of columns that describe a row and don't identify it. Tables are rarely joined by them.
const DESCRIPTIVE_NAMES: [&str; 14] = [
    "name",
    "title",
    "description",
    "comment",
    "comments",
    "status",
    "type",
    "value",
    "label",
    "message",
    "notes",
    "subject",
    "text",
    "content",
];

/// True if the column's type, length and name fit a key of text: a CHAR or VARCHAR of up to 255
/// characters whose name is not in [`DESCRIPTIVE_NAMES`].
fn may_be_key(column: &Column) -> bool {
    let is_text = matches!(column.text_type(), Some(TextType::Char | TextType::Varchar));
    is_text
        && column.characters.is_some_and(|characters| characters <= 255)
        && !DESCRIPTIVE_NAMES.contains(&column.name.to_lowercase().as_str())
}
