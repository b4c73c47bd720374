//! Section with the charset in force at each layer, as read back from the server.

use askama::Template;
use measure::Run;
use server::{CharsetCollation, Layers};

use super::chart::label_with_text;
use super::section::Section;
use super::table::Grid;
use crate::format::number::DASH;
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "charsets.html")]
struct Body {
    grid: Grid,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let run = &report.run;
    let known = run.variants.iter().enumerate().filter(|(_, variant)| !variant.copy);
    let rows: Vec<Vec<String>> =
        known.filter_map(|(index, variant)| Some(row(run, index, variant.layers.as_ref()?))).collect();
    let columns = [
        ("variant", false),
        ("unlike the column", false),
        ("server", false),
        ("database", false),
        ("table", false),
        ("column", false),
        ("client", false),
        ("connection", false),
        ("results", false),
        ("literals' collation", false),
    ];
    (!rows.is_empty()).then(|| {
        let grid = Grid::from_rows("Charset and collation by layer", &columns, rows);
        Section::new("charsets", "Charset in force at every layer", &Body { grid })
    })
}

fn row(run: &Run, index: usize, layers: &Layers) -> Vec<String> {
    let both = |layer: &CharsetCollation| layer.collation.clone();
    let connection = layers.connection.as_ref();
    let name_or_dash = |name: Option<&String>| name.cloned().unwrap_or_else(|| DASH.into());
    vec![
        label_with_text(run, index),
        mismatches(layers),
        both(&layers.server),
        both(&layers.database),
        both(&layers.table),
        layers.column.as_ref().map_or_else(|| DASH.into(), both),
        name_or_dash(connection.map(|charsets| &charsets.client)),
        name_or_dash(connection.map(|charsets| &charsets.connection)),
        connection
            .map_or_else(|| DASH.into(), |charsets| charsets.results.clone().unwrap_or_else(|| "as stored".into())),
        name_or_dash(connection.map(|charsets| &charsets.collation)),
    ]
}

/// Names the layers whose charset differs from the column's.
fn mismatches(layers: &Layers) -> String {
    let Some(column) = &layers.column else { return DASH.into() };
    let mut all: Vec<(&str, &str)> = vec![
        ("server", &layers.server.charset),
        ("database", &layers.database.charset),
        ("table", &layers.table.charset),
    ];
    if let Some(connection) = &layers.connection {
        all.extend([("client", connection.client.as_str()), ("connection", &connection.connection)]);
        all.extend(connection.results.as_ref().map(|results| ("results", results.as_str())));
    }
    let mismatches: Vec<&str> =
        all.iter().filter(|(_, charset)| *charset != column.charset).map(|(layer, _)| *layer).collect();
    if mismatches.is_empty() { "none".into() } else { mismatches.join(", ") }
}
