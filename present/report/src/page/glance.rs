//! The picture of a run: a heat map of all changes, workloads across and collations down, or a
//! chart of the changes under one workload.

use measure::{Comparison, ConditionResult, PairKind};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use crate::format::number::count_noun;
use crate::run::name::condition_name;
use crate::run::report::Report;
use crate::run::verdict::cell::Figure;

#[derive(Serialize)]
struct Data {
    /// Whether more of the figure is worse.
    is_cost: bool,
    label: String,
    columns: Vec<String>,
    rows: Vec<String>,
    tiles: Vec<Tile>,
}

/// A cell of the heat map.
#[derive(Serialize)]
struct Tile {
    column: String,
    #[serde(flatten)]
    mark: Mark,
}

/// Returns the picture of a run: a heat map of collations by workloads, or for one workload a chart
/// of the changes with their intervals. `None` if nothing was compared.
pub(super) fn picture(report: &Report) -> Option<Chart> {
    let tiles: Vec<Tile> =
        report.analysis.conditions.iter().flat_map(|condition| tiles_of_condition(report, condition)).collect();
    let columns = unique_names(tiles.iter().map(|tile| &tile.column));
    let rows = unique_names(tiles.iter().map(|tile| &tile.mark.name));
    let figure = Figure::of_run(&report.analysis);
    match (columns.len(), rows.len()) {
        (0, _) => None,
        (1, _) => Some(changes(figure, tiles.into_iter().map(|tile| tile.mark).collect())),
        _ => Some(heat_map(figure, columns, rows, tiles)),
    }
}

fn heat_map(figure: Figure, columns: Vec<String>, rows: Vec<String>, tiles: Vec<Tile>) -> Chart {
    let description = format!(
        "Heat map of {} by {}: change of {} in percent. The table beside it has the figures.",
        count_noun(rows.len() as u64, "collation"),
        count_noun(columns.len() as u64, "workload"),
        figure.name()
    );
    let caption = format!("Change of {} from the server's own baseline, in %", figure.name());
    let label = format!("% {}", figure.name());
    Chart::new("heat", caption, description, &Data { is_cost: figure.is_cost(), label, columns, rows, tiles })
}

fn changes(figure: Figure, marks: Vec<Mark>) -> Chart {
    let domain = marks.iter().fold([1.0, 1.0], |[low, high]: [f64; 2], mark| [low.min(mark.low), high.max(mark.high)]);
    let description = format!(
        "Chart of {} of {} with 95 % intervals. The table beside it has the figures.",
        count_noun(marks.len() as u64, "change"),
        figure.name()
    );
    let caption = format!("{} for each unit of the baseline's, with the 95 % interval", capitalized(figure.name()));
    let axis = format!("{} × baseline", figure.name());
    Chart::new("change", caption, description, &Changes { axis, baseline: "", aa_bound: None, domain, marks })
}

/// Returns `Server CPU per query` for `server CPU per query`.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[derive(Serialize)]
struct Changes {
    axis: String,
    baseline: &'static str,
    aa_bound: Option<f64>,
    domain: [f64; 2],
    marks: Vec<Mark>,
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
