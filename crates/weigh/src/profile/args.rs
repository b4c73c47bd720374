//! The options of `weigh profile` as they are typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use measure::parse_duration;
use workload::{Text, Workload};

use crate::bench::args::ProtocolArg;
use crate::connect::ConnectArgs;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  weigh profile --server mysql@5.6
      Where the CPU goes under utf8mb4_general_ci, against latin1_swedish_ci, under oltp_read_write.
  weigh profile --server mysql@sid --collation utf8mb4_0900_ai_ci --workload distinct_ranges
      Which functions of a stripped server sort and hash by this collation.
  weigh profile --server mariadb@trixie --workload long_literals --protocol text
      What the parser does to every character of every literal.
  weigh profile --no-load --socket /run/mysqld/mysqld.sock --user root --seconds 30
      A server under its own load; nothing is written to it.
  weigh profile --pid 4711 --seconds 30
      The same without logging in.
  weigh profile --perf-script samples.txt
      Samples of another machine, taken there with
      perf record -e cpu-clock -F 499 -g -p PID -- sleep 30
      perf script --show-mmap-events -F comm,pid,tid,time,ip,sym,dso > samples.txt

Exit status: 0 profiled, 2 could not profile; 130 and 143 after ctrl-C and SIGTERM.";

/// Show where a server's CPU goes, and what share of it is charset and collation
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct ProfileArgs {
    /// Workloads; a range size may follow, as in distinct_ranges:10 (see weigh bench --list-workloads)
    #[arg(
        long = "workload",
        short = 'w',
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "oltp_read_write",
        help_heading = "What to profile"
    )]
    pub workloads: Vec<Workload>,

    /// Collations
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "utf8mb4_general_ci",
        help_heading = "What to profile"
    )]
    pub collations: Vec<String>,

    /// Collation that they are held against
    #[arg(long, value_name = "COLLATION", default_value = measure::DEFAULT_BASELINE, help_heading = "What to profile")]
    pub against: String,

    /// Charset of the connections; `match` is the collation's own
    #[arg(long, value_name = "NAME", default_value = "match", help_heading = "What to profile")]
    pub connection_charset: String,

    /// Text of the rows: digits (sysbench's), ascii, latin, cyrillic, cjk, emoji, mixed
    #[arg(long, value_name = "KIND", default_value = "digits", help_heading = "What to profile")]
    pub text: Text,

    /// Connections to each variant [default: the number of cores, 16 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), help_heading = "What to profile")]
    pub threads: Option<u32>,

    /// Rows of a table
    #[arg(long, value_name = "ROWS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000_000), help_heading = "What to profile")]
    pub table_size: u32,

    /// Send statements prepared, or as text that is parsed each time
    #[arg(long, value_enum, value_name = "prepared|text", hide_possible_values = true, default_value_t = ProtocolArg::Prepared, help_heading = "What to profile")]
    pub protocol: ProtocolArg,

    /// Put no load on: sample a running server under its own, and write nothing to it
    #[arg(long, help_heading = "What to profile")]
    pub no_load: bool,

    /// Sample this process under its own load, without logging in
    #[arg(long, value_name = "PID", conflicts_with_all = ["no_load", "perf_script"], help_heading = "What to profile")]
    pub pid: Option<u32>,

    /// Read samples that `perf script` wrote, on whatever machine
    #[arg(long, value_name = "FILE", conflicts_with = "no_load", help_heading = "What to profile")]
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
