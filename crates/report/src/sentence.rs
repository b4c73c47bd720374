//! Results in plain sentences.

use measure::{Analysis, Comparison, ConditionResult, Estimate, PairKind, Run, Verdict};

use crate::name::{in_words, is_class, is_of_one_variant, on_server, server, variant, workload};
use crate::number::{counted, difference, interval, percent};
use crate::span::{Point, no_difference, span};

/// The results of a run in plain sentences, condition by condition, or for conditions that differ in the number of connections only, a
/// sentence for all of them; what could not be measured goes last in each.
pub(crate) fn sentences(run: &Run, analysis: &Analysis) -> Vec<String> {
    let mut sweeps: Vec<(String, Vec<&ConditionResult>)> = Vec::new();
    for condition in analysis.conditions.iter().filter(|one| !is_class(run, one.condition)) {
        let name = workload(run, condition.condition);
        match sweeps.iter_mut().find(|(known, _)| *known == name) {
            Some((_, conditions)) => conditions.push(condition),
            None => sweeps.push((name, vec![condition])),
        }
    }
    let sentences = |(name, conditions): &(String, Vec<&ConditionResult>)| match conditions.as_slice() {
        [only] => of_condition(run, only),
        conditions => of_sweep(run, name, conditions),
    };
    sweeps.iter().flat_map(sentences).collect()
}

/// A sentence a pair over all numbers of connections.
fn of_sweep(run: &Run, name: &str, conditions: &[&ConditionResult]) -> Vec<String> {
    let mut pairs: Vec<((usize, usize), Vec<Point<'_>>)> = Vec::new();
    let mut conditions = conditions.to_vec();
    conditions.sort_by_key(|condition| run.conditions[condition.condition].threads);
    for condition in &conditions {
        let place = format!("at {}", counted(run.conditions[condition.condition].threads.into(), "thread"));
        for comparison in condition.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA) {
            let point = Point { place: place.clone(), comparison };
            let pair = (comparison.variant, comparison.baseline);
            match pairs.iter_mut().find(|(known, _)| *known == pair) {
                Some((_, points)) => points.push(point),
                None => pairs.push((pair, vec![point])),
            }
        }
    }
    let found = pairs.iter().filter_map(|(_, points)| {
        let first = points.first()?.comparison;
        let baseline = variant(run, first.baseline) + &on_server(run, first.baseline);
        Some(format!("{} against {baseline} on {name}: {}.", named(run, first), span(points)?))
    });
    let missing = conditions.iter().flat_map(|condition| {
        let own: Vec<&Comparison> = condition.comparisons.iter().filter(|c| c.kind != PairKind::AA).collect();
        not_measured(run, &in_words(run, condition.condition), &own)
    });
    let missing: Vec<String> = missing.collect();
    // Of imported logs most have no interval: one sentence says so.
    let missing = match missing.len() {
        0..=2 => missing,
        count => vec![format!("No ratio on {name} at {count} of {} numbers of connections.", conditions.len())],
    };
    found.chain(missing).collect()
}

/// The variant of a comparison with its server.
fn named(run: &Run, comparison: &Comparison) -> String {
    variant(run, comparison.variant) + &on_server(run, comparison.variant)
}

fn of_condition(run: &Run, condition: &ConditionResult) -> Vec<String> {
    let place = in_words(run, condition.condition);
    let asked: Vec<&Comparison> = condition.comparisons.iter().filter(|c| c.kind != PairKind::AA).collect();
    let found = asked.iter().filter_map(|comparison| match comparison.kind {
        PairKind::AA | PairKind::Collation => between_collations(run, &place, comparison),
        PairKind::Server => between_servers(run, &place, comparison),
    });
    found.chain(not_measured(run, &place, &asked)).collect()
}

fn between_collations(run: &Run, place: &str, comparison: &Comparison) -> Option<String> {
    let (own, baseline) = (variant(run, comparison.variant), variant(run, comparison.baseline));
    if run.options.rate.is_some() {
        let here = on_server(run, comparison.variant);
        return at_rate(comparison, &format!("{own}{here} against {baseline} on {place}"));
    }
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Less => {
            let cost = percent(1.0 - ratio.value);
            format!("{own} costs {cost} of the throughput of {baseline} on {place}, {}", uncertainty(ratio))
        }
        Verdict::More => {
            let gain = percent(ratio.value - 1.0);
            format!("{own} gives {gain} more throughput than {baseline} on {place}, {}", uncertainty(ratio))
        }
        Verdict::NoDifference { less, more } => {
            format!("{own} against {baseline} on {place}: {}", no_difference(less, more))
        }
        Verdict::NotMeasured => return None,
    };
    let finding = finding + &cpu(comparison) + &not_comparable(comparison);
    Some(match run.servers.len() {
        1 => format!("{finding}."),
        _ => format!("On {}, {finding}.", server(run, comparison.variant)),
    })
}

/// What differs in an open loop, whose throughput is given: latency and CPU.
fn at_rate(comparison: &Comparison, sides: &str) -> Option<String> {
    let latency = comparison.latency;
    let percentiles = [("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99)];
    let told = percentiles.iter().filter_map(|(name, ratio)| Some(format!("{name} × {}", interval((*ratio)?))));
    let told: Vec<String> = told.collect();
    (!told.is_empty())
        .then(|| format!("{sides}: latency {}{}{}.", told.join(", "), cpu(comparison), not_comparable(comparison)))
}

/// ` (not comparable: …)` where the sides are, else nothing.
fn not_comparable(comparison: &Comparison) -> String {
    let ways: Vec<String> = comparison.not_comparable.iter().map(ToString::to_string).collect();
    if ways.is_empty() { String::new() } else { format!(" (not comparable: {})", ways.join("; ")) }
}

fn between_servers(run: &Run, place: &str, comparison: &Comparison) -> Option<String> {
    let (own, its) = (variant(run, comparison.variant), variant(run, comparison.baseline));
    let (here, there) = (server(run, comparison.variant), server(run, comparison.baseline));
    let there = if is_of_one_variant(run, comparison) { there.to_owned() } else { format!("{its} on {there}") };
    if run.options.rate.is_some() {
        return at_rate(comparison, &format!("{own} on {here} against {there} on {place}"));
    }
    let ratio = comparison.throughput?;
    let finding = match comparison.verdict {
        Verdict::Less => {
            let by = percent(1.0 - ratio.value);
            format!("is {by} slower on {here} than on {there}, {}", uncertainty(ratio))
        }
        Verdict::More => {
            let by = percent(ratio.value - 1.0);
            format!("is {by} faster on {here} than on {there}, {}", uncertainty(ratio))
        }
        Verdict::NoDifference { less, more } => format!("on {here} against {there}: {}", no_difference(less, more)),
        Verdict::NotMeasured => return None,
    };
    Some(format!("On {place}, {own} {finding}{}{}.", cpu(comparison), not_comparable(comparison)))
}

/// `; + 9.5 (9.0 … 10.1) µs of server CPU a query` where it is told, else nothing.
fn cpu(comparison: &Comparison) -> String {
    let more = comparison.server_cpu_difference_us.map(difference);
    more.map_or_else(String::new, |more| format!("; {more} µs of server CPU a query"))
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

fn not_measured(run: &Run, place: &str, comparisons: &[&Comparison]) -> Option<String> {
    let missing = comparisons.iter().filter(|comparison| !comparison.is_measured());
    let names: Vec<String> = missing.map(|comparison| pair_name(run, comparison)).collect();
    let why = match run.imported {
        Some(_) => {
            format!("No ratio on {place}, for want of several logs, or of lines of --report-interval in them")
        }
        None => format!("Not measured on {place}, too few blocks"),
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
