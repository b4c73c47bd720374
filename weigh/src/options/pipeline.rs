//! Options of commands that a pipeline runs: `--baseline`, and the formats that pipelines read.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use audit::Severity;
use clap::{Args, ValueEnum};
use report::pipeline::{DumpLines, Findings, HasFindings};
use serde::de::DeserializeOwned;

use crate::output;

/// `--baseline`
#[derive(Debug, Default, Args)]
pub struct BaselineArgs {
    /// Output of an earlier run (--format json): findings that it has are known and don't count
    #[arg(long = "baseline", value_name = "FILE", help_heading = "Output")]
    path: Option<PathBuf>,
}

/// Findings of an earlier run.
pub struct Baseline {
    name: String,
    ids: BTreeSet<String>,
}

impl BaselineArgs {
    /// Reads the baseline. `R` is the report that the command prints as JSON.
    pub fn read<R: HasFindings + DeserializeOwned>(&self) -> Result<Option<Baseline>> {
        let Some(path) = &self.path else { return Ok(None) };
        let name = path.display().to_string();
        let opened = File::open(path).and_then(|file| bounded::read_up_to(file, bounded::max_item_bytes()));
        let bytes = opened.map_err(|error| anyhow!("cannot read {name}: {error}"))?;
        let report: R = serde_json::from_slice(&bytes).map_err(|error| {
            anyhow!("--baseline {name} is not what this command writes with --format json: {error}")
        })?;
        Ok(Some(Baseline { name, ids: report.findings(&DumpLines::default()).ids() }))
    }
}

/// The end of a command with findings.
pub struct Conclusion<'a> {
    pub baseline: Option<&'a Baseline>,
    /// Lines at which dumps define their objects; empty if findings are not located.
    pub lines: DumpLines,
    pub fail_on: Severity,
    /// Value of `--format`.
    pub format: String,
    /// True if a part that was asked for could not be seen or judged: without findings, that is no
    /// all-clear.
    pub is_partial: bool,
}

/// Maximum number of new members that are named.
const MAX_NEW_MEMBERS: usize = 10;

/// Formats of every command with findings.
const TEXT: &str = "text";
const JSON: &str = "json";
const SARIF: &str = "sarif";
const JUNIT: &str = "junit";

/// Returns the name of a `--format`.
pub fn format_name(format: &impl ValueEnum) -> String {
    format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Returns `true` for formats that name files and lines of a dump.
pub fn has_lines(format: &impl ValueEnum) -> bool {
    [SARIF, JUNIT].contains(&format_name(format).as_str())
}

impl Conclusion<'_> {
    /// Prints a report, and returns 1 if a finding that is not known has the severity of
    /// `--fail-on` or a worse one, else 2 if the report is partial.
    pub fn print<R: HasFindings>(&self, mut report: R, render: impl FnOnce(&R) -> String) -> Result<ExitCode> {
        let mut findings = report.findings(&self.lines);
        if let Some(baseline) = self.baseline {
            findings.mark_known(&baseline.ids);
            // JSON has every finding, so that it can be the next baseline.
            if self.format != JSON {
                report.remove(&baseline.ids);
            }
        }
        output::print(&match self.format.as_str() {
            SARIF => findings.sarif(env!("CARGO_PKG_VERSION")),
            JUNIT => findings.junit(self.fail_on),
            _ => render(&report),
        })?;
        if let Some(baseline) = self.baseline {
            let line = describe_known(&findings, baseline);
            if self.format == TEXT { output::print(&format!("\n{line}\n"))? } else { output::print_message(&line) }
        }
        Ok(match findings.fails(self.fail_on) {
            true => ExitCode::from(1),
            false if self.is_partial => ExitCode::from(2),
            false => ExitCode::SUCCESS,
        })
    }
}

fn describe_known(findings: &Findings, baseline: &Baseline) -> String {
    let known = findings.count_known();
    let all = message::count_noun(findings.findings.len() as u64, "finding");
    let verb = if known == 1 || findings.findings.len() == 1 { "is" } else { "are" };
    let new_members = findings.list_new_members(&baseline.ids);
    let in_part = match new_members.len() {
        0 => String::new(),
        _ => format!("\nNew in what is known in part: {}", message::list_names(&new_members, MAX_NEW_MEMBERS)),
    };
    format!("{known} of {all} {verb} known from {}; {} new{in_part}", baseline.name, findings.findings.len() - known)
}
