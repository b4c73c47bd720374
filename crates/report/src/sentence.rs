//! Results in plain sentences.

use measure::{Analysis, CellResult, Comparison, Estimate, PairKind, Run, Verdict};

use crate::name::{condition, is_of_one_variant, on_server, server, variant};
use crate::number::percent;

/// The results of a run in plain sentences, cell by cell; what could not be measured goes last in each.
pub(crate) fn sentences(run: &Run, analysis: &Analysis) -> Vec<String> {
    analysis.cells.iter().flat_map(|cell| of_cell(run, cell)).collect()
}

fn of_cell(run: &Run, cell: &CellResult) -> Vec<String> {
    let condition = condition(run, cell.cell);
    let asked: Vec<&Comparison> = cell.comparisons.iter().filter(|c| c.kind != PairKind::AA).collect();
    let found = asked.iter().filter_map(|comparison| match comparison.kind {
        PairKind::AA | PairKind::Collation => between_collations(run, &condition, comparison),
        PairKind::Server => between_servers(run, &condition, comparison),
    });
    found.chain(not_measured(run, &condition, &asked)).collect()
}

fn between_collations(run: &Run, condition: &str, comparison: &Comparison) -> Option<String> {
    let (own, baseline) = (variant(run, comparison.variant), variant(run, comparison.baseline));
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Slower => {
            let cost = percent(1.0 - ratio.value);
            format!("{own} costs {cost} of the throughput of {baseline} on {condition}, {}", uncertainty(ratio))
        }
        Verdict::Faster => {
            let gain = percent(ratio.value - 1.0);
            format!("{own} gives {gain} more throughput than {baseline} on {condition}, {}", uncertainty(ratio))
        }
        Verdict::NoDifference { within } => {
            format!("{own} against {baseline} on {condition}: no difference found (± {})", percent(within))
        }
        Verdict::NotMeasured => return None,
    };
    let unlike = unlike(comparison);
    Some(match run.servers.len() {
        1 => format!("{finding}{unlike}."),
        _ => format!("On {}, {finding}{unlike}.", server(run, comparison.variant)),
    })
}

/// ` (unlike: …)` where the sides are, else nothing.
fn unlike(comparison: &Comparison) -> String {
    let ways: Vec<String> = comparison.unlike.iter().map(ToString::to_string).collect();
    if ways.is_empty() { String::new() } else { format!(" (unlike: {})", ways.join("; ")) }
}

fn between_servers(run: &Run, condition: &str, comparison: &Comparison) -> Option<String> {
    let (own, its) = (variant(run, comparison.variant), variant(run, comparison.baseline));
    let (here, there) = (server(run, comparison.variant), server(run, comparison.baseline));
    let there = if is_of_one_variant(run, comparison) { there.to_owned() } else { format!("{its} on {there}") };
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Slower => {
            let by = percent(1.0 - ratio.value);
            format!("is {by} slower on {here} than on {there}, {}", uncertainty(ratio))
        }
        Verdict::Faster => {
            let by = percent(ratio.value - 1.0);
            format!("is {by} faster on {here} than on {there}, {}", uncertainty(ratio))
        }
        Verdict::NoDifference { within } => {
            format!("on {here} against {there}: no difference found (± {})", percent(within))
        }
        Verdict::NotMeasured => return None,
    };
    Some(format!("On {condition}, {own} {finding}{}.", unlike(comparison)))
}

/// `± 1.2 %`; both ends of the interval where that would seem to reach beyond no difference, as a lopsided interval's half-width
/// can.
fn uncertainty(ratio: Estimate) -> String {
    let half = (ratio.high - ratio.low) / 2.0;
    if half < (ratio.value - 1.0).abs() {
        return format!("± {}", percent(half));
    }
    let (one, other) = ((ratio.low - 1.0).abs(), (ratio.high - 1.0).abs());
    format!("between {} and {}", percent(one.min(other)), percent(one.max(other)))
}

fn not_measured(run: &Run, condition: &str, comparisons: &[&Comparison]) -> Option<String> {
    let missing = comparisons.iter().filter(|comparison| comparison.throughput.is_none());
    let names: Vec<String> = missing.map(|comparison| pair_name(run, comparison)).collect();
    let why = match run.imported {
        Some(_) => {
            format!("No ratio on {condition}, for want of several logs, or of lines of --report-interval in them")
        }
        None => format!("Not measured on {condition}, too few blocks"),
    };
    (!names.is_empty()).then(|| format!("{why}: {}.", names.join(", ")))
}

fn pair_name(run: &Run, comparison: &Comparison) -> String {
    let own = variant(run, comparison.variant) + &on_server(run, comparison.variant);
    match comparison.kind {
        PairKind::Server => {
            let its = variant(run, comparison.baseline);
            let its = if is_of_one_variant(run, comparison) { String::new() } else { format!("{its} on ") };
            format!("{own} against {its}{}", server(run, comparison.baseline))
        }
        PairKind::AA | PairKind::Collation => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lopsided_interval_is_told_by_its_ends() {
        assert_eq!(uncertainty(Estimate { value: 0.55, low: 0.54, high: 0.564 }), "± 1.2 %");
        assert_eq!(uncertainty(Estimate { value: 0.97, low: 0.91, high: 0.99 }), "between 1.0 % and 9.0 %");
        assert_eq!(uncertainty(Estimate { value: 1.1, low: 1.02, high: 1.4 }), "between 2.0 % and 40 %");
    }
}
