//! CSV and Parquet of `weigh count`: a line per server, workload and collation.

use std::io;

use count::{Cell, Results};
use parquetfile::Values;
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

/// Returns the results as a Parquet file with the columns of [`csv()`].
pub fn parquet(results: &Results) -> io::Result<Vec<u8>> {
    let lines: Vec<Line<'_>> = results.cells.iter().map(|cell| line(results, cell)).collect();
    let text = |field: fn(&Line<'_>) -> String| Values::Text(lines.iter().map(|line| Some(field(line))).collect());
    let float = |field: fn(&Line<'_>) -> Option<f64>| Values::Float(lines.iter().map(field).collect());
    let int = |field: fn(&Line<'_>) -> Option<i64>| Values::Int(lines.iter().map(field).collect());
    parquetfile::to_bytes(&[
        ("server", text(|line| line.server.to_owned())),
        ("workload", text(|line| line.workload.to_owned())),
        ("collation", text(|line| line.collation.to_owned())),
        ("statements", int(|line| line.statements.try_into().ok())),
        ("starts", int(|line| line.starts.try_into().ok())),
        ("instructions", float(|line| Some(line.instructions))),
        ("spread", float(|line| Some(line.spread))),
        ("ratio", float(|line| line.ratio)),
        ("ratio_low", float(|line| line.ratio_low)),
        ("ratio_high", float(|line| line.ratio_high)),
        ("allocations", float(|line| line.allocations)),
    ])
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
