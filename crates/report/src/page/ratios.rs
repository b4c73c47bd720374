//! Ratios with their intervals, a chart and a table for each condition.

use askama::Template;
use measure::{CellResult, Comparison, PairKind, Run};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use super::section::Section;
use super::table::Grid;
use crate::content::Report;
use crate::head::legend;
use crate::name::{server, variant};
use crate::table::{cell_tables, is_measured};

/// With more conditions than this, the tables are folded away.
const UNFOLDED: usize = 4;

#[derive(Template)]
#[template(path = "ratios.html")]
struct Body {
    legend: Vec<String>,
    groups: Vec<Group>,
    unfolded: bool,
}

/// One table and the chart of its ratios, where it has any.
struct Group {
    title: String,
    chart: Option<Chart>,
    grid: Grid,
}

#[derive(Serialize)]
struct Data {
    /// What the ratios are taken against.
    baseline: String,
    /// A difference smaller than this counts as none.
    noise_floor: Option<f64>,
    /// From the lowest to the highest end of all intervals of the run, and 1.
    domain: [f64; 2],
    marks: Vec<Mark>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let domain = domain(report);
    let cells = report.analysis.cells.iter().filter(|cell| is_measured(cell));
    let groups: Vec<Group> = cells.flat_map(|cell| groups(report, cell, domain)).collect();
    let unfolded = groups.len() <= UNFOLDED;
    let body = Body { legend: legend(&report.run), groups, unfolded };
    (!body.groups.is_empty()).then(|| Section::new("ratios", "Ratios with their intervals", &body))
}

/// Collations against their baselines, then servers against the first.
fn groups(report: &Report, cell: &CellResult, domain: [f64; 2]) -> Vec<Group> {
    let kinds = [PairKind::Collation, PairKind::Server];
    let tables = cell_tables(report, cell).into_iter().zip(kinds);
    let group = |(table, kind): (crate::table::Table, PairKind)| Group {
        title: table.title.clone(),
        chart: chart(report, cell, kind, domain),
        grid: Grid::new(table),
    };
    tables.map(group).collect()
}

fn chart(report: &Report, cell: &CellResult, kind: PairKind, domain: [f64; 2]) -> Option<Chart> {
    let run = &report.run;
    let own: Vec<&Comparison> = cell.comparisons.iter().filter(|comparison| comparison.kind == kind).collect();
    let mark =
        |comparison: &&Comparison| Some(Mark::new(name(run, comparison), comparison.throughput?, comparison.verdict));
    let marks: Vec<Mark> = own.iter().filter_map(mark).collect();
    let first = own.iter().find(|comparison| comparison.throughput.is_some())?;
    let baseline = match kind {
        PairKind::Server => server(run, first.baseline).to_owned(),
        PairKind::AA | PairKind::Collation => variant(run, first.baseline),
    };
    let description = format!(
        "Chart of {} throughput ratios to {baseline} with their 95 % intervals. The same figures are in the table that follows.",
        marks.len()
    );
    let data = Data { baseline: baseline.clone(), noise_floor: cell.noise_floor, domain, marks };
    Some(Chart::new(
        "ratio",
        format!("Throughput as a ratio to {baseline}, with the 95 % interval"),
        description,
        &data,
    ))
}

/// A variant by its label, and what it is held against where that is not the column's baseline alone.
fn name(run: &Run, comparison: &Comparison) -> String {
    let [own, other] = [comparison.variant, comparison.baseline].map(|index| &run.variants[index].collation);
    let label = label(run, comparison.variant);
    match comparison.kind {
        PairKind::Server if own != other => format!("{label} against {other}"),
        PairKind::AA | PairKind::Collation | PairKind::Server => label,
    }
}

fn domain(report: &Report) -> [f64; 2] {
    let all = report.analysis.cells.iter().flat_map(|cell| &cell.comparisons);
    let ratios =
        all.filter(|comparison| comparison.kind != PairKind::AA).filter_map(|comparison| comparison.throughput);
    ratios.fold([1.0, 1.0], |[low, high]: [f64; 2], ratio| [low.min(ratio.low), high.max(ratio.high)])
}
