//! CSV of `weigh micro`: a line per comparison.

use micro::{ComparisonCost, Results, Verdict};
use serde::Serialize;

use crate::format::csv::{to_csv, value_and_bounds};
use crate::format::number::round_six_digits;

/// Columns of a line, in order.
#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    text: &'a str,
    difference: &'static str,
    collation: &'a str,
    // Present in all lines or in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction_set: Option<&'a str>,
    characters: usize,
    bytes: usize,
    verdict: Verdict,
    engine_verdict: Option<Verdict>,
    rounds: usize,
    server_ns: f64,
    server_ns_low: f64,
    server_ns_high: f64,
    engine_ns: Option<f64>,
    engine_ns_low: Option<f64>,
    engine_ns_high: Option<f64>,
    memcmp_ns: f64,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
}

/// Returns the results as CSV with a header.
pub fn csv(results: &Results) -> String {
    to_csv(results.comparisons.iter().map(|cost| line(results, cost)))
}

fn line<'a>(results: &'a Results, cost: &'a ComparisonCost) -> Line<'a> {
    let [engine_ns, engine_ns_low, engine_ns_high] = value_and_bounds(cost.engine_ns);
    let [ratio, ratio_low, ratio_high] = value_and_bounds(cost.ratio);
    Line {
        server: &results.servers[cost.server].label,
        text: &cost.text,
        difference: cost.difference.name(),
        collation: &cost.collation,
        instruction_set: cost.instruction_set.as_deref(),
        characters: results.options.characters,
        bytes: cost.bytes,
        verdict: cost.verdict,
        engine_verdict: cost.engine_verdict,
        rounds: cost.rounds.len(),
        server_ns: round_six_digits(cost.server_ns.value),
        server_ns_low: round_six_digits(cost.server_ns.low),
        server_ns_high: round_six_digits(cost.server_ns.high),
        engine_ns,
        engine_ns_low,
        engine_ns_high,
        memcmp_ns: round_six_digits(cost.memcmp_ns.value),
        ratio,
        ratio_low,
        ratio_high,
    }
}
