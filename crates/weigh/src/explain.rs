//! `weigh explain`: how collations see two strings, or which characters two collations see differently.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use explain::{Explanation, FORMAT, Named, NotHeld, Text};
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
  weigh explain --between utf8mb4_0900_ai_ci,utf8mb4_sv_0900_ai_ci
      Which characters two collations see differently: how many, by script, and where they stand.
  weigh explain --between mysql:utf8mb4_0900_ai_ci,mariadb:utf8mb4_0900_ai_ci
      A name that means other weights on the other flavour's servers.

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

    /// Two collations instead of two strings: which characters they see differently; mysql:NAME or mariadb:NAME where both flavours have it
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        conflicts_with_all = ["collations", "hex", "a", "b"]
    )]
    between: Vec<String>,

    /// The most examples of each script, with --between
    #[arg(long, value_name = "N", default_value_t = 8, requires = "between")]
    examples: usize,

    /// How to print: text or json (schemas/explain.schema.json, schemas/between.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,

    /// A string
    #[arg(value_name = "A", required_unless_present = "between")]
    a: Option<OsString>,

    /// Another
    #[arg(value_name = "B", required_unless_present = "between")]
    b: Option<OsString>,
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
    let style = Style { color: output::color() };
    output::print(&match (&args.a, &args.b) {
        (Some(a), Some(b)) => {
            let explanation = args.explanation(a, b)?;
            match args.format {
                Format::Text => printed::text(&explanation, style),
                Format::Json => printed::json(&explanation),
            }
        }
        _ => {
            let between = args.held_against_each_other()?;
            match args.format {
                Format::Text => printed::between::text(&between, style),
                Format::Json => printed::between::json(&between),
            }
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

impl ExplainArgs {
    fn held_against_each_other(&self) -> Result<explain::Between> {
        let [a, b] = &self.between[..] else {
            bail!("--between takes two collations, such as utf8mb4_0900_ai_ci,utf8mb4_sv_0900_ai_ci");
        };
        Ok(explain::between(&self.named(a)?, &self.named(b)?, self.examples))
    }

    /// A collation of `--between`, with its flavour in front where it has one.
    fn named(&self, given: &str) -> Result<Named> {
        let (name, flavour) = match given.split_once(':') {
            Some(("mysql", name)) => (name, Some(FlavourArg::Mysql)),
            Some(("mariadb", name)) => (name, Some(FlavourArg::Mariadb)),
            Some((other, _)) => bail!("{other} is no flavour; write mysql:NAME or mariadb:NAME"),
            None => (given, self.flavour),
        };
        match &offline::collations(name, flavour)?[..] {
            [one] => Ok(Named { collation: one.collation, servers: one.servers.clone() }),
            _ => bail!(
                "MySQL and MariaDB order strings in different ways under {name}; write mysql:{name} or mariadb:{name}"
            ),
        }
    }

    fn explanation(&self, a: &OsStr, b: &OsStr) -> Result<Explanation> {
        let (a, b) = (self.text(a)?, self.text(b)?);
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
