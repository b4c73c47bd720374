//! What comparisons cost as CSV: a line a cell.

use micro::{Cell, Results, Verdict};
use serde::Serialize;

use crate::csv_rows::{bounds, written};
use crate::number::rounded;

/// The fields of a line, in their order.
#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    text: &'a str,
    difference: &'static str,
    collation: &'a str,
    // All lines have it or none, as the header has.
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

/// The results as CSV with a header.
pub fn csv(results: &Results) -> String {
    written(results.cells.iter().map(|cell| line(results, cell)))
}

fn line<'a>(results: &'a Results, cell: &'a Cell) -> Line<'a> {
    let [engine_ns, engine_ns_low, engine_ns_high] = bounds(cell.engine_ns);
    let [ratio, ratio_low, ratio_high] = bounds(cell.ratio);
    Line {
        server: &results.servers[cell.server].label,
        text: &cell.text,
        difference: cell.difference.name(),
        collation: &cell.collation,
        instruction_set: cell.instruction_set.as_deref(),
        characters: results.options.characters,
        bytes: cell.bytes,
        verdict: cell.verdict,
        engine_verdict: cell.engine_verdict,
        rounds: cell.rounds.len(),
        server_ns: rounded(cell.server_ns.value),
        server_ns_low: rounded(cell.server_ns.low),
        server_ns_high: rounded(cell.server_ns.high),
        engine_ns,
        engine_ns_low,
        engine_ns_high,
        memcmp_ns: rounded(cell.memcmp_ns.value),
        ratio,
        ratio_low,
        ratio_high,
    }
}
