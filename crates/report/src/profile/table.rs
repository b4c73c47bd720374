//! The tables of profiles, and what is said below them.

use std::fmt::Write as _;

use measure::Estimate;
use profile::{Category, Difference, FunctionDifference, FunctionShare, Naming, Profile, Profiles, SideProfile};

use crate::number::{DASH, counted, decimals, percent};
use crate::table::{Kind, Row, Table, column};

/// Functions that a table shows.
const FUNCTIONS: usize = 12;

/// What a run's report says of its profiles: the categories, without the functions.
pub(crate) fn brief(profiles: &Profiles) -> (Vec<Table>, Vec<String>) {
    let tables = profiles.profiles.iter().map(categories).collect();
    let of_shares = profiles.profiles.iter().map(text_share);
    (tables, of_shares.chain(profiles.failures.iter().map(|failure| format!("not sampled: {failure}"))).collect())
}

/// What a profile says in a sentence or two.
pub(crate) fn sentences(profile: &Profile) -> Vec<String> {
    let mut sentences = vec![text_share(profile)];
    sentences.extend(profile.differences.iter().filter_map(|difference| more(profile, difference)));
    sentences.extend(profile.sides.iter().map(coverage));
    sentences
}

/// `Charset and collation work is 34 % of the server's CPU under utf8mb4_general_ci, 3 % under latin1_swedish_ci.`
pub(crate) fn text_share(profile: &Profile) -> String {
    let parts: Vec<String> = profile
        .sides
        .iter()
        .rev()
        .enumerate()
        .map(|(place, side)| {
            let share = percent(side.text_share.value);
            let of = if place == 0 { " of the server's CPU" } else { "" };
            let under = if profile.sides.len() > 1 { format!(" under {}", side.label) } else { String::new() };
            format!("{share}{of}{under}")
        })
        .collect();
    format!("Charset and collation work is {}.", parts.join(", "))
}

fn more(profile: &Profile, difference: &Difference) -> Option<String> {
    let (all, text) = (difference.cpu_us?, difference.text_cpu_us?);
    let (label, first) = (&profile.sides[difference.side].label, &profile.sides[0].label);
    let amount = signed(all);
    Some(format!(
        "A statement takes {amount} µs of server CPU under {label} against {first}; charset and collation work is {} of that.",
        signed(text)
    ))
}

fn coverage(side: &SideProfile) -> String {
    let coverage = side.coverage;
    if coverage.samples == 0 {
        return format!("{}: no sample is in the server's own program.", side.label);
    }
    let part = |count: u64| percent(count as f64 / coverage.samples as f64);
    let known = coverage.samples - coverage.unknown;
    format!(
        "{}: {}; of those in the server's own program {} have a function ({} by symbol, {} by a collation's table, {} by its bounds alone).",
        side.label,
        counted(side.samples, "sample"),
        part(known),
        part(coverage.symbol),
        part(coverage.handler),
        part(coverage.bounds)
    )
}

/// `+6.10 ± 0.30`: a mean's interval reaches as far down as up.
fn signed(estimate: Estimate) -> String {
    format!("{:+.2} ± {:.2}", estimate.value, (estimate.high - estimate.low) / 2.0)
}

pub(crate) fn tables(profile: &Profile) -> Vec<Table> {
    let mut tables = vec![categories(profile)];
    tables.extend((0..profile.sides.len()).map(|side| functions(profile, side)));
    tables.extend(profile.differences.iter().map(|difference| changes(profile, difference)));
    tables
}

/// Categories down, sides across, each with what it takes more than the first.
pub(crate) fn categories(profile: &Profile) -> Table {
    let mut columns = vec![column("", "category", Kind::Left)];
    for index in 0..profile.sides.len() {
        columns.push(column(&profile.sides[index].label, "share", Kind::Right));
        columns.push(column("", "µs/query", Kind::Right));
        if profile.differences.iter().any(|difference| difference.side == index) {
            columns.push(column("", "more", Kind::Left));
        }
    }
    let mut rows: Vec<Row> = Category::ALL
        .iter()
        .enumerate()
        .map(|(index, category)| {
            let part = |side: &SideProfile| (side.categories[index].share.value, side.categories[index].cpu_us);
            line(profile, category.name(), &part, &|difference| difference.categories[index].cpu_us)
        })
        .collect();
    let all = |side: &SideProfile| (side.categories.iter().map(|part| part.share.value).sum(), side.cpu_us);
    rows.push(line(profile, "all", &all, &|difference| difference.cpu_us));
    Table::new(format!("{}: where the server's CPU goes ({})", profile.title, sampling(profile)), columns, rows)
}

/// A line of it: the share and CPU time of each side, and what it takes more.
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
        fields.push(decimals(cpu.map(|cpu| cpu.value), 2));
        let difference = profile.differences.iter().find(|difference| difference.side == index);
        fields.extend(difference.map(|difference| more(difference).map_or(DASH.into(), signed)));
    }
    Row::plain(fields)
}

fn sampling(profile: &Profile) -> String {
    let mut words = profile.sampling.by.clone();
    if let Some(frequency) = profile.sampling.frequency {
        let _ = write!(words, ", {frequency} samples a second of CPU time");
    }
    match profile.sampling.scope.as_deref() {
        Some("cores") => words.push_str(" of all cores"),
        Some("threads") => words.push_str(" of the servers' threads"),
        _ => {}
    }
    match profile.window_s {
        Some(length) => format!("{words}, {} of {length:.1} s", counted(profile.windows as u64, "window")),
        None => words,
    }
}

pub(crate) fn functions(profile: &Profile, side: usize) -> Table {
    let own = &profile.sides[side];
    let columns = vec![
        column("", "function", Kind::Left),
        column("", "category", Kind::Left),
        column("", "share", Kind::Right),
        column("", "µs/query", Kind::Right),
    ];
    let line = |part: &FunctionShare| {
        Row::plain(vec![
            named(&part.name, part.naming),
            part.category.name().into(),
            format!("{:.1} %", part.share * 100.0),
            decimals(part.cpu_us, 2),
        ])
    };
    let title = format!("{}: the functions that take most, without what they call", own.label);
    Table::new(title, columns, own.functions.iter().take(FUNCTIONS).map(line))
}

pub(crate) fn changes(profile: &Profile, difference: &Difference) -> Table {
    let (own, first) = (&profile.sides[difference.side].label, &profile.sides[0].label);
    let columns = vec![
        column("", "function", Kind::Left),
        column("", "category", Kind::Left),
        column("share", first, Kind::Right),
        column("share", own, Kind::Right),
        column("takes more", "µs/query", Kind::Left),
    ];
    let share = |share: f64| format!("{:.1} %", share * 100.0);
    let line = |part: &FunctionDifference| {
        let more = part.cpu_us.map_or(DASH.into(), signed);
        Row::plain(vec![
            named(&part.name, part.naming),
            part.category.name().into(),
            share(part.share_first),
            share(part.share),
            more,
        ])
    };
    let title = format!("{own} against {first}: the functions that differ most");
    Table::new(title, columns, difference.functions.iter().take(FUNCTIONS).map(line))
}

/// Where a function has no name, that is said.
fn named(name: &str, naming: Naming) -> String {
    match naming {
        Naming::Bounds => format!("{name} (unnamed)"),
        _ => name.to_owned(),
    }
}
