//! `weigh report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use report::{Report, Style};

use crate::output;

/// The page's name in a run's folder.
const PAGE: &str = "report.html";

const EXAMPLES: &str = "\
Examples:
  weigh report weigh-results/2026-11-21T05-10-00Z
      Writes report.html into that folder.
  weigh report before after --out both.html
      One page of two runs.
  weigh report weigh-results/* --format markdown
      Tables for a page or a ticket, one run after the other.

Exit status: 0 written, 2 could not read a run or write the page.";

/// Turn runs into a page, tables or data, again
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Folders of runs, as weigh bench leaves them
    #[arg(value_name = "DIR", required = true)]
    runs: Vec<PathBuf>,

    /// What to turn them into
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "html")]
    format: ReportFormat,

    /// Where the output goes [default: report.html in the run's folder, or in this one for several runs; other formats are printed]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// `--format` of `weigh report`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One page that needs no network
    Html,
    /// Tables and sentences for a terminal
    Text,
    /// A JSON document a run (schemas/report.schema.json), one after the other
    Json,
    /// One line a comparison
    Csv,
    /// Tables for a page or a ticket
    Markdown,
}

/// Runs `weigh report`.
pub fn run(args: &ReportArgs) -> Result<ExitCode> {
    let runs = args.runs.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    match (args.format, &args.out) {
        (ReportFormat::Html, out) => {
            let path = out.clone().unwrap_or_else(|| default_page(&args.runs));
            write(&path, &report::page(&runs))?;
            output::tell(&format!("page: {}", path.display()));
        }
        (format, Some(path)) => write(path, &render(&runs, format, false))?,
        (format, None) => output::print(&render(&runs, format, output::color()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a run into its folder and tells where it is.
pub fn write_page(folder: &Path, report: &Report) -> Result<PathBuf> {
    let path = folder.join(PAGE);
    write(&path, &report::page(&[(name(folder), report.clone())]))?;
    Ok(path)
}

fn read(folder: &Path) -> Result<(String, Report)> {
    let (run, blocks) = measure::read(folder)?;
    let analysis = measure::analyse(&run, &blocks);
    let profiles = profile::output::read(folder)?;
    Ok((name(folder), Report::new(run, analysis).with_profiles(profiles)))
}

/// What a run is called: its folder, without what leads there where that says enough.
fn name(folder: &Path) -> String {
    let last = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    last.unwrap_or_else(|| folder.display().to_string())
}

fn default_page(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [only] => only.join(PAGE),
        _ => PAGE.into(),
    }
}

fn render(runs: &[(String, Report)], format: ReportFormat, color: bool) -> String {
    let each = |render: &dyn Fn(&Report) -> String, between: &str| {
        runs.iter().map(|(_, report)| render(report)).collect::<Vec<_>>().join(between)
    };
    match format {
        ReportFormat::Html => report::page(runs),
        ReportFormat::Text => each(&|report| report::text(report, Style { color }), "\n"),
        ReportFormat::Markdown => each(&report::markdown, "\n"),
        ReportFormat::Json => each(&report::json, ""),
        ReportFormat::Csv => report::csv(runs.iter().map(|(_, report)| report)),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}
