//! The options of `weigh bench` as they are typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use drive::IgnoredErrors;
use measure::{BufferPool, DEFAULT_COLLATIONS};

use crate::connect::ConnectArgs;
use crate::folder::FolderArgs;
use crate::load::{LoadArgs, tell_default};
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  weigh bench
      What each collation costs on a private server, installed if need be; about 4 minutes.
  weigh bench --quick
      The same in less than a minute, less precise.
  weigh bench --server mysql@5.6 --server mysql@sid --workload oltp_read_only
      Server against server, and collation against collation on each.
  weigh bench --workload distinct_ranges:10,distinct_ranges:100 --threads 1,4,16
      Two range sizes, three loads.
  weigh bench --collation utf8mb4_0900_ai_ci --text cyrillic,cjk --server mysql@sid
      One collation on two kinds of text.
  weigh bench --connection-charset match,utf8mb4 --collation latin1_swedish_ci
      What a connection whose charset is not the table's costs.
  weigh bench --workload oltp_point_select --table-size 5000000 --buffer-pool 25%
      Tables four times as large as the buffer pool: what size on disk costs.
  weigh bench --workload shop --collation as-is,utf8mb4_0900_ai_ci --server mysql@sid
      What a collation costs one's own statements over one's own rows: the mix, and the classes that take the most of it.
  weigh bench --driver sysbench --script shop.lua --script-option tables=4 --block 5s
      What a collation costs a sysbench script of one's own.
  weigh bench --self-test --rounds 20
      Whether ratios measured on this machine can be trusted.
  weigh bench --host db1.example --user bench --password
      On a server that is running; nothing but schemas named weigh_… is created, and they are dropped.
  weigh bench --resume weigh-results/2026-11-21T05-10-00Z
      Goes on with a run that was interrupted, or killed.

Exit status: 0 measured, 1 --self-test missed the truth too often, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

const WORKLOADS: &str = "oltp_read_only, oltp_point_select, distinct_ranges; with --quick oltp_read_only";

/// Measure what charsets and collations cost on real servers
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_override_self = true,
    mut_arg("workloads", |arg| tell_default(arg, WORKLOADS)),
    mut_arg("collations", |arg| tell_default(arg, &format!("those that the server has of {}", DEFAULT_COLLATIONS.join(", ")))),
    mut_arg("table_size", |arg| tell_default(arg, "100000; with --quick 10000")),
)]
pub struct BenchArgs {
    #[command(flatten)]
    pub load: LoadArgs,

    #[command(flatten)]
    pub folder: FolderArgs,

    /// Collation that ratios are taken against [default: latin1_swedish_ci; for a folder the first of --collation]
    #[arg(long, value_name = "COLLATION", help_heading = "What to measure")]
    pub baseline: Option<String>,

    /// List the workloads and end
    #[arg(long, help_heading = "What to measure")]
    pub list_workloads: bool,

    /// duet: two variants at once, so that noise hits both, on a busy server; solo: one at a time, in turns, for the
    /// absolute throughput
    #[arg(long, value_enum, value_name = "duet|solo", hide_possible_values = true, default_value_t = ModeArg::Duet, help_heading = "The experiment")]
    pub mode: ModeArg,

    /// Transactions a second, with --mode solo: an open loop, in which transactions begin when they are due, and latency counts from then
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "self_test", help_heading = "The experiment")]
    pub rate: Option<f64>,

    /// Half-width of a ratio's 95 % interval to reach [default: 1.5%; with --quick 5%]
    #[arg(long, value_name = "PERCENT", value_parser = measure::parse_percent, help_heading = "The experiment")]
    pub precision: Option<f64>,

    /// Time for all load together, such as 90s or 5m [default: 180s; with --quick 30s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub max_time: Option<Duration>,

    /// Length of a block of load [default: 1s; with --quick 0.5s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub block: Option<Duration>,

    /// Replicates: servers started, rows loaded and connections made anew [default: as many as time is enough for, 10 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "The experiment")]
    pub replicates: Option<u32>,

    /// Uncounted load before a pair's first block in each replicate [default: 0.25s; with --buffer-pool 3s]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    pub warmup_time: Option<Duration>,

    /// Tables larger than memory: an instance of its own for each variant, whose buffer pool is this share of the baseline's tables, or has this
    /// size, such as 25% or 512M. What it lacks is read from the disk, past the operating system's cache
    #[arg(long, value_name = "PERCENT|SIZE", conflicts_with_all = ["self_test", "profile"], help_heading = "The experiment")]
    pub buffer_pool: Option<BufferPool>,

    /// Level ground for server against server: start private ones with performance_schema and the adaptive hash index off (their
    /// buffer pools are of one size anyway), and agree with them on nothing that only some have, such as MariaDB's caching of metadata; --set
    /// beats it
    #[arg(long, help_heading = "The experiment")]
    pub level: bool,

    /// Let the operating system place the threads of a duet, at the price of precision
    #[arg(long, help_heading = "The experiment")]
    pub no_pin: bool,

    /// On servers that run already, too, bind the threads behind weigh's own connections to cores, together with weigh's: more precise, for
    /// who may do that (the server's own user, or root). They end with their connections
    #[arg(long, conflicts_with = "no_pin", help_heading = "The experiment")]
    pub pin_server: bool,

    /// Errors of the servers that are passed over (the transaction is rolled back and counted as failed): all, or numbers; any other one
    /// ends the run, as in sysbench
    #[arg(long, value_name = "N,…|all", default_value = "1213,1020,1205", help_heading = "The experiment")]
    pub ignore_errors: IgnoredErrors,

    /// Who puts the load on: weigh's own client, or the sysbench 1.0 that is installed
    #[arg(long, value_enum, value_name = "native|sysbench", hide_possible_values = true, default_value_t = DriverArg::Native, help_heading = "The experiment")]
    pub driver: DriverArg,

    /// With --driver sysbench: a script of one's own in Lua in place of the workloads. Its prepare command makes its tables in a schema for each
    /// collation, whose default that is
    #[arg(long, value_name = "FILE.lua", conflicts_with_all = ["workloads", "self_test", "list_workloads"], help_heading = "The experiment")]
    pub script: Option<PathBuf>,

    /// An option of that script's own, such as tables=4; once for each
    #[arg(long, value_name = "NAME=VALUE", requires = "script", help_heading = "The experiment")]
    pub script_option: Vec<String>,

    /// Measure copies of the baseline that do a known share of more work (0, 3, 10 and 50 %), and say what was found against
    /// what is true; exit status 1 where the truth is missed too often
    #[arg(long, conflicts_with_all = ["collations", "connection_charset", "dry_run", "list_workloads"], help_heading = "The experiment")]
    pub self_test: bool,

    /// Rounds of the self-test, each with rows loaded anew, and with 60 s of load unless --max-time says otherwise
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000), requires = "self_test", help_heading = "The experiment")]
    pub rounds: u32,

    /// One workload, small tables, less precision: under a minute
    #[arg(long, help_heading = "The experiment")]
    pub quick: bool,

    /// Sample the servers too, once each load is measured: where the CPU goes, flame graphs (see weigh profile)
    #[arg(long, help_heading = "The experiment")]
    pub profile: bool,

    /// Say what would be created and measured, and end
    #[arg(long, help_heading = "The experiment")]
    pub dry_run: bool,

    /// Go on with the run in this folder that ended before it was done, however it ended: whole replicates are kept, what had begun is
    /// measured anew. Options are those that it began with; only --password and --format may stand beside it
    #[arg(long, value_name = "DIR", help_heading = "The experiment")]
    pub resume: Option<PathBuf>,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// How results are printed: text, json (schemas/report.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1e6 => Ok(rate),
        _ => Err("give transactions a second, above 0 and up to a million".into()),
    }
}

/// `--mode`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Two variants at once: noise hits both, the ratio is what a busy server pays
    Duet,
    /// One at a time, in turns: the absolute throughput
    Solo,
}

/// `--driver`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriverArg {
    /// Weighbridge's own client
    Native,
    /// sysbench 1.0
    Sysbench,
}
