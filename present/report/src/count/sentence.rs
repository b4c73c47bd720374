//! Sentences of `weigh count`.

use count::{Cell, Results};

use crate::format::number::{count_noun, format_percent};

/// Returns a sentence per server and collation: the range of its differences from the baseline.
pub(super) fn verdicts(results: &Results) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, server) in results.servers.iter().enumerate() {
        for collation in collations(results, index) {
            let cells = results.cells.iter().filter(|cell| cell.server == index && cell.collation == collation);
            let differences: Vec<(f64, &Cell)> =
                cells.filter_map(|cell| Some((difference(results, cell)?, cell))).collect();
            let Some(least) = differences.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let Some(most) = differences.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let mut range = describe(least);
            if differences.len() > 1 {
                range = format!("{range} to {}", describe(most));
            }
            let (label, baseline) = (&server.label, &results.options.baseline);
            sentences.push(format!("{label}: {collation} executes {range} instructions, compared with {baseline}."));
        }
    }
    sentences
}

fn describe(&(difference, cell): &(f64, &Cell)) -> String {
    let amount = format_percent(difference.abs());
    match difference {
        0.0 => format!("as many ({})", cell.workload),
        more if more > 0.0 => format!("{amount} more ({})", cell.workload),
        _ => format!("{amount} fewer ({})", cell.workload),
    }
}

/// Returns the collations of a server in the order of the cells.
pub(super) fn collations(results: &Results, server: usize) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.server == server) {
        if !names.contains(&cell.collation.as_str()) {
            names.push(&cell.collation);
        }
    }
    names
}

/// Returns a cell's relative difference from the baseline, as [`difference_from`] has it. `None`
/// for the baseline itself, and without a baseline.
pub(super) fn difference(results: &Results, cell: &Cell) -> Option<f64> {
    results.baseline_of(cell).map(|baseline| difference_from(cell, baseline))
}

/// Least relative difference that is reported: it is printed as 0.1 %.
const MIN_DIFFERENCE: f64 = 0.0005;

/// Returns the relative difference of two cells: 0 if the ranges of their starts overlap, or if it
/// is below [`MIN_DIFFERENCE`].
pub(super) fn difference_from(cell: &Cell, reference: &Cell) -> f64 {
    let (least, most) = cell.ratio_bounds(reference);
    let difference = cell.mean() / reference.mean() - 1.0;
    let is_within = (least..=most).contains(&1.0) || difference.abs() < MIN_DIFFERENCE;
    if is_within { 0.0 } else { difference }
}

/// Explains how instructions were counted, and what is not counted.
pub(super) fn explain_method(results: &Results) -> Vec<String> {
    let starts = count_noun(results.options.starts.into(), "fresh start");
    let spread = results.cells.iter().map(Cell::spread).fold(0.0, f64::max);
    let agreement = if results.options.starts > 1 {
        format!(", which differ by at most {} %", format_spread(spread))
    } else {
        String::new()
    };
    vec![
        format!(
            "Instructions of the connection's thread, counted by valgrind {} in {starts} of each server{agreement}.",
            results.valgrind
        ),
        "Instructions are not time: the kernel's work, waiting for memory and the processor's speed are not counted. \
         Measure time with weigh bench."
            .into(),
    ]
}

/// Formats a share in percent, with a second decimal below 0.1 %.
fn format_spread(spread: f64) -> String {
    let percent = spread * 100.0;
    if percent >= 0.1 { format!("{percent:.1}") } else { format!("{percent:.2}") }
}
