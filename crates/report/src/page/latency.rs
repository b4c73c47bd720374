//! Latency percentiles, a chart for each condition; the figures are in the ratios' tables.

use askama::Template;
use measure::ConditionResult;
use serde::Serialize;

use super::chart::{Chart, label};
use super::section::Section;
use crate::content::Report;
use crate::name::in_words;

#[derive(Template)]
#[template(path = "latency.html")]
struct Body {
    charts: Vec<Chart>,
}

#[derive(Serialize)]
struct Data {
    /// From the lowest to the highest percentile of the run, in ms.
    domain: [f64; 2],
    rows: Vec<Percentiles>,
}

#[derive(Serialize)]
struct Percentiles {
    name: String,
    p50: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

impl Percentiles {
    fn known(&self) -> impl Iterator<Item = f64> {
        [self.p50, self.p95, self.p99].into_iter().flatten().filter(|value| *value > 0.0)
    }
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let conditions: Vec<(String, Vec<Percentiles>)> = report
        .analysis
        .conditions
        .iter()
        .map(|condition| (in_words(&report.run, condition.condition), rows(report, condition)))
        .collect();
    let all = || conditions.iter().flat_map(|(_, rows)| rows).flat_map(Percentiles::known);
    let domain = [all().reduce(f64::min)?, all().reduce(f64::max)?];
    let charts = conditions.into_iter().filter(|(_, rows)| !rows.is_empty()).map(|(place, rows)| {
        let description = format!(
            "Chart of the 50th, 95th and 99th percentile of a transaction's latency on {place}. The same figures are in the \
             tables of ratios."
        );
        Chart::new("latency", place, description, &Data { domain, rows })
    });
    Some(Section::new("latency", "Latency of a transaction", &Body { charts: charts.collect() }))
}

fn rows(report: &Report, condition: &ConditionResult) -> Vec<Percentiles> {
    let run = &report.run;
    let own = condition.variants.iter().filter(|result| !run.variants[result.variant].copy);
    let rows = own.map(|result| Percentiles {
        name: label(run, result.variant),
        p50: result.p50_ms,
        p95: result.p95_ms,
        p99: result.p99_ms,
    });
    rows.filter(|row| row.known().next().is_some()).collect()
}
