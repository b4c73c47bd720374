//! Table of two strings under one collation. Steps with the same position are in one row.

use explain::{Step, StepPair, View, display_code_points, pair_steps, visible_text};

use crate::format::table::{Column, ColumnKind, Row, Table, column};

/// Builds the table of a collation.
pub(super) fn table(view: &View) -> Table {
    let pad = if view.pads { "PAD SPACE" } else { "NO PAD" };
    let title = format!("{} ({}, {pad})", view.collation, view.servers);
    let mut columns = side_columns(view, "a");
    columns.push(column("", "", ColumnKind::Left));
    columns.extend(side_columns(view, "b"));
    Table::new(title, columns, pair_steps(view).into_iter().map(|pair| row(view, pair)))
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
