//! Characters that act on a terminal, and fields that act in a spreadsheet.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns true for characters that a terminal or a viewer obeys instead of showing: C0 and C1
/// controls, DEL, the line and paragraph separators, and the marks that reorder text (UAX #9,
/// "Directional Formatting Characters"). Also U+FFFE and U+FFFF, which XML forbids.
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}'
        )
}

/// Writes a text on one line: `a⏎b` becomes `a\nb`, ESC becomes `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

/// Escapes as [`line()`] does, but keeps line feeds and tabs.
pub fn text(text: &str) -> Cow<'_, str> {
    replace(text, |character| matches!(character, '\n' | '\t'))
}

fn replace(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |character: char| is_control(character) && !keeps(character);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            _ if !is_escaped(character) => out.push(character),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => drop(write!(out, "\\u{{{:x}}}", u32::from(character))),
        }
    }
    Cow::Owned(out)
}

/// Writes a field so that a spreadsheet doesn't read it as a formula: `=1+1` becomes `'=1+1`.
/// Numbers stay.
pub fn spreadsheet_field(field: &str) -> Cow<'_, str> {
    let begins = field.trim_start_matches([' ', '"', '\'']);
    let is_formula = begins
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}']);
    if is_formula && field.parse::<f64>().is_err() { Cow::Owned(format!("'{field}")) } else { Cow::Borrowed(field) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NASTY;

    #[test]
    fn no_name_acts_on_a_terminal() {
        for name in NASTY {
            assert!(!line(name).contains(is_control), "{name:?}");
            assert!(!text(name).contains(|c| is_control(c) && c != '\n'), "{name:?}");
        }
        assert_eq!(line("x\nDROP\u{1b}[2J\r\u{202e}"), "x\\nDROP\\u{1b}[2J\\r\\u{202e}");
        assert_eq!(text("a\tb\nç 漢 \u{1F600}"), "a\tb\nç 漢 \u{1F600}");
    }

    #[test]
    fn no_field_is_a_formula() {
        for field in ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", " =1", "\"=1", "=cmd|' /C calc'!A0"] {
            assert_eq!(spreadsheet_field(field), format!("'{field}"));
        }
        for field in ["-1.5", "+2", "1e-3", "-inf", "a=b", "", "<b>", "a-b"] {
            assert_eq!(spreadsheet_field(field), field);
        }
    }
}
