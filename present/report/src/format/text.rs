//! Text for a terminal: aligned tables, paragraphs, colours and bold type.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

use crate::format::table::{Column, ColumnKind, Highlight, Row, Table, is_undecided};

/// Style of terminal output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// True for colours and bold type.
    pub color: bool,
    /// Columns of the terminal. `None` if the output is no terminal: sentences are not wrapped.
    pub width: Option<usize>,
}

/// Width in characters above which a table omits its optional columns, if there is no terminal.
const MAX_WIDTH: usize = 120;
/// Least width of lines, even on a narrower terminal.
const MIN_WIDTH: usize = 40;
pub(crate) const INDENT: &str = "  ";
/// Blanks after each field, in addition to the column separator.
const FIELD_PADDING: u16 = 1;
const RULE_BELOW_HEAD: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

const BOLD: &str = "1";
pub(crate) const YELLOW: &str = "33";
pub(crate) const RED: &str = "31";
const RESET: &str = "\x1b[0m";

/// Returns a document of head, table and sentences.
pub(crate) fn render_table_document(head: &[String], table: &Table, sentences: &[String], style: Style) -> String {
    render_document(head, std::slice::from_ref(table), &[sentences.to_vec()], style)
}

/// Returns a document of head, tables and paragraphs.
pub(crate) fn render_document(head: &[String], tables: &[Table], paragraphs: &[Vec<String>], style: Style) -> String {
    let mut out = String::new();
    push_paragraph("", head, &mut out);
    push_tables(tables, style, &mut out);
    paragraphs.iter().for_each(|lines| push_paragraph("", lines, &mut out));
    out
}

impl Style {
    /// Width of lines and tables.
    pub(crate) fn columns(self) -> usize {
        self.width.unwrap_or(MAX_WIDTH).max(MIN_WIDTH)
    }

    /// Writes a text in lines of the terminal's width, the first after `first`, the others after
    /// `rest`. Without a terminal, the text is one line.
    pub(crate) fn push_wrapped(self, first: &str, rest: &str, text: &str, out: &mut String) {
        self.push_wrapped_marked(first, None, rest, text, out);
    }

    /// As [`Self::push_wrapped`], with `first` in colour.
    pub(crate) fn push_wrapped_marked(
        self,
        first: &str,
        color: Option<&str>,
        rest: &str,
        text: &str,
        out: &mut String,
    ) {
        let first = escape::line(first);
        let mut used = first.chars().count();
        out.push_str(&color.map_or_else(|| first.to_string(), |color| self.paint(&first, color)));
        let mut is_begin = true;
        for word in escape::line(text).split(' ') {
            let length = word.chars().count();
            let is_too_long = self.width.is_some() && used + 1 + length > self.columns();
            if is_begin {
                is_begin = false;
            } else if is_too_long {
                out.push('\n');
                out.push_str(rest);
                used = rest.chars().count();
            } else {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += length;
        }
        out.push('\n');
    }

    /// Returns a message wrapped at the terminal's width, with further lines indented. Lines that
    /// begin with a blank, and those with a command to copy, stay as they are.
    pub fn wrapped(self, message: &str) -> String {
        if self.width.is_none() {
            return message.to_owned();
        }
        let mut out = String::new();
        for line in message.split('\n') {
            match line.starts_with(' ') || line.contains(": weigh ") {
                true => out.push_str(&format!("{}\n", escape::line(line))),
                false => self.push_wrapped("", INDENT, line, &mut out),
            }
        }
        out.truncate(out.len() - 1);
        out
    }

    /// Returns a list wrapped at the terminal's width. Further lines begin below the last column of
    /// `name description`, or near where the line begins.
    pub fn wrapped_list(self, list: &str) -> String {
        if self.width.is_none() {
            return list.to_owned();
        }
        let mut out = String::new();
        for line in list.lines() {
            let leading = line.len() - line.trim_start_matches(' ').len();
            let below = match line.trim_end().rfind("  ").filter(|at| *at >= leading) {
                Some(at) => line[..at + 2].chars().count(),
                None => leading,
            };
            let indent = if below > self.columns() * 2 / 3 { leading + 2 } else { below };
            self.push_wrapped("", &" ".repeat(indent), line, &mut out);
        }
        out
    }

    /// Writes a text in bold type, wrapped as by [`Self::push_wrapped`].
    pub(crate) fn push_title(self, text: &str, out: &mut String) {
        let mut lines = String::new();
        self.push_wrapped("", INDENT, text, &mut lines);
        for line in lines.lines() {
            let _ = writeln!(out, "{}", self.bold(line));
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(text, BOLD)
    }

    /// Escapes a line, and writes it in this style.
    pub(crate) fn paint(self, text: &str, code: &str) -> String {
        let text = escape::line(text);
        if self.color { format!("\x1b[{code}m{text}{RESET}") } else { text.into() }
    }
}

/// Writes tables with titles and footers, each after an empty line.
pub(crate) fn push_tables(tables: &[Table], style: Style, out: &mut String) {
    for table in tables {
        out.push('\n');
        style.push_title(&table.title, out);
        push_rows(table, style, out);
        table.footer.iter().for_each(|line| style.push_wrapped(INDENT, "    ", line, out));
    }
}

/// Writes a table without title and footer.
pub(crate) fn push_grid(table: &Table, style: Style, out: &mut String) {
    push_rows(table, style, out);
}

/// Escapes control characters. Keeps the sequences of [`Style::paint`] at both ends.
fn without_controls(line: &str) -> String {
    for code in [BOLD, YELLOW, RED] {
        if let Some(painted) = line.strip_prefix(&format!("\x1b[{code}m")).and_then(|rest| rest.strip_suffix(RESET)) {
            return format!("\x1b[{code}m{}{RESET}", escape::line(painted));
        }
    }
    escape::line(line).into_owned()
}

pub(crate) fn push_paragraph(mark: &str, lines: &[String], out: &mut String) {
    if !lines.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{}{}", escape::line(mark), without_controls(line));
    }
}

/// Writes lines after an empty line, wrapped at the terminal's width.
pub(crate) fn push_lines(lines: &[String], style: Style, out: &mut String) {
    if !lines.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    lines.iter().for_each(|line| style.push_wrapped("", INDENT, line, out));
}

/// Writes head, rule and rows of a table. Omits optional columns if the table is too wide.
fn push_rows(table: &Table, style: Style, out: &mut String) {
    let without = |omitted: &[ColumnKind]| -> Vec<usize> {
        (0..table.columns.len()).filter(|&at| !omitted.contains(&table.columns[at].kind)).collect()
    };
    let fits = |shown: &Vec<usize>| {
        let plain = align_columns(table, shown, Style::default());
        plain.lines().all(|line| line.trim_end().chars().count() < style.columns())
    };
    let mut least = without(&[ColumnKind::Optional, ColumnKind::OptionalLast]);
    // On a narrow terminal the last columns are omitted, so that lines don't break.
    while style.width.is_some() && least.len() > 2 && !fits(&least) {
        least.pop();
    }
    let shown = [without(&[]), without(&[ColumnKind::Optional])].into_iter().find(fits).unwrap_or(least);
    for line in align_columns(table, &shown, style).lines() {
        let _ = writeln!(out, " {}", line.trim_end());
    }
}

fn align_columns(table: &Table, shown: &[usize], style: Style) -> String {
    let mut grid = comfy_table::Table::new();
    grid.load_style(RULE_BELOW_HEAD).set_content_arrangement(ContentArrangement::Disabled);
    if style.color {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    let columns: Vec<&Column> = shown.iter().map(|&at| &table.columns[at]).collect();
    let one_line = columns.iter().all(|column| column.head[0].is_empty());
    let head_lines = if one_line { 1.. } else { 0.. };
    grid.set_header(columns.iter().map(|column| align_cell(column, &column.head[head_lines.clone()])));
    for row in &table.rows {
        let fields = shown.iter().zip(&columns);
        grid.add_row(fields.map(|(&at, column)| {
            let cell = align_cell(column, &row.fields[at..=at]);
            match highlight_color(column, row, &row.fields[at]) {
                Some(color) => cell.fg(color),
                None => cell,
            }
        }));
    }
    for column in grid.column_iter_mut() {
        column.set_padding((0, FIELD_PADDING));
    }
    grid.to_string()
}

/// Makes the cell of a head or a row from its lines. Escapes what acts on a terminal.
fn align_cell(column: &Column, lines: &[String]) -> Cell {
    let alignment = match column.kind {
        ColumnKind::Left | ColumnKind::OptionalLast | ColumnKind::Colored => CellAlignment::Left,
        ColumnKind::Right | ColumnKind::Optional => CellAlignment::Right,
    };
    let lines: Vec<_> = lines.iter().map(|line| escape::line(line)).collect();
    Cell::new(lines.join("\n")).set_alignment(alignment)
}

fn highlight_color(column: &Column, row: &Row, field: &str) -> Option<Color> {
    if is_undecided(field) {
        return None;
    }
    match (column.kind, row.highlight) {
        (ColumnKind::Colored, Highlight::Better) => Some(Color::DarkGreen),
        (ColumnKind::Colored, Highlight::Worse) => Some(Color::DarkRed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::table::column;

    #[test]
    fn messages_are_wrapped_on_a_terminal_only() {
        let message =
            format!("weigh: {}\n  weigh bench {}", "one two three ".repeat(5).trim_end(), "-c utf8mb4_bin ".repeat(5));
        let terminal = Style { color: false, width: Some(40) };
        let wrapped = terminal.wrapped(&message);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert_eq!(lines[..2], ["weigh: one two three one two three one", "  two three one two three one two three"]);
        assert_eq!(lines.last(), message.lines().last().as_ref(), "a command stays one line");
        assert_eq!(Style::default().wrapped(&message), message);
    }

    #[test]
    fn lists_are_wrapped_below_their_last_column() {
        let terminal = Style { color: false, width: Some(40) };
        let list =
            "name      what it is, in more words than a line has\n    a paragraph that begins behind blanks\n\nend\n";
        assert_eq!(
            terminal.wrapped_list(list),
            "name      what it is, in more words than\n          a line has\n    a paragraph that begins behind\n    blanks\n\nend\n"
        );
        assert_eq!(Style::default().wrapped_list(list), list);
    }

    /// A run's folder may be a stranger's.
    #[test]
    fn nothing_of_a_table_acts_on_the_terminal() {
        let nasty = "a\u{1b}]0;owned\u{7}\u{1b}[31mb\u{202e}\u{9b}c\nd\re";
        let columns = || vec![column(nasty, nasty, ColumnKind::Left), column("", nasty, ColumnKind::Colored)];
        let row = || Row { fields: vec![nasty.to_owned(); 2], highlight: Highlight::Worse };
        let table = |columns| {
            let table = Table::new(nasty, columns, [row()]);
            Table { footer: vec![nasty.to_owned()], ..table }
        };
        let one_line = vec![column("", nasty, ColumnKind::Left), column("", nasty, ColumnKind::Right)];
        let tables = [table(columns()), table(one_line), table(columns()).transposed(nasty)];
        for width in [None, Some(50)] {
            let style = Style { color: false, width };
            let mut out = render_document(&[nasty.to_owned()], &tables, &[vec![nasty.to_owned()]], style);
            push_paragraph(nasty, &[nasty.to_owned()], &mut out);
            style.push_wrapped(nasty, "", nasty, &mut out);
            assert!(out.lines().all(|line| !line.chars().any(escape::is_control)), "{out:?}");
            assert!(out.lines().all(|line| !line.trim_start().starts_with("d")), "{out}");
        }
    }
}
