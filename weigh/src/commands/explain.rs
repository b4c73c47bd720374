//! `weigh explain`: compares two strings under collations, or two collations.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use anyhow::{Result, bail};
use audit::Target;
use clap::{Args, ValueEnum};
use explain::{Explanation, FORMAT, NamedCollation, Text, UnsupportedCharacter};
use mysql_collation::{Collation, catalogue};
use report::explain as printed;

use crate::options::collation::{FlavourArg, find_collations};
use crate::options::values::without_repeats;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh explain 'Straße' STRASSE
      Under the collations that people ask about most.
  weigh explain -c utf8mb4_0900_as_cs --flavour mysql résumé Résumé
      Where the keys first differ, and at which level.
  weigh explain -c utf8mb4_general_ci --hex 61 6109
      Bytes in hexadecimal, here 'a' and 'a' with a tab.
  weigh explain -- -a -b
      Strings that begin with a hyphen.
  weigh explain --between utf8mb4_0900_ai_ci,utf8mb4_sv_0900_ai_ci
      Characters that two collations weigh differently: counts, by script, with examples.
  weigh explain --between mysql:utf8mb4_0900_ai_ci,mariadb:utf8mb4_0900_ai_ci
      One name, different weights in MySQL and MariaDB.
  weigh explain --between mysql@5.7:utf8mb4_general_ci,mysql@9:utf8mb4_0900_ai_ci
      The default collations of two versions.

Exit status: 0 explained, 2 could not explain. The result of the comparison is in the output: a < b, a = b or a > b.";

/// Show whether two strings are equal, which is first, and why
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct ExplainArgs {
    /// Collations; a name that MySQL and MariaDB weigh differently means both, unless --flavour is
    /// given
    #[arg(
        short = 'c',
        long = "collation",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "utf8mb4_general_ci,utf8mb4_unicode_ci,utf8mb4_0900_ai_ci,utf8mb4_uca1400_ai_ci"
    )]
    collations: Vec<String>,

    /// Flavour of the collations: mysql or mariadb [default: both]
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// Read the strings as hexadecimal bytes, in each collation's own charset
    #[arg(long)]
    hex: bool,

    /// Compare two collations instead of two strings: characters that they weigh differently; write
    /// mysql:NAME or mariadb:NAME if both flavours have the name, mysql@5.7:NAME for a version
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        conflicts_with_all = ["collations", "hex", "a", "b"]
    )]
    between: Vec<String>,

    /// Maximum of examples per script, with --between
    #[arg(long, value_name = "N", default_value_t = 8, requires = "between")]
    examples: usize,

    /// Show all scripts, or all characters of long strings; without it, two screens
    #[arg(long)]
    all: bool,

    /// Output format: text or json (schemas/explain.schema.json, schemas/between.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,

    /// First string
    #[arg(value_name = "A", required_unless_present = "between")]
    a: Option<OsString>,

    /// Second string
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

pub fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let style = output::style();
    output::print(&match (&args.a, &args.b) {
        (Some(a), Some(b)) => {
            let explanation = args.explain_strings(a, b)?;
            match args.format {
                Format::Text => printed::text(&explanation, args.all, style),
                Format::Json => printed::json(&explanation),
            }
        }
        _ => {
            let between = args.compare_collations()?;
            match args.format {
                Format::Text => printed::between::text(&between, args.all, style),
                Format::Json => printed::between::json(&between),
            }
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what the server version of `mysql@5.7:NAME` answers otherwise than the library.
fn departures(given: &str) -> Result<Vec<String>> {
    let Some((version, name)) = given.split_once(':').filter(|(version, _)| version.contains('@')) else {
        return Ok(Vec::new());
    };
    let target: Target = version.replacen('@', "-", 1).parse()?;
    Ok(target.departures(name).into_iter().map(|what| format!("On {target}, under {name}: {what}.")).collect())
}

/// Finds a collation of a server version such as `mysql@5.7`. The library has the weights of the
/// newest server; [`departures`] are where older versions differ.
fn find_in_version(version: &str, name: &str) -> Result<NamedCollation> {
    let target: Target = version.replacen('@', "-", 1).parse()?;
    let Some(info) = target.collation(name) else {
        let nearest = target.nearest(name).map(|info| format!("the nearest it has: {}", info.name));
        let suggestion = nearest.unwrap_or_else(|| {
            let known = catalogue(target.collation_flavour()).iter().map(|info| info.name);
            measure::suggest_names(name, known.filter(|name| target.collation(name).is_some()))
        });
        bail!("{target} has no collation {name}; {suggestion}");
    };
    Ok(NamedCollation { collation: Collation::by_id(info.flavour, info.id)?, servers: target.to_string() })
}

impl ExplainArgs {
    fn compare_collations(&self) -> Result<explain::CollationDifference> {
        let [a, b] = &self.between[..] else {
            bail!("--between takes two collations, such as utf8mb4_0900_ai_ci,utf8mb4_sv_0900_ai_ci");
        };
        let mut difference = explain::compare_collations(&self.find_named(a)?, &self.find_named(b)?, self.examples);
        difference.departures =
            self.between.iter().map(|given| departures(given)).collect::<Result<Vec<_>>>()?.concat();
        Ok(difference)
    }

    /// Finds a collation of `--between`: `NAME`, `mysql:NAME`, `mariadb:NAME` or `mysql@5.7:NAME`.
    fn find_named(&self, given: &str) -> Result<NamedCollation> {
        if let Some((version, name)) = given.split_once(':').filter(|(version, _)| version.contains('@')) {
            return find_in_version(version, name);
        }
        let (name, flavour) = match given.split_once(':') {
            Some(("mysql", name)) => (name, Some(FlavourArg::Mysql)),
            Some(("mariadb", name)) => (name, Some(FlavourArg::Mariadb)),
            Some((other, _)) => bail!("{other} is no flavour; write mysql:NAME, mariadb:NAME or mysql@5.7:NAME"),
            None => (given, self.flavour),
        };
        match &find_collations(name, flavour)?[..] {
            [one] => Ok(NamedCollation { collation: one.collation, servers: one.servers.clone() }),
            _ => bail!(
                "MySQL and MariaDB order strings in different ways under {name}; write mysql:{name} or mariadb:{name}"
            ),
        }
    }

    fn explain_strings(&self, a: &OsStr, b: &OsStr) -> Result<Explanation> {
        let (a, b) = (self.parse_text(a)?, self.parse_text(b)?);
        let (mut views, mut notes) = (Vec::new(), Vec::new());
        for name in without_repeats(self.collations.iter()) {
            for choice in find_collations(name, self.flavour)? {
                match explain::explain(choice.collation, &choice.servers, &a, &b) {
                    Ok(view) => views.push(view),
                    Err(UnsupportedCharacter(character)) => {
                        let charset = choice.collation.charset().name();
                        notes.push(format!("{name}: {charset} has no {}", character.escape_debug()));
                    }
                }
            }
        }
        if views.is_empty() {
            bail!("{}; name a collation of another character set with -c", notes.join("; "));
        }
        Ok(Explanation { format: FORMAT.into(), a: a.display(), b: b.display(), views, notes })
    }

    fn parse_text(&self, given: &OsStr) -> Result<Text> {
        if !self.hex {
            return Ok(Text::Typed(given.as_bytes().to_vec()));
        }
        match parse_hex(given.as_bytes()) {
            Some(bytes) => Ok(Text::Bytes(bytes)),
            None => bail!("{} is not a string in hexadecimal, such as C3A4", given.display()),
        }
    }
}

/// Parses pairs of hexadecimal digits. Spaces and a leading `0x` are ignored. `None` for other
/// characters and for an odd number of digits.
fn parse_hex(digits: &[u8]) -> Option<Vec<u8>> {
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
    fn parses_hexadecimal_pairs() {
        assert_eq!(parse_hex(b"C3a4"), Some(vec![0xC3, 0xA4]));
        assert_eq!(parse_hex(b"0xC3 A4"), Some(vec![0xC3, 0xA4]));
        assert_eq!(parse_hex(b""), Some(vec![]));
        for wrong in [&b"C"[..], b"C3A", b"G0", "ä0".as_bytes()] {
            assert_eq!(parse_hex(wrong), None);
        }
    }
}
