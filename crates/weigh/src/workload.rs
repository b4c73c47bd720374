//! `weigh workload`: workloads as folders.

mod compare;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use replay::{Checked, Severity};

use crate::output;

const CHECK_EXAMPLES: &str = "\
Examples:
  weigh workload check shop
      The faults of the folder shop, each with its file, line and column.
  weigh workload check shop --format json
      The same for a program (schemas/workload-check.schema.json).

Exit status: 0 nothing wrong, 1 faults, 2 could not do it.";

/// Check workloads that are folders: tables, rows and statements of one's own (docs/workload.md)
#[derive(Debug, Args)]
pub struct WorkloadArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(CheckArgs),
    Compare(Box<compare::CompareArgs>),
}

/// Say what is wrong with a workload's folder, with file, line and column
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct CheckArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// How faults are printed: text or json (schemas/workload-check.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl WorkloadArgs {
    /// Whether it needs a server.
    pub fn needs_server(&self) -> bool {
        matches!(self.action, Action::Compare(_))
    }
}

/// Runs `weigh workload`.
pub fn run(args: &WorkloadArgs) -> Result<ExitCode> {
    match &args.action {
        Action::Check(args) => check(args),
        Action::Compare(args) => compare::run(args),
    }
}

fn check(args: &CheckArgs) -> Result<ExitCode> {
    if !args.folder.is_dir() {
        bail!("{} is no folder; a workload is one, with a workload.toml (docs/workload.md)", args.folder.display());
    }
    let (_, checked) = replay::check(&args.folder);
    output::print(&match args.format {
        Format::Text => text(&checked),
        Format::Json => format!("{}\n", serde_json::to_string_pretty(&checked)?),
    })?;
    Ok(if checked.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(checked: &Checked) -> String {
    let mut text: String = checked.faults.iter().map(|fault| format!("{fault}\n")).collect();
    let errors = checked.faults.iter().filter(|fault| fault.severity == Severity::Error).count() as u64;
    let warnings = checked.faults.len() as u64 - errors;
    let verdict = match (errors, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        (0, warnings) => format!("{}; it runs", counted(warnings, "warning")),
        (errors, 0) => format!("{}; it does not run", counted(errors, "error")),
        (errors, warnings) => {
            format!("{} and {}; it does not run", counted(errors, "error"), counted(warnings, "warning"))
        }
    };
    text += &format!(
        "{}: {verdict} ({}, {}, {} with {})\n",
        checked.name.as_deref().unwrap_or(&checked.folder),
        counted(checked.tables, "table"),
        counted(checked.rows, "row"),
        counted(checked.statements, "statement"),
        counted(checked.samples, "sample"),
    );
    text
}

/// `1 table`, `2 tables`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
