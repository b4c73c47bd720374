//! Options of `weigh profile`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use measure::parse_duration;
use workload::WorkloadKind;

use crate::options::connect::ConnectArgs;
use crate::options::load::{LoadArgs, append_default};
use crate::options::workload_folder::FolderArgs;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  weigh profile --server mysql@5.6
      What a query of oltp_read_only takes more under utf8mb4_general_ci than under latin1_swedish_ci, and in which functions.
  weigh profile --server mysql@sid --collation utf8mb4_0900_ai_ci --workload distinct_ranges
      Which functions of a stripped server sort and hash by this collation.
  weigh profile --server mariadb@trixie --workload long_literals --protocol text
      The parser's work on each character of a literal.
  weigh profile --workload shop --collation utf8mb4_0900_ai_ci --server mysql@sid
      Your own statements: their mix, and each statement class (docs/reference/workload-folder.md).
  weigh profile --no-load --socket /run/mysqld/mysqld.sock --user root --seconds 30
      A running server under its own load; nothing is written to it.
  weigh profile --pid 4711 --seconds 30
      A server process under its own load, without logging in.
  weigh profile --perf-script samples.txt
      Samples from another machine, recorded there with
      perf record -e cpu-clock -F 499 -g -p PID -- sleep 30
      perf script --show-mmap-events -F comm,pid,tid,time,ip,sym,dso > samples.txt

Exit status: 0 profiled, 2 could not profile; 130 and 143 after ctrl-C and SIGTERM.";

/// Default workload: that of `weigh bench --quick`, so that a profile is of what was measured.
pub const DEFAULT_WORKLOAD: WorkloadKind = WorkloadKind::OltpReadOnly;
/// Default collation, which the cnblogs study of 2020 profiled.
pub const DEFAULT_COLLATION: &str = "utf8mb4_general_ci";
/// Default number of rows: few, so that they are loaded in a moment.
pub const DEFAULT_TABLE_SIZE: u32 = 10_000;

/// Show the functions that the CPU goes to under two collations
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_override_self = true,
    mut_arg("workloads", |arg| append_default(arg, &format!("{}, as weigh bench --quick", DEFAULT_WORKLOAD.name()))),
    mut_arg("collations", |arg| append_default(arg, DEFAULT_COLLATION)),
    mut_arg("table_size", |arg| append_default(arg, &DEFAULT_TABLE_SIZE.to_string())),
)]
pub struct ProfileArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    /// Collation to compare with [default: the first of several --collation, else
    /// latin1_swedish_ci; of a folder as-is]
    #[arg(long, value_name = "COLLATION", help_heading = "What to measure")]
    pub against: Option<String>,

    /// Sample a running server under its own load; generates no load, writes nothing to the server
    #[arg(long, help_heading = "What to measure")]
    pub no_load: bool,

    /// Sample this process under its own load, without logging in
    #[arg(long, value_name = "PID", conflicts_with_all = ["no_load", "perf_script"], help_heading = "What to measure")]
    pub pid: Option<u32>,

    /// Read samples that `perf script` wrote, on any machine
    #[arg(long, value_name = "FILE", conflicts_with = "no_load", help_heading = "What to measure")]
    pub perf_script: Option<PathBuf>,

    /// Time that each collation, or the server, is sampled [default: 10; with --quick 4]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Sampling")]
    pub seconds: Option<Duration>,

    /// Sample for four seconds: enough for the verdict
    #[arg(long, help_heading = "Sampling")]
    pub quick: bool,

    /// Samples per second of CPU time, for each thread
    #[arg(long, short = 'F', value_name = "HZ", default_value_t = 499, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Sampling")]
    pub frequency: u32,

    /// Stack walking: fp (frame pointers, cheap) or dwarf (unwind tables, for servers built without
    /// frame pointers)
    #[arg(long, value_enum, value_name = "fp|dwarf", hide_possible_values = true, default_value_t = CallGraphArg::Fp, help_heading = "Sampling")]
    pub call_graph: CallGraphArg,

    /// Folder for flame graphs, folded stacks and profiles.json [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Also print the tables of categories and functions
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Output format: text, json (schemas/profile.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub folder: FolderArgs,

    /// Run a folder's statements on a running server even as an account that may reach other
    /// schemas than weigh's
    #[arg(long, help_heading = "A workload's folder")]
    pub trust: bool,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CallGraphArg {
    /// Frame pointers
    Fp,
    /// Unwind tables
    Dwarf,
}

impl ProfileArgs {
    /// Returns how long each collation, or the server under its own load, is sampled.
    pub fn time(&self) -> Duration {
        self.seconds.unwrap_or(Duration::from_secs(if self.quick { 4 } else { 10 }))
    }
}
