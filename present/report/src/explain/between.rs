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

/// Returns the differences for a terminal: counts, counts by script, then examples per script.
pub fn text(between: &CollationDifference, style: Style) -> String {
    let mut out = String::new();
    push_paragraph("", &[describe_side("A", &between.a), describe_side("B", &between.b)], &mut out);
    push_paragraph("", &verdict(between), &mut out);
    push_paragraph("", &between.departures, &mut out);
    if between.scripts.is_empty() {
        return out;
    }
    let examples = between.scripts.iter().filter(|script| !script.examples.is_empty());
    let tables: Vec<Table> = std::iter::once(script_table(between)).chain(examples.map(example_table)).collect();
    push_tables(&tables, style, &mut out);
    out
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

/// Returns the total differences in sentences.
fn verdict(between: &CollationDifference) -> Vec<String> {
    if between.same {
        let but = if between.departures.is_empty() { "." } else { ", but for this:" };
        return vec![format!("Both give the same order and the same equality to all strings{but}")];
    }
    let counts = between.counts;
    let mut lines = vec![match counts.differ {
        0 => format!("None of {} characters is seen differently.", group_thousands(between.characters as f64)),
        differ => format!(
            "{} of {} characters are seen differently: {} equal to another under A only, {} under B only, {} moved.",
            group_thousands(differ as f64),
            group_thousands(between.characters as f64),
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

fn script_table(between: &CollationDifference) -> Table {
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
    Table::new("by script", columns, between.scripts.iter().map(row))
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
