//! Options of `weigh bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use load::IgnoredErrors;
use measure::{BufferPool, DEFAULT_COLLATIONS};

use crate::options::connect::ConnectArgs;
use crate::options::load::{LoadArgs, append_default};
use crate::options::workload_folder::FolderArgs;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  weigh bench
      What each collation costs on a private server, installed if need be; about 4 minutes.
  weigh bench --quick
      As above in less than a minute, less precise.
  weigh bench --server mysql@5.6 --server mysql@sid --workload oltp_read_only
      Server against server, and collation against collation on each.
  weigh bench --workload distinct_ranges:10,distinct_ranges:100 --threads 1,4,16
      Two range sizes, three numbers of connections.
  weigh bench --collation utf8mb4_0900_ai_ci --text cyrillic,cjk --server mysql@sid
      One collation on two kinds of text.
  weigh bench --connection-charset match,utf8mb4 --collation latin1_swedish_ci
      The cost of a connection charset that differs from the table's.
  weigh bench --workload oltp_point_select --table-size 5000000 --buffer-pool 25%
      Tables four times as large as the buffer pool: the cost of reads from disk.
  weigh bench --workload shop --collation as-is,utf8mb4_0900_ai_ci --server mysql@sid
      The cost of a collation for your own rows and statements: their mix, and the costliest statement classes.
  weigh bench --driver sysbench --script shop.lua --script-option tables=4 --block 5s
      The cost of a collation for your own sysbench script.
  weigh bench --self-test --rounds 20
      Whether ratios measured on this machine can be trusted.
  weigh bench --host db1.example --user bench --password
      On a running server. Only schemas named weigh_… are created, and dropped at the end.
  weigh bench --resume weigh-results/2026-11-21T05-10-00Z
      Resumes a run that was interrupted or killed.

Exit status: 0 measured, 1 intervals of --self-test missed the truth too often, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

const DEFAULT_WORKLOADS: &str = "oltp_read_only, oltp_point_select, distinct_ranges; with --quick oltp_read_only";

/// Measure the CPU and throughput that collations cost
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_override_self = true,
    mut_arg("workloads", |arg| append_default(arg, DEFAULT_WORKLOADS)),
    mut_arg("collations", |arg| append_default(arg, &format!("those that the server has of {}", DEFAULT_COLLATIONS.join(", ")))),
    mut_arg("table_size", |arg| append_default(arg, "100000; with --quick 10000")),
)]
pub struct BenchArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    #[command(flatten)]
    pub folder: FolderArgs,

    /// Collation that the others are compared with [default: the first of several --collation, else
    /// latin1_swedish_ci; for a folder as-is]
    #[arg(long, value_name = "COLLATION", help_heading = "What to measure")]
    pub baseline: Option<String>,

    /// List the workloads and exit
    #[arg(long, help_heading = "What to measure")]
    pub list_workloads: bool,

    /// duet: two collations under load in turns, so that noise hits both; solo: one at a time, for
    /// the absolute throughput
    #[arg(long, value_enum, value_name = "duet|solo", hide_possible_values = true, default_value_t = ModeArg::Duet, help_heading = "The experiment")]
    pub mode: ModeArg,

    /// With --mode solo: start this many transactions per second on a schedule, as users do who
    /// don't wait for each other; latency counts from the scheduled time
    #[arg(long, value_name = "N", value_parser = parse_rate, conflicts_with = "self_test", help_heading = "The experiment")]
    pub rate: Option<f64>,

    /// Stop measuring a difference once it is known to ± this, by its 95 % interval [default: 1.5%;
    /// with --quick 5%]
    #[arg(long, value_name = "PERCENT", value_parser = measure::parse_percent, help_heading = "The experiment")]
    pub precision: Option<f64>,

    /// Time of load, all collations together, such as 90s or 5m; starting servers and loading rows
    /// come on top [default: 180s; with --quick 30s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub max_time: Option<Duration>,

    /// Length of one measurement [default: 1s; with --quick 0.5s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub block: Option<Duration>,

    /// How often to start servers, load rows and connect anew: starts differ, and intervals include
    /// that [default: 10, fewer if loading is slow, more if time is left]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "The experiment")]
    pub replicates: Option<u32>,

    /// Warm-up after each start, not counted [default: 0.25s; with --buffer-pool 3s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub warmup_time: Option<Duration>,

    /// Measure tables larger than memory: one server per collation, whose buffer pool has this
    /// share of the baseline's tables, or this size, such as 25% or 512M. Reads bypass the
    /// operating system's cache
    #[arg(long, value_name = "PERCENT|SIZE", conflicts_with_all = ["self_test", "profile"], help_heading = "The experiment")]
    pub buffer_pool: Option<BufferPool>,

    /// Compare servers under equal settings: performance_schema and the adaptive hash index off,
    /// and only protocol features that all servers have. --set overrides it
    #[arg(long, help_heading = "The experiment")]
    pub level: bool,

    /// Let the operating system place the threads on cores; less precise
    #[arg(long, help_heading = "The experiment")]
    pub no_pin: bool,

    /// Bind weigh's threads in a running server to cores, too: more precise; needs the server's own
    /// user, or root
    #[arg(long, conflicts_with = "no_pin", help_heading = "The experiment")]
    pub pin_server: bool,

    /// Server errors to ignore, as numbers or all: the transaction is rolled back and counted as
    /// failed. All others end the run, as in sysbench
    #[arg(long, value_name = "N,…|all", default_value = "1213,1020,1205", help_heading = "The experiment")]
    pub ignore_errors: IgnoredErrors,

    /// Client that generates the load: weigh's own, or the installed sysbench 1.0
    #[arg(long, value_enum, value_name = "native|sysbench", hide_possible_values = true, default_value_t = DriverArg::Native, help_heading = "The experiment")]
    pub driver: DriverArg,

    /// With --driver sysbench: run your own Lua script instead of the workloads. The script's
    /// prepare command creates tables in one schema for each collation, which is the schema's
    /// default
    #[arg(long, value_name = "FILE.lua", conflicts_with_all = ["workloads", "self_test", "list_workloads"], help_heading = "The experiment")]
    pub script: Option<PathBuf>,

    /// Option of that script, such as tables=4; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "script", help_heading = "The experiment")]
    pub script_option: Vec<String>,

    /// Test this machine: measure copies of one collation with 0, 3, 10 and 50 % of extra work;
    /// exit status 1 if intervals miss the truth too often
    #[arg(long, conflicts_with_all = ["collations", "connection_charset", "dry_run", "list_workloads"], help_heading = "The experiment")]
    pub self_test: bool,

    /// Rounds of the self-test; each loads its rows anew, and has 60 s of load, with --quick 30 s,
    /// unless --max-time is given
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000), requires = "self_test", help_heading = "The experiment")]
    pub rounds: u32,

    /// Measure one workload, on small tables, with less precision: under a minute
    #[arg(long, help_heading = "The experiment")]
    pub quick: bool,

    /// Also profile the servers under each workload: where the CPU goes, flame graphs (see weigh
    /// profile)
    #[arg(long, help_heading = "The experiment")]
    pub profile: bool,

    /// Print what would be created and measured and how long it takes, and exit; starts nothing
    #[arg(long, help_heading = "The experiment")]
    pub dry_run: bool,

    /// Resume the run in this folder that was interrupted or killed: complete replicates are kept,
    /// the unfinished one is measured again. The other options are those of the original run; only
    /// --password, --format, --trust, --quiet, --verbose, --color and the same servers may be given
    #[arg(long, value_name = "DIR", help_heading = "The experiment")]
    pub resume: Option<PathBuf>,

    /// With --resume: use the programs, hosts and files that the run's folder names, as if they
    /// were typed; no password is sent to such a host. With a workload folder: run its statements
    /// on a running server even as an account that may reach other schemas than weigh's
    #[arg(long, help_heading = "The experiment")]
    pub trust: bool,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Output format: text, json (schemas/report.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1e6 => Ok(rate),
        _ => Err("give transactions per second, above 0 and up to a million".into()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Two variants under load in one block
    Duet,
    /// One variant at a time
    Solo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriverArg {
    /// weigh's own client
    Native,
    /// sysbench 1.0
    Sysbench,
}
