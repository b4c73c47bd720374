//! What several comparisons of one variant found, in one phrase: over workloads for a headline, over connections for a sweep.

use measure::{Comparison, Estimate, Verdict};

use crate::number::{difference, percent};

/// The rate that cores are told at.
const RATE: f64 = 10_000.0;
/// More places than this are counted, not listed.
const LISTED: usize = 3;

/// A comparison and where it was made, as in `on oltp_read_only` or `at 64 threads`.
pub(crate) struct Point<'a> {
    pub(crate) place: String,
    pub(crate) comparison: &'a Comparison,
}

/// `costs 3.1 % to 37 % of throughput, most on distinct_ranges; no difference found on oltp_point_select; + 1.2 to + 55 µs of server CPU a
/// query`; `None` where nothing was measured.
pub(crate) fn span(points: &[Point<'_>]) -> Option<String> {
    let of = |wanted: fn(&Verdict) -> bool| -> Vec<(&str, Estimate)> {
        let own = points.iter().filter(|point| wanted(&point.comparison.verdict));
        own.filter_map(|point| Some((point.place.as_str(), point.comparison.throughput?))).collect()
    };
    let less = of(|verdict| matches!(verdict, Verdict::Less));
    let more = of(|verdict| matches!(verdict, Verdict::More));
    let mut phrases = Vec::new();
    phrases.extend(extent("costs", "of throughput", &less, |ratio| 1.0 - ratio));
    phrases.extend(extent("gives", "more throughput", &more, |ratio| ratio - 1.0));
    phrases.extend(none_found(points, phrases.is_empty()));
    if phrases.is_empty() {
        phrases.extend(latency(points));
    }
    if phrases.is_empty() {
        return None;
    }
    phrases.extend(cpu(points));
    Some(phrases.join("; "))
}

/// `no difference found; from 1.8 % less to 0.9 % more is not excluded`.
pub(crate) fn no_difference(less: f64, more: f64) -> String {
    format!("no difference found; from {} less to {} more is not excluded", percent(less), percent(more))
}

/// From the least to the most, and where that is.
fn extent(verb: &str, of_what: &str, found: &[(&str, Estimate)], size: fn(f64) -> f64) -> Option<String> {
    let mut sizes: Vec<(f64, &str)> = found.iter().map(|(place, ratio)| (size(ratio.value), *place)).collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, _), (most, place)) = (*sizes.first()?, *sizes.last()?);
    let (least, most) = (percent(least), percent(most));
    Some(match sizes.len() {
        1 => format!("{verb} {most} {of_what} {place}"),
        _ if least == most => format!("{verb} {most} {of_what}"),
        _ => format!("{verb} {least} to {most} {of_what}, most {place}"),
    })
}

/// Where no difference was found; with how much isn't excluded where there is nothing else to tell.
fn none_found(points: &[Point<'_>], is_all: bool) -> Option<String> {
    let mut places = Vec::new();
    let (mut most_less, mut most_more) = (0.0, 0.0);
    for point in points {
        if let Verdict::NoDifference { less, more } = point.comparison.verdict {
            places.push(point.place.as_str());
            (most_less, most_more) = (less.max(most_less), more.max(most_more));
        }
    }
    if places.is_empty() {
        return None;
    }
    if is_all {
        return Some(no_difference(most_less, most_more));
    }
    let listed =
        if places.len() > LISTED { format!("in {} of {}", places.len(), points.len()) } else { joined(&places) };
    Some(format!("no difference found {listed}"))
}

/// `on a, on b and on c`.
fn joined(places: &[&str]) -> String {
    match places {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => places.concat(),
    }
}

/// `takes × 1.05 to × 1.31 of the p95 latency, most on distinct_ranges`: what there is to tell of an open loop, whose throughput is given.
fn latency(points: &[Point<'_>]) -> Option<String> {
    let own = points.iter().filter_map(|point| Some((point.comparison.latency.p95?.value, point.place.as_str())));
    let mut found: Vec<(f64, &str)> = own.collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, _), (most, place)) = (*found.first()?, *found.last()?);
    Some(match found.len() {
        1 => format!("takes × {most:.2} of the p95 latency {place}"),
        _ => format!("takes × {least:.2} to × {most:.2} of the p95 latency, most {place}"),
    })
}

/// What it takes of CPU more, a query and at a rate.
fn cpu(points: &[Point<'_>]) -> Option<String> {
    let mut found: Vec<Estimate> =
        points.iter().filter_map(|point| point.comparison.server_cpu_difference_us).collect();
    found.sort_by(|one, other| one.value.total_cmp(&other.value));
    let (least, most) = (found.first()?, found.last()?);
    let signed = |value: f64| format!("{} {:.1}", if value < 0.0 { '−' } else { '+' }, value.abs());
    let cores = |value: f64| format!("{}{:.2}", if value < 0.0 { "−" } else { "" }, (value * RATE / 1e6).abs());
    let (us, cores) = match found.len() {
        1 => (difference(*most), cores(most.value)),
        _ => (
            format!("{} to {}", signed(least.value), signed(most.value)),
            format!("{} to {}", cores(least.value), cores(most.value)),
        ),
    };
    Some(format!("{us} µs of server CPU a query, at 10,000 queries/s {cores} of a core"))
}
