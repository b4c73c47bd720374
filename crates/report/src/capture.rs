//! What `weigh capture` took, for a terminal and for a program.

use capture::{Captured, CapturedClass, CapturedTable};

use crate::content::document;
use crate::number::{DASH, counted, grouped, percent};
use crate::table::{Kind, Row, Table, column};
use crate::text::{Style, paragraph, sheets};

/// Classes and tables that are listed; the JSON document has all.
const LISTED: usize = 20;

/// The capture as JSON (`schemas/capture.schema.json`).
pub fn json(captured: &Captured) -> String {
    document(captured)
}

/// For a terminal: what was taken, what was not, and what to know of it.
pub fn text(captured: &Captured, style: Style) -> String {
    let head = [style.bold(&headline(captured)), share(captured)];
    let mut tables = vec![tables(captured)];
    if !captured.classes.is_empty() {
        tables.insert(0, classes(captured));
    }
    let mut out = sheets(&head, &tables, &[], style);
    paragraph("not replayed: ", &left_out(captured), &mut out);
    paragraph("", &remarks(captured), &mut out);
    out
}

fn headline(captured: &Captured) -> String {
    format!(
        "{}: {} and {} with {} of the schema {}, from {}",
        captured.folder,
        counted_classes(captured.classes.len()),
        counted(captured.tables.len() as u64, "table"),
        counted(captured.rows(), "row"),
        captured.schema,
        captured.from,
    )
}

fn counted_classes(count: usize) -> String {
    if count == 1 {
        "1 class of statements".to_owned()
    } else {
        format!("{} classes of statements", grouped(count as f64))
    }
}

fn share(captured: &Captured) -> String {
    if captured.seen == 0 {
        return "no statements were read: name logs by --slow-log, --general-log, --sql, or ask the server by --digests".to_owned();
    }
    format!(
        "of {} in the sources, {} ({}) are replayed",
        counted(captured.seen, "statement"),
        grouped(captured.replayed as f64),
        percent(captured.replayed as f64 / captured.seen as f64),
    )
}

fn classes(captured: &Captured) -> Table {
    let seconds: f64 = captured.classes.iter().filter_map(|class| class.seconds).sum();
    let row = |class: &CapturedClass| {
        let share = class.seconds.filter(|_| seconds > 0.0).map(|own| percent(own / seconds));
        let each = class.seconds.map(|own| format!("{:.3}", own * 1e3 / class.seen.max(1) as f64));
        Row::plain(vec![
            class.name.clone(),
            grouped(class.seen as f64),
            share.unwrap_or_else(|| DASH.to_owned()),
            each.unwrap_or_else(|| DASH.to_owned()),
            grouped(class.samples as f64),
        ])
    };
    let columns = vec![
        column("class", "", Kind::Left),
        column("calls", "", Kind::Right),
        column("share", "of time", Kind::Right),
        column("ms", "a call", Kind::Right),
        column("samples", "", Kind::Right),
    ];
    let mut table = Table::new("Statements", columns, captured.classes.iter().take(LISTED).map(row));
    table.foot = more(captured.classes.len(), "classes");
    table
}

fn tables(captured: &Captured) -> Table {
    let row = |table: &CapturedTable| {
        let of = match (table.all, table.of) {
            (true, _) => "all".to_owned(),
            (false, Some(of)) => format!("of about {}", grouped(of as f64)),
            (false, None) => "a part".to_owned(),
        };
        let parents = if table.parents > 0 { grouped(table.parents as f64) } else { DASH.to_owned() };
        Row::plain(vec![table.name.clone(), grouped(table.rows as f64), of, parents])
    };
    let columns = vec![
        column("table", "", Kind::Left),
        column("rows", "", Kind::Right),
        column("taken", "", Kind::Left),
        column("referred to", "by others", Kind::Right),
    ];
    let mut table = Table::new("Rows", columns, captured.tables.iter().take(LISTED).map(row));
    table.foot = more(captured.tables.len(), "tables");
    table
}

fn more(count: usize, noun: &str) -> Vec<String> {
    let left = count.saturating_sub(LISTED);
    if left > 0 { vec![format!("{left} more {noun} are in --format json")] } else { Vec::new() }
}

fn left_out(captured: &Captured) -> Vec<String> {
    let mut reasons: Vec<(capture::Reason, u64, Vec<&str>)> = Vec::new();
    for one in &captured.left_out {
        match reasons.iter_mut().find(|(reason, ..)| *reason == one.reason) {
            Some((_, count, words)) => {
                *count += one.count;
                words.push(&one.word);
            }
            None => reasons.push((one.reason, one.count, vec![&one.word])),
        }
    }
    let line = |(reason, count, words): (capture::Reason, u64, Vec<&str>)| {
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).take(5).collect();
        let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
        format!("{} {}{words}", grouped(count as f64), reason.sentence())
    };
    reasons.into_iter().map(line).collect()
}

fn remarks(captured: &Captured) -> Vec<String> {
    let mut remarks = vec![format!(
        "The folder holds what the tables and statements hold of people: {} and {} of values. Only its owner can read it.",
        counted(captured.rows(), "row"),
        counted(captured.samples(), "sample"),
    )];
    if captured.tables.iter().any(|table| !table.all) {
        remarks.push(
            "Rows are a sample: ranges and joins find fewer rows than on the server, histograms are of the sample, and a plan may be another. \
             --rows takes more."
                .to_owned(),
        );
    }
    if !captured.of_other_schemas.is_empty() {
        remarks.push(format!(
            "Left out, as a copy would reach into another schema: {}.",
            captured.of_other_schemas.join("; ")
        ));
    }
    if captured.orphans > 0 {
        remarks.push(format!(
            "{} of foreign keys refer to rows that the source does not have.",
            counted(captured.orphans, "value")
        ));
    }
    if !captured.classes.is_empty() {
        let how = match captured.protocol {
            replay::Protocol::Text => "as text; --protocol prepared if the application prepares them on the server",
            replay::Protocol::Prepared => "prepared",
        };
        remarks.push(format!("Statements will be sent {how}. No log tells."));
    }
    remarks
}
