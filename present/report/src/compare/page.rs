//! HTML page of `weigh compare`: verdict, a chart of the changes, and tables.

use std::collections::HashMap;

use askama::Template;
use serde::Serialize;

use super::{Comparison, environment_table, not_alike, only_in_one_run, ratio_table, throughput_table, variant};
use crate::format::number::count_noun;
use crate::frame::{Badge, Frame};
use crate::page::chart::{Chart, Mark};
use crate::page::table::Grid;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    frame: Frame,
    parts: Vec<Part<'a>>,
}

/// A later run compared with the first.
struct Part<'a> {
    names: String,
    verdict: String,
    slower: &'a [String],
    badge: Badge,
    chart: Option<Chart>,
    grids: Vec<Grid>,
    settings: Vec<Grid>,
    warnings: &'a [String],
    only: Vec<String>,
}

#[derive(Serialize)]
struct Data {
    baseline: String,
    axis: &'static str,
    aa_bound: Option<f64>,
    domain: [f64; 2],
    marks: Vec<Mark>,
}

/// Maximum number of figures in a chart.
const MAX_MARKS: usize = 40;

/// Returns the comparisons of later runs with the first as one page.
pub fn compare_page(comparisons: &[Comparison]) -> String {
    let title = match comparisons {
        [only] => only.verdict().trim_end_matches([':', '.']).to_owned(),
        all => {
            let slower = all.iter().filter(|one| !one.slower.is_empty()).count();
            format!("{slower} of {} later runs got slower", all.len())
        }
    };
    let level = if comparisons.iter().any(|one| !one.slower.is_empty()) { "error" } else { "clean" };
    let page =
        Page { frame: Frame::with_charts(title).with_level(level), parts: comparisons.iter().map(part).collect() };
    crate::frame::render(&page)
}

fn part(comparison: &Comparison) -> Part<'_> {
    let change = &comparison.change;
    let tables = [
        (!change.ratios.is_empty()).then(|| ratio_table(&change.ratios)),
        (!change.throughputs.is_empty()).then(|| throughput_table(&change.throughputs)),
    ];
    let settings = (!change.environment.is_empty()).then(|| environment_table(&change.environment));
    Part {
        names: format!("{} → {}", comparison.before, comparison.after),
        verdict: comparison.verdict().trim_end_matches([':', '.']).to_owned(),
        slower: &comparison.slower,
        badge: badge(comparison),
        chart: chart(comparison),
        grids: tables.into_iter().flatten().map(Grid::new).collect(),
        settings: settings.into_iter().map(Grid::new).collect(),
        warnings: &comparison.warnings,
        only: only_in_one_run(comparison),
    }
}

/// Says whether the runs are alike.
fn badge(comparison: &Comparison) -> Badge {
    match not_alike(&comparison.change.environment) {
        None => Badge { level: "good", title: "Alike".into(), reasons: "The runs have the same settings.".into() },
        Some(reasons) => Badge { level: "fair", title: "Not alike".into(), reasons: format!("{reasons}.") },
    }
}

/// Draws the changes of ratios. Draws those of throughput if the runs have no ratio in common, or
/// if only throughput got slower.
fn chart(comparison: &Comparison) -> Option<Chart> {
    let change = &comparison.change;
    let of_ratios = change.ratios.iter().map(|one| {
        let name = format!("{}, {}", variant(&one.collation, &one.connection_charset), one.condition);
        Mark::new(name, one.change, one.verdict)
    });
    let of_throughputs = change.throughputs.iter().map(|one| {
        let name = format!("{}, {}", variant(&one.collation, &one.connection_charset), one.condition);
        Mark::new(name, one.throughput, one.verdict)
    });
    // The kind of figure that got slower is the one to look at.
    let is_slower = |one: &measure::ThroughputChange| comparison.is_throughput_lower(one);
    let only_throughput =
        change.throughputs.iter().any(is_slower) && !change.ratios.iter().any(|one| comparison.is_ratio_lower(one));
    let (what, mut marks): (_, Vec<Mark>) = match change.ratios.is_empty() || only_throughput {
        false => ("ratio to the baseline", of_ratios.collect()),
        true => ("throughput", of_throughputs.collect()),
    };
    make_unique(marks.iter_mut().map(|mark| &mut mark.name));
    marks.truncate(MAX_MARKS);
    let domain = marks.iter().fold([1.0, 1.0], |[low, high]: [f64; 2], mark| [low.min(mark.low), high.max(mark.high)]);
    let description = format!(
        "Chart of {} of the {what} with 95 % intervals. The same figures are in the table that follows.",
        count_noun(marks.len() as u64, "change")
    );
    let caption = format!("Change of the {what}, later run for each unit of the earlier one, with the 95 % interval");
    let data = Data { baseline: String::new(), axis: "later run ÷ earlier run", aa_bound: None, domain, marks };
    (!data.marks.is_empty()).then(|| Chart::new("ratio", caption, description, &data))
}

/// Numbers equal names: a chart has one row for each name.
fn make_unique<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in names {
        let number = uses.entry(name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            *name += &format!(" ({number})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let mut names = ["a", "b", "a", "a"].map(str::to_owned);
        make_unique(names.iter_mut());
        assert_eq!(names, ["a", "b", "a (2)", "a (3)"]);
    }
}
