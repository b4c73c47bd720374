//! Which columns are taken to be compared: foreign keys, and columns of one name of which one is indexed.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Column, Facts, IndexKind, Table, TextType};
use rules::charset::modern_collation;

use crate::evidence::{ColumnRef, JoinKind};

/// Two columns of different collations.
pub(super) struct Pair<'a> {
    pub left: (&'a Table, &'a Column),
    pub right: (&'a Table, &'a Column),
    pub kind: JoinKind,
}

/// The most pairs of one name: a name that many tables have is compared between few of them.
const OF_ONE_NAME: usize = 12;

/// All pairs of different collations.
pub(super) fn pairs(facts: &Facts) -> Vec<Pair<'_>> {
    let mut pairs = of_foreign_keys(facts);
    let mut seen: BTreeSet<_> = pairs.iter().map(key).collect();
    for pair in of_names(facts) {
        if seen.insert(key(&pair)) {
            pairs.push(pair);
        }
    }
    pairs
}

fn key(pair: &Pair<'_>) -> (ColumnRef, ColumnRef) {
    let (left, right) = (column_ref(pair.left), column_ref(pair.right));
    if left <= right { (left, right) } else { (right, left) }
}

pub(super) fn column_ref((table, column): (&Table, &Column)) -> ColumnRef {
    ColumnRef { schema: table.schema.clone(), table: table.name.clone(), column: column.name.clone() }
}

/// The collation that a comparison sees; `binary` for binary strings.
fn collation(column: &Column) -> Option<String> {
    match (&column.collation, column.data_type.as_str()) {
        (Some(collation), _) => Some(modern_collation(collation)),
        (None, "binary" | "varbinary") => Some("binary".into()),
        _ => None,
    }
}

fn of_foreign_keys(facts: &Facts) -> Vec<Pair<'_>> {
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
                    pairs.push(Pair { left: (table, left), right: (parent, right), kind });
                }
            }
        }
    }
    pairs
}

fn of_names(facts: &Facts) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for schema in &facts.schemas {
        let mut named: BTreeMap<String, Vec<(&Table, &Column)>> = BTreeMap::new();
        for table in &schema.tables {
            for column in table.columns.iter().filter(|column| may_be_key(column)) {
                named.entry(column.name.to_lowercase()).or_default().push((table, column));
            }
        }
        for table in &schema.tables {
            // `customer_code` of any table is taken to be the `code` of `customer` or `customers`.
            let singular = table.name.strip_suffix('s').unwrap_or(&table.name).to_lowercase();
            for column in table.columns.iter().filter(|column| may_be_key(column) && leads_an_index(table, column)) {
                let far = named.get(&format!("{singular}_{}", column.name.to_lowercase()));
                let near = named.get(&column.name.to_lowercase());
                let others = far.into_iter().chain(near).flatten();
                let different = others
                    .filter(|(other, _)| other.name != table.name)
                    .filter(|(_, other)| collation(other) != collation(column));
                pairs.extend(different.take(OF_ONE_NAME).map(|&right| Pair {
                    left: (table, column),
                    right,
                    kind: JoinKind::SameName,
                }));
            }
        }
    }
    pairs
}

/// Names that say what a row is called, not which row it is. Tables that have both are not joined by them.
const DESCRIPTIONS: [&str; 14] = [
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

fn may_be_key(column: &Column) -> bool {
    let is_text = matches!(column.text_type(), Some(TextType::Char | TextType::Varchar));
    let is_binary = matches!(column.data_type.as_str(), "binary" | "varbinary");
    (is_text || is_binary)
        && column.characters.is_some_and(|characters| characters <= 255)
        && !DESCRIPTIONS.contains(&column.name.to_lowercase().as_str())
}

/// Whether an index begins with the column.
pub(super) fn leads_an_index(table: &Table, column: &Column) -> bool {
    index_led_by(table, column).is_some()
}

/// The first index that begins with the column.
pub(super) fn index_led_by<'a>(table: &'a Table, column: &Column) -> Option<&'a str> {
    let leads = |index: &&facts::Index| {
        index.kind == IndexKind::Btree
            && index.parts.first().and_then(|part| part.column.as_deref()).is_some_and(|name| name == column.name)
    };
    table.indexes.iter().find(leads).map(|index| index.name.as_str())
}
