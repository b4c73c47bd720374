//! A grid in one or two sentences.

use measure::{Analysis, Run};

use super::cell::{Change, Figure};
use super::grid::{Cell, Grid};
use super::quality::{Level, quality};
use crate::format::number::format_percent;
use crate::run::name::condition_name;

/// Queries per second at which the additional CPU is converted to cores.
const EXAMPLE_RATE: f64 = 10_000.0;
/// Maximum number of workloads that are listed. More are only counted.
const MAX_LISTED: usize = 3;

/// Returns the workloads by what they cost, and the cores that the difference takes. Omits the
/// workloads if the grid has a single cell.
pub(crate) fn summary(run: &Run, analysis: &Analysis, grid: &Grid) -> Vec<String> {
    let is_single = grid.rows.len() * grid.conditions.len() == 1;
    let is_poor = quality(run, analysis).is_some_and(|quality| quality.level >= Level::Poor);
    let short = if is_single { None } else { in_short(run, grid, is_poor) };
    short.into_iter().chain(cores(run, grid)).collect()
}

/// Returns the cells of a column. Servers are compared only if no collations are.
fn cells(grid: &Grid, at: usize) -> impl Iterator<Item = &Cell> {
    let collations = grid.rows.iter().any(|row| !row.compares_servers);
    let rows = grid.rows.iter().filter(move |row| !(collations && row.compares_servers));
    rows.filter_map(move |row| row.cells[at].as_ref())
}

/// Returns the name of a column without brackets.
fn name(run: &Run, grid: &Grid, at: usize) -> String {
    condition_name(run, grid.conditions[at]).replace(" (", ", ").replace(')', "")
}

/// Returns the first phrase of [`parts`] with one workload, as the title of a page:
/// `distinct_ranges takes up to 1.8 times the CPU`.
pub(crate) fn finding(run: &Run, grid: &Grid) -> Option<String> {
    let first = parts(run, grid, 1).into_iter().next()?;
    let first = first.split(", and ").next().unwrap_or_default();
    // A workload's name stays as it is.
    let is_name = first.split(' ').next().is_some_and(|word| word.contains(['_', ':', ',']));
    if is_name {
        return Some(first.to_owned());
    }
    let mut characters = first.chars();
    Some(characters.next()?.to_uppercase().chain(characters).collect())
}

/// Returns `In short: distinct_ranges takes up to 1.8 times the CPU; no difference on
/// oltp_point_select.`
fn in_short(run: &Run, grid: &Grid, is_poor: bool) -> Option<String> {
    let mut parts = parts(run, grid, MAX_LISTED);
    if is_poor && parts.iter().any(|part| !part.starts_with("unclear on ")) {
        parts.push("the run's quality is poor".into());
    }
    (!parts.is_empty()).then(|| format!("In short: {}.", parts.join("; ")))
}

/// Returns a phrase each on workloads that cost more, that cost less, without a difference, and
/// without a result.
fn parts(run: &Run, grid: &Grid, max: usize) -> Vec<String> {
    let mut more: Vec<(f64, usize)> = Vec::new();
    let mut less: Vec<(f64, usize)> = Vec::new();
    let (mut same, mut unclear) = (Vec::new(), Vec::new());
    for at in 0..grid.conditions.len() {
        let changes = || cells(grid, at).map(|cell| cell.change);
        let most =
            changes().filter_map(|change| if let Change::More(ratio) = change { Some(ratio.value) } else { None });
        let least =
            changes().filter_map(|change| if let Change::Less(ratio) = change { Some(ratio.value) } else { None });
        match (most.reduce(f64::max), least.reduce(f64::min)) {
            (Some(most), _) if grid.figure.is_cost() => more.push((most, at)),
            (_, Some(least)) if !grid.figure.is_cost() => more.push((least, at)),
            (Some(most), _) => less.push((most, at)),
            (_, Some(least)) => less.push((least, at)),
            _ if changes().all(|change| matches!(change, Change::Same(_))) => same.push(at),
            _ => unclear.push(at),
        }
    }
    more.sort_by(|one, other| log_distance(other.0).total_cmp(&log_distance(one.0)));
    less.sort_by(|one, other| log_distance(other.0).total_cmp(&log_distance(one.0)));
    let name = |at: &usize| name(run, grid, *at);
    let mut parts = Vec::new();
    for (effects, is_more) in [(&more, true), (&less, false)] {
        let listed: Vec<String> = effects
            .iter()
            .take(max)
            .enumerate()
            .map(|(place, (ratio, at))| {
                let verb = if place == 0 { format!("{} ", verb(grid.figure, is_more)) } else { String::new() };
                let others = if has_unclear(grid, *at) { " (others unclear)" } else { "" };
                format!("{} {verb}{}{others}", name(at), size(grid.figure, *ratio, place == 0))
            })
            .collect();
        let more_of_them = effects.len().saturating_sub(max);
        let rest = if more_of_them > 0 { format!(", and {more_of_them} more") } else { String::new() };
        if !listed.is_empty() {
            parts.push(listed.join(", ") + &rest);
        }
    }
    let join = |all: &[usize]| match all.len() {
        0..=MAX_LISTED => all.iter().map(name).collect::<Vec<_>>().join(", "),
        many => format!("{many} workloads"),
    };
    if !same.is_empty() {
        parts.push(format!("no difference on {}", join(&same)));
    }
    if !unclear.is_empty() {
        parts.push(format!("unclear on {}", join(&unclear)));
    }
    parts
}

/// True if the column of an effect has cells without a result, too: these may have a larger one.
fn has_unclear(grid: &Grid, at: usize) -> bool {
    cells(grid, at).any(|cell| matches!(cell.change, Change::Unclear(_) | Change::TooFew))
}

fn log_distance(ratio: f64) -> f64 {
    ratio.max(f64::MIN_POSITIVE).ln().abs()
}

fn verb(figure: Figure, is_worse: bool) -> &'static str {
    match (figure, is_worse) {
        (Figure::Throughput, true) => "loses",
        (Figure::Throughput, false) => "gains",
        _ => "takes",
    }
}

/// Returns `up to 1.8 times the CPU`, `up to 33 % more CPU` or `up to 8 % less CPU`.
fn size(figure: Figure, ratio: f64, is_first: bool) -> String {
    let noun = match (figure, is_first) {
        (_, false) => "",
        (Figure::Cpu, _) => " CPU",
        (Figure::Throughput, _) => " of the throughput",
        (Figure::Latency, _) => " p95 latency",
    };
    match (figure, ratio) {
        (Figure::Throughput, ratio) => format!("up to {}{noun}", format_percent((ratio - 1.0).abs())),
        (_, ratio) if ratio >= 1.5 => {
            format!("up to {ratio:.1} times{}", if is_first { format!(" the{noun}") } else { String::new() })
        }
        (_, ratio) if ratio >= 1.0 => format!("up to {} more{noun}", format_percent(ratio - 1.0)),
        (_, ratio) => format!("up to {} less{noun}", format_percent(1.0 - ratio)),
    }
}

/// Returns `At 10,000 queries/s: 0.05 (oltp_read_only) to 0.61 (distinct_ranges) cores more.`
/// `None` without a decided difference of CPU.
fn cores(run: &Run, grid: &Grid) -> Option<String> {
    let mut effects: Vec<(f64, usize)> = Vec::new();
    for at in 0..grid.conditions.len() {
        let decided = cells(grid, at).filter(|cell| grid.figure == Figure::Cpu && cell.change.is_decided());
        effects.extend(decided.filter_map(|cell| Some((cell.cpu_us? * EXAMPLE_RATE / 1e6, at))));
    }
    effects.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((least, first), (most, last)) = (*effects.first()?, *effects.last()?);
    let suffix = |at: usize| {
        if grid.conditions.len() == 1 || first == last { String::new() } else { format!(" ({})", name(run, grid, at)) }
    };
    let of = if grid.conditions.len() > 1 && first == last {
        format!(" on {}", name(run, grid, first))
    } else {
        String::new()
    };
    let text = match (least < 0.0, most < 0.0) {
        _ if effects.len() == 1 && most < 0.0 => format!("{} cores less", round(-most)),
        _ if effects.len() == 1 => format!("{} cores more", round(most)),
        (true, true) => format!("{}{} to {}{} cores less", round(-most), suffix(last), round(-least), suffix(first)),
        (true, false) => {
            format!("{}{} cores less to {}{} more", round(-least), suffix(first), round(most), suffix(last))
        }
        _ => format!("{}{} to {}{} cores more", round(least), suffix(first), round(most), suffix(last)),
    };
    Some(format!("At 10,000 queries/s: {text}{of}."))
}

/// Formats a number of cores: `12`, `1.5`, `0.05`.
fn round(cores: f64) -> String {
    if cores >= 9.95 {
        format!("{cores:.0}")
    } else if cores >= 0.995 {
        format!("{cores:.1}")
    } else {
        format!("{cores:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_times_or_percent() {
        assert_eq!(size(Figure::Cpu, 1.83, true), "up to 1.8 times the CPU");
        assert_eq!(size(Figure::Cpu, 1.33, true), "up to 33 % more CPU");
        assert_eq!(size(Figure::Cpu, 1.33, false), "up to 33 % more");
        assert_eq!(size(Figure::Cpu, 0.92, true), "up to 8.0 % less CPU");
        assert_eq!(size(Figure::Throughput, 0.53, true), "up to 47 % of the throughput");
    }
}
