//! The report for a terminal.

use std::fmt::Write as _;

use crate::Report;
use crate::head::{legend, setting};
use crate::table::{Column, Kind, Mood, Row, Table, tables};

/// How a terminal wants its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether colours and bold type are wanted.
    pub color: bool,
}

/// Wider tables do without the columns that can be spared.
const WIDTH: usize = 120;
const INDENT: &str = "  ";
const GAP: &str = "  ";

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// The report for a terminal: warnings first, then servers and machine, tables, sentences and notes.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for warning in &report.warnings {
        let _ = writeln!(out, "{}", style.paint(warning, YELLOW));
    }
    paragraph("", &setting(&report.run), &mut out);
    let tables = tables(report);
    for table in &tables {
        let _ = writeln!(out, "\n{}", style.paint(&table.title, BOLD));
        lines(table, style, &mut out);
        for line in &table.foot {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }
    if !tables.is_empty() {
        paragraph("", &legend(&report.run), &mut out);
    }
    paragraph("", &report.sentences, &mut out);
    paragraph("note: ", &report.run.notes, &mut out);
    out
}

impl Style {
    fn paint(self, text: &str, code: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}

fn paragraph(mark: &str, lines: &[String], out: &mut String) {
    if !lines.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{mark}{line}");
    }
}

/// A table's lines: its head, a rule, its rows.
fn lines(table: &Table, style: Style, out: &mut String) {
    let all: Vec<usize> = (0..table.columns.len()).collect();
    let fits = total(&widths(table, &all)) <= WIDTH;
    let shown: Vec<usize> = all.into_iter().filter(|&at| fits || table.columns[at].kind != Kind::Spare).collect();
    let widths = widths(table, &shown);
    for level in 0..2 {
        let fields = shown.iter().map(|&at| (table.columns[at].head[level].as_str(), None));
        line(table, &shown, &widths, fields, style, out);
    }
    let _ = writeln!(out, "{INDENT}{}", "─".repeat(total(&widths) - INDENT.len()));
    for row in &table.rows {
        let fields = shown.iter().map(|&at| (row.fields[at].as_str(), color(&table.columns[at], row)));
        line(table, &shown, &widths, fields, style, out);
    }
}

/// The width of each of the columns shown.
fn widths(table: &Table, shown: &[usize]) -> Vec<usize> {
    let width = |at: usize| {
        let heads = table.columns[at].head.iter();
        heads.chain(table.rows.iter().map(|row| &row.fields[at])).map(|field| field.chars().count()).max()
    };
    shown.iter().map(|&at| width(at).unwrap_or(0)).collect()
}

fn total(widths: &[usize]) -> usize {
    INDENT.len() + widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn line<'a>(
    table: &Table,
    shown: &[usize],
    widths: &[usize],
    fields: impl Iterator<Item = (&'a str, Option<&'static str>)>,
    style: Style,
    out: &mut String,
) {
    let mut line = String::new();
    for ((&at, &width), (field, code)) in shown.iter().zip(widths).zip(fields) {
        let padding = " ".repeat(width - field.chars().count());
        let painted = code.map_or_else(|| field.into(), |code| style.paint(field, code));
        let gap = if line.is_empty() { INDENT } else { GAP };
        let _ = match table.columns[at].kind {
            Kind::Left | Kind::Judged => write!(line, "{gap}{painted}{padding}"),
            Kind::Right | Kind::Spare => write!(line, "{gap}{padding}{painted}"),
        };
    }
    let line = line.trim_end();
    if !line.is_empty() {
        let _ = writeln!(out, "{line}");
    }
}

fn color(column: &Column, row: &Row) -> Option<&'static str> {
    match (column.kind, row.mood) {
        (Kind::Judged, Mood::Good) => Some(GREEN),
        (Kind::Judged, Mood::Bad) => Some(RED),
        _ => None,
    }
}
