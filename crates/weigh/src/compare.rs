//! `weigh compare`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use measure::{Block, Run};
use report::{Comparison, Style};

use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  weigh compare before after
      What changed between two runs, and in what around them.
  weigh compare before after --fail-over 5%
      Exit status 1 if something got more than 5 % slower, for a script that guards an upgrade.
  weigh compare monday tuesday wednesday --format json
      Each of the others against the first.

Exit status: 0 nothing got slower, 1 something did, 2 could not compare.";

/// Hold runs against an earlier one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Folders of runs; the others are held against the first
    #[arg(value_name = "DIR", required = true, num_args = 2..)]
    runs: Vec<PathBuf>,

    /// By how much something has to be slower to count, beyond its interval
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = tolerance)]
    fail_over: f64,

    /// How changes are printed: text, json (a document a comparison, schemas/compare.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,
}

/// Runs `weigh compare`.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let runs = args.runs.iter().map(|path| Ok(measure::read(path)?)).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = args.runs.iter().map(|path| path.display().to_string()).collect();
    let (first, others) = (&runs[0], &runs[1..]);
    let comparisons: Vec<Comparison> = others
        .iter()
        .zip(&names[1..])
        .map(|(run, name)| compare(&names[0], first, name, run, args.fail_over))
        .collect();
    output::print(&render(&comparisons, args.format))?;
    let slower = comparisons.iter().any(|comparison| !comparison.slower.is_empty());
    Ok(ExitCode::from(u8::from(slower)))
}

type Measured = (Run, Vec<Block>);

fn compare(old: &str, before: &Measured, new: &str, after: &Measured, fail_over: f64) -> Comparison {
    let change = measure::change((&before.0, &before.1), (&after.0, &after.1));
    Comparison::new(old.to_owned(), new.to_owned(), change, fail_over)
}

fn render(comparisons: &[Comparison], format: Format) -> String {
    let each = |render: &dyn Fn(&Comparison) -> String| comparisons.iter().map(render).collect::<Vec<_>>();
    match format {
        Format::Text => each(&|own| report::compare_text(own, Style { color: output::color() })).join("\n"),
        Format::Json => each(&report::compare_json).concat(),
        Format::Csv => report::compare_csv(comparisons),
        Format::Markdown => each(&report::compare_markdown).join("\n"),
    }
}

/// A percentage from 0 to 100 as a fraction, with the sign or without.
fn tolerance(text: &str) -> Result<f64, String> {
    let percent: f64 =
        text.trim_end_matches('%').parse().map_err(|_| "give a percentage, such as 5 or 2.5%".to_owned())?;
    if (0.0..=100.0).contains(&percent) { Ok(percent / 100.0) } else { Err("give a percentage from 0 to 100".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_may_be_nothing() {
        assert_eq!([tolerance("0"), tolerance("2.5%"), tolerance("100")], [Ok(0.0), Ok(0.025), Ok(1.0)]);
        for wrong in ["", "-1", "101%", "NaN", "x"] {
            assert!(tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
