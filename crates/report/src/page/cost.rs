//! Server CPU time a statement, a chart for each condition; the figures are in the ratios' tables.

use askama::Template;
use measure::CellResult;
use serde::Serialize;

use super::chart::{Chart, label};
use super::section::Section;
use crate::content::Report;
use crate::name::condition;

#[derive(Template)]
#[template(path = "cost.html")]
struct Body {
    charts: Vec<Chart>,
}

#[derive(Serialize)]
struct Data {
    unit: &'static str,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    name: String,
    value: f64,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let charts: Vec<Chart> = report.analysis.cells.iter().filter_map(|cell| chart(report, cell)).collect();
    (!charts.is_empty()).then(|| Section::new("cpu", "Server CPU time a statement", &Body { charts }))
}

fn chart(report: &Report, cell: &CellResult) -> Option<Chart> {
    let run = &report.run;
    let own = cell.variants.iter().filter(|result| !run.variants[result.variant].copy);
    let bars: Vec<Bar> =
        own.filter_map(|result| Some(Bar { name: label(run, result.variant), value: result.server_cpu_us? })).collect();
    let condition = condition(run, cell.cell);
    let description = format!(
        "Bar chart of server CPU time a statement on {condition}. The same figures are in the tables of ratios."
    );
    (!bars.is_empty()).then(|| Chart::new("bars", condition, description, &Data { unit: "µs", bars }))
}
