//! CSV of a run's report: a line per comparison, and per variant that is compared with none.

use measure::{Comparison, ConditionResult, Driver, Mode, VariantResult};
use serde::Serialize;

use crate::format::csv::{to_csv, value_and_bounds, verdict_word};
use crate::format::number::round_six_digits;
use crate::run::report::Report;
use crate::run::tables::list_variants;

/// Columns of a line, in order.
#[derive(Serialize)]
struct Line<'a> {
    run: &'a str,
    mode: &'static str,
    driver: &'static str,
    workload: &'a str,
    text: &'a str,
    threads: u32,
    server: &'a str,
    collation: &'a str,
    connection_charset: &'a str,
    copy: bool,
    more_work: Option<f64>,
    blocks: usize,
    queries_per_s: Option<f64>,
    reads_and_writes_per_s: Option<f64>,
    transactions_per_s: Option<f64>,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    server_cpu_us: Option<f64>,
    client_cpu_us: Option<f64>,
    rows_per_query: Option<f64>,
    pages_read_per_query: Option<f64>,
    errors: u64,
    baseline_server: Option<&'a str>,
    baseline_collation: Option<&'a str>,
    baseline_connection_charset: Option<&'a str>,
    throughput_ratio: Option<f64>,
    throughput_low: Option<f64>,
    throughput_high: Option<f64>,
    cpu_ratio: Option<f64>,
    cpu_low: Option<f64>,
    cpu_high: Option<f64>,
    cpu_more_us: Option<f64>,
    cpu_more_us_low: Option<f64>,
    cpu_more_us_high: Option<f64>,
    p50_ratio: Option<f64>,
    p50_low: Option<f64>,
    p50_high: Option<f64>,
    p95_ratio: Option<f64>,
    p95_low: Option<f64>,
    p95_high: Option<f64>,
    p99_ratio: Option<f64>,
    p99_low: Option<f64>,
    p99_high: Option<f64>,
    replicates: usize,
    verdict: &'static str,
    not_comparable: String,
}

/// Returns reports as CSV with a header. The time of its start identifies a run.
pub fn csv<'a>(reports: impl IntoIterator<Item = &'a Report>) -> String {
    to_csv(reports.into_iter().flat_map(lines))
}

fn lines(report: &Report) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for condition in &report.analysis.conditions {
        for index in list_variants(condition) {
            let own: Vec<&Comparison> = condition.comparisons.iter().filter(|c| c.variant == index).collect();
            if own.is_empty() {
                lines.push(line(report, condition, index, None));
            }
            lines.extend(own.into_iter().map(|comparison| line(report, condition, index, Some(comparison))));
        }
    }
    lines
}

fn line<'a>(
    report: &'a Report,
    condition: &ConditionResult,
    index: usize,
    comparison: Option<&Comparison>,
) -> Line<'a> {
    let run = &report.run;
    let measured_condition = &run.conditions[condition.condition];
    let variant = &run.variants[index];
    let result = condition.variants.iter().find(|result| result.variant == index);
    let figure = |of: fn(&VariantResult) -> Option<f64>| result.and_then(of).map(round_six_digits);
    let baseline = comparison.map(|comparison| &run.variants[comparison.baseline]);
    let throughput = comparison.and_then(|comparison| comparison.throughput);
    let cpu = comparison.and_then(|comparison| comparison.server_cpu);
    let [throughput_ratio, throughput_low, throughput_high] = value_and_bounds(throughput);
    let [cpu_ratio, cpu_low, cpu_high] = value_and_bounds(cpu);
    let more = comparison.and_then(|comparison| comparison.server_cpu_difference_us);
    let [cpu_more_us, cpu_more_us_low, cpu_more_us_high] = value_and_bounds(more);
    let latency = comparison.map(|comparison| comparison.latency).unwrap_or_default();
    let [p50_ratio, p50_low, p50_high] = value_and_bounds(latency.p50);
    let [p95_ratio, p95_low, p95_high] = value_and_bounds(latency.p95);
    let [p99_ratio, p99_low, p99_high] = value_and_bounds(latency.p99);
    Line {
        run: &run.started,
        mode: match run.options.mode {
            Mode::Duet => "duet",
            Mode::Solo => "solo",
        },
        driver: match run.options.driver {
            Driver::Native => "native",
            Driver::Sysbench => "sysbench",
        },
        workload: &measured_condition.workload,
        text: &measured_condition.text,
        threads: measured_condition.threads,
        server: &run.servers[variant.server].label,
        collation: &variant.collation,
        connection_charset: &variant.connection_charset,
        copy: variant.copy,
        more_work: variant.extra_work,
        blocks: comparison.map_or(result.map_or(0, |result| result.blocks), |comparison| comparison.blocks),
        queries_per_s: figure(|result| Some(result.queries_per_s)),
        reads_and_writes_per_s: figure(|result| result.reads_and_writes_per_s),
        transactions_per_s: figure(|result| Some(result.transactions_per_s)),
        p50_ms: figure(|result| result.p50_ms),
        p95_ms: figure(|result| result.p95_ms),
        p99_ms: figure(|result| result.p99_ms),
        server_cpu_us: figure(|result| result.server_cpu_us),
        client_cpu_us: figure(|result| result.client_cpu_us),
        rows_per_query: figure(|result| result.rows_per_query),
        pages_read_per_query: figure(|result| result.pages_read),
        errors: result.map_or(0, |result| result.errors.values().fold(0, |sum, count| sum.saturating_add(*count))),
        baseline_server: baseline.map(|variant| run.servers[variant.server].label.as_str()),
        baseline_collation: baseline.map(|variant| variant.collation.as_str()),
        baseline_connection_charset: baseline.map(|variant| variant.connection_charset.as_str()),
        throughput_ratio,
        throughput_low,
        throughput_high,
        cpu_ratio,
        cpu_low,
        cpu_high,
        cpu_more_us,
        cpu_more_us_low,
        cpu_more_us_high,
        p50_ratio,
        p50_low,
        p50_high,
        p95_ratio,
        p95_low,
        p95_high,
        p99_ratio,
        p99_low,
        p99_high,
        replicates: comparison.map_or(0, |comparison| comparison.replicates.len()),
        verdict: comparison.map_or("baseline", |comparison| verdict_word(comparison.verdict)),
        not_comparable: comparison.map_or_else(String::new, |comparison| {
            comparison.not_comparable.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }),
    }
}
