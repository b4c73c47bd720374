//! `weigh workload compare`: the same statements under two collations.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use parity::Request;
use report::{Style, parity as printed};

use crate::bar::Bar;
use crate::connect::ConnectArgs;
use crate::folder::{Convert, refuse_origin};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh workload compare shop --server mysql@sid --collation as-is,utf8mb4_0900_ai_ci
      Which statements return other rows, fail, or get another plan once the columns are converted.
  weigh workload compare shop --server mariadb@trixie --collation as-is,utf8mb4_bin,utf8mb4_uca1400_ai_ci --convert all
      Two collations against the columns' own, columns with a collation of their own included.

Exit status: 0 nothing differs, 1 something does, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Call every class of a workload's statements under its own collations and under others: rows, warnings, errors and plans that
/// differ, and why
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct CompareArgs {
    /// The workload's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Sides, the first of which the others are held against: as-is, or a collation that text columns are converted to
    #[arg(
        short = 'c',
        long = "collation",
        value_name = "NAME,…",
        value_delimiter = ',',
        required = true,
        help_heading = "What to compare"
    )]
    collations: Vec<String>,

    /// Which columns are converted: following (those with the collation of their table) or all
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true, default_value_t = Convert::Following, help_heading = "What to compare")]
    convert: Convert,

    /// The most samples of each class that are called
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to compare")]
    samples: u32,

    /// Run on the server that the workload was captured from, in schemas of weigh's own
    #[arg(long, help_heading = "What to compare")]
    here: bool,

    /// Longest that one call may take
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to compare")]
    statement_time: Duration,

    /// How differences are printed: text or json (schemas/parity.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs `weigh workload compare`.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let workload = replay::read(&args.folder)?;
    let sides = crate::given::without_repeats(args.collations.iter().map(|name| name.trim().to_lowercase()));
    if sides.len() < 2 {
        bail!("--collation takes two sides or more, such as as-is,utf8mb4_0900_ai_ci");
    }
    let targets = args.connect.resolve(1)?;
    let [spec] = targets.specs.as_slice() else { bail!("weigh workload compare takes one server") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    refuse_origin(&server, &workload, args.here)?;
    let request = Request {
        sides: sides.into_iter().map(|side| (side != parity::AS_IS).then_some(side)).collect(),
        all: args.convert == Convert::All,
        samples: args.samples as usize,
        patience: args.statement_time,
        run: drive::run_name(),
    };
    let found = parity::run(&server, &workload, &request, &bar)?;
    drop(bar);
    server.stop()?;
    output::print(&match args.format {
        Format::Text => printed::text(&found, Style { color: output::color() }),
        Format::Json => printed::json(&found),
    })?;
    Ok(if found.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
