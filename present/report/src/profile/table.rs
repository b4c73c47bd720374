//! Tables of profiles, and the sentences below them.

use std::fmt::Write as _;

use measure::Estimate;
use profile::{Category, Difference, FunctionDifference, FunctionShare, Profile, Profiles, SideProfile};

use crate::format::number::{DASH, count_noun, format_decimals, format_percent};
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::profile::text::{INTERVAL_SCOPE, describe_different_work};

/// Maximum number of functions in a table.
const MAX_FUNCTIONS: usize = 12;

/// Returns the tables and the sentences for the report of a run.
pub(crate) fn run_tables(profiles: &Profiles) -> (Vec<Table>, Vec<String>) {
    let sentences = profiles.profiles.iter().flat_map(|profile| {
        let different_work = profile.differences.iter().filter_map(describe_different_work);
        std::iter::once(text_share(profile)).chain(different_work)
    });
    let failures = profiles.failures.iter().map(|failure| format!("not sampled: {failure}"));
    (profiles.profiles.iter().flat_map(tables).collect(), sentences.chain(failures).collect())
}

/// Returns the sentences below a profile's tables.
pub(crate) fn sentences(profile: &Profile) -> Vec<String> {
    let mut sentences = vec![text_share(profile)];
    sentences.extend(profile.differences.iter().filter_map(|difference| describe_difference(profile, difference)));
    sentences.extend(profile.differences.iter().filter_map(describe_different_work));
    sentences.push(format!("{INTERVAL_SCOPE}."));
    sentences.extend(profile.sides.iter().map(describe_coverage));
    sentences
}

/// Returns `Charset and collation work is 34 % of the server's CPU under utf8mb4_general_ci, 3 %
/// under latin1_swedish_ci.`
pub(crate) fn text_share(profile: &Profile) -> String {
    let parts: Vec<String> = profile
        .sides
        .iter()
        .rev()
        .enumerate()
        .map(|(place, side)| {
            let share = format_percent(side.text_share.value);
            let of = if place == 0 { " of the server's CPU" } else { "" };
            let under = if profile.sides.len() > 1 { format!(" under {}", side.label) } else { String::new() };
            format!("{share}{of}{under}")
        })
        .collect();
    format!("Charset and collation work is {}.", parts.join(", "))
}

fn describe_difference(profile: &Profile, difference: &Difference) -> Option<String> {
    let (all, text) = (difference.cpu_us?, difference.text_cpu_us?);
    let (label, first) = (&profile.sides[difference.side].label, &profile.sides[0].label);
    let amount = format_signed(all);
    Some(format!(
        "A query takes {amount} µs of server CPU under {label} compared with {first}; charset and collation work is {} of that.",
        format_signed(text)
    ))
}

fn describe_coverage(side: &SideProfile) -> String {
    let coverage = side.coverage;
    if coverage.samples == 0 {
        return format!("{}: no sample is in the server's own program.", side.label);
    }
    let part = |count: u64| format_percent(count as f64 / coverage.samples as f64);
    let known = coverage.samples - coverage.unknown;
    format!(
        "{}: {}; of those in the server's own program {} have a function ({} by symbol, {} by a collation's table, {} by its bounds alone).",
        side.label,
        count_noun(side.samples, "sample"),
        part(known),
        part(coverage.symbol),
        part(coverage.handler),
        part(coverage.bounds)
    )
}

/// Returns `+6.10 ± 0.30`. The interval of a mean is symmetric, so one number describes it.
fn format_signed(estimate: Estimate) -> String {
    format!("{:+.2} ± {:.2}", estimate.value, (estimate.high - estimate.low) / 2.0)
}

pub(crate) fn tables(profile: &Profile) -> Vec<Table> {
    let mut tables = vec![category_table(profile)];
    tables.extend((0..profile.sides.len()).map(|side| function_table(profile, side)));
    tables.extend(profile.differences.iter().map(|difference| difference_table(profile, difference)));
    tables
}

/// Builds the table of categories. Each side has a share and a time. Sides after the first have a
/// difference from the first, too.
pub(crate) fn category_table(profile: &Profile) -> Table {
    let mut columns = vec![column("", "category", ColumnKind::Left)];
    for index in 0..profile.sides.len() {
        columns.push(column(&profile.sides[index].label, "share", ColumnKind::Right));
        columns.push(column("", "µs/query", ColumnKind::Right));
        if profile.differences.iter().any(|difference| difference.side == index) {
            columns.push(column("", "more", ColumnKind::Left));
        }
    }
    let mut rows: Vec<Row> = Category::ALL
        .iter()
        .enumerate()
        .map(|(index, category)| {
            let part = |side: &SideProfile| (side.categories[index].share.value, side.categories[index].cpu_us);
            line(profile, category.describe(), &part, &|difference| difference.categories[index].cpu_us)
        })
        .collect();
    let all = |side: &SideProfile| (side.categories.iter().map(|part| part.share.value).sum(), side.cpu_us);
    rows.push(line(profile, "all", &all, &|difference| difference.cpu_us));
    Table::new(
        format!("{}: where the server's CPU goes ({})", profile.title, describe_sampling(profile)),
        columns,
        rows,
    )
}

/// Builds a row: share and CPU time per side, and differences from the first side.
fn line(
    profile: &Profile,
    name: &str,
    part: &dyn Fn(&SideProfile) -> (f64, Option<Estimate>),
    more: &dyn Fn(&Difference) -> Option<Estimate>,
) -> Row {
    let mut fields = vec![name.to_owned()];
    for (index, side) in profile.sides.iter().enumerate() {
        let (share, cpu) = part(side);
        fields.push(format!("{:.1} %", share * 100.0));
        fields.push(format_decimals(cpu.map(|cpu| cpu.value), 2));
        let difference = profile.differences.iter().find(|difference| difference.side == index);
        fields.extend(difference.map(|difference| more(difference).map_or(DASH.into(), format_signed)));
    }
    Row::new(fields)
}

fn describe_sampling(profile: &Profile) -> String {
    let mut words = profile.sampling.by.clone();
    if let Some(frequency) = profile.sampling.frequency {
        let _ = write!(words, ", {frequency} samples per second of CPU time");
    }
    match profile.sampling.scope.as_deref() {
        Some("cores") => words.push_str(" of all cores"),
        Some("threads") => words.push_str(" of the servers' threads"),
        _ => {}
    }
    match profile.window_s {
        Some(length) => format!("{words}, {} of {length:.1} s", count_noun(profile.windows as u64, "window")),
        None => words,
    }
}

pub(crate) fn function_table(profile: &Profile, side: usize) -> Table {
    let own = &profile.sides[side];
    let columns = vec![
        column("", "function", ColumnKind::Left),
        column("", "category", ColumnKind::Left),
        column("", "share", ColumnKind::Right),
        column("", "µs/query", ColumnKind::Right),
    ];
    let line = |part: &FunctionShare| {
        Row::new(vec![
            part.name.clone(),
            part.category.describe().into(),
            format!("{:.1} %", part.share * 100.0),
            format_decimals(part.cpu_us, 2),
        ])
    };
    let title = format!("{}: the functions that take most, without what they call", own.label);
    Table::new(title, columns, own.functions.iter().take(MAX_FUNCTIONS).map(line))
}

pub(crate) fn difference_table(profile: &Profile, difference: &Difference) -> Table {
    let (own, first) = (&profile.sides[difference.side].label, &profile.sides[0].label);
    let columns = vec![
        column("", "function", ColumnKind::Left),
        column("", "category", ColumnKind::Left),
        column("share", first, ColumnKind::Right),
        column("share", own, ColumnKind::Right),
        column("takes more", "µs/query", ColumnKind::Left),
    ];
    let share = |share: f64| format!("{:.1} %", share * 100.0);
    let line = |part: &FunctionDifference| {
        let more = part.cpu_us.map_or(DASH.into(), format_signed);
        Row::new(vec![
            part.name.clone(),
            part.category.describe().into(),
            share(part.share_first),
            share(part.share),
            more,
        ])
    };
    let title = format!("{own} compared with {first}: the functions that differ most");
    Table::new(title, columns, difference.functions.iter().take(MAX_FUNCTIONS).map(line))
}
