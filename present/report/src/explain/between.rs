//! Report of `weigh explain --between`: characters that two collations treat differently, as text
//! and JSON.

use explain::{
    CollationDifference, CollationSummary, ContractionCounts, DifferenceExample, Position, ScriptDifference,
    visible_text,
};

use crate::format::json::to_json;
use crate::format::number::{count_noun, group_thousands};
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::format::text::{Style, push_paragraph, push_tables};

/// Maximum number of scripts with counts, without `--all`.
const MAX_SCRIPTS: usize = 12;
/// Maximum number of lines of examples, without `--all`.
const MAX_EXAMPLE_LINES: usize = 40;
/// Lines of a table besides its rows: an empty line, title, head and rule.
const LINES_OF_A_TABLE: usize = 4;

/// Returns the differences for a terminal: counts, counts by script, then examples per script.
/// Without `all`, about two screens of them. If nothing differs, returns one line, and how a named
/// server version departs from that.
pub fn text(between: &CollationDifference, all: bool, style: Style) -> String {
    let mut out = String::new();
    if let Some(sentence) = sameness(between) {
        push_paragraph("", &[sentence], &mut out);
        push_paragraph("", &between.departures, &mut out);
        return out;
    }
    push_paragraph("", &[describe_side("A", &between.a), describe_side("B", &between.b)], &mut out);
    push_paragraph("", &verdict(between), &mut out);
    push_paragraph("", &between.departures, &mut out);
    if between.scripts.is_empty() {
        return out;
    }
    let with_examples = scripts_with_examples(between, all);
    let (counted, exemplified) = if all {
        (between.scripts.len(), with_examples.len())
    } else {
        (between.scripts.len().min(MAX_SCRIPTS), count_fitting(&with_examples))
    };
    let examples = with_examples[..exemplified].iter().map(|script| example_table(script));
    let tables: Vec<Table> = std::iter::once(script_table(&between.scripts[..counted])).chain(examples).collect();
    push_tables(&tables, style, &mut out);
    if counted < between.scripts.len() || exemplified < with_examples.len() {
        let all = count_noun(between.scripts.len() as u64, "script");
        let line = format!("Of {all} {counted} are counted here, {exemplified} with examples; all: --all");
        push_paragraph("", &[line], &mut out);
    }
    out
}

/// Returns the scripts that have examples, those with the most differences first. If not all are
/// shown, Latin is first, and characters without a script are last.
fn scripts_with_examples(between: &CollationDifference, all: bool) -> Vec<&ScriptDifference> {
    let mut scripts: Vec<&ScriptDifference> =
        between.scripts.iter().filter(|script| !script.examples.is_empty()).collect();
    if all || count_fitting(&scripts) == scripts.len() {
        return scripts;
    }
    scripts.sort_by_key(|script| match script.script.as_str() {
        "Latin" => 0,
        "Unknown" => 2,
        _ => 1,
    });
    scripts
}

/// Returns how many of the first scripts have examples that fit into [`MAX_EXAMPLE_LINES`]; at
/// least one.
fn count_fitting(scripts: &[&ScriptDifference]) -> usize {
    let mut lines = 0;
    let fits = |script: &&&ScriptDifference| {
        lines += script.examples.len() + LINES_OF_A_TABLE;
        lines <= MAX_EXAMPLE_LINES
    };
    scripts.iter().take_while(fits).count().max(scripts.len().min(1))
}

/// Returns the differences as JSON (`schemas/between.schema.json`).
pub fn json(between: &CollationDifference) -> String {
    to_json(between)
}

fn describe_side(name: &str, side: &CollationSummary) -> String {
    let pad = if side.pads { "PAD SPACE" } else { "NO PAD" };
    let levels: Vec<&str> = side.levels.iter().map(|level| level.name()).collect();
    format!("{name}: {} ({}, {pad}, {})", side.collation, side.servers, levels.join(", "))
}

/// Says that nothing differs. `None` if something does.
fn sameness(between: &CollationDifference) -> Option<String> {
    let end = if between.departures.is_empty() { "." } else { ", but for this:" };
    let [a, b] = [&between.a, &between.b].map(|side| format!("{} ({})", side.collation, side.servers));
    if between.same && a == b {
        return Some(format!("Both names are one collation, {a}: nothing differs{end}"));
    }
    if between.same {
        return Some(format!("{a} and {b} are the same: one order and one equality of all strings{end}"));
    }
    let differs = between.counts.differ + between.contractions.total() > 0 || between.padding_differs;
    (!differs).then(|| {
        let characters = group_thousands(between.characters as f64);
        format!("{a} and {b} are the same for all {characters} characters that both character sets have{end}")
    })
}

/// Returns the total differences in sentences.
fn verdict(between: &CollationDifference) -> Vec<String> {
    let counts = between.counts;
    let mut lines = vec![match counts.differ {
        0 => format!("None of {} characters is seen differently.", group_thousands(between.characters as f64)),
        differ => format!(
            "{} of {} characters {} seen differently: {} equal to another under A only, {} under B only, {} moved.",
            group_thousands(differ as f64),
            group_thousands(between.characters as f64),
            message::agree(differ, "is", "are"),
            group_thousands(counts.equal_under_a_only as f64),
            group_thousands(counts.equal_under_b_only as f64),
            group_thousands(counts.moved as f64)
        ),
    }];
    let ContractionCounts { a_only, b_only, moved } = between.contractions;
    if between.contractions.total() > 0 {
        lines.push(format!(
            "{}: {} under A only, {} under B only, {} moved.",
            count_noun(between.contractions.total() as u64, "contraction"),
            group_thousands(a_only as f64),
            group_thousands(b_only as f64),
            group_thousands(moved as f64)
        ));
    }
    if between.padding_differs {
        let [no_pad, pad] = if between.a.pads { ["B", "A"] } else { ["A", "B"] };
        lines.push(format!("Trailing spaces count under {no_pad}, not under {pad}."));
    }
    lines
}

fn script_table(scripts: &[ScriptDifference]) -> Table {
    let columns = vec![
        column("", "script", ColumnKind::Left),
        column("characters", "seen differently", ColumnKind::Right),
        column("equal under", "A only", ColumnKind::Right),
        column("equal under", "B only", ColumnKind::Right),
        column("", "moved", ColumnKind::Right),
        column("", "contractions", ColumnKind::Right),
    ];
    let row = |script: &ScriptDifference| {
        let counts = script.counts;
        let figures = [
            counts.differ,
            counts.equal_under_a_only,
            counts.equal_under_b_only,
            counts.moved,
            script.contractions.total(),
        ];
        let figures = figures.map(|figure| group_thousands(figure as f64));
        Row::new(std::iter::once(script.script.clone()).chain(figures).collect())
    };
    Table::new("by script", columns, scripts.iter().map(row))
}

fn example_table(script: &ScriptDifference) -> Table {
    let columns = vec![
        column("", "characters", ColumnKind::Left),
        column("", "", ColumnKind::Left),
        column("", "under A", ColumnKind::Left),
        column("", "under B", ColumnKind::Left),
    ];
    let row = |seen: &DifferenceExample| {
        let first = seen.texts.first().map_or("", String::as_str);
        let code_points: Vec<String> = first.chars().map(code_point).collect();
        Row::new(vec![join_texts(seen), code_points.join(" "), describe_position(&seen.a), describe_position(&seen.b)])
    };
    Table::new(script.script.as_str(), columns, script.examples.iter().map(row))
}

fn join_texts(seen: &DifferenceExample) -> String {
    let texts: Vec<&str> = seen.texts.iter().map(|text| visible_text(text)).filter(|text| !text.is_empty()).collect();
    match seen.count - seen.texts.len() {
        0 => texts.join(" "),
        more => format!("{} and {} more", texts.join(" "), group_thousands(more as f64)),
    }
}

fn describe_position(position: &Position) -> String {
    let equals = position.equals.as_ref().map(|text| format!("= {}", show_text(text)));
    // "= a" already says where an ASCII character sorts.
    let is_ascii = position.equals.as_ref().is_some_and(|text| text.is_ascii());
    let after = position.after.as_ref().map_or("first".to_owned(), |text| format!("after {}", show_text(text)));
    let contracts = position.contracts.then(|| "one weight".to_owned());
    let parts = [equals, (!is_ascii).then_some(after), contracts];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the text, or the code points of invisible characters.
fn show_text(text: &str) -> String {
    match visible_text(text) {
        "" => text.chars().map(code_point).collect::<Vec<_>>().join(" "),
        text => text.into(),
    }
}

fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}
