//! Markdown: tables, lists and escaped text.

use std::fmt::Write as _;

use crate::format::table::{Column, ColumnKind, Table};

/// Returns a document of title, warnings, tables and lists.
pub(crate) fn render_document(
    title: &str,
    warnings: &[String],
    tables: &[Table],
    paragraphs: &[Vec<String>],
) -> String {
    let mut out = format!("## {}\n\n", escape(title));
    for warning in warnings {
        let _ = writeln!(out, "> {}\n", escape(warning));
    }
    push_tables(tables, &mut out);
    paragraphs.iter().for_each(|lines| push_list(lines, &mut out));
    end_with_newline(out)
}

/// Ends the text with exactly one newline.
pub(crate) fn end_with_newline(mut out: String) -> String {
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Writes tables with headings and footers.
pub(crate) fn push_tables(tables: &[Table], out: &mut String) {
    for table in tables {
        let _ = writeln!(out, "### {}\n", escape(&table.title));
        push_table(table, out);
        push_list(&table.footer, out);
    }
}

pub(crate) fn push_list(lines: &[String], out: &mut String) {
    for line in lines {
        let _ = writeln!(out, "- {}", escape(line));
    }
    if !lines.is_empty() {
        out.push('\n');
    }
}

fn push_table(table: &Table, out: &mut String) {
    let heads = table.columns.iter().map(|column| column.head.join(" "));
    push_row(heads, out);
    push_row(table.columns.iter().map(alignment_rule), out);
    for line in &table.rows {
        push_row(line.fields.iter().cloned(), out);
    }
    out.push('\n');
}

fn push_row(fields: impl Iterator<Item = String>, out: &mut String) {
    for field in fields {
        let _ = write!(out, "| {} ", escape(field.trim()));
    }
    out.push_str("|\n");
}

fn alignment_rule(column: &Column) -> String {
    match column.kind {
        ColumnKind::Left | ColumnKind::OptionalLast | ColumnKind::Colored => "---".into(),
        ColumnKind::Right | ColumnKind::Optional => "---:".into(),
    }
}

/// Writes a block of code. Its fence is longer than any fence in the code, which therefore can't
/// end the block.
pub(crate) fn push_code(language: &str, code: &str, out: &mut String) {
    let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}\n", escape::text(code.trim_end_matches('\n')));
}

/// Escapes most characters of markup within a line, but not `_`, `~` and `&`, and those that act on
/// a terminal. Joins lines. `a|b` becomes `a\|b`.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in escape::line(&text.replace(['\n', '\r'], " ")).chars() {
        match character {
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
    fn code_can_not_end_its_block() {
        let mut out = String::new();
        push_code("sql", "ALTER TABLE `a\n```\n<img>`;\n", &mut out);
        assert_eq!(out, "````sql\nALTER TABLE `a\n```\n<img>`;\n````\n\n");
    }

    #[test]
    fn escapes_characters_that_would_break_a_table() {
        assert_eq!(escape("h=a|b\nc"), "h=a\\|b c");
        assert_eq!(escape("utf8mb4_bin"), "utf8mb4_bin");
        assert_eq!(escape("a\u{1b}[2J<img>"), "a\\\\u{1b}\\[2J\\<img>");
    }
}
