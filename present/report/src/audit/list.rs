//! List and documentation of the checks of `weigh audit`.

use std::fmt::Write as _;

use audit::{CHECKS, Check};

use crate::format::text::Style;

/// Returns a line per check: name, title, and what it reads.
pub fn list_checks() -> String {
    let widest = CHECKS.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for check in CHECKS {
        let _ = writeln!(out, "{:widest$}  {} (reads {})", check.name, check.title, describe_reads(check));
    }
    out
}

/// Returns the documentation of a check, wrapped at 100 columns, or at those of the terminal.
pub fn describe_check(check: &Check, style: Style) -> String {
    let columns = style.columns().min(100);
    let mut out = format!("{}: {}\nReads: {}\n\n", check.name, check.title, describe_reads(check));
    let mut width = 0;
    for word in check.doc.split_whitespace() {
        if width > 0 && width + 1 + word.chars().count() > columns {
            out.push('\n');
            width = 0;
        }
        if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.chars().count();
    }
    out + "\n"
}

fn describe_reads(check: &Check) -> String {
    check.reads.iter().map(|reading| reading.title()).collect::<Vec<_>>().join(", ")
}
