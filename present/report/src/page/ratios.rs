//! Section with ratios and their intervals: a chart and a table per condition.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind, Run};
use serde::Serialize;

use super::chart::{Chart, Mark, label};
use super::section::Section;
use super::table::Grid;
use crate::format::number::count_noun;
use crate::run::head::legend;
use crate::run::name::{server_label, variant_name};
use crate::run::report::Report;
use crate::run::tables::{condition_tables, is_measured};

/// Largest number of charts with which the tables are unfolded.
const MAX_UNFOLDED: usize = 4;

#[derive(Template)]
#[template(path = "ratios.html")]
struct Body {
    legend: Vec<String>,
    groups: Vec<Group>,
    /// Tables without a ratio, and so without a chart.
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
    /// Label of the baseline: a server for cross-server pairs, otherwise a collation.
    baseline: String,
    /// A/A bound: smaller differences from 1 count as no difference.
    aa_bound: Option<f64>,
    /// Range of all intervals of the run except A/A pairs, including 1.
    domain: [f64; 2],
    marks: Vec<Mark>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let domain = domain(report);
    let conditions = report.analysis.conditions.iter().filter(|condition| is_measured(condition));
    let (mut groups, mut others) = (Vec::new(), Vec::new());
    for condition in conditions {
        // Pairs of collations come first, then cross-server pairs.
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
    let unfolded = groups.len() <= MAX_UNFOLDED;
    let body = Body { legend: legend(&report.run), groups, others, unfolded };
    (!is_empty).then(|| Section::new("ratios", "Ratios with their intervals", &body))
}

fn chart(report: &Report, condition: &ConditionResult, kind: PairKind, domain: [f64; 2]) -> Option<Chart> {
    let run = &report.run;
    let own: Vec<&Comparison> = condition.comparisons.iter().filter(|comparison| comparison.kind == kind).collect();
    let mark = |comparison: &&Comparison| {
        Some(Mark::new(mark_name(run, comparison), comparison.throughput?, comparison.verdict))
    };
    let marks: Vec<Mark> = own.iter().filter_map(mark).collect();
    let first = own.iter().find(|comparison| comparison.throughput.is_some())?;
    let baseline = match kind {
        PairKind::Server => server_label(run, first.baseline).to_owned(),
        PairKind::AA | PairKind::Collation => variant_name(run, first.baseline),
    };
    let description = format!(
        "Chart of {} to {baseline} with 95 % intervals. The same figures are in the table that follows.",
        count_noun(marks.len() as u64, "throughput ratio")
    );
    let data = Data { baseline: baseline.clone(), aa_bound: condition.aa_bound, domain, marks };
    Some(Chart::new(
        "ratio",
        format!("Throughput as a ratio to {baseline}, with the 95 % interval"),
        description,
        &data,
    ))
}

/// Returns the label of a variant. For a cross-server pair of two collations, adds the control's
/// collation.
fn mark_name(run: &Run, comparison: &Comparison) -> String {
    let [own, other] = [comparison.variant, comparison.baseline].map(|index| &run.variants[index].collation);
    let label = label(run, comparison.variant);
    match comparison.kind {
        PairKind::Server if own != other => format!("{label} compared with {other}"),
        PairKind::AA | PairKind::Collation | PairKind::Server => label,
    }
}

fn domain(report: &Report) -> [f64; 2] {
    let all = report.analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let ratios =
        all.filter(|comparison| comparison.kind != PairKind::AA).filter_map(|comparison| comparison.throughput);
    ratios.fold([1.0, 1.0], |[low, high]: [f64; 2], ratio| [low.min(ratio.low), high.max(ratio.high)])
}
