//! Text wrapped at 80 characters, and statements, whose lines are not broken.

use std::fmt::Write as _;

use sql::{SqlMode, TokenKind, split_statements, tokenize};

use super::number::count_noun;

/// Width of the text in characters.
pub(crate) const WIDTH: usize = 80;

/// Maximum number of lines of a statement that are printed.
const MAX_LINES: usize = 12;

/// Writes a statement to read, or the first lines of one with more than [`MAX_LINES`]. Breaks no
/// line, so a whole statement can be copied.
pub(crate) fn push_sql(statement: &str, indent: &str, out: &mut String) {
    let statement = without_quoted_breaks(statement);
    let lines: Vec<&str> = statement.trim().lines().collect();
    let shown = if lines.len() > MAX_LINES { &lines[..MAX_LINES - 1] } else { &lines[..] };
    for (index, line) in shown.iter().enumerate() {
        let end = if index + 1 == lines.len() { ";" } else { "" };
        let text = format!("{}{end}", escape::line(line.trim_end_matches(';')));
        let _ = writeln!(out, "{indent}{text}");
    }
    if lines.len() > shown.len() {
        let _ = writeln!(
            out,
            "{indent}… {} (--format json has them)",
            count_noun((lines.len() - shown.len()) as u64, "more line")
        );
    }
}

/// Writes the beginning of a long statement, in one line.
pub(crate) fn push_line(statement: &str, indent: &str, out: &mut String) {
    const END: &str = " … (--format json has more)";
    let first = statement.trim().lines().next().unwrap_or_default();
    let beginning: String = escape::line(first).chars().take(WIDTH - indent.len() - END.chars().count()).collect();
    let _ = writeln!(out, "{indent}{beginning}{END}");
}

/// Line below a statement that is not the same if it is copied into a client.
const IS_ESCAPED: &str = "-- Control characters are shown escaped: write them back before you run it.";

/// Writes a whole statement that can be copied into a client. A comment follows if the statement
/// has characters that the text cannot show and that no literal can escape.
pub(crate) fn push_runnable(statement: &str, indent: &str, out: &mut String) {
    push_client_text(statement, indent, out);
    if has_unescapable_characters(statement) {
        let _ = writeln!(out, "{indent}{IS_ESCAPED}");
    }
}

/// True if a control character is in a name, where no escape exists, or if it has no short escape
/// in a literal. `\n`, `\r` and `\t` have one in the default `sql_mode`.
fn has_unescapable_characters(statement: &str) -> bool {
    let is_lost = |text: &str, kept: &[char]| text.contains(|c| escape::is_control(c) && !kept.contains(&c));
    let mut at = 0;
    for token in tokenize(statement, SqlMode::default()) {
        let kept: &[char] = if token.kind == TokenKind::QuotedName { &[] } else { &['\n', '\r', '\t'] };
        if is_lost(token.text, kept) || is_lost(&statement[at..token.start], &['\n', '\r', '\t']) {
            return true;
        }
        at = token.end();
    }
    is_lost(&statement[at..], &['\n', '\r', '\t'])
}

fn push_client_text(statement: &str, indent: &str, out: &mut String) {
    let text = client_text(&without_quoted_breaks(statement));
    let lines: Vec<&str> = text.lines().collect();
    let has_delimiter = text.starts_with("DELIMITER ");
    for (index, line) in lines.iter().enumerate() {
        // The client's command begins its line.
        let is_command = has_delimiter && (index == 0 || index + 2 >= lines.len());
        let _ = writeln!(out, "{}{line}", if is_command { "" } else { indent });
    }
}

/// Escapes a statement so that its literals and names have no line breaks: `a⏎b` becomes `a\nb`.
/// Lines can then be indented, and no name makes a line of its own.
pub(crate) fn without_quoted_breaks(statement: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    let push_plain = |text: &str, out: &mut String| out.push_str(&escape::text(&text.replace("\r\n", "\n")));
    for token in tokenize(statement, SqlMode::default()) {
        push_plain(&statement[at..token.start], &mut out);
        match token.kind {
            TokenKind::StringLiteral | TokenKind::QuotedName => out.push_str(&escape::line(token.text)),
            _ => push_plain(token.text, &mut out),
        }
        at = token.end();
    }
    push_plain(&statement[at..], &mut out);
    out
}

/// Returns a statement as the clients `mysql` and `mariadb` read it: with `;` after it, or with the
/// command `DELIMITER` around a body that has semicolons.
pub(crate) fn client_text(statement: &str) -> String {
    let statement = statement.trim().trim_end_matches(';');
    if split_statements(statement, SqlMode::default()).count() > 1 {
        let delimiter = escape::delimiter(statement);
        return format!("DELIMITER {delimiter}\n{statement}\n{delimiter}\nDELIMITER ;");
    }
    let last = tokenize(statement, SqlMode::default()).last();
    // On the line of a comment, the semicolon would be part of it.
    let ends_in_comment = last.is_some_and(|token| token.kind == TokenKind::Comment && !token.text.ends_with("*/"));
    format!("{statement}{};", if ends_in_comment { "\n" } else { "" })
}

/// Returns a statement to run as [`push_runnable`] writes it, for a page.
pub(crate) fn page_text(statement: &str) -> String {
    let text = client_text(&without_quoted_breaks(statement));
    if has_unescapable_characters(statement) { format!("{text}\n{IS_ESCAPED}") } else { text }
}

/// Writes a text. Further lines are indented by two more characters.
pub(crate) fn push_wrapped(text: &str, indent: &str, out: &mut String) {
    push_lines(wrap(&escape::line(text), WIDTH - indent.len() - 2), indent, out);
}

fn push_lines(lines: Vec<String>, indent: &str, out: &mut String) {
    for (index, line) in lines.into_iter().enumerate() {
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

    #[test]
    fn statements_are_not_broken() {
        let statement = format!("ALTER TABLE t MODIFY a CHAR(9) COMMENT '{}'", "one two ".repeat(20));
        for push in [push_runnable, push_sql] {
            let mut out = String::new();
            push(&statement, "    ", &mut out);
            assert_eq!(out, format!("    {statement};\n"));
        }
    }

    #[test]
    fn names_make_no_line_of_their_own() {
        let statement = "SELECT `a\n::error::x` FROM t\nWHERE b = 'c\nd'";
        let mut out = String::new();
        push_sql(statement, "", &mut out);
        assert_eq!(out, "SELECT `a\\n::error::x` FROM t\nWHERE b = 'c\\nd';\n");
        let page = page_text(statement);
        assert_eq!(page.strip_prefix(out.trim_end()), Some(format!("\n{IS_ESCAPED}").as_str()));
        assert_eq!(page_text("SELECT 'c\nd'"), "SELECT 'c\\nd';");
    }

    #[test]
    fn a_program_has_delimiters() {
        let shown = |statement: &str| {
            let mut out = String::new();
            push_runnable(statement, "    ", &mut out);
            out
        };
        let program = "CREATE PROCEDURE p()\nBEGIN\n  SELECT 'a\n b';\nEND";
        let lines = "    CREATE PROCEDURE p()\n    BEGIN\n      SELECT 'a\\n b';\n    END";
        assert_eq!(shown(program), format!("DELIMITER $$\n{lines}\n$$\nDELIMITER ;\n"));
        let long = format!("CREATE PROCEDURE p()\nBEGIN\n{}END", "  SELECT 1;\n".repeat(40));
        assert_eq!(shown(&long).matches("SELECT 1").count(), 40);
        assert_eq!(shown("SELECT 1;"), "    SELECT 1;\n");
        assert_eq!(shown("SELECT 1 -- one"), "    SELECT 1 -- one\n    ;\n");
        assert_eq!(shown("SELECT 'a\nb'"), "    SELECT 'a\\nb';\n");
    }

    #[test]
    fn a_statement_with_characters_that_are_lost_says_so() {
        let is_marked = |statement: &str| {
            let mut out = String::new();
            push_runnable(statement, "  ", &mut out);
            out.ends_with(&format!("\n  {IS_ESCAPED}\n"))
        };
        for statement in [
            "SELECT '\u{1b}[2J'",
            "SELECT `a\nb`",
            "SELECT `a\u{202e}b`",
            "SELECT\u{b}1",
            "SELECT 1 -- \u{2028}",
            "CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\n  SELECT `a\tb`;\nEND",
        ] {
            assert!(is_marked(statement), "{statement:?}");
        }
        for statement in ["SELECT 'a\n\r\tb'", "SELECT `ab`,\r\n\t1", "SELECT 1 -- one"] {
            assert!(!is_marked(statement), "{statement:?}");
        }
    }
}
