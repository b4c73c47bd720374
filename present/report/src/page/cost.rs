//! Section with server CPU time per statement: a chart per condition. The figures are in the tables
//! of ratios.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind, VariantResult};
use serde::Serialize;

use super::chart::{Chart, label};
use super::section::Section;
use crate::format::number::format_difference;
use crate::run::name::condition_name;
use crate::run::report::Report;

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
    /// Difference from the baseline, with its interval.
    more: Option<String>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let charts: Vec<Chart> =
        report.analysis.conditions.iter().filter_map(|condition| chart(report, condition)).collect();
    (!charts.is_empty()).then(|| Section::new("cpu", "Server CPU time per statement", &Body { charts }))
}

fn chart(report: &Report, condition: &ConditionResult) -> Option<Chart> {
    let run = &report.run;
    let own = condition.variants.iter().filter(|result| !run.variants[result.variant].copy);
    let more = |variant: usize| {
        let is_it = |comparison: &&Comparison| comparison.variant == variant && comparison.kind == PairKind::Collation;
        condition.comparisons.iter().find(is_it)?.server_cpu_difference_us.map(format_difference)
    };
    let bar = |result: &VariantResult| {
        let (name, more) = (label(run, result.variant), more(result.variant));
        Some(Bar { name, value: result.server_cpu_us?, more })
    };
    let bars: Vec<Bar> = own.filter_map(bar).collect();
    let condition_name = condition_name(run, condition.condition);
    let description = format!(
        "Bar chart of server CPU time per statement on {condition_name}. The same figures are in the tables of ratios."
    );
    (!bars.is_empty()).then(|| Chart::new("bars", condition_name, description, &Data { unit: "µs", bars }))
}
