//! Two strings under one collation: steps of equal place stand in one row.

use explain::{Part, Step, View};

use crate::table::{Column, Kind, Row, Table, column};

/// The table of a collation. Steps are paired by how many primary weights came before them, so that an expansion stands beside all
/// that it can equal, and an ignorable character alone.
pub(super) fn table(view: &View) -> Table {
    let pad = if view.pads { "PAD SPACE" } else { "NO PAD" };
    let title = format!("{} ({}, {pad})", view.collation, view.servers);
    let mut columns = side(view, "a");
    columns.push(column("", "", Kind::Left));
    columns.extend(side(view, "b"));
    Table::new(title, columns, paired(&view.a, &view.b).into_iter().map(|(a, b)| row(view, a, b)))
}

fn side(view: &View, name: &str) -> Vec<Column> {
    let mut columns = vec![column("", name, Kind::Left), column("", "", Kind::Left)];
    if view.levels.len() > 1 {
        columns.extend(view.levels.iter().map(|level| column("", level.name(), Kind::Left)));
    } else {
        columns.push(column("", "weights", Kind::Left));
    }
    columns.push(column("", "", Kind::Left));
    columns
}

fn row(view: &View, a: Option<usize>, b: Option<usize>) -> Row {
    let is_at = |part: &Part, step: Option<usize>| step.is_some() && part.step == step;
    let differs = view.parting.as_ref().is_some_and(|parting| is_at(&parting.a, a) || is_at(&parting.b, b));
    let mut fields = step_fields(view, a.and_then(|a| view.a.get(a)));
    fields.push(if differs { view.verdict.sign().into() } else { String::new() });
    fields.extend(step_fields(view, b.and_then(|b| view.b.get(b))));
    Row::plain(fields)
}

fn step_fields(view: &View, step: Option<&Step>) -> Vec<String> {
    let Some(step) = step else { return vec![String::new(); view.levels.len() + 3] };
    let mut fields = vec![visible(&step.text).to_owned(), code(step)];
    fields.extend(step.weights.iter().map(|weights| weights.join(" ")));
    fields.push(step.features.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(", "));
    fields
}

/// A step in a sentence.
pub(super) fn shown(step: &Step) -> String {
    match visible(&step.text) {
        "" => code(step),
        text => format!("'{text}'"),
    }
}

fn code(step: &Step) -> String {
    if step.code_points.is_empty() { format!("byte {}", step.bytes) } else { step.code_points.join(" ") }
}

/// Text as it can be shown in a table: nothing for control characters, spaces, and marks that would sit on what stands before.
pub(super) fn visible(text: &str) -> &str {
    let plain = |c: char| c.escape_debug().count() == 1 || matches!(c, '\'' | '"' | '\\');
    if text.chars().all(|c| plain(c) && !c.is_whitespace()) { text } else { "" }
}

/// Steps of the two strings beside each other.
fn paired(a: &[Step], b: &[Step]) -> Vec<(Option<usize>, Option<usize>)> {
    let weight = |step: Option<&Step>| step.map(|step| step.weights.first().map_or(0, Vec::len));
    let (mut at_a, mut at_b, mut weights_a, mut weights_b) = (0, 0, 0, 0);
    let mut rows = Vec::new();
    while at_a < a.len() || at_b < b.len() {
        let (of_a, of_b) = (weight(a.get(at_a)), weight(b.get(at_b)));
        // Alone where the other one is behind, or has none, or this one weighs nothing and the other does.
        let (takes_a, takes_b) = match (of_a, of_b) {
            (Some(_), None) => (true, false),
            (None, _) => (false, true),
            (Some(_), Some(_)) if weights_a != weights_b => (weights_a < weights_b, weights_b < weights_a),
            (Some(0), Some(of_b)) if of_b > 0 => (true, false),
            (Some(of_a), Some(0)) if of_a > 0 => (false, true),
            _ => (true, true),
        };
        rows.push((takes_a.then_some(at_a), takes_b.then_some(at_b)));
        if takes_a {
            (at_a, weights_a) = (at_a + 1, weights_a + of_a.unwrap_or(0));
        }
        if takes_b {
            (at_b, weights_b) = (at_b + 1, weights_b + of_b.unwrap_or(0));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str, weights: usize) -> Step {
        Step {
            bytes: String::new(),
            text: text.into(),
            code_points: vec!["U+0000".into()],
            weights: vec![vec!["0001".into(); weights]],
            features: Vec::new(),
        }
    }

    #[test]
    fn an_expansion_stands_beside_all_that_it_equals() {
        let (a, b) = ([step("ß", 2), step("e", 1)], [step("s", 1), step("s", 1), step("e", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2))]);
    }

    #[test]
    fn an_ignorable_stands_alone() {
        let (a, b) = ([step("e", 1), step("\u{301}", 0), step("f", 1)], [step("e", 1), step("f", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1))]);
    }

    #[test]
    fn the_longer_string_goes_on_alone() {
        let (a, b) = ([step("a", 1)], [step("a", 1), step("b", 1)]);
        assert_eq!(paired(&a, &b), [(Some(0), Some(0)), (None, Some(1))]);
        assert_eq!(paired(&[], &[]), []);
    }

    #[test]
    fn what_would_break_a_line_or_sit_on_another_is_not_shown() {
        assert_eq!(["a", "'", "\\", "ß", "中", "😀"].map(visible), ["a", "'", "\\", "ß", "中", "😀"]);
        assert_eq!(["\n", " ", "\u{301}", "\u{200D}", "\u{0}"].map(visible), [""; 5]);
    }
}
