//! Results of a run as sentences.

use measure::{Analysis, Comparison, ConditionResult, Estimate, PairKind, Run, Verdict};

use crate::format::number::{count_noun, format_difference, format_interval, format_percent};
use crate::run::name::{
    condition_name, has_same_variant, is_statement_class, on_server, server_label, variant_name, workload_name,
};
use crate::run::span::{Point, no_difference_phrase, summarise_points};

/// Returns the results as sentences, condition by condition. Conditions that differ only in the
/// number of connections share their sentences. Within a condition, pairs that could not be
/// measured come last.
pub(crate) fn sentences(run: &Run, analysis: &Analysis) -> Vec<String> {
    let mut sweeps: Vec<(String, Vec<&ConditionResult>)> = Vec::new();
    for condition in analysis.conditions.iter().filter(|one| !is_statement_class(run, one.condition)) {
        let name = workload_name(run, condition.condition);
        match sweeps.iter_mut().find(|(known, _)| *known == name) {
            Some((_, conditions)) => conditions.push(condition),
            None => sweeps.push((name, vec![condition])),
        }
    }
    let sentences = |(name, conditions): &(String, Vec<&ConditionResult>)| match conditions.as_slice() {
        [only] => describe_condition(run, only),
        conditions => describe_sweep(run, name, conditions),
    };
    sweeps.iter().flat_map(sentences).collect()
}

/// Returns a sentence per pair over all numbers of connections, then what was not measured.
fn describe_sweep(run: &Run, name: &str, conditions: &[&ConditionResult]) -> Vec<String> {
    let mut pairs: Vec<((usize, usize), Vec<Point<'_>>)> = Vec::new();
    let mut conditions = conditions.to_vec();
    conditions.sort_by_key(|condition| run.conditions[condition.condition].threads);
    for condition in &conditions {
        let threads = format!("at {}", count_noun(run.conditions[condition.condition].threads.into(), "thread"));
        for comparison in condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA) {
            let point = Point { condition: threads.clone(), comparison };
            let pair = (comparison.variant, comparison.baseline);
            match pairs.iter_mut().find(|(known, _)| *known == pair) {
                Some((_, points)) => points.push(point),
                None => pairs.push((pair, vec![point])),
            }
        }
    }
    let sentences = pairs.iter().filter_map(|(_, points)| {
        let first = points.first()?.comparison;
        let baseline = variant_name(run, first.baseline) + &on_server(run, first.baseline);
        Some(format!(
            "{} compared with {baseline} on {name}: {}.",
            variant_and_server(run, first),
            summarise_points(points)?
        ))
    });
    let missing = conditions.iter().flat_map(|condition| {
        let own: Vec<&Comparison> = condition.comparisons.iter().filter(|c| c.kind != PairKind::AA).collect();
        describe_not_measured(run, &condition_name(run, condition.condition), &own)
    });
    let missing: Vec<String> = missing.collect();
    // Most imported logs give no ratio. One sentence replaces more than two sentences on missing
    // ratios.
    let missing = match missing.len() {
        0..=2 => missing,
        count => vec![format!("No ratio on {name} at {count} of {} numbers of connections.", conditions.len())],
    };
    sentences.chain(missing).collect()
}

/// Returns the variant of a comparison, with its server if the run has several.
fn variant_and_server(run: &Run, comparison: &Comparison) -> String {
    variant_name(run, comparison.variant) + &on_server(run, comparison.variant)
}

fn describe_condition(run: &Run, condition: &ConditionResult) -> Vec<String> {
    let condition_name = condition_name(run, condition.condition);
    let comparisons: Vec<&Comparison> = condition.comparisons.iter().filter(|c| c.kind != PairKind::AA).collect();
    let sentences = comparisons.iter().filter_map(|comparison| match comparison.kind {
        PairKind::AA | PairKind::Collation => compare_collations(run, &condition_name, comparison),
        PairKind::Server => compare_servers(run, &condition_name, comparison),
    });
    sentences.chain(describe_not_measured(run, &condition_name, &comparisons)).collect()
}

fn compare_collations(run: &Run, condition_name: &str, comparison: &Comparison) -> Option<String> {
    let (own, baseline) = (variant_name(run, comparison.variant), variant_name(run, comparison.baseline));
    if run.options.rate.is_some() {
        let here = on_server(run, comparison.variant);
        return compare_open_loop(comparison, &format!("{own}{here} compared with {baseline} on {condition_name}"));
    }
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Less => {
            let cost = format_percent(1.0 - ratio.value);
            format!(
                "{own} costs {cost} of the throughput of {baseline} on {condition_name}, {}",
                describe_uncertainty(ratio)
            )
        }
        Verdict::More => {
            let gain = format_percent(ratio.value - 1.0);
            format!(
                "{own} gives {gain} more throughput than {baseline} on {condition_name}, {}",
                describe_uncertainty(ratio)
            )
        }
        Verdict::NoDifference { less, more } => {
            format!("{own} compared with {baseline} on {condition_name}: {}", no_difference_phrase(less, more))
        }
        Verdict::NotMeasured => return None,
    };
    let finding = finding + &describe_cpu(comparison) + &describe_incomparability(comparison);
    Some(match run.servers.len() {
        1 => format!("{finding}."),
        _ => format!("On {}, {finding}.", server_label(run, comparison.variant)),
    })
}

/// Compares latency and CPU in an open loop, whose throughput is fixed.
fn compare_open_loop(comparison: &Comparison, sides: &str) -> Option<String> {
    let latency = comparison.latency;
    let percentiles = [("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99)];
    let ratios =
        percentiles.iter().filter_map(|(name, ratio)| Some(format!("{name} × {}", format_interval((*ratio)?))));
    let ratios: Vec<String> = ratios.collect();
    (!ratios.is_empty()).then(|| {
        format!(
            "{sides}: latency {}{}{}.",
            ratios.join(", "),
            describe_cpu(comparison),
            describe_incomparability(comparison)
        )
    })
}

/// Returns ` (not comparable: …)` if the sides are not comparable. Otherwise empty.
fn describe_incomparability(comparison: &Comparison) -> String {
    let ways: Vec<String> = comparison.not_comparable.iter().map(ToString::to_string).collect();
    if ways.is_empty() { String::new() } else { format!(" (not comparable: {})", ways.join("; ")) }
}

fn compare_servers(run: &Run, condition_name: &str, comparison: &Comparison) -> Option<String> {
    let (own, control) = (variant_name(run, comparison.variant), variant_name(run, comparison.baseline));
    let (here, there) = (server_label(run, comparison.variant), server_label(run, comparison.baseline));
    let there = if has_same_variant(run, comparison) { there.to_owned() } else { format!("{control} on {there}") };
    if run.options.rate.is_some() {
        return compare_open_loop(comparison, &format!("{own} on {here} compared with {there} on {condition_name}"));
    }
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Less => {
            let by = format_percent(1.0 - ratio.value);
            format!("is {by} slower on {here} than on {there}, {}", describe_uncertainty(ratio))
        }
        Verdict::More => {
            let by = format_percent(ratio.value - 1.0);
            format!("is {by} faster on {here} than on {there}, {}", describe_uncertainty(ratio))
        }
        Verdict::NoDifference { less, more } => {
            format!("on {here} compared with {there}: {}", no_difference_phrase(less, more))
        }
        Verdict::NotMeasured => return None,
    };
    Some(format!(
        "On {condition_name}, {own} {finding}{}{}.",
        describe_cpu(comparison),
        describe_incomparability(comparison)
    ))
}

/// Returns `; + 9.50 (9.00 … 10.10) µs of server CPU per query`. Empty if CPU time is unknown.
fn describe_cpu(comparison: &Comparison) -> String {
    let more = comparison.server_cpu_difference_us.map(format_difference);
    more.map_or_else(String::new, |more| format!("; {more} µs of server CPU per query"))
}

/// Returns `± 1.2 %`, or `between 0.2 % and 4.1 %` if the half-width is not less than the
/// difference from 1.
fn describe_uncertainty(ratio: Estimate) -> String {
    let half = (ratio.high - ratio.low) / 2.0;
    if half < (ratio.value - 1.0).abs() {
        return format!("± {}", format_percent(half));
    }
    let (one, other) = ((ratio.low - 1.0).abs(), (ratio.high - 1.0).abs());
    format!("between {} and {}", format_percent(one.min(other)), format_percent(one.max(other)))
}

fn describe_not_measured(run: &Run, condition_name: &str, comparisons: &[&Comparison]) -> Option<String> {
    let missing = comparisons.iter().filter(|comparison| !comparison.is_measured());
    let names: Vec<String> = missing.map(|comparison| pair_name(run, comparison)).collect();
    let why = match run.imported {
        Some(_) => {
            format!("No ratio on {condition_name}, for want of several logs, or of lines of --report-interval in them")
        }
        None => format!("Not measured on {condition_name}, too few blocks"),
    };
    (!names.is_empty()).then(|| format!("{why}: {}.", names.join(", ")))
}

fn pair_name(run: &Run, comparison: &Comparison) -> String {
    let own = variant_name(run, comparison.variant) + &on_server(run, comparison.variant);
    match comparison.kind {
        PairKind::Server => {
            let control = variant_name(run, comparison.baseline);
            let control = if has_same_variant(run, comparison) { String::new() } else { format!("{control} on ") };
            format!("{own} compared with {control}{}", server_label(run, comparison.baseline))
        }
        PairKind::AA | PairKind::Collation => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asymmetric_interval_is_shown_by_its_ends() {
        assert_eq!(describe_uncertainty(Estimate { value: 0.55, low: 0.54, high: 0.564 }), "± 1.2 %");
        assert_eq!(describe_uncertainty(Estimate { value: 0.97, low: 0.91, high: 0.99 }), "between 1.0 % and 9.0 %");
        assert_eq!(describe_uncertainty(Estimate { value: 1.1, low: 1.02, high: 1.4 }), "between 2.0 % and 40 %");
    }
}
