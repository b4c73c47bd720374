//! Which characters two collations see differently, for a terminal and for a program.

use explain::{Between, Contractions, Place, ScriptDifference, Seen, Side, visible};

use crate::content::document;
use crate::number::{counted, grouped};
use crate::table::{Kind, Row, Table, column};
use crate::text::{Style, paragraph, titled};

/// The differences for a terminal: the counts, the same by script, then examples of each script.
pub fn text(between: &Between, style: Style) -> String {
    let mut out = String::new();
    paragraph("", &[side("A", &between.a), side("B", &between.b)], &mut out);
    paragraph("", &verdict(between), &mut out);
    if between.scripts.is_empty() {
        return out;
    }
    let examples = between.scripts.iter().filter(|script| !script.examples.is_empty());
    let tables: Vec<Table> = std::iter::once(by_script(between)).chain(examples.map(by_place)).collect();
    titled(&tables, style, &mut out);
    out
}

/// The differences as JSON (`schemas/between.schema.json`).
pub fn json(between: &Between) -> String {
    document(between)
}

fn side(name: &str, side: &Side) -> String {
    let pad = if side.pads { "PAD SPACE" } else { "NO PAD" };
    let levels: Vec<&str> = side.levels.iter().map(|level| level.name()).collect();
    format!("{name}: {} ({}, {pad}, {})", side.collation, side.servers, levels.join(", "))
}

/// What differs as a whole, in sentences.
fn verdict(between: &Between) -> Vec<String> {
    if between.same {
        return vec!["Both give the same order and the same equality to all strings.".into()];
    }
    let counts = between.counts;
    let mut lines = vec![match counts.differ {
        0 => format!("None of {} characters is seen differently.", grouped(between.characters as f64)),
        differ => format!(
            "{} of {} characters are seen differently: {} equal to another under A only, {} under B only, {} moved.",
            grouped(differ as f64),
            grouped(between.characters as f64),
            grouped(counts.equal_under_a_only as f64),
            grouped(counts.equal_under_b_only as f64),
            grouped(counts.moved as f64)
        ),
    }];
    let Contractions { a_only, b_only, moved } = between.contractions;
    if between.contractions.all() > 0 {
        lines.push(format!(
            "{}: {} under A only, {} under B only, {} moved.",
            counted(between.contractions.all() as u64, "contraction"),
            grouped(a_only as f64),
            grouped(b_only as f64),
            grouped(moved as f64)
        ));
    }
    if between.padding_differs {
        let [pads, other] = if between.a.pads { ["B", "A"] } else { ["A", "B"] };
        lines.push(format!("Trailing spaces count under {pads}, not under {other}."));
    }
    lines
}

fn by_script(between: &Between) -> Table {
    let columns = vec![
        column("", "script", Kind::Left),
        column("characters", "seen differently", Kind::Right),
        column("equal under", "A only", Kind::Right),
        column("equal under", "B only", Kind::Right),
        column("", "moved", Kind::Right),
        column("", "contractions", Kind::Right),
    ];
    let row = |script: &ScriptDifference| {
        let counts = script.counts;
        let figures = [
            counts.differ,
            counts.equal_under_a_only,
            counts.equal_under_b_only,
            counts.moved,
            script.contractions.all(),
        ];
        let figures = figures.map(|figure| grouped(figure as f64));
        Row::plain(std::iter::once(script.script.clone()).chain(figures).collect())
    };
    Table::new("by script", columns, between.scripts.iter().map(row))
}

fn by_place(script: &ScriptDifference) -> Table {
    let columns = vec![
        column("", "characters", Kind::Left),
        column("", "", Kind::Left),
        column("", "under A", Kind::Left),
        column("", "under B", Kind::Left),
    ];
    let row = |seen: &Seen| {
        let first = seen.texts.first().map_or("", String::as_str);
        let code_points: Vec<String> = first.chars().map(code_point).collect();
        Row::plain(vec![texts(seen), code_points.join(" "), place(&seen.a), place(&seen.b)])
    };
    Table::new(script.script.as_str(), columns, script.examples.iter().map(row))
}

fn texts(seen: &Seen) -> String {
    let texts: Vec<&str> = seen.texts.iter().map(|text| visible(text)).filter(|text| !text.is_empty()).collect();
    match seen.count - seen.texts.len() {
        0 => texts.join(" "),
        more => format!("{} and {} more", texts.join(" "), grouped(more as f64)),
    }
}

fn place(place: &Place) -> String {
    let equals = place.equals.as_ref().map(|text| format!("= {}", named(text)));
    // Who reads "= a" knows where that is.
    let is_plain = place.equals.as_ref().is_some_and(|text| text.is_ascii());
    let after = place.after.as_ref().map_or("first".to_owned(), |text| format!("after {}", named(text)));
    let contracts = place.contracts.then(|| "one weight".to_owned());
    let parts = [equals, (!is_plain).then_some(after), contracts];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A character as it can be shown, or by its code point.
fn named(text: &str) -> String {
    match visible(text) {
        "" => text.chars().map(code_point).collect::<Vec<_>>().join(" "),
        text => text.into(),
    }
}

fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}
