//! Likely joins of columns with different collations.

use facts::{Column, Facts};
use rules::charset::current_collation_name;
use rules::joins::{LikelyJoin, Reach, TableColumn, find_likely_joins};

use crate::input::{ColumnRef, JoinKind};

/// Two columns with different collations.
pub(super) struct ColumnPair<'a> {
    pub left: TableColumn<'a>,
    pub right: TableColumn<'a>,
    pub kind: JoinKind,
}

pub(super) fn column_ref(TableColumn { table, column }: TableColumn<'_>) -> ColumnRef {
    ColumnRef { schema: table.schema.clone(), table: table.name.clone(), column: column.name.clone() }
}

/// Finds the pairs of columns that are likely joined and have different collations.
pub(super) fn find_pairs(facts: &Facts) -> Vec<ColumnPair<'_>> {
    let differ = |left: TableColumn<'_>, right: TableColumn<'_>| {
        compared_collation(left.column) != compared_collation(right.column)
    };
    let pair = |LikelyJoin { left, right, foreign_key }| {
        let kind = foreign_key.map_or(JoinKind::SameName, |name: &str| JoinKind::ForeignKey(name.to_owned()));
        ColumnPair { left, right, kind }
    };
    find_likely_joins(facts, Reach::Schema, &differ).into_iter().map(pair).collect()
}

/// Returns the collation that a column is compared in: its own for text, `binary` for BINARY and
/// VARBINARY, `None` for other types.
pub(super) fn compared_collation(column: &Column) -> Option<String> {
    match (&column.collation, column.data_type.as_str()) {
        (Some(collation), _) => Some(current_collation_name(collation)),
        (None, "binary" | "varbinary") => Some("binary".into()),
        _ => None,
    }
}
