//! The report in Markdown, for a page or a ticket.

use std::fmt::Write as _;

use crate::claims;
use crate::content::Report;
use crate::head::{legend, setting};
use crate::profile::table::brief;
use crate::published::published;
use crate::recording::{classes, results};
use crate::settings::differing;
use crate::sweep::sweeps;
use crate::table::{Column, Kind, Table, tables};

/// The report in Markdown: warnings first, then servers and machine, tables, sentences and notes.
pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    for warning in &report.warnings {
        let _ = writeln!(out, "> {}\n", escaped(warning));
    }
    list(&report.headlines, &mut out);
    list(&results(&report.run), &mut out);
    list(&setting(&report.run), &mut out);
    titled(&sweeps(report).iter().flat_map(|sweep| sweep.tables(report)).collect::<Vec<_>>(), &mut out);
    let tables = tables(report);
    titled(&tables, &mut out);
    titled(&classes(&report.run, &report.analysis), &mut out);
    if !tables.is_empty() {
        let _ = writeln!(out, "{}\n", escaped(&legend(&report.run).join(" ")));
    }
    list(&report.sentences, &mut out);
    if let Some(profiles) = &report.profiles {
        let (tables, lines) = brief(profiles);
        titled(&tables, &mut out);
        list(&lines, &mut out);
    }
    if let Some(title) = claims::title(report) {
        let _ = writeln!(out, "### {}\n", escaped(&title));
        list(&claims::lines(report), &mut out);
    }
    titled(published(report).as_slice(), &mut out);
    titled(differing(&report.run).as_slice(), &mut out);
    list(&report.run.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>(), &mut out);
    ended(out)
}

/// A title, what a reader must know first, tables, and what follows from them.
pub(crate) fn sheets(title: &str, warnings: &[String], tables: &[Table], paragraphs: &[Vec<String>]) -> String {
    let mut out = format!("## {}\n\n", escaped(title));
    for warning in warnings {
        let _ = writeln!(out, "> {}\n", escaped(warning));
    }
    titled(tables, &mut out);
    paragraphs.iter().for_each(|lines| list(lines, &mut out));
    ended(out)
}

/// With one line's end at the end.
pub(crate) fn ended(mut out: String) -> String {
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Tables under headings.
pub(crate) fn titled(tables: &[Table], out: &mut String) {
    for table in tables {
        let _ = writeln!(out, "### {}\n", escaped(&table.title));
        grid(table, out);
        list(&table.foot, out);
    }
}

pub(crate) fn list(lines: &[String], out: &mut String) {
    for line in lines {
        let _ = writeln!(out, "- {}", escaped(line));
    }
    if !lines.is_empty() {
        out.push('\n');
    }
}

fn grid(table: &Table, out: &mut String) {
    let heads = table.columns.iter().map(|column| column.head.join(" "));
    row(heads, out);
    row(table.columns.iter().map(rule), out);
    for line in &table.rows {
        row(line.fields.iter().cloned(), out);
    }
    out.push('\n');
}

fn row(fields: impl Iterator<Item = String>, out: &mut String) {
    for field in fields {
        let _ = write!(out, "| {} ", escaped(field.trim()));
    }
    out.push_str("|\n");
}

fn rule(column: &Column) -> String {
    match column.kind {
        Kind::Left | Kind::SpareLast | Kind::Judged => "---".into(),
        Kind::Right | Kind::Spare => "---:".into(),
    }
}

/// Text that Markdown shows as it is, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '<' | '[' | ']' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_field_can_break_a_table() {
        assert_eq!(escaped("h=a|b\nc"), "h=a\\|b c");
        assert_eq!(escaped("utf8mb4_bin"), "utf8mb4_bin");
    }
}
