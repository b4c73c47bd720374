//! `weigh workload compare`: compares results of statements under two or more collations.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use progress::Bar;
use report::pipeline::DumpLines;
use report::result_diff as printed;
use result_diff::{Request, ResultDiff};

use crate::options::connect::ConnectArgs;
use crate::options::pipeline::{BaselineArgs, Conclusion, format_name};
use crate::options::values::{SeverityArg, without_repeats};
use crate::options::workload_folder::{Consent, Convert, refuse_server};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh workload compare shop --server mysql@sid --collation as-is,utf8mb4_0900_ai_ci
      Statements that return different rows, fail, or get a different plan once the columns are converted.
  weigh workload compare shop --server mariadb@trixie --collation as-is,utf8mb4_bin,utf8mb4_uca1400_ai_ci --convert all
      Two collations compared with the columns' own; also converts columns whose collation differs from their table's, ascii and _bin ones.

Exit status: 0 nothing of --fail-on's severity differs, 1 something does, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Run every statement class under two or more collations, and report where rows, warnings, errors
/// and plans differ from those of the first
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct CompareArgs {
    /// Workload folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Sides to compare, the first with each other one: as-is, or a collation that text columns are
    /// converted to
    #[arg(
        short = 'c',
        long = "collation",
        value_name = "NAME,…",
        value_delimiter = ',',
        required = true,
        help_heading = "What to compare"
    )]
    collations: Vec<String>,

    /// Columns to convert: following (those with their table's collation; ascii ones stay, _bin
    /// ones get the _bin collation of the new character set) or all
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true, default_value_t = Convert::Following, help_heading = "What to compare")]
    convert: Convert,

    /// Maximum number of samples that run for each statement class
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to compare")]
    samples: u32,

    /// Leave rows out on all sides that are equal to others under a side's collation (error 1062),
    /// and name them
    #[arg(long, help_heading = "What to compare")]
    without_colliding_rows: bool,

    /// Allow the server that the workload was captured from; statements run in schemas that weigh
    /// creates
    #[arg(long, help_heading = "What to compare")]
    here: bool,

    /// Run the statements on a running server even as an account that may reach other schemas than
    /// weigh's
    #[arg(long, help_heading = "What to compare")]
    trust: bool,

    /// Time limit of each statement
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to compare")]
    statement_time: Duration,

    /// Exit with status 1 if there is a difference of this severity or worse: error (different
    /// rows, a statement that fails), warning (a different order, a lost index) or note (a
    /// different plan)
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true, default_value_t = SeverityArg::Note, help_heading = "Output")]
    fail_on: SeverityArg,

    #[command(flatten)]
    baseline: BaselineArgs,

    /// Output format: text, json (schemas/workload-compare.schema.json), sarif or junit
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
    Junit,
}

pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let baseline = args.baseline.read::<ResultDiff>()?;
    let workload = workload_folder::read(&args.folder)?;
    let sides = without_repeats(args.collations.iter().map(|name| name.trim().to_lowercase()));
    if sides.len() < 2 {
        bail!("--collation needs two sides or more, such as as-is,utf8mb4_0900_ai_ci");
    }
    let targets = args.connect.resolve(1)?;
    let [spec] = targets.specs.as_slice() else { bail!("weigh workload compare takes one server") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    refuse_server(&server, &workload, Consent { here: args.here, trust: args.trust })?;
    let request = Request {
        sides: sides.into_iter().map(|side| (side != result_diff::AS_IS).then_some(side)).collect(),
        convert_all: args.convert == Convert::All,
        samples: args.samples as usize,
        without_colliding_rows: args.without_colliding_rows,
        statement_timeout: args.statement_time,
        run: load::new_run_name(),
    };
    let diff = result_diff::compare_sides(&server, &workload, &request, &bar)?;
    drop(bar);
    server.stop()?;
    let conclusion = Conclusion {
        baseline: baseline.as_ref(),
        lines: DumpLines::default(),
        fail_on: args.fail_on.into(),
        format: format_name(&args.format),
        is_partial: false,
    };
    conclusion.print(diff, |diff| match args.format {
        Format::Text => printed::text(diff, output::style()),
        Format::Json => printed::json(diff),
        Format::Sarif | Format::Junit => String::new(),
    })
}
