//! Text wrapped at 80 characters, and statements.

use std::fmt::Write as _;

use super::number::count_noun;

/// Width of the text in characters.
pub(crate) const WIDTH: usize = 80;

/// Maximum number of lines of a statement that are printed.
const MAX_LINES: usize = 12;

/// Writes a statement, or the first lines of a long one. Wraps a statement of one line.
pub(crate) fn push_sql(statement: &str, indent: &str, out: &mut String) {
    let lines: Vec<&str> = statement.trim().lines().collect();
    let shown = if lines.len() > MAX_LINES { &lines[..MAX_LINES - 1] } else { &lines[..] };
    let is_single = lines.len() == 1;
    for (index, line) in shown.iter().enumerate() {
        let end = if index + 1 == lines.len() { ";" } else { "" };
        let text = format!("{}{end}", escape::line(line.trim_end_matches(';')));
        if is_single {
            push_wrapped(&text, indent, out);
        } else {
            let _ = writeln!(out, "{indent}{text}");
        }
    }
    if lines.len() > shown.len() {
        let _ = writeln!(
            out,
            "{indent}… {} (--format json has them)",
            count_noun((lines.len() - shown.len()) as u64, "more line")
        );
    }
}

/// Writes a text. Further lines are indented by two more characters.
pub(crate) fn push_wrapped(text: &str, indent: &str, out: &mut String) {
    let escaped = escape::line(text);
    for (index, line) in wrap(&escaped, WIDTH - indent.len() - 2).into_iter().enumerate() {
        let more = if index > 0 { "  " } else { "" };
        let _ = writeln!(out, "{indent}{more}{line}");
    }
}

/// Breaks a text at blanks. A word that is too long has a line of its own.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_lines_at_blanks() {
        assert_eq!(wrap("aa bb cccccc d", 5), ["aa bb", "cccccc", "d"]);
    }
}
