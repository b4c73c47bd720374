//! `weigh compare`: compares runs with an earlier run.

mod counts;
mod history;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use measure::{Block, Run};
use report::Comparison;

use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh compare before after
      Differences between two runs: results, and the settings around them.
  weigh compare before after --fail-over 5%
      Exit status 1 if anything got more than 5 % slower, for a script that guards an upgrade.
  weigh compare before after --format html > changes.html
      As a page.
  weigh compare monday tuesday wednesday --format json
      Compares the second and third run with the first.
  weigh compare old.json new.json --fail-over 1%
      Counts (weigh count --format json): statements and functions whose instructions changed.
  weigh compare history.json --fail-over 1%
      A history (counts appended to one file): when instructions changed; exit status 1 if the newest count has more.

Exit status: 0 nothing got slower, 1 something got slower or executes more instructions, 2 could not compare.";

/// Compare runs with an earlier one: what got slower
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Folders of runs, or counts: files of weigh count --format json, folders of its --out; every
    /// later one is compared with the first. Or one file that counts were appended to: a history
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,

    /// Slowdown that is tolerated, beyond the ratio's interval; of counts, instructions more
    #[arg(long, visible_alias = "fail-above", value_name = "PERCENT", default_value = "0", value_parser = parse_tolerance)]
    fail_over: f64,

    /// Output format: text, json (one document per comparison, schemas/compare.schema.json,
    /// count-compare.schema.json or count-history.schema.json), csv, markdown, or html for runs
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = CompareFormat::Text)]
    format: CompareFormat,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    Text,
    Json,
    Csv,
    Markdown,
    Html,
}

pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    if let [path] = args.runs.as_slice() {
        return history::run(path, args);
    }
    if args.runs.iter().any(|path| counts::are_counts(path)) {
        return counts::run(args);
    }
    let runs = args.runs.iter().map(|path| Ok(measure::read_run(path)?)).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = args.runs.iter().map(|path| path.display().to_string()).collect();
    let (first, later) = (&runs[0], &runs[1..]);
    let comparisons: Vec<Comparison> =
        later.iter().zip(&names[1..]).map(|(run, name)| compare(&names[0], first, name, run, args.fail_over)).collect();
    output::print(&render(&comparisons, args.format))?;
    let slower = comparisons.iter().any(|comparison| !comparison.slower.is_empty());
    Ok(ExitCode::from(u8::from(slower)))
}

type MeasuredRun = (Run, Vec<Block>);

fn compare(old: &str, before: &MeasuredRun, new: &str, after: &MeasuredRun, fail_over: f64) -> Comparison {
    let change = measure::compare_runs((&before.0, &before.1), (&after.0, &after.1));
    Comparison::new(old.to_owned(), new.to_owned(), change, fail_over)
}

fn render(comparisons: &[Comparison], format: CompareFormat) -> String {
    let render_each = |render: &dyn Fn(&Comparison) -> String| comparisons.iter().map(render).collect::<Vec<_>>();
    match format {
        CompareFormat::Text => render_each(&|comparison| report::compare_text(comparison, output::style())).join("\n"),
        CompareFormat::Json => render_each(&report::compare_json).concat(),
        CompareFormat::Csv => report::compare_csv(comparisons),
        CompareFormat::Markdown => render_each(&report::compare_markdown).join("\n"),
        CompareFormat::Html => report::compare_page(comparisons),
    }
}

/// Parses a percentage from 0 to 100 into a fraction. The `%` is optional: `2.5%` is 0.025.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    let percent: f64 =
        text.trim_end_matches('%').parse().map_err(|_| "give a percentage, such as 5 or 2.5%".to_owned())?;
    if (0.0..=100.0).contains(&percent) { Ok(percent / 100.0) } else { Err("give a percentage from 0 to 100".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_tolerances() {
        assert_eq!(
            [parse_tolerance("0"), parse_tolerance("2.5%"), parse_tolerance("100")],
            [Ok(0.0), Ok(0.025), Ok(1.0)]
        );
        for wrong in ["", "-1", "101%", "NaN", "x"] {
            assert!(parse_tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
