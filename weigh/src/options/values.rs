//! Helpers for option values, and values that several commands share.

use audit::Severity;
use clap::ValueEnum;

/// A severity of findings, as an option names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SeverityArg {
    Note,
    Warning,
    Error,
}

impl From<SeverityArg> for Severity {
    fn from(severity: SeverityArg) -> Self {
        match severity {
            SeverityArg::Note => Severity::Note,
            SeverityArg::Warning => Severity::Warning,
            SeverityArg::Error => Severity::Error,
        }
    }
}

/// Keeps the first of equal values, in order.
pub fn without_repeats<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

pub fn find_given<const N: usize>(options: [(bool, &'static str); N]) -> Option<&'static str> {
    options.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
}

/// Parses the name of a collation, which is written into a statement.
pub fn parse_collation_name(text: &str) -> Result<String, &'static str> {
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name && text.contains('_') {
        Ok(text.to_owned())
    } else {
        Err("write a collation, such as utf8mb4_unicode_ci")
    }
}
