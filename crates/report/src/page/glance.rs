//! All ratios at a glance: workloads across, collations down.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use super::section::Section;
use crate::content::Report;
use crate::name::in_words;

#[derive(Template)]
#[template(path = "glance.html")]
struct Body {
    chart: Chart,
}

#[derive(Serialize)]
struct Data {
    columns: Vec<String>,
    rows: Vec<String>,
    tiles: Vec<Tile>,
}

/// Where a ratio stands.
#[derive(Serialize)]
struct Tile {
    column: String,
    #[serde(flatten)]
    mark: Mark,
}

/// A map of a single row or column would say nothing that the ratios' own chart does not.
pub(super) fn section(report: &Report) -> Option<Section> {
    let tiles: Vec<Tile> =
        report.analysis.conditions.iter().flat_map(|condition| of_condition(report, condition)).collect();
    let columns = distinct(tiles.iter().map(|tile| &tile.column));
    let rows = distinct(tiles.iter().map(|tile| &tile.mark.name));
    if columns.len() < 2 || rows.len() < 2 {
        return None;
    }
    let description = format!(
        "Heat map of {} collations by {} workloads: throughput as a ratio to the baseline. The figures are in the tables below.",
        rows.len(),
        columns.len()
    );
    let caption = "Throughput as a ratio to the server's own baseline; 1 is no difference".into();
    let chart = Chart::new("heat", caption, description, &Data { columns, rows, tiles });
    Some(Section::new("glance", "At a glance", &Body { chart }))
}

fn of_condition(report: &Report, condition: &ConditionResult) -> Vec<Tile> {
    let run = &report.run;
    let tile = |comparison: &Comparison| {
        let mark = Mark::new(label(run, comparison.variant), comparison.throughput?, comparison.verdict);
        Some(Tile { column: in_words(run, condition.condition), mark })
    };
    condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation).filter_map(tile).collect()
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(name) {
            kept.push(name.clone());
        }
    }
    kept
}
