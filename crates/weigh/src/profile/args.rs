//! The options of `weigh profile` as they are typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use measure::parse_duration;
use workload::Kind;

use crate::connect::ConnectArgs;
use crate::folder::FolderArgs;
use crate::load::{LoadArgs, tell_default};
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  weigh profile --server mysql@5.6
      Where the CPU goes under utf8mb4_general_ci, against latin1_swedish_ci, under oltp_read_write.
  weigh profile --server mysql@sid --collation utf8mb4_0900_ai_ci --workload distinct_ranges
      Which functions of a stripped server sort and hash by this collation.
  weigh profile --server mariadb@trixie --workload long_literals --protocol text
      What the parser does to every character of every literal.
  weigh profile --workload shop --collation utf8mb4_0900_ai_ci --server mysql@sid
      The same of one's own statements: their mix, and each class (docs/workload.md).
  weigh profile --no-load --socket /run/mysqld/mysqld.sock --user root --seconds 30
      A server under its own load; nothing is written to it.
  weigh profile --pid 4711 --seconds 30
      The same without logging in.
  weigh profile --perf-script samples.txt
      Samples of another machine, taken there with
      perf record -e cpu-clock -F 499 -g -p PID -- sleep 30
      perf script --show-mmap-events -F comm,pid,tid,time,ip,sym,dso > samples.txt

Exit status: 0 profiled, 2 could not profile; 130 and 143 after ctrl-C and SIGTERM.";

/// What is profiled unless something else is named: what the study of 2020 profiled.
pub const WORKLOAD: Kind = Kind::OltpReadWrite;
/// See [`WORKLOAD`].
pub const COLLATION: &str = "utf8mb4_general_ci";
/// Rows that are loaded in no time.
pub const TABLE_SIZE: u32 = 10_000;

/// Show where a server's CPU goes, and what share of it is charset and collation
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_override_self = true,
    mut_arg("workloads", |arg| tell_default(arg, WORKLOAD.name())),
    mut_arg("collations", |arg| tell_default(arg, COLLATION)),
    mut_arg("table_size", |arg| tell_default(arg, &TABLE_SIZE.to_string())),
)]
pub struct ProfileArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    /// Collation that they are held against [default: latin1_swedish_ci; of a folder, the columns' own]
    #[arg(long, value_name = "COLLATION", help_heading = "What to measure")]
    pub against: Option<String>,

    /// Put no load on: sample a running server under its own, and write nothing to it
    #[arg(long, help_heading = "What to measure")]
    pub no_load: bool,

    /// Sample this process under its own load, without logging in
    #[arg(long, value_name = "PID", conflicts_with_all = ["no_load", "perf_script"], help_heading = "What to measure")]
    pub pid: Option<u32>,

    /// Read samples that `perf script` wrote, on whatever machine
    #[arg(long, value_name = "FILE", conflicts_with = "no_load", help_heading = "What to measure")]
    pub perf_script: Option<PathBuf>,

    /// How long each collation, or the server, is sampled
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10", help_heading = "Sampling")]
    pub seconds: Duration,

    /// Samples a second of CPU time, of each thread
    #[arg(long, short = 'F', value_name = "HZ", default_value_t = 499, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Sampling")]
    pub frequency: u32,

    /// How stacks are walked: by frame pointers, cheap; or by the unwind tables, for servers built without
    #[arg(long, value_enum, value_name = "fp|dwarf", hide_possible_values = true, default_value_t = CallGraphArg::Fp, help_heading = "Sampling")]
    pub call_graph: CallGraphArg,

    /// Folder for flame graphs, folded stacks and profiles.json [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// How results are printed: text, json (schemas/profile.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// `--call-graph`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CallGraphArg {
    /// Frame pointers
    Fp,
    /// Unwind tables
    Dwarf,
}
