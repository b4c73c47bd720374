//! What stands in front of a statement: comment lines `-- @key = value`, each a line of TOML.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the lines in front of a statement say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Head {
    /// How often it is sent beside the others: 3 is three times as often as 1.
    pub weight: f64,
    /// Pause of the connection after each call, in seconds, up to an hour.
    #[serde(skip_serializing_if = "is_zero")]
    pub think_seconds: f64,
    /// `sql_mode` for this statement, where it is another than the workload's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql_mode: Option<String>,
    /// How often it was seen where it was captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Seconds that these calls took together, as the server's log tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl Default for Head {
    fn default() -> Self {
        Self { weight: 1.0, think_seconds: 0.0, sql_mode: None, seen: None, seconds: None }
    }
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// What is wrong with a head: bytes of the file's text, and why.
pub(crate) type HeadFault = (Range<usize>, String);

const MARK: &str = "-- @";

/// The longest pause after a call, in seconds: a longer one would not end in any run.
const LONGEST_PAUSE: f64 = 3600.0;

impl Head {
    /// Reads the head of a statement's file.
    pub(crate) fn read(text: &str) -> Result<Self, HeadFault> {
        // Everything but TOML becomes spaces, so that places in it are places in the file.
        let mut toml = String::with_capacity(text.len());
        let mut in_head = true;
        for line in text.split_inclusive('\n') {
            in_head &= line.trim().is_empty() || line.starts_with("--") || line.starts_with('#');
            match line.strip_prefix(MARK).filter(|_| in_head) {
                Some(pair) => {
                    toml.extend(std::iter::repeat_n(' ', MARK.len()));
                    toml.push_str(pair);
                }
                None if !in_head => break,
                None => toml.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            }
        }
        let head: Self = toml::from_str(&toml)
            .map_err(|error| (error.span().unwrap_or(0..0), error.message().trim().replace('\n', ", ")))?;
        if !head.weight.is_finite() || head.weight <= 0.0 {
            return Err((place_of(&toml, "weight"), "weight must be a number above 0".to_owned()));
        }
        if !(0.0..=LONGEST_PAUSE).contains(&head.think_seconds) {
            let why = format!("think_seconds must be from 0 to {LONGEST_PAUSE}");
            return Err((place_of(&toml, "think_seconds"), why));
        }
        Ok(head)
    }

    /// The head as it is written, a line a key.
    pub(crate) fn written(&self) -> Result<String, toml::ser::Error> {
        Ok(toml::to_string(self)?.lines().map(|line| format!("{MARK}{line}\n")).collect())
    }
}

fn place_of(toml: &str, key: &str) -> Range<usize> {
    let start = toml.find(key).unwrap_or(0);
    start..start + key.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_comes_back_as_it_was_written() {
        let head = Head { weight: 2.5, seen: Some(7), sql_mode: Some("ANSI".to_owned()), ..Head::default() };
        let text = head.written().unwrap() + "SELECT 1\n";
        assert!(text.starts_with("-- @weight = 2.5\n"), "{text}");
        assert_eq!(Head::read(&text), Ok(head));
        assert_eq!(Head::read("SELECT 1"), Ok(Head::default()));
        assert_eq!(Head::read("-- a comment\n\n-- @weight = 3\nSELECT 1\n-- @weight = 4").unwrap().weight, 3.0);
    }

    #[test]
    fn faults_have_places_in_the_file() {
        let text = "-- é\n-- @wieght = 3\nSELECT 1";
        let (place, why) = Head::read(text).unwrap_err();
        // `é` is two bytes, which become two spaces.
        assert_eq!(&text[place], "wieght");
        assert!(why.contains("unknown field"), "{why}");
        assert!(Head::read("-- @weight = 0\n").unwrap_err().1.contains("above 0"));
        assert!(Head::read("-- @weight = \n").is_err());
        for wrong in ["-0.1", "3600.5", "nan", "inf"] {
            let text = format!("-- @weight = 2\n-- @think_seconds = {wrong}\nSELECT 1");
            let (place, why) = Head::read(&text).unwrap_err();
            assert_eq!((&text[place], why.as_str()), ("think_seconds", "think_seconds must be from 0 to 3600"));
        }
        assert_eq!(Head::read("-- @think_seconds = 0.25\nSELECT 1").unwrap().think_seconds, 0.25);
    }
}
