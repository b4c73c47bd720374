//! CSV of `weigh count`: a line per server, workload and collation.

use count::{Cell, Results};
use serde::Serialize;

use crate::format::csv::to_csv;
use crate::format::number::round_six_digits;

/// Columns of a line, in order.
#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    workload: &'a str,
    collation: &'a str,
    statements: u64,
    starts: usize,
    instructions: f64,
    spread: f64,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    allocations: Option<f64>,
}

/// Returns the results as CSV with a header.
pub fn csv(results: &Results) -> String {
    to_csv(results.cells.iter().map(|cell| line(results, cell)))
}

fn line<'a>(results: &'a Results, cell: &'a Cell) -> Line<'a> {
    let baseline = results.baseline_of(cell);
    let bounds = baseline.map(|baseline| cell.ratio_bounds(baseline));
    Line {
        server: &results.servers[cell.server].label,
        workload: &cell.workload,
        collation: &cell.collation,
        statements: cell.statements,
        starts: cell.instructions.len(),
        instructions: round_six_digits(cell.mean()),
        spread: round_six_digits(cell.spread()),
        ratio: baseline.map(|baseline| round_six_digits(cell.mean() / baseline.mean())),
        ratio_low: bounds.map(|(low, _)| round_six_digits(low)),
        ratio_high: bounds.map(|(_, high)| round_six_digits(high)),
        allocations: cell.mean_allocations().map(round_six_digits),
    }
}
