//! `weigh report`: renders runs as a page, tables or data.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use files::{Access, HeldFolder};
use report::{Report, Style};

use crate::{output, results};

/// File name of the page in a run's folder.
const PAGE_FILE: &str = "report.html";

const EXAMPLES: &str = "\
Examples:
  weigh report weigh-results/2026-11-21T05-10-00Z
      Writes report.html into that folder.
  weigh report before after --out both.html
      One page of two runs.
  weigh report weigh-results/* --format markdown
      Tables for a page or a ticket, one run after the other.

Exit status: 0 written, 2 could not read a run or write the page.";

/// Show earlier runs as a page, tables or data
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Folders of runs, as weigh bench writes them
    #[arg(value_name = "DIR", required = true)]
    runs: Vec<PathBuf>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "html")]
    format: ReportFormat,

    /// Output file [default: report.html in the run's folder, or in the current folder for several
    /// runs; other formats are printed]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One page that needs no network
    Html,
    /// Tables and sentences for a terminal
    Text,
    /// One JSON document per run (schemas/report.schema.json)
    Json,
    /// One line per comparison and per baseline
    Csv,
    /// Tables for a page or a ticket
    Markdown,
}

pub fn run(args: &ReportArgs) -> Result<ExitCode> {
    let runs = args.runs.iter().map(|path| read_report(path)).collect::<Result<Vec<_>>>()?;
    let is_private = runs.iter().any(|(_, report)| report.run.access() == Access::OwnerOnly);
    let access = if is_private { Access::OwnerOnly } else { Access::Umask };
    match (args.format, &args.out) {
        (ReportFormat::Html, out) => {
            let path = out.clone().unwrap_or_else(|| default_page_path(&args.runs));
            let page = report::page(&runs);
            // The default path may be in a stranger's folder: a link to a device or pipe there is
            // replaced. A path that the user named may be such a link.
            if out.is_some() {
                write_file(&path, &page, access)?
            } else {
                replace_file(&path, &page, access)?
            };
            output::print_note(&format!("page: {}", path.display()));
        }
        (format, Some(path)) => write_file(path, &render(&runs, format, Style::default()), access)?,
        (format, None) => output::print(&render(&runs, format, output::style()))?,
    }
    Ok(ExitCode::SUCCESS)
}

pub fn write_page(folder: &HeldFolder, report: &Report) -> Result<PathBuf> {
    let page = report::page(&[(run_name(folder.path()), report.clone())]);
    results::write(folder, PAGE_FILE, &page, report.run.access())
}

fn read_report(folder: &Path) -> Result<(String, Report)> {
    let (run, blocks) = measure::read_run(folder)?;
    let analysis = measure::analyse(&run, &blocks);
    let profiles = profile::output::read(folder)?;
    Ok((run_name(folder), Report::new(run, analysis).with_profiles(profiles)))
}

/// Returns the name of a run: the last component of its folder's path, or the whole path if it has
/// none.
fn run_name(folder: &Path) -> String {
    let last = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    last.unwrap_or_else(|| folder.display().to_string())
}

fn default_page_path(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [only] => only.join(PAGE_FILE),
        _ => PAGE_FILE.into(),
    }
}

fn render(runs: &[(String, Report)], format: ReportFormat, style: Style) -> String {
    let render_each = |render: &dyn Fn(&Report) -> String, between: &str| {
        runs.iter().map(|(_, report)| render(report)).collect::<Vec<_>>().join(between)
    };
    match format {
        ReportFormat::Html => report::page(runs),
        ReportFormat::Text => render_each(&|report| report::details_text(report, style), "\n"),
        ReportFormat::Markdown => render_each(&report::markdown, "\n"),
        ReportFormat::Json => render_each(&report::json, ""),
        ReportFormat::Csv => report::csv(runs.iter().map(|(_, report)| report)),
    }
}

fn write_file(path: &Path, text: &str, access: Access) -> Result<()> {
    files::write_named(path, access, |file| file.write_all(text.as_bytes()))
        .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}

fn replace_file(path: &Path, text: &str, access: Access) -> Result<()> {
    files::replace(path, access, |file| file.write_all(text.as_bytes()))
        .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}
