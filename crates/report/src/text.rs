//! Tables for the terminal, and for Markdown.

use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

use crate::Report;
use crate::table::{Mood, Row, Table, WORDS, tables};

const RULE_BELOW_HEAD: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// How a terminal wants its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether colours and bold type are wanted.
    pub color: bool,
}

/// The report for a terminal.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    head(report, &mut out);
    for table in tables(report) {
        let _ = writeln!(out, "\n{}", emphasised(&table.title, style));
        let _ = writeln!(out, "{}", terminal(&table, style));
        for line in &table.foot {
            let _ = writeln!(out, "  {line}");
        }
    }
    paragraph("", &report.sentences, "\n", &mut out);
    paragraph("note: ", &report.run.notes, "\n", &mut out);
    out
}

/// The report in Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    head(report, &mut out);
    for table in tables(report) {
        let _ = writeln!(out, "\n### {}\n", table.title);
        let _ = writeln!(out, "| {} |", table.head.join(" | "));
        let rules: Vec<&str> = table.head.iter().map(|name| if is_word(name) { "---" } else { "---:" }).collect();
        let _ = writeln!(out, "| {} |", rules.join(" | "));
        for row in &table.rows {
            let _ = writeln!(out, "| {} |", row.fields.join(" | "));
        }
        paragraph("", &table.foot, "\n", &mut out);
    }
    paragraph("- ", &report.sentences, "\n", &mut out);
    paragraph("- note: ", &report.run.notes, "\n", &mut out);
    out
}

fn head(report: &Report, out: &mut String) {
    let run = &report.run;
    if let Some(failure) = &run.failure {
        let _ = writeln!(out, "This run ended early: {failure}\n");
    }
    for server in &run.servers {
        let origin = if server.private { "private instance" } else { "attached" };
        let _ = writeln!(out, "{}: {} {} ({}), {origin}", server.label, server.flavour, server.version, server.comment);
    }
    let machine = &run.machine;
    let gibibytes = machine.memory_bytes as f64 / f64::from(1 << 30);
    let _ = writeln!(
        out,
        "on {}, {} cores, {gibibytes:.0} GiB, {}",
        machine.processor, machine.cores, machine.system
    );
}

fn paragraph(mark: &str, lines: &[String], gap: &str, out: &mut String) {
    if !lines.is_empty() {
        out.push_str(gap);
    }
    for line in lines {
        let _ = writeln!(out, "{mark}{line}");
    }
}

fn emphasised(text: &str, style: Style) -> String {
    if style.color { format!("\x1b[1m{text}\x1b[0m") } else { text.into() }
}

fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

fn terminal(table: &Table, style: Style) -> String {
    let mut grid = comfy_table::Table::new();
    grid.load_style(RULE_BELOW_HEAD).set_content_arrangement(ContentArrangement::Disabled);
    if style.color {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    grid.set_header(table.head.iter().map(|name| aligned(name, name)));
    for row in &table.rows {
        grid.add_row(cells(table, row));
    }
    grid.to_string()
}

fn cells(table: &Table, row: &Row) -> Vec<Cell> {
    let ratio = table.head.iter().position(|name| name.starts_with("throughput"));
    let fields = row.fields.iter().zip(&table.head).enumerate();
    fields
        .map(|(index, (field, name))| match (row.mood, Some(index) == ratio) {
            (Mood::Good, true) => aligned(field, name).fg(Color::Green),
            (Mood::Bad, true) => aligned(field, name).fg(Color::Red).add_attribute(Attribute::Bold),
            _ => aligned(field, name),
        })
        .collect()
}

fn aligned(field: &str, head: &str) -> Cell {
    let alignment = if is_word(head) { CellAlignment::Left } else { CellAlignment::Right };
    Cell::new(field).set_alignment(alignment)
}
