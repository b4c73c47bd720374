//! What changed from one run to another as CSV: a line for each throughput and each ratio that both runs have.

use measure::{RatioChange, ThroughputChange};
use serde::Serialize;

use super::Comparison;
use crate::csv_rows::{bounds, verdict, written};
use crate::number::rounded;

/// The fields of a line, in their order. What stands before and after is in queries a second for a throughput.
#[derive(Serialize)]
struct Line<'a> {
    before: &'a str,
    after: &'a str,
    kind: &'static str,
    workload: &'a str,
    text: &'a str,
    threads: u32,
    server: &'a str,
    collation: &'a str,
    connection_charset: &'a str,
    baseline: Option<&'a str>,
    value_before: f64,
    value_before_low: Option<f64>,
    value_before_high: Option<f64>,
    value_after: f64,
    value_after_low: Option<f64>,
    value_after_high: Option<f64>,
    change: Option<f64>,
    change_low: Option<f64>,
    change_high: Option<f64>,
    cpu_change: Option<f64>,
    cpu_change_low: Option<f64>,
    cpu_change_high: Option<f64>,
    cpu_more_us_before: Option<f64>,
    cpu_more_us_before_low: Option<f64>,
    cpu_more_us_before_high: Option<f64>,
    cpu_more_us_after: Option<f64>,
    cpu_more_us_after_low: Option<f64>,
    cpu_more_us_after_high: Option<f64>,
    verdict: &'static str,
    fails: bool,
}

/// Comparisons as CSV with a header.
pub fn compare_csv(comparisons: &[Comparison]) -> String {
    written(comparisons.iter().flat_map(|comparison| {
        let throughputs = comparison.change.throughputs.iter().map(|own| throughput(comparison, own));
        throughputs.chain(comparison.change.ratios.iter().map(|own| ratio(comparison, own)))
    }))
}

fn throughput<'a>(comparison: &'a Comparison, own: &'a ThroughputChange) -> Line<'a> {
    let [value_before, value_after] = own.queries_per_s.map(rounded);
    let [change, change_low, change_high] = bounds(Some(own.throughput));
    let [cpu_change, cpu_change_low, cpu_change_high] = bounds(own.server_cpu);
    Line {
        before: &comparison.before,
        after: &comparison.after,
        kind: "throughput",
        workload: &own.condition.workload,
        text: &own.condition.text,
        threads: own.condition.threads,
        server: &own.server,
        collation: &own.collation,
        connection_charset: &own.connection_charset,
        baseline: None,
        value_before,
        value_before_low: None,
        value_before_high: None,
        value_after,
        value_after_low: None,
        value_after_high: None,
        change,
        change_low,
        change_high,
        cpu_change,
        cpu_change_low,
        cpu_change_high,
        cpu_more_us_before: None,
        cpu_more_us_before_low: None,
        cpu_more_us_before_high: None,
        cpu_more_us_after: None,
        cpu_more_us_after_low: None,
        cpu_more_us_after_high: None,
        verdict: verdict(own.verdict),
        fails: comparison.is_slower(own),
    }
}

fn ratio<'a>(comparison: &'a Comparison, own: &'a RatioChange) -> Line<'a> {
    let [_, value_before_low, value_before_high] = bounds(Some(own.before));
    let [_, value_after_low, value_after_high] = bounds(Some(own.after));
    let [change, change_low, change_high] = bounds(Some(own.change));
    let [cpu_more_us_before, cpu_more_us_before_low, cpu_more_us_before_high] = bounds(own.server_cpu_more_us[0]);
    let [cpu_more_us_after, cpu_more_us_after_low, cpu_more_us_after_high] = bounds(own.server_cpu_more_us[1]);
    Line {
        before: &comparison.before,
        after: &comparison.after,
        kind: "ratio",
        workload: &own.condition.workload,
        text: &own.condition.text,
        threads: own.condition.threads,
        server: &own.server,
        collation: &own.collation,
        connection_charset: &own.connection_charset,
        baseline: Some(&own.baseline),
        value_before: rounded(own.before.value),
        value_before_low,
        value_before_high,
        value_after: rounded(own.after.value),
        value_after_low,
        value_after_high,
        change,
        change_low,
        change_high,
        cpu_change: None,
        cpu_change_low: None,
        cpu_change_high: None,
        cpu_more_us_before,
        cpu_more_us_before_low,
        cpu_more_us_before_high,
        cpu_more_us_after,
        cpu_more_us_after_low,
        cpu_more_us_after_high,
        verdict: verdict(own.verdict),
        fails: comparison.is_dearer(own),
    }
}
