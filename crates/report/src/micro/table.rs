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
    let server = [
        column("", "difference", Kind::Left),
        column("", "collation", Kind::Left),
        column("", "verdict", Kind::Left),
        column("server", "ns", Kind::Right),
        column("", "±", Kind::Right),
    ];
    let engine = [
        column("engine", "ns", Kind::Right),
        column("", "±", Kind::Right),
        column("memcmp", "ns", Kind::Right),
        column("server", "÷ engine", Kind::Judged),
    ];
    let instruction_set = names_instruction_sets(results).then(|| column("instruction", "set", Kind::Left));
    let mut rows: Vec<Row> = Vec::new();
    let mut above = None;
    for cell in results.cells.iter().filter(|cell| key(cell) == wanted) {
        let repeated = above.replace(cell.difference) == Some(cell.difference);
        rows.push(row(cell, repeated, is_first_of_comparison(results, cell)));
    }
    let (text, server_index) = wanted;
    let title =
        format!("{text}, {} characters, on {}", results.options.characters, results.servers[server_index].label);
    Table::new(title, server.into_iter().chain(instruction_set).chain(engine).collect(), rows)
}

fn names_instruction_sets(results: &Results) -> bool {
    results.cells.iter().any(|cell| cell.instruction_set.is_some())
}

/// Whether the cell is the first one of a comparison, which has one for each instruction set, in the same order.
fn is_first_of_comparison(results: &Results, cell: &Cell) -> bool {
    results.cells.first().is_some_and(|first| first.instruction_set == cell.instruction_set)
}

/// A row. A difference that stands in the row above is not repeated, nor is what instruction sets have in common.
fn row(cell: &Cell, is_difference_repeated: bool, is_first: bool) -> Row {
    let once = |field: String| if is_first { field } else { String::new() };
    let server = [
        if is_difference_repeated { String::new() } else { cell.difference.to_string() },
        once(cell.collation.clone()),
        if cell.agrees() { once(verdict(cell)) } else { verdict(cell) },
        once(decimals(Some(cell.server_ns.value), 1)),
        once(half_width(Some(cell.server_ns))),
    ];
    let engine = [
        decimals(cell.engine_ns.map(|ns| ns.value), 1),
        half_width(cell.engine_ns),
        once(decimals(Some(cell.memcmp_ns.value), 1)),
        cell.ratio.map_or_else(|| DASH.into(), |ratio| times(ratio.value)),
    ];
    let fields = server.into_iter().chain(cell.instruction_set.clone()).chain(engine).collect();
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
            "ns: one comparison, the median of {} rounds, each with a new process of the engine; ±: half of its 95 % interval. memcmp: the first string's bytes with a copy.",
            results.options.rounds
        ),
    ];
    if names_instruction_sets(results) {
        lines.push(
            "instruction set: the engine's; the server and memcmp were timed once a round for all of them.".into(),
        );
    }
    for server in 0..results.servers.len() {
        lines.push(clock(results, server));
        lines.extend(calls(results, server));
    }
    lines
}

fn clock(results: &Results, server: usize) -> String {
    let info = &results.servers[server];
    let clock = match results.clocks.get(server) {
        Some(Clock::Cpu) => "CPU time of the server's thread",
        _ => "time on the wall, as the server's thread can't be seen from here, and other work there makes them longer",
    };
    let starts = if info.private {
        "each round is of a fresh start"
    } else {
        "all rounds are of one start, and another may differ by more than ±"
    };
    format!("{}: ns are {clock}; {starts}.", info.label)
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

/// What the engine saves, a sentence for each server and instruction set.
pub(super) fn sentences(results: &Results) -> Vec<String> {
    let mut instruction_sets: Vec<Option<&str>> = Vec::new();
    for cell in &results.cells {
        if !instruction_sets.contains(&cell.instruction_set.as_deref()) {
            instruction_sets.push(cell.instruction_set.as_deref());
        }
    }
    let of_server = |server| instruction_sets.iter().filter_map(move |name| sentence(results, server, *name));
    (0..results.servers.len()).flat_map(of_server).collect()
}

fn sentence(results: &Results, server: usize, instruction_set: Option<&str>) -> Option<String> {
    let is_of_both = |cell: &&Cell| cell.server == server && cell.instruction_set.as_deref() == instruction_set;
    let ratios = results.cells.iter().filter(is_of_both).filter_map(|cell| cell.ratio);
    let (least, most) = range(ratios.map(|ratio| ratio.value))?;
    let label = &results.servers[server].label;
    let with = instruction_set.map(|name| format!(" with {name}")).unwrap_or_default();
    Some(format!("One comparison takes {label} {} to {} the engine's time{with}.", times(least), times(most)))
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}
