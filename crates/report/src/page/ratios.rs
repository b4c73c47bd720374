//! Ratios with their intervals, a chart and a table for each condition.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind, Run};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use super::section::Section;
use super::table::Grid;
use crate::content::Report;
use crate::head::legend;
use crate::name::{server, variant};
use crate::table::{condition_tables, is_measured};

/// With more conditions than this, the tables are folded away.
const UNFOLDED: usize = 4;

#[derive(Template)]
#[template(path = "ratios.html")]
struct Body {
    legend: Vec<String>,
    groups: Vec<Group>,
    /// Tables of what has no ratio, and so no chart.
    others: Vec<Grid>,
    unfolded: bool,
}

/// One table and the chart of its ratios.
struct Group {
    title: String,
    chart: Chart,
    grid: Grid,
}

#[derive(Serialize)]
struct Data {
    /// What the ratios are taken against.
    baseline: String,
    /// A difference smaller than this counts as none.
    aa_bound: Option<f64>,
    /// From the lowest to the highest end of all intervals of the run, and 1.
    domain: [f64; 2],
    marks: Vec<Mark>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let domain = domain(report);
    let conditions = report.analysis.conditions.iter().filter(|condition| is_measured(condition));
    let (mut groups, mut others) = (Vec::new(), Vec::new());
    for condition in conditions {
        // Collations against their baselines, then servers against the first.
        let kinds = [PairKind::Collation, PairKind::Server];
        for (table, kind) in condition_tables(report, condition).into_iter().zip(kinds) {
            let title = table.title.clone();
            match chart(report, condition, kind, domain) {
                Some(chart) => groups.push(Group { title, chart, grid: Grid::new(table) }),
                None => others.push(Grid::new(table)),
            }
        }
    }
    let is_empty = groups.is_empty() && others.is_empty();
    let unfolded = groups.len() <= UNFOLDED;
    let body = Body { legend: legend(&report.run), groups, others, unfolded };
    (!is_empty).then(|| Section::new("ratios", "Ratios with their intervals", &body))
}

fn chart(report: &Report, condition: &ConditionResult, kind: PairKind, domain: [f64; 2]) -> Option<Chart> {
    let run = &report.run;
    let own: Vec<&Comparison> = condition.comparisons.iter().filter(|comparison| comparison.kind == kind).collect();
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
    let data = Data { baseline: baseline.clone(), aa_bound: condition.aa_bound, domain, marks };
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
    let all = report.analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let ratios =
        all.filter(|comparison| comparison.kind != PairKind::AA).filter_map(|comparison| comparison.throughput);
    ratios.fold([1.0, 1.0], |[low, high]: [f64; 2], ratio| [low.min(ratio.low), high.max(ratio.high)])
}
