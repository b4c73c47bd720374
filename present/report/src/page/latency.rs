//! Section with latency percentiles: a chart per condition. The figures are in the tables of
//! ratios.

use askama::Template;
use measure::ConditionResult;
use serde::Serialize;

use super::chart::{Chart, label};
use super::section::Section;
use crate::run::name::condition_name;
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "latency.html")]
struct Body {
    charts: Vec<Chart>,
}

#[derive(Serialize)]
struct Data {
    /// Smallest and largest value of all charts, in ms. The charts share an axis.
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
    fn positive_values(&self) -> impl Iterator<Item = f64> {
        [self.p50, self.p95, self.p99].into_iter().flatten().filter(|value| *value > 0.0)
    }
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let conditions: Vec<(String, Vec<Percentiles>)> = report
        .analysis
        .conditions
        .iter()
        .map(|condition| (condition_name(&report.run, condition.condition), rows(report, condition)))
        .collect();
    let all = || conditions.iter().flat_map(|(_, rows)| rows).flat_map(Percentiles::positive_values);
    let domain = [all().reduce(f64::min)?, all().reduce(f64::max)?];
    let charts = conditions.into_iter().filter(|(_, rows)| !rows.is_empty()).map(|(condition_name, rows)| {
        let description = format!(
            "Chart of the 50th, 95th and 99th percentile of a transaction's latency on {condition_name}. The same figures are in the \
             tables of ratios."
        );
        Chart::new("latency", condition_name, description, &Data { domain, rows })
    });
    Some(Section::new("latency", "Latency of a transaction", &Body { charts: charts.collect() }))
}

fn rows(report: &Report, condition: &ConditionResult) -> Vec<Percentiles> {
    let run = &report.run;
    let originals = condition.variants.iter().filter(|result| !run.variants[result.variant].copy);
    let rows = originals.map(|result| Percentiles {
        name: label(run, result.variant),
        p50: result.p50_ms,
        p95: result.p95_ms,
        p99: result.p99_ms,
    });
    rows.filter(|row| row.positive_values().next().is_some()).collect()
}
