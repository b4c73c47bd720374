//! The report for a terminal.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

use crate::claims;
use crate::content::Report;
use crate::findings::details;
use crate::head::{legend, setting};
use crate::profile::table::brief;
use crate::published::published;
use crate::recording::{classes, results};
use crate::settings::differing;
use crate::sweep::{Sweep, sweeps};
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
/// Behind each field, before the blank that separates columns.
const GAP: u16 = 1;
const RULE_BELOW_HEAD: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

const BOLD: &str = "1";
const YELLOW: &str = "33";
const RED: &str = "31";

/// The report for a terminal: warnings first, then servers and machine, tables, sentences and notes.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for warning in &report.warnings {
        let _ = writeln!(out, "{}", style.paint(warning, YELLOW));
    }
    paragraph("", &report.headlines, &mut out);
    paragraph("", &results(&report.run), &mut out);
    for parity in report.run.recording.iter().flat_map(|recording| &recording.parity) {
        details(parity, &|text| style.bold(text), &mut out);
    }
    paragraph("", &setting(&report.run), &mut out);
    let of_sweep = |sweep: &Sweep<'_>| sweep.throughput(report).turned("collation");
    titled(&sweeps(report).iter().map(of_sweep).collect::<Vec<_>>(), style, &mut out);
    let tables = tables(report);
    titled(&tables, style, &mut out);
    titled(&classes(&report.run, &report.analysis), style, &mut out);
    if !tables.is_empty() {
        paragraph("", &legend(&report.run), &mut out);
    }
    paragraph("", &report.sentences, &mut out);
    if let Some(profiles) = &report.profiles {
        let (tables, lines) = brief(profiles);
        titled(&tables, style, &mut out);
        paragraph("", &lines, &mut out);
    }
    if let Some(title) = claims::title(report) {
        let _ = writeln!(out, "\n{}", style.paint(&title, BOLD));
        for line in claims::lines(report) {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }
    titled(published(report).as_slice(), style, &mut out);
    titled(differing(&report.run).as_slice(), style, &mut out);
    paragraph("note: ", &report.run.notes, &mut out);
    out
}

/// A table between what it was measured on and what follows from it.
pub(crate) fn sheet(head: &[String], table: &Table, sentences: &[String], style: Style) -> String {
    sheets(head, std::slice::from_ref(table), &[sentences.to_vec()], style)
}

/// The same with any number of tables and paragraphs.
pub(crate) fn sheets(head: &[String], tables: &[Table], paragraphs: &[Vec<String>], style: Style) -> String {
    let mut out = String::new();
    paragraph("", head, &mut out);
    titled(tables, style, &mut out);
    paragraphs.iter().for_each(|lines| paragraph("", lines, &mut out));
    out
}

impl Style {
    /// Bold, as headings are.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(text, BOLD)
    }

    /// How much a finding weighs, as wide as the widest.
    pub(crate) fn severity(self, severity: audit::Severity) -> String {
        let word = format!("{:7}", severity.to_string());
        match severity {
            audit::Severity::Error => self.paint(&word, RED),
            audit::Severity::Warning => self.paint(&word, YELLOW),
            audit::Severity::Note => word,
        }
    }

    fn paint(self, text: &str, code: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}

/// Tables with their titles, each after an empty line.
pub(crate) fn titled(tables: &[Table], style: Style, out: &mut String) {
    for table in tables {
        let _ = writeln!(out, "\n{}", style.paint(&table.title, BOLD));
        lines(table, style, out);
        for line in &table.foot {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }
}

pub(crate) fn paragraph(mark: &str, lines: &[String], out: &mut String) {
    if !lines.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{mark}{line}");
    }
}

/// A table's lines: its head, a rule, its rows. Where all columns are too wide, those that can be spared are left out.
fn lines(table: &Table, style: Style, out: &mut String) {
    let without = |spared: &[Kind]| -> Vec<usize> {
        (0..table.columns.len()).filter(|&at| !spared.contains(&table.columns[at].kind)).collect()
    };
    let fits = |shown: &Vec<usize>| {
        let plain = grid(table, shown, Style::default());
        plain.lines().all(|line| line.trim_end().chars().count() < WIDTH)
    };
    let least = without(&[Kind::Spare, Kind::SpareLast]);
    let shown = [without(&[]), without(&[Kind::Spare])].into_iter().find(fits).unwrap_or(least);
    for line in grid(table, &shown, style).lines() {
        let _ = writeln!(out, " {}", line.trim_end());
    }
}

/// The columns shown, lined up.
fn grid(table: &Table, shown: &[usize], style: Style) -> String {
    let mut grid = comfy_table::Table::new();
    grid.load_style(RULE_BELOW_HEAD).set_content_arrangement(ContentArrangement::Disabled);
    if style.color {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    let columns: Vec<&Column> = shown.iter().map(|&at| &table.columns[at]).collect();
    let one_line = columns.iter().all(|column| column.head[0].is_empty());
    let head = |column: &Column| if one_line { column.head[1].clone() } else { column.head.join("\n") };
    grid.set_header(columns.iter().map(|column| cell(column, &head(column))));
    for row in &table.rows {
        let fields = shown.iter().zip(&columns);
        grid.add_row(fields.map(|(&at, column)| match color(column, row) {
            Some(color) => cell(column, &row.fields[at]).fg(color),
            None => cell(column, &row.fields[at]),
        }));
    }
    for column in grid.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    grid.to_string()
}

fn cell(column: &Column, text: &str) -> Cell {
    let alignment = match column.kind {
        Kind::Left | Kind::SpareLast | Kind::Judged => CellAlignment::Left,
        Kind::Right | Kind::Spare => CellAlignment::Right,
    };
    Cell::new(text).set_alignment(alignment)
}

fn color(column: &Column, row: &Row) -> Option<Color> {
    match (column.kind, row.mood) {
        (Kind::Judged, Mood::Good) => Some(Color::DarkGreen),
        (Kind::Judged, Mood::Bad) => Some(Color::DarkRed),
        _ => None,
    }
}
