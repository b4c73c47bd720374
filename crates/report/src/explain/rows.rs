//! Two strings under one collation: steps of equal place stand in one row.

use explain::{Pair, Step, View, code, pairs, visible};

use crate::table::{Column, Kind, Row, Table, column};

/// The table of a collation.
pub(super) fn table(view: &View) -> Table {
    let pad = if view.pads { "PAD SPACE" } else { "NO PAD" };
    let title = format!("{} ({}, {pad})", view.collation, view.servers);
    let mut columns = side(view, "a");
    columns.push(column("", "", Kind::Left));
    columns.extend(side(view, "b"));
    Table::new(title, columns, pairs(view).into_iter().map(|pair| row(view, pair)))
}

fn side(view: &View, name: &str) -> Vec<Column> {
    let mut columns = vec![column("", name, Kind::Left), column("", "", Kind::Left)];
    if view.levels.len() > 1 {
        columns.extend(view.levels.iter().map(|level| column("", level.name(), Kind::Left)));
    } else {
        columns.push(column("", "weights", Kind::Left));
    }
    columns.push(column("", "", Kind::Left));
    columns
}

fn row(view: &View, Pair { a, b, parts }: Pair) -> Row {
    let mut fields = step_fields(view, a.and_then(|a| view.a.get(a)));
    fields.push(if parts { view.verdict.sign().into() } else { String::new() });
    fields.extend(step_fields(view, b.and_then(|b| view.b.get(b))));
    Row::plain(fields)
}

fn step_fields(view: &View, step: Option<&Step>) -> Vec<String> {
    let Some(step) = step else { return vec![String::new(); view.levels.len() + 3] };
    let mut fields = vec![visible(&step.text).to_owned(), code(step)];
    fields.extend(step.weights.iter().map(|weights| weights.join(" ")));
    fields.push(step.features.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(", "));
    fields
}
