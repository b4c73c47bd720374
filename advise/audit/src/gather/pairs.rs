//! Guesses which columns queries join: columns of foreign keys, and columns whose names match.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Column, Facts, IndexKind, Table, TextType};
use rules::charset::current_collation_name;

use crate::input::{ColumnRef, JoinKind};

#[derive(Clone, Copy)]
pub(super) struct TableColumn<'a> {
    pub table: &'a Table,
    pub column: &'a Column,
}

impl TableColumn<'_> {
    pub fn column_ref(self) -> ColumnRef {
        ColumnRef {
            schema: self.table.schema.clone(),
            table: self.table.name.clone(),
            column: self.column.name.clone(),
        }
    }
}

/// Two columns with different collations.
pub(super) struct ColumnPair<'a> {
    pub left: TableColumn<'a>,
    pub right: TableColumn<'a>,
    pub kind: JoinKind,
}

/// Bounds the pairs of a column whose name many tables have, such as `uuid`.
const MAX_PAIRS_PER_COLUMN: usize = 12;

/// Finds the pairs of columns that are likely joined and have different collations.
pub(super) fn find_pairs(facts: &Facts) -> Vec<ColumnPair<'_>> {
    let mut pairs = foreign_key_pairs(facts);
    let mut seen: BTreeSet<_> = pairs.iter().map(key).collect();
    for pair in same_name_pairs(facts) {
        if seen.insert(key(&pair)) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Identifies a pair, whichever column comes first.
fn key(pair: &ColumnPair<'_>) -> (ColumnRef, ColumnRef) {
    let (left, right) = (pair.left.column_ref(), pair.right.column_ref());
    if left <= right { (left, right) } else { (right, left) }
}

/// Returns the collation that a column is compared in: its own for text, `binary` for binary
/// strings, `None` for other types.
fn collation(column: &Column) -> Option<String> {
    match (&column.collation, column.data_type.as_str()) {
        (Some(collation), _) => Some(current_collation_name(collation)),
        (None, "binary" | "varbinary") => Some("binary".into()),
        _ => None,
    }
}

fn foreign_key_pairs(facts: &Facts) -> Vec<ColumnPair<'_>> {
    let mut pairs = Vec::new();
    for table in facts.tables() {
        for foreign_key in &table.foreign_keys {
            let Some(parent) = facts.table(&foreign_key.parent_schema, &foreign_key.parent_table) else { continue };
            for (child_column, parent_column) in foreign_key.columns.iter().zip(&foreign_key.parent_columns) {
                let (Some(left), Some(right)) = (table.column(child_column), parent.column(parent_column)) else {
                    continue;
                };
                if collation(left) != collation(right) {
                    let kind = JoinKind::ForeignKey(foreign_key.name.clone());
                    pairs.push(ColumnPair {
                        left: TableColumn { table, column: left },
                        right: TableColumn { table: parent, column: right },
                        kind,
                    });
                }
            }
        }
    }
    pairs
}

fn same_name_pairs(facts: &Facts) -> Vec<ColumnPair<'_>> {
    let mut pairs = Vec::new();
    for schema in &facts.schemas {
        let mut by_name: BTreeMap<String, Vec<TableColumn<'_>>> = BTreeMap::new();
        for table in &schema.tables {
            for column in table.columns.iter().filter(|column| may_be_key(column)) {
                by_name.entry(column.name.to_lowercase()).or_default().push(TableColumn { table, column });
            }
        }
        for table in &schema.tables {
            // `customer_code` of any table of the schema is assumed to refer to `code` of
            // `customer` or `customers`.
            let singular = table.name.strip_suffix('s').unwrap_or(&table.name).to_lowercase();
            for column in table.columns.iter().filter(|column| may_be_key(column)) {
                let left = TableColumn { table, column };
                if leading_index(left).is_none() {
                    continue;
                }
                let references = by_name.get(&format!("{singular}_{}", column.name.to_lowercase()));
                let namesakes = by_name.get(&column.name.to_lowercase());
                let candidates = references.into_iter().chain(namesakes).flatten();
                let different = candidates
                    .filter(|right| right.table.name != table.name)
                    .filter(|right| collation(right.column) != collation(column));
                pairs.extend(different.take(MAX_PAIRS_PER_COLUMN).map(|&right| ColumnPair {
                    left,
                    right,
                    kind: JoinKind::SameName,
                }));
            }
        }
    }
    pairs
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

/// True if the column's type, length and name fit a key of text. Binary strings are compared byte
/// by byte on purpose.
fn may_be_key(column: &Column) -> bool {
    let is_text = matches!(column.text_type(), Some(TextType::Char | TextType::Varchar));
    is_text
        && column.characters.is_some_and(|characters| characters <= 255)
        && !DESCRIPTIVE_NAMES.contains(&column.name.to_lowercase().as_str())
}

/// Returns the name of the first B-tree index that begins with the column.
pub(super) fn leading_index<'a>(TableColumn { table, column }: TableColumn<'a>) -> Option<&'a str> {
    let leads = |index: &&facts::Index| {
        index.kind == IndexKind::Btree
            && index.parts.first().and_then(|part| part.column.as_deref()).is_some_and(|name| name == column.name)
    };
    table.indexes.iter().find(leads).map(|index| index.name.as_str())
}
