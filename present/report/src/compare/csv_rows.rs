//! CSV of a comparison of two runs: a line per throughput and per ratio that both runs have.

use measure::{RatioChange, ThroughputChange};
use serde::Serialize;

use super::Comparison;
use crate::format::csv::{to_csv, value_and_bounds, verdict_word};
use crate::format::number::round_six_digits;

/// Columns of a line, in order. The values before and after are queries per second or ratios.
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

/// Returns comparisons as CSV with a header.
pub fn compare_csv(comparisons: &[Comparison]) -> String {
    to_csv(comparisons.iter().flat_map(|comparison| {
        let throughputs = comparison.change.throughputs.iter().map(|figure| throughput(comparison, figure));
        throughputs.chain(comparison.change.ratios.iter().map(|figure| ratio(comparison, figure)))
    }))
}

fn throughput<'a>(comparison: &'a Comparison, figure: &'a ThroughputChange) -> Line<'a> {
    let [value_before, value_after] = figure.queries_per_s.map(round_six_digits);
    let [change, change_low, change_high] = value_and_bounds(Some(figure.throughput));
    let [cpu_change, cpu_change_low, cpu_change_high] = value_and_bounds(figure.server_cpu);
    Line {
        before: &comparison.before,
        after: &comparison.after,
        kind: "throughput",
        workload: &figure.condition.workload,
        text: &figure.condition.text,
        threads: figure.condition.threads,
        server: &figure.server,
        collation: &figure.collation,
        connection_charset: &figure.connection_charset,
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
        verdict: verdict_word(figure.verdict),
        fails: comparison.is_throughput_lower(figure),
    }
}

fn ratio<'a>(comparison: &'a Comparison, figure: &'a RatioChange) -> Line<'a> {
    let [_, value_before_low, value_before_high] = value_and_bounds(Some(figure.before));
    let [_, value_after_low, value_after_high] = value_and_bounds(Some(figure.after));
    let [change, change_low, change_high] = value_and_bounds(Some(figure.change));
    let [cpu_more_us_before, cpu_more_us_before_low, cpu_more_us_before_high] =
        value_and_bounds(figure.server_cpu_more_us[0]);
    let [cpu_more_us_after, cpu_more_us_after_low, cpu_more_us_after_high] =
        value_and_bounds(figure.server_cpu_more_us[1]);
    Line {
        before: &comparison.before,
        after: &comparison.after,
        kind: "ratio",
        workload: &figure.condition.workload,
        text: &figure.condition.text,
        threads: figure.condition.threads,
        server: &figure.server,
        collation: &figure.collation,
        connection_charset: &figure.connection_charset,
        baseline: Some(&figure.baseline),
        value_before: round_six_digits(figure.before.value),
        value_before_low,
        value_before_high,
        value_after: round_six_digits(figure.after.value),
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
        verdict: verdict_word(figure.verdict),
        fails: comparison.is_ratio_lower(figure),
    }
}
