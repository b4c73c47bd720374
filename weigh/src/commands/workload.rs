//! `weigh workload`: creates and checks workload folders, and compares their results under
//! collations.

mod compare;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use workload::Text;
use workload_folder::{FolderCheck, Severity};

use crate::output;

const CHECK_EXAMPLES: &str = "\
Examples:
  weigh workload check shop
      Faults of the folder shop, with file, line and column.
  weigh workload check shop --format json
      Faults as JSON (schemas/workload-check.schema.json).

Exit status: 0 nothing wrong, 1 faults, 2 could not do it.";

const CREATE_EXAMPLES: &str = "\
Examples:
  weigh workload create small --text cyrillic
      The workload microbench with Russian text in the folder small.
  weigh bench --workload small:order_by --collation utf8mb4_general_ci,utf8mb4_0900_ai_ci
      One of its statements under load.

Exit status: 0 written, 2 could not do it.";

/// Write, check and compare folders of statements
#[derive(Debug, Args)]
pub struct WorkloadArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(CheckArgs),
    Compare(Box<compare::CompareArgs>),
    Create(CreateArgs),
}

/// Write the workload microbench, many small statements with one kind of work on text each, to a
/// folder
#[derive(Debug, Args)]
#[command(after_help = CREATE_EXAMPLES)]
struct CreateArgs {
    /// Folder to create; it may exist if it is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Text of the rows: digits, ascii, latin, cyrillic, cjk, emoji, mixed
    #[arg(long, value_name = "KIND", default_value = "digits")]
    text: Text,

    /// Rows per table
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    table_size: u32,

    /// Seed of rows and values
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Check a workload folder, and report faults with file, line and column
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct CheckArgs {
    /// Workload folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Output format: text or json (schemas/workload-check.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl WorkloadArgs {
    /// True if the action starts a server or connects to one.
    pub fn needs_server(&self) -> bool {
        matches!(self.action, Action::Compare(_))
    }
}

pub fn run(args: &WorkloadArgs) -> Result<ExitCode> {
    match &args.action {
        Action::Check(args) => check_folder(args),
        Action::Compare(args) => compare::run(args),
        Action::Create(args) => create_folder(args),
    }
}

fn check_folder(args: &CheckArgs) -> Result<ExitCode> {
    if !args.folder.is_dir() {
        bail!(
            "{} is no folder; a workload is a folder with a workload.toml (docs/reference/workload-folder.md)",
            args.folder.display()
        );
    }
    let (_, checked) = workload_folder::check(&args.folder);
    output::print(&match args.format {
        Format::Text => render_text(&checked),
        Format::Json => format!("{}\n", serde_json::to_string_pretty(&checked)?),
    })?;
    Ok(if checked.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn create_folder(args: &CreateArgs) -> Result<ExitCode> {
    let options = microbench::Options { text: args.text, rows: args.table_size, seed: args.seed };
    microbench::write(&args.folder, options)?;
    let count = message::count_noun(microbench::CLASSES.len() as u64, "statement");
    output::print(&format!("{}: {count}\n", escape::line(&args.folder.display().to_string())))?;
    Ok(ExitCode::SUCCESS)
}

fn render_text(checked: &FolderCheck) -> String {
    let mut text: String =
        checked.faults.iter().map(|fault| format!("{}\n", escape::line(&fault.to_string()))).collect();
    let errors = checked.faults.iter().filter(|fault| fault.severity == Severity::Error).count() as u64;
    let warnings = checked.faults.len() as u64 - errors;
    let verdict = match (errors, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        (0, warnings) => format!("{}; it runs", message::count_noun(warnings, "warning")),
        (errors, 0) => format!("{}; it does not run", message::count_noun(errors, "error")),
        (errors, warnings) => {
            format!(
                "{} and {}; it does not run",
                message::count_noun(errors, "error"),
                message::count_noun(warnings, "warning")
            )
        }
    };
    text += &format!(
        "{}: {verdict} ({}, {}, {} with {})\n",
        escape::line(checked.name.as_deref().unwrap_or(&checked.folder)),
        message::count_noun(checked.tables, "table"),
        message::count_noun(checked.rows, "row"),
        message::count_noun(checked.statements, "statement"),
        message::count_noun(checked.samples, "sample"),
    );
    text
}
