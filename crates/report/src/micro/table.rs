//! The tables of what comparisons cost, and what is said below them.

use measure::Estimate;
use micro::{Cell, Clock, Results};

use crate::number::{DASH, decimals, percent};
use crate::table::{Kind, Mood, Row, Table, column};

/// A table for each text and server, in the order of the cells.
pub(super) fn tables(results: &Results) -> Vec<Table> {
    let mut keys: Vec<(&str, usize)> = Vec::new();
    for key in results.cells.iter().map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    // All servers of a text stand together.
    keys.sort_by_key(|(text, _)| results.cells.iter().position(|cell| cell.text == *text));
    keys.into_iter().map(|wanted| table(results, wanted)).collect()
}

fn key(cell: &Cell) -> (&str, usize) {
    (&cell.text, cell.server)
}

fn table(results: &Results, wanted: (&str, usize)) -> Table {
    let columns = vec![
        column("", "difference", Kind::Left),
        column("", "collation", Kind::Left),
        column("", "verdict", Kind::Left),
        column("server", "ns", Kind::Right),
        column("", "±", Kind::Right),
        column("engine", "ns", Kind::Right),
        column("", "±", Kind::Right),
        column("memcmp", "ns", Kind::Right),
        column("server", "÷ engine", Kind::Judged),
    ];
    let mut rows: Vec<Row> = Vec::new();
    let mut above = None;
    for cell in results.cells.iter().filter(|cell| key(cell) == wanted) {
        let repeated = above.replace(cell.difference) == Some(cell.difference);
        rows.push(row(cell, repeated));
    }
    let (text, server) = wanted;
    let title = format!("{text}, {} characters, on {}", results.options.characters, results.servers[server].label);
    Table::new(title, columns, rows)
}

/// A row; a difference that stands in the row above is not repeated.
fn row(cell: &Cell, repeated: bool) -> Row {
    let fields = vec![
        if repeated { String::new() } else { cell.difference.to_string() },
        cell.collation.clone(),
        verdict(cell),
        decimals(Some(cell.server_ns.value), 1),
        half_width(Some(cell.server_ns)),
        decimals(cell.engine_ns.map(|ns| ns.value), 1),
        half_width(cell.engine_ns),
        decimals(Some(cell.memcmp_ns.value), 1),
        cell.ratio.map_or_else(|| DASH.into(), |ratio| times(ratio.value)),
    ];
    Row { fields, mood: if cell.agrees() { Mood::Plain } else { Mood::Bad } }
}

fn verdict(cell: &Cell) -> String {
    match cell.engine_verdict {
        Some(engine) if engine != cell.verdict => format!("{}, engine {}", cell.verdict.sign(), engine.sign()),
        _ => cell.verdict.sign().into(),
    }
}

fn half_width(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| DASH.into(), |estimate| percent(estimate.precision()))
}

fn times(ratio: f64) -> String {
    if ratio >= 9.95 { format!("{ratio:.0} ×") } else { format!("{ratio:.1} ×") }
}

/// How to read the tables.
pub(super) fn legend(results: &Results) -> Vec<String> {
    let mut lines = vec![
        "difference: of the second string to the first. verdict: the first against the second, by the server.".into(),
        format!(
            "ns: one comparison, the median of {} rounds; ±: half of its 95 % interval. memcmp: the first string's bytes with a copy.",
            results.options.rounds
        ),
    ];
    for server in 0..results.servers.len() {
        lines.push(clock(results, server));
        lines.extend(calls(results, server));
    }
    lines
}

fn clock(results: &Results, server: usize) -> String {
    let label = &results.servers[server].label;
    match results.clocks.get(server) {
        Some(Clock::Cpu) => format!("{label}: ns are CPU time of the server's thread."),
        _ => format!(
            "{label}: ns are time on the wall, as the server's thread can't be seen from here; other work there makes them longer."
        ),
    }
}

/// What of a server's figures is not comparing.
fn calls(results: &Results, server: usize) -> Option<String> {
    let of_server = results.calls.iter().filter(|call| call.server == server);
    let (least, most) = range(of_server.map(|call| call.ns.value))?;
    let label = &results.servers[server].label;
    Some(format!(
        "{label}: comparing one letter with another takes {least:.0} to {most:.0} ns: hardly more than being called."
    ))
}

/// What the engine saves, a sentence a server.
pub(super) fn sentences(results: &Results) -> Vec<String> {
    let sentence = |server: usize| {
        let of_server = results.cells.iter().filter(|cell| cell.server == server);
        let (least, most) = range(of_server.filter_map(|cell| cell.ratio).map(|ratio| ratio.value))?;
        let label = &results.servers[server].label;
        Some(format!("One comparison takes {label} {} to {} the engine's time.", times(least), times(most)))
    };
    (0..results.servers.len()).filter_map(sentence).collect()
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}
