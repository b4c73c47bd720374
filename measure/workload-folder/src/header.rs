//! Header of a statement file: comment lines `-- @key = value`, each a line of TOML.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options in the header of a statement file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StatementHeader {
    /// Relative frequency of the statement: 3 is sent three times as often as 1.
    pub weight: f64,
    /// Pause of the connection after each call, in seconds, from 0 to 3600.
    #[serde(skip_serializing_if = "is_zero")]
    pub think_seconds: f64,
    /// `sql_mode` of this statement, if different from the workload's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql_mode: Option<String>,
    /// Number of captured calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Total duration of these calls in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl Default for StatementHeader {
    fn default() -> Self {
        Self { weight: 1.0, think_seconds: 0.0, sql_mode: None, seen: None, seconds: None }
    }
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

#[derive(Debug, PartialEq)]
pub(crate) struct HeaderFault {
    /// Byte range in the file's text.
    pub span: Range<usize>,
    pub message: String,
}

const OPTION_PREFIX: &str = "-- @";

/// Longest pause after a call, in seconds. A longer one could outlast the run.
const MAX_THINK_SECONDS: f64 = 3600.0;

impl StatementHeader {
    /// Reads the header of a statement file.
    pub(crate) fn read(text: &str) -> Result<Self, HeaderFault> {
        // All other text becomes spaces, so that offsets in the TOML are offsets in the file.
        let mut toml = String::with_capacity(text.len());
        let mut in_header = true;
        for line in text.split_inclusive('\n') {
            in_header &= line.trim().is_empty() || line.starts_with("--") || line.starts_with('#');
            match line.strip_prefix(OPTION_PREFIX).filter(|_| in_header) {
                Some(pair) => {
                    toml.extend(std::iter::repeat_n(' ', OPTION_PREFIX.len()));
                    toml.push_str(pair);
                }
                None if !in_header => break,
                None => toml.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            }
        }
        let header: Self = toml::from_str(&toml).map_err(|error| HeaderFault {
            span: error.span().unwrap_or(0..0),
            message: error.message().trim().replace('\n', ", "),
        })?;
        if !header.weight.is_finite() || header.weight <= 0.0 {
            return Err(HeaderFault {
                span: key_span(&toml, "weight"),
                message: "weight must be a number above 0".to_owned(),
            });
        }
        let is_mode = |mode: &str| mode.chars().all(|c| c.is_ascii_alphanumeric() || " _,".contains(c));
        if !header.sql_mode.as_deref().is_none_or(is_mode) {
            let message = "sql_mode is a list of names, such as ANSI_QUOTES,STRICT_TRANS_TABLES".to_owned();
            return Err(HeaderFault { span: key_span(&toml, "sql_mode"), message });
        }
        if !(0.0..=MAX_THINK_SECONDS).contains(&header.think_seconds) {
            let message = format!("think_seconds must be from 0 to {MAX_THINK_SECONDS}");
            return Err(HeaderFault { span: key_span(&toml, "think_seconds"), message });
        }
        Ok(header)
    }

    /// Returns the header's lines, one per key.
    pub(crate) fn to_lines(&self) -> Result<String, toml::ser::Error> {
        Ok(toml::to_string(self)?.lines().map(|line| format!("{OPTION_PREFIX}{line}\n")).collect())
    }
}

fn key_span(toml: &str, key: &str) -> Range<usize> {
    let start = toml.find(key).unwrap_or(0);
    start..start + key.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_header_that_it_writes() {
        let header = StatementHeader {
            weight: 2.5,
            seen: Some(7),
            sql_mode: Some("ANSI".to_owned()),
            ..StatementHeader::default()
        };
        let text = header.to_lines().unwrap() + "SELECT 1\n";
        assert!(text.starts_with("-- @weight = 2.5\n"), "{text}");
        assert_eq!(StatementHeader::read(&text), Ok(header));
        assert_eq!(StatementHeader::read("SELECT 1"), Ok(StatementHeader::default()));
        assert_eq!(
            StatementHeader::read("-- a comment\n\n-- @weight = 3\nSELECT 1\n-- @weight = 4").unwrap().weight,
            3.0
        );
    }

    #[test]
    fn faults_have_spans_in_the_file() {
        let text = "-- é\n-- @wieght = 3\nSELECT 1";
        let HeaderFault { span, message } = StatementHeader::read(text).unwrap_err();
        // `é` has two bytes, which become two spaces.
        assert_eq!(&text[span], "wieght");
        assert!(message.contains("unknown field"), "{message}");
        assert!(StatementHeader::read("-- @weight = 0\n").unwrap_err().message.contains("above 0"));
        assert!(StatementHeader::read("-- @weight = \n").is_err());
        for wrong in ["-0.1", "3600.5", "nan", "inf"] {
            let text = format!("-- @weight = 2\n-- @think_seconds = {wrong}\nSELECT 1");
            let HeaderFault { span, message } = StatementHeader::read(&text).unwrap_err();
            assert_eq!((&text[span], message.as_str()), ("think_seconds", "think_seconds must be from 0 to 3600"));
        }
        assert!(
            StatementHeader::read("-- @sql_mode = \"\u{a5}', GLOBAL x = 1\"\n").unwrap_err().message.contains("names")
        );
        assert_eq!(StatementHeader::read("-- @think_seconds = 0.25\nSELECT 1").unwrap().think_seconds, 0.25);
    }
}
