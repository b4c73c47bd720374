//! How collations see two strings, for a terminal and for a program.

pub mod between;
mod rows;

use std::fmt::Write as _;

use explain::{Explanation, View, reason};

use crate::content::document;
use crate::table::{Kind, Row, Table, column};
use crate::text::{self as plain, Style, paragraph};

/// The explanation for a terminal: all collations side by side, then one after the other character by character.
pub fn text(explanation: &Explanation, style: Style) -> String {
    let mut out = String::new();
    let quoted = |text: &str| format!("'{}'", text.escape_debug());
    let _ = writeln!(out, "a: {}\nb: {}", quoted(&explanation.a), quoted(&explanation.b));
    let mut tables = vec![overview(explanation)];
    tables.extend(explanation.views.iter().map(rows::table));
    plain::titled(&tables, style, &mut out);
    paragraph("note: ", &explanation.notes, &mut out);
    out
}

/// The explanation as JSON (`schemas/explain.schema.json`).
pub fn json(explanation: &Explanation) -> String {
    document(explanation)
}

/// A line a collation.
fn overview(explanation: &Explanation) -> Table {
    let columns = vec![
        column("", "collation", Kind::Left),
        column("", "of", Kind::Left),
        column("", "pad", Kind::Left),
        column("", "verdict", Kind::Left),
        column("", "because", Kind::Left),
    ];
    let row = |view: &View| {
        Row::plain(vec![
            view.collation.clone(),
            view.servers.clone(),
            if view.pads { "PAD SPACE".into() } else { "NO PAD".into() },
            format!("a {} b", view.verdict.sign()),
            reason(view),
        ])
    };
    Table::new("a against b", columns, explanation.views.iter().map(row))
}
