//! Lines of option files.

use std::path::PathBuf;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Empty line or comment.
    Empty,
    /// `[name]`.
    Group(String),
    /// `name` or `name=value`. Underscores in the name are hyphens here, and a prefix `loose-` is
    /// removed.
    Option { name: String, value: Option<String> },
    /// `!include file`.
    Include(PathBuf),
    /// `!includedir folder`.
    IncludeDir(PathBuf),
}

/// Parses a line without repeating it in errors: it may contain a password.
pub(crate) fn parse_line(line: &str) -> Result<Line, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', ';']) {
        return Ok(Line::Empty);
    }
    if let Some(directive) = line.strip_prefix('!') {
        return parse_directive(directive);
    }
    if let Some(rest) = line.strip_prefix('[') {
        let (name, _) = rest.split_once(']').ok_or("the group's bracket is not closed")?;
        return Ok(Line::Group(name.trim().to_owned()));
    }
    let line = strip_comment(line);
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name.trim_end(), Some(parse_value(value.trim()))),
        None => (line.trim_end(), None),
    };
    let name = name.replace('_', "-");
    let name = name.strip_prefix("loose-").unwrap_or(&name).to_owned();
    Ok(Line::Option { name, value })
}

fn parse_directive(directive: &str) -> Result<Line, String> {
    match directive.split_once(char::is_whitespace) {
        Some(("include", path)) => Ok(Line::Include(path.trim().into())),
        Some(("includedir", path)) => Ok(Line::IncludeDir(path.trim().into())),
        _ => Err("the directives are !include FILE and !includedir FOLDER".into()),
    }
}

/// Removes a comment, which begins with `#` outside quotes: `a=b # c` → `a=b`.
fn strip_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in line.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('#', None) => return line[..index].trim_end(),
            _ => {}
        }
    }
    line
}

/// Removes one pair of quotes and decodes escapes: `"a\"b"` → `a"b`, `a\sb` → `a b`.
fn parse_value(text: &str) -> String {
    let quoted = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let mut value = String::with_capacity(text.len());
    let mut chars = quoted.unwrap_or(text).chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('r') => value.push('\r'),
            Some('b') => value.push('\u{8}'),
            Some('s') => value.push(' '),
            Some(literal @ ('\\' | '"' | '\'')) => value.push(literal),
            Some(other) => value.extend(['\\', other]),
            None => value.push('\\'),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> (String, Option<String>) {
        match parse_line(line) {
            Ok(Line::Option { name, value }) => (name, value),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn distinguishes_kinds_of_lines() {
        assert_eq!(parse_line("  "), Ok(Line::Empty));
        assert_eq!(parse_line(" # x"), Ok(Line::Empty));
        assert_eq!(parse_line("; x"), Ok(Line::Empty));
        assert_eq!(parse_line(" [client] # x"), Ok(Line::Group("client".into())));
        assert_eq!(parse_line("!include /a b.cnf "), Ok(Line::Include("/a b.cnf".into())));
        assert_eq!(parse_line("!includedir /a"), Ok(Line::IncludeDir("/a".into())));
        assert!(parse_line("[client").is_err());
        assert!(parse_line("!import x").is_err());
    }

    #[test]
    fn parses_values_like_my_print_defaults() {
        // Expected values are the output of MariaDB's my_print_defaults.
        for (line, name, value) in [
            ("user = weigh ", "user", Some("weigh")),
            ("ssl_ca=/ca", "ssl-ca", Some("/ca")),
            ("loose-ssl", "ssl", None),
            ("password=", "password", Some("")),
            ("password=a=b", "password", Some("a=b")),
            ("password=ab # my own", "password", Some("ab")),
            ("password='a#b' # mine", "password", Some("a#b")),
            ("password=\"a b \"", "password", Some("a b ")),
            (r#"password="a\"b""#, "password", Some("a\"b")),
            (r"password=a\sb\\c\td\qe", "password", Some("a b\\c\td\\qe")),
            ("password='a", "password", Some("'a")),
            ("password=ab#cd", "password", Some("ab")),
            (r"password=a\#b", "password", Some(r"a\")),
            ("password=it's # x", "password", Some("it's # x")),
            ("password='a'b", "password", Some("'a'b")),
        ] {
            assert_eq!(option(line), (name.to_owned(), value.map(str::to_owned)), "{line}");
        }
    }
}
