//! Table of two strings under one collation. Steps with the same position are in one row.

use std::ops::Range;

use explain::{Step, StepPair, View, display_code_points, pair_steps, visible_text};

use crate::format::table::{Column, ColumnKind, Row, Table, column};

/// Builds the table of a collation with at most `most` rows, those around the mismatch. A row `…`
/// stands at an end that is cut off.
pub(super) fn table(view: &View, most: usize) -> Table {
    let pad = if view.pads { "PAD SPACE" } else { "NO PAD" };
    let title = format!("{} ({}, {pad})", view.collation, view.servers);
    let mut columns = side_columns(view, "a");
    columns.push(column("", "", ColumnKind::Left));
    columns.extend(side_columns(view, "b"));
    let pairs = pair_steps(view);
    let shown = rows_around_mismatch(&pairs, most);
    let width = columns.len();
    let cut = |is_cut: bool| is_cut.then(|| Row::new([vec!["…".into()], vec![String::new(); width - 1]].concat()));
    let (before, after) = (cut(shown.start > 0), cut(shown.end < pairs.len()));
    let rows = pairs[shown].iter().map(|&pair| row(view, pair));
    Table::new(title, columns, before.into_iter().chain(rows).chain(after))
}

/// Returns at most `most` rows, about a third of them before the first mismatch.
fn rows_around_mismatch(pairs: &[StepPair], most: usize) -> Range<usize> {
    let mismatch = pairs.iter().position(|pair| pair.has_mismatch).unwrap_or(0);
    let start = mismatch.saturating_sub(most / 3).min(pairs.len().saturating_sub(most));
    start..(start + most).min(pairs.len())
}

fn side_columns(view: &View, name: &str) -> Vec<Column> {
    let mut columns = vec![column("", name, ColumnKind::Left), column("", "", ColumnKind::Left)];
    if view.levels.len() > 1 {
        columns.extend(view.levels.iter().map(|level| column("", level.name(), ColumnKind::Left)));
    } else {
        columns.push(column("", "weights", ColumnKind::Left));
    }
    columns.push(column("", "", ColumnKind::Left));
    columns
}

fn row(view: &View, StepPair { a, b, has_mismatch }: StepPair) -> Row {
    let mut fields = step_fields(view, a.and_then(|a| view.a.get(a)));
    fields.push(if has_mismatch { view.verdict.sign().into() } else { String::new() });
    fields.extend(step_fields(view, b.and_then(|b| view.b.get(b))));
    Row::new(fields)
}

fn step_fields(view: &View, step: Option<&Step>) -> Vec<String> {
    let Some(step) = step else { return vec![String::new(); view.levels.len() + 3] };
    let mut fields = vec![visible_text(&step.text).to_owned(), display_code_points(step)];
    fields.extend(step.weights.iter().map(|weights| weights.join(" ")));
    fields.push(step.features.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(", "));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_are_cut_around_the_mismatch() {
        let pairs = |mismatch: usize| -> Vec<StepPair> {
            (0..100).map(|at| StepPair { a: Some(at), b: Some(at), has_mismatch: at == mismatch }).collect()
        };
        assert_eq!(rows_around_mismatch(&pairs(50), 12), 46..58);
        assert_eq!(rows_around_mismatch(&pairs(0), 12), 0..12);
        assert_eq!(rows_around_mismatch(&pairs(99), 12), 88..100);
        assert_eq!(rows_around_mismatch(&pairs(50), usize::MAX), 0..100);
    }
}
