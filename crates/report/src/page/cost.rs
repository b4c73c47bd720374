//! Server CPU time a statement, a chart for each condition; the figures are in the ratios' tables.

use askama::Template;
use measure::{Comparison, ConditionResult, PairKind, VariantResult};
use serde::Serialize;

use super::chart::{Chart, label};
use super::section::Section;
use crate::content::Report;
use crate::name::in_words;
use crate::number::difference;

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
    /// How much more than the baseline's, with its interval.
    more: Option<String>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let charts: Vec<Chart> =
        report.analysis.conditions.iter().filter_map(|condition| chart(report, condition)).collect();
    (!charts.is_empty()).then(|| Section::new("cpu", "Server CPU time a statement", &Body { charts }))
}

fn chart(report: &Report, condition: &ConditionResult) -> Option<Chart> {
    let run = &report.run;
    let own = condition.variants.iter().filter(|result| !run.variants[result.variant].copy);
    let more = |variant: usize| {
        let is_it = |comparison: &&Comparison| comparison.variant == variant && comparison.kind == PairKind::Collation;
        condition.comparisons.iter().find(is_it)?.server_cpu_difference_us.map(difference)
    };
    let bar = |result: &VariantResult| {
        let (name, more) = (label(run, result.variant), more(result.variant));
        Some(Bar { name, value: result.server_cpu_us?, more })
    };
    let bars: Vec<Bar> = own.filter_map(bar).collect();
    let place = in_words(run, condition.condition);
    let description =
        format!("Bar chart of server CPU time a statement on {place}. The same figures are in the tables of ratios.");
    (!bars.is_empty()).then(|| Chart::new("bars", place, description, &Data { unit: "µs", bars }))
}
