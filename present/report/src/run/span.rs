//! Phrases for the comparisons of one variant over several numbers of connections.

use measure::{Comparison, Estimate, Verdict};

use crate::format::number::{format_difference, format_percent};

/// Queries per second at which the additional CPU is converted to cores.
const EXAMPLE_RATE: f64 = 10_000.0;
/// If a difference above this is not excluded, a comparison says nothing.
const MAX_NOT_EXCLUDED: f64 = 0.5;
/// Maximum number of conditions that are listed. More are only counted.
const MAX_LISTED: usize = 3;

/// A comparison with its condition in words, such as `at 64 threads`.
pub(crate) struct Point<'a> {
    pub(crate) condition: String,
    pub(crate) comparison: &'a Comparison,
}

/// Returns phrases such as `costs 3.1 % to 37 % of throughput, most at 64 threads; no difference
/// found at 1 thread; + 1.2 to + 55.0 µs of server CPU per query, at 10,000 queries/s 0.01 to 0.55
/// of a core`. `None` if nothing was measured.
pub(crate) fn summarise_points(points: &[Point<'_>]) -> Option<String> {
    let with_verdict = |wanted: fn(&Verdict) -> bool| -> Vec<(&str, Estimate)> {
        let own = points.iter().filter(|point| wanted(&point.comparison.verdict));
        own.filter_map(|point| Some((point.condition.as_str(), point.comparison.throughput?))).collect()
    };
    let less = with_verdict(|verdict| matches!(verdict, Verdict::Less));
    let more = with_verdict(|verdict| matches!(verdict, Verdict::More));
    let mut phrases = Vec::new();
    phrases.extend(effect_range("costs", "of throughput", &less, |ratio| 1.0 - ratio));
    phrases.extend(effect_range("gives", "more throughput", &more, |ratio| ratio - 1.0));
    phrases.extend(no_difference_conditions(points, phrases.is_empty()));
    if phrases.is_empty() {
        phrases.extend(latency_range(points));
    }
    if phrases.is_empty() {
        return None;
    }
    phrases.extend(cpu_range(points));
    Some(phrases.join("; "))
}

/// Returns `no difference found; from 1.8 % less to 0.9 % more is not excluded`.
pub(crate) fn no_difference_phrase(less: f64, more: f64) -> String {
    if less.max(more) > MAX_NOT_EXCLUDED {
        return "too few measurements to tell".into();
    }
    format!("no difference found; from {} less to {} more is not excluded", format_percent(less), format_percent(more))
}

/// Returns the range from the smallest to the largest effect, and the condition of the largest.
fn effect_range(verb: &str, figure: &str, effects: &[(&str, Estimate)], size: fn(f64) -> f64) -> Option<String> {
    let mut sizes: Vec<(f64, &str)> =
        effects.iter().map(|(condition, ratio)| (size(ratio.value), *condition)).collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, _), (most, condition)) = (*sizes.first()?, *sizes.last()?);
    let (least, most) = (format_percent(least), format_percent(most));
    Some(match sizes.len() {
        1 => format!("{verb} {most} {figure} {condition}"),
        _ if least == most => format!("{verb} {most} {figure}"),
        _ => format!("{verb} {least} to {most} {figure}, most {condition}"),
    })
}

/// Names the conditions without a difference. If all conditions are such, states the range that is
/// not excluded.
fn no_difference_conditions(points: &[Point<'_>], is_all: bool) -> Option<String> {
    let mut conditions = Vec::new();
    let (mut most_less, mut most_more) = (0.0, 0.0);
    for point in points {
        if let Verdict::NoDifference { less, more } = point.comparison.verdict {
            conditions.push(point.condition.as_str());
            (most_less, most_more) = (less.max(most_less), more.max(most_more));
        }
    }
    if conditions.is_empty() {
        return None;
    }
    if is_all {
        return Some(no_difference_phrase(most_less, most_more));
    }
    let listed = if conditions.len() > MAX_LISTED {
        format!("in {} of {}", conditions.len(), points.len())
    } else {
        join_conditions(&conditions)
    };
    Some(format!("no difference found {listed}"))
}

/// Returns `at 1 thread, at 2 threads and at 4 threads`.
fn join_conditions(conditions: &[&str]) -> String {
    match conditions {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => conditions.concat(),
    }
}

/// Returns `takes × 1.05 to × 1.31 of the p95 latency, most at 64 threads`, for an open loop with
/// its fixed throughput.
fn latency_range(points: &[Point<'_>]) -> Option<String> {
    let own = points.iter().filter_map(|point| Some((point.comparison.latency.p95?.value, point.condition.as_str())));
    let mut effects: Vec<(f64, &str)> = own.collect();
    effects.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, _), (most, condition)) = (*effects.first()?, *effects.last()?);
    Some(match effects.len() {
        1 => format!("takes × {most:.2} of the p95 latency {condition}"),
        _ => format!("takes × {least:.2} to × {most:.2} of the p95 latency, most {condition}"),
    })
}

/// Returns the additional CPU time per query, and the cores that it takes at [`EXAMPLE_RATE`].
fn cpu_range(points: &[Point<'_>]) -> Option<String> {
    let mut effects: Vec<Estimate> =
        points.iter().filter_map(|point| point.comparison.server_cpu_difference_us).collect();
    effects.sort_by(|one, other| one.value.total_cmp(&other.value));
    let (least, most) = (effects.first()?, effects.last()?);
    let signed = |value: f64| format!("{} {:.1}", if value < 0.0 { '−' } else { '+' }, value.abs());
    let cores = |value: f64| format!("{}{:.2}", if value < 0.0 { "−" } else { "" }, (value * EXAMPLE_RATE / 1e6).abs());
    let (us, cores) = match effects.len() {
        1 => (format_difference(*most), cores(most.value)),
        _ => (
            format!("{} to {}", signed(least.value), signed(most.value)),
            format!("{} to {}", cores(least.value), cores(most.value)),
        ),
    };
    Some(format!("{us} µs of server CPU per query, at 10,000 queries/s {cores} of a core"))
}
