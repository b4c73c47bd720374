//! Section with a heat map of all changes: workloads across, collations down.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use super::section::Section;
use crate::run::name::condition_name;
use crate::run::report::Report;
use crate::run::verdict::cell::Figure;

#[derive(Template)]
#[template(path = "glance.html")]
struct Body {
    chart: Chart,
}

#[derive(Serialize)]
struct Data {
    /// Whether more of the figure is worse.
    is_cost: bool,
    label: String,
    columns: Vec<String>,
    rows: Vec<String>,
    tiles: Vec<Tile>,
}

/// A field of the heat map.
#[derive(Serialize)]
struct Tile {
    column: String,
    #[serde(flatten)]
    mark: Mark,
}

/// Returns `None` for a single row or column, which the chart of ratios shows as well.
pub(super) fn section(report: &Report) -> Option<Section> {
    let tiles: Vec<Tile> =
        report.analysis.conditions.iter().flat_map(|condition| tiles_of_condition(report, condition)).collect();
    let columns = unique_names(tiles.iter().map(|tile| &tile.column));
    let rows = unique_names(tiles.iter().map(|tile| &tile.mark.name));
    if columns.len() < 2 || rows.len() < 2 {
        return None;
    }
    let figure = Figure::of_run(&report.analysis);
    let description = format!(
        "Heat map of {} collations by {} workloads: change of {} in percent. The figures are in the table above.",
        rows.len(),
        columns.len(),
        figure.name()
    );
    let caption = format!("Change of {} from the server's own baseline, in %", figure.name());
    let label = format!("% {}", figure.name());
    let chart =
        Chart::new("heat", caption, description, &Data { is_cost: figure.is_cost(), label, columns, rows, tiles });
    Some(Section::new("glance", "At a glance", &Body { chart }))
}

fn tiles_of_condition(report: &Report, condition: &ConditionResult) -> Vec<Tile> {
    let run = &report.run;
    let figure = Figure::of_run(&report.analysis);
    let tile = |comparison: &Comparison| {
        let mark = Mark::of_figure(label(run, comparison.variant), figure, comparison)?;
        Some(Tile { column: condition_name(run, condition.condition), mark })
    };
    condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation).filter_map(tile).collect()
}

fn unique_names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(name) {
            kept.push(name.clone());
        }
    }
    kept
}
