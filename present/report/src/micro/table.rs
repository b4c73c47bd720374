//! Tables of `weigh micro`, and the sentences below them.

use measure::Estimate;
use micro::{Clock, ComparisonCost, Results};

use crate::format::number::{DASH, format_decimals, format_percent};
use crate::format::table::{ColumnKind, Highlight, Row, Table, column};

/// Builds a table per text and server, text by text.
pub(super) fn tables(results: &Results) -> Vec<Table> {
    let mut keys: Vec<(&str, usize)> = Vec::new();
    for key in results.comparisons.iter().map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    // Tables of one text are adjacent.
    keys.sort_by_key(|(text, _)| results.comparisons.iter().position(|cost| cost.text == *text));
    keys.into_iter().map(|wanted| table(results, wanted)).collect()
}

fn key(cost: &ComparisonCost) -> (&str, usize) {
    (&cost.text, cost.server)
}

fn table(results: &Results, wanted: (&str, usize)) -> Table {
    let server = [
        column("", "difference", ColumnKind::Left),
        column("", "collation", ColumnKind::Left),
        column("", "verdict", ColumnKind::Left),
        column("server", "ns", ColumnKind::Right),
        column("", "±", ColumnKind::Right),
    ];
    let engine = [
        column("engine", "ns", ColumnKind::Right),
        column("", "±", ColumnKind::Right),
        column("memcmp", "ns", ColumnKind::Right),
        column("server", "÷ engine", ColumnKind::Colored),
    ];
    let instruction_set = names_instruction_sets(results).then(|| column("instruction", "set", ColumnKind::Left));
    let mut rows: Vec<Row> = Vec::new();
    let mut above = None;
    for cost in results.comparisons.iter().filter(|cost| key(cost) == wanted) {
        let repeated = above.replace(cost.difference) == Some(cost.difference);
        rows.push(row(cost, repeated, is_first_of_comparison(results, cost)));
    }
    let (text, server_index) = wanted;
    let title =
        format!("{text}, {} characters, on {}", results.options.characters, results.servers[server_index].label);
    Table::new(title, server.into_iter().chain(instruction_set).chain(engine).collect(), rows)
}

fn names_instruction_sets(results: &Results) -> bool {
    results.comparisons.iter().any(|cost| cost.instruction_set.is_some())
}

/// True for the first instruction set of a comparison. Each comparison has the same instruction
/// sets in the same order.
fn is_first_of_comparison(results: &Results, cost: &ComparisonCost) -> bool {
    results.comparisons.first().is_some_and(|first| first.instruction_set == cost.instruction_set)
}

/// Builds a row. Leaves fields empty that repeat the row above: the difference, and the values that
/// all instruction sets share.
fn row(cost: &ComparisonCost, is_difference_repeated: bool, is_first: bool) -> Row {
    let once = |field: String| if is_first { field } else { String::new() };
    let server = [
        if is_difference_repeated { String::new() } else { cost.difference.to_string() },
        once(cost.collation.clone()),
        if cost.agrees() { once(verdict(cost)) } else { verdict(cost) },
        once(format_decimals(Some(cost.server_ns.value), 1)),
        once(half_width(Some(cost.server_ns))),
    ];
    let engine = [
        format_decimals(cost.engine_ns.map(|ns| ns.value), 1),
        half_width(cost.engine_ns),
        once(format_decimals(Some(cost.memcmp_ns.value), 1)),
        cost.ratio.map_or_else(|| DASH.into(), |ratio| format_times(ratio.value)),
    ];
    let fields = server.into_iter().chain(cost.instruction_set.clone()).chain(engine).collect();
    Row { fields, highlight: if cost.agrees() { Highlight::None } else { Highlight::Worse } }
}

fn verdict(cost: &ComparisonCost) -> String {
    match cost.engine_verdict {
        Some(engine) if engine != cost.verdict => format!("{}, engine {}", cost.verdict.sign(), engine.sign()),
        _ => cost.verdict.sign().into(),
    }
}

fn half_width(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| DASH.into(), |estimate| format_percent(estimate.precision()))
}

fn format_times(ratio: f64) -> String {
    if ratio >= 9.95 { format!("{ratio:.0} ×") } else { format!("{ratio:.1} ×") }
}

/// Explains the columns of the tables.
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
        lines.push(describe_clock(results, server));
        lines.extend(describe_call_cost(results, server));
    }
    lines
}

fn describe_clock(results: &Results, server: usize) -> String {
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

/// Describes the cost of calling a comparison, which is part of the server's figures.
fn describe_call_cost(results: &Results, server: usize) -> Option<String> {
    let costs_of_server = results.calls.iter().filter(|call| call.server == server);
    let (least, most) = min_and_max(costs_of_server.map(|call| call.ns.value))?;
    let label = &results.servers[server].label;
    Some(format!(
        "{label}: comparing one letter with another takes {least:.0} to {most:.0} ns: hardly more than being called."
    ))
}

/// Returns a sentence per server and instruction set about the engine's speed.
pub(super) fn sentences(results: &Results) -> Vec<String> {
    let mut instruction_sets: Vec<Option<&str>> = Vec::new();
    for cost in &results.comparisons {
        if !instruction_sets.contains(&cost.instruction_set.as_deref()) {
            instruction_sets.push(cost.instruction_set.as_deref());
        }
    }
    let costs_of_server = |server| instruction_sets.iter().filter_map(move |name| sentence(results, server, *name));
    (0..results.servers.len()).flat_map(costs_of_server).collect()
}

fn sentence(results: &Results, server: usize, instruction_set: Option<&str>) -> Option<String> {
    let is_selected =
        |cost: &&ComparisonCost| cost.server == server && cost.instruction_set.as_deref() == instruction_set;
    let ratios = results.comparisons.iter().filter(is_selected).filter_map(|cost| cost.ratio);
    let (least, most) = min_and_max(ratios.map(|ratio| ratio.value))?;
    let label = &results.servers[server].label;
    let with = instruction_set.map(|name| format!(" with {name}")).unwrap_or_default();
    Some(format!(
        "One comparison takes {label} {} to {} the engine's time{with}.",
        format_times(least),
        format_times(most)
    ))
}

fn min_and_max(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}
