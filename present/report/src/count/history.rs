//! Changes in a history of counts, for `weigh compare`: as text, Markdown, CSV and JSON.

use count::{History, Step};
use serde::Serialize;

use crate::format::csv::to_csv;
use crate::format::json::to_json;
use crate::format::markdown as md;
use crate::format::number::{count_noun, format_signed_percent, group_thousands, round_six_digits};
use crate::format::text::{RED, Style};

use super::changes::more_instructions;

/// Returns the history as JSON (`schemas/count-history.schema.json`).
pub fn json(history: &History) -> String {
    to_json(history)
}

/// Returns the history for a terminal: the verdict about the newest count, then each change.
pub fn text(history: &History, style: Style) -> String {
    let mut out = String::new();
    let fails = history.steps.iter().any(|step| step.fails);
    let (mark, color) = if fails { ("✗ ", Some(RED)) } else { ("✓ ", None) };
    style.push_wrapped_marked(mark, color, "  ", &verdict(history), &mut out);
    style.push_wrapped("", "  ", &extent(history), &mut out);
    for step in &history.steps {
        let mark = if step.fails { "✗ " } else { "  " };
        style.push_wrapped_marked(mark, step.fails.then_some(RED), "    ", &sentence(history, step), &mut out);
    }
    out
}

/// Returns the history as Markdown.
pub fn markdown(history: &History) -> String {
    let mut out = format!("## {}\n\n", md::escape(&history.name));
    md::push_list(&[verdict(history), extent(history)], &mut out);
    md::push_list(&history.steps.iter().map(|step| sentence(history, step)).collect::<Vec<_>>(), &mut out);
    md::end_with_newline(out)
}

/// Columns of a line of CSV, in order.
#[derive(Serialize)]
struct Line<'a> {
    count: String,
    counted_at: Option<&'a str>,
    server: &'a str,
    workload: &'a str,
    collation: &'a str,
    instructions_before: f64,
    instructions_after: f64,
    change: f64,
    fails: bool,
}

/// Returns the changes as CSV with a header.
pub fn csv(history: &History) -> String {
    to_csv(history.steps.iter().map(|step| Line {
        count: title(history, step.count),
        counted_at: history.counts[step.count].counted_at.as_deref(),
        server: &step.server,
        workload: &step.workload,
        collation: &step.collation,
        instructions_before: round_six_digits(step.before),
        instructions_after: round_six_digits(step.after),
        change: round_six_digits(step.change),
        fails: step.fails,
    }))
}

fn verdict(history: &History) -> String {
    let of = count_noun(history.series as u64, "statement");
    let newest = title(history, history.counts.len() - 1);
    let by = more_instructions(history.fail_over);
    match history.steps.iter().filter(|step| step.fails).count() {
        0 => format!("In {newest} no statement executes {by} than before, of {of}."),
        1 => format!("In {newest} 1 of {of} executes {by} than before."),
        more => format!("In {newest} {more} of {of} execute {by} than before."),
    }
}

fn extent(history: &History) -> String {
    let last = history.counts.len() - 1;
    format!(
        "{}: {} from {} to {}, {} of level",
        history.name,
        count_noun(history.counts.len() as u64, "count"),
        dated_title(history, 0),
        dated_title(history, last),
        count_noun(history.steps.len() as u64, "change"),
    )
}

fn sentence(history: &History, step: &Step) -> String {
    format!(
        "{}: {} under {} on {}: {} ({} → {})",
        dated_title(history, step.count),
        step.workload,
        step.collation,
        step.server,
        format_signed_percent(step.change),
        group_thousands(step.before),
        group_thousands(step.after)
    )
}

/// Returns the label of a count, or its number.
fn title(history: &History, index: usize) -> String {
    history.counts[index].label.clone().unwrap_or_else(|| format!("count {}", index + 1))
}

/// Returns the label or number with the date, such as `4f0de36 (2026-11-29)`.
fn dated_title(history: &History, index: usize) -> String {
    let title = title(history, index);
    match history.counts[index].counted_at.as_deref().and_then(|time| time.get(..10)) {
        Some(date) => format!("{title} ({date})"),
        None => title,
    }
}
