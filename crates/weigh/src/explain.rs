//! `weigh explain`: how collations see two strings.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use explain::{Explanation, FORMAT, NotHeld, Text};
use report::{Style, explain as printed};

use crate::given::without_repeats;
use crate::offline::{self, FlavourArg};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh explain 'Straße' STRASSE
      Under the collations that people ask about most.
  weigh explain -c utf8mb4_0900_as_cs --flavour mysql résumé Résumé
      Where they part, and at which level.
  weigh explain -c utf8mb4_general_ci --hex 61 6109
      Bytes in hexadecimal, here 'a' and 'a' with a tab.
  weigh explain -- -a -b
      Strings that begin with a hyphen.

Exit status: 0 explained, whatever the verdict; 2 could not explain. The verdict is in the output: a < b, a = b or a > b.";

/// Show how collations see two strings: weights, where they part, and which comes first
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct ExplainArgs {
    /// Collations; one that MySQL and MariaDB have with other weights stands for both, unless --flavour tells
    #[arg(
        short = 'c',
        long = "collation",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "utf8mb4_general_ci,utf8mb4_unicode_ci,utf8mb4_0900_ai_ci,utf8mb4_uca1400_ai_ci"
    )]
    collations: Vec<String>,

    /// Whose collations: mysql or mariadb [default: both]
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// The strings are bytes in hexadecimal, in each collation's own character set
    #[arg(long)]
    hex: bool,

    /// How to print: text or json (schemas/explain.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,

    /// A string
    #[arg(value_name = "A")]
    a: OsString,

    /// Another
    #[arg(value_name = "B")]
    b: OsString,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for a terminal
    Text,
    /// One JSON document
    Json,
}

/// Runs `weigh explain`.
pub fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let explanation = args.explanation()?;
    output::print(&match args.format {
        Format::Text => printed::text(&explanation, Style { color: output::color() }),
        Format::Json => printed::json(&explanation),
    })?;
    Ok(ExitCode::SUCCESS)
}

impl ExplainArgs {
    fn explanation(&self) -> Result<Explanation> {
        let (a, b) = (self.text(&self.a)?, self.text(&self.b)?);
        let (mut views, mut notes) = (Vec::new(), Vec::new());
        for name in without_repeats(self.collations.iter()) {
            for choice in offline::collations(name, self.flavour)? {
                match explain::explain(choice.collation, &choice.servers, &a, &b) {
                    Ok(view) => views.push(view),
                    Err(NotHeld(character)) => {
                        let charset = choice.collation.charset().name();
                        notes.push(format!("{name}: {charset} has no {}", character.escape_debug()));
                    }
                }
            }
        }
        if views.is_empty() {
            bail!("{}; name a collation of another character set with -c", notes.join("; "));
        }
        Ok(Explanation { format: FORMAT.into(), a: a.shown(), b: b.shown(), views, notes })
    }

    fn text(&self, given: &OsStr) -> Result<Text> {
        if !self.hex {
            return Ok(Text::Typed(given.as_bytes().to_vec()));
        }
        match from_hex(given.as_bytes()) {
            Some(bytes) => Ok(Text::Bytes(bytes)),
            None => bail!("{} is not a string in hexadecimal, such as C3A4", given.display()),
        }
    }
}

/// Bytes from pairs of digits; blanks between them, and a 0x before, are forgiven.
fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.iter().copied().filter(|digit| *digit != b' ').collect();
    let digits = digits.strip_prefix(b"0x").unwrap_or(&digits);
    let value = |digit: u8| char::from(digit).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some((value(*high)? * 16 + value(*low)?) as u8),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_is_read_in_pairs() {
        assert_eq!(from_hex(b"C3a4"), Some(vec![0xC3, 0xA4]));
        assert_eq!(from_hex(b"0xC3 A4"), Some(vec![0xC3, 0xA4]));
        assert_eq!(from_hex(b""), Some(vec![]));
        for wrong in [&b"C"[..], b"C3A", b"G0", "ä0".as_bytes()] {
            assert_eq!(from_hex(wrong), None);
        }
    }
}
