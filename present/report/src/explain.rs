//! Report of `weigh explain`: two strings under several collations, as text and JSON.

pub mod between;
mod rows;

use std::fmt::Write as _;

use explain::{Explanation, View, explain_verdict, pair_steps};

use crate::format::json::to_json;
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::format::text::{self as plain, Style, push_paragraph};

/// Number of rows of all tables of weights together, without `--all`: two screens. Many tables have
/// more, by [`MIN_ROWS`].
const MAX_ROWS: usize = 40;
/// Number of rows that each table of weights may have in any case.
const MIN_ROWS: usize = 8;

/// Returns the explanation for a terminal: an overview of all collations, then the weights of each
/// character. Of collations that agree on the two strings, the first shows its weights. Without
/// `all`, long strings show the characters around their first mismatch.
pub fn text(explanation: &Explanation, all: bool, style: Style) -> String {
    let mut out = String::new();
    let quoted = |text: &str| format!("'{}'", text.escape_debug());
    let _ = writeln!(out, "a: {}\nb: {}", quoted(&explanation.a), quoted(&explanation.b));
    let mut tables = vec![overview_table(explanation)];
    let mut shown: Vec<&View> = Vec::new();
    for view in &explanation.views {
        if !shown.iter().any(|known| is_alike(known, view)) {
            shown.push(view);
        }
    }
    let most = if all { usize::MAX } else { (MAX_ROWS / shown.len().max(1)).max(MIN_ROWS) };
    tables.extend(shown.iter().map(|view| rows::table(view, most)));
    plain::push_tables(&tables, style, &mut out);
    if shown.iter().any(|view| pair_steps(view).len() > most) {
        out.push_str("\n…: characters that are left out; all: --all\n");
    }
    let left_out = explanation.views.len() - shown.len();
    if left_out > 0 {
        let more = if left_out == 1 {
            "1 more collation gives".to_owned()
        } else {
            format!("{left_out} more collations give")
        };
        let _ = writeln!(out, "\n{more} the same verdict for the same reason; their weights: --format json");
    }
    push_paragraph("note: ", &explanation.notes, &mut out);
    out
}

/// Returns the explanation as JSON (`schemas/explain.schema.json`).
pub fn json(explanation: &Explanation) -> String {
    to_json(explanation)
}

/// True if two collations give the same verdict for the same reason. Weights of equal strings are
/// no part of the reason: they differ between versions of UCA.
fn is_alike(one: &View, other: &View) -> bool {
    let reason = |view: &View| -> Vec<String> {
        let parts = explain_verdict(view);
        parts.split("; ").map(|part| part.split(": both weigh").next().unwrap_or_default().to_owned()).collect()
    };
    (one.verdict.sign(), reason(one)) == (other.verdict.sign(), reason(other))
}

/// Builds the overview: a line per collation.
fn overview_table(explanation: &Explanation) -> Table {
    let columns = vec![
        column("", "collation", ColumnKind::Left),
        column("", "of", ColumnKind::Left),
        column("", "pad", ColumnKind::Left),
        column("", "verdict", ColumnKind::Left),
        column("", "because", ColumnKind::Left),
    ];
    let row = |view: &View| {
        Row::new(vec![
            view.collation.clone(),
            view.servers.clone(),
            if view.pads { "PAD SPACE".into() } else { "NO PAD".into() },
            format!("a {} b", view.verdict.sign()),
            explain_verdict(view),
        ])
    };
    Table::new("a compared with b", columns, explanation.views.iter().map(row))
}
