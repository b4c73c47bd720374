//! `weigh capture`: captures a workload folder from a server or a dump, and logs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use capture::{CaptureSource, CaptureSummary, Log, LogKind, Request};
use clap::{Args, ValueEnum};
use progress::Bar;
use report::capture as printed;
use workload_folder::Protocol;

use crate::options::connect::{ConnectArgs, DEFAULT_RUNNING, with_default_server};
use crate::options::values::without_repeats;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh capture --host db1.example --user me --password --schema shop --slow-log slow.log --out shop
      Tables and rows of a running server, which is only read from, and the statements of its slow log.
  weigh capture --dump shop.sql --schema shop --slow-log slow.log.1.gz --slow-log slow.log --out shop
      Tables and rows of a dump, without a server.
  weigh capture --socket /run/mysqld/mysqld.sock --schema shop --digests --out shop
      Statements from the server's digests (MySQL 8 and later keep one statement with its values for each digest).
  weigh workload check shop
      Checks the folder, for instance after changes by hand.

Exit status: 0 captured, 1 captured without a statement, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Capture tables, rows and statements from a server, dump or logs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true, mut_arg("servers", |arg| with_default_server(arg, DEFAULT_RUNNING)))]
pub struct CaptureArgs {
    /// Schema whose tables and statements are captured
    #[arg(long, value_name = "NAME", required = true, help_heading = "What to capture")]
    schema: String,

    /// Tables and views of that schema [default: all]
    #[arg(long = "table", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to capture")]
    tables: Vec<String>,

    /// Maximum of rows of each table, in addition to the rows that foreign keys of other rows need
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "What to capture")]
    rows: u64,

    /// Read tables and rows from this dump instead of a server: a mysqldump file, or a mydumper
    /// folder; .gz too
    #[arg(long, value_name = "PATH", help_heading = "What to capture")]
    dump: Option<PathBuf>,

    /// Slow query log of MySQL, MariaDB or Percona Server; may be repeated; .gz too
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "Statements")]
    slow_logs: Vec<PathBuf>,

    /// General query log; may be repeated; .gz too
    #[arg(long = "general-log", value_name = "FILE", help_heading = "Statements")]
    general_logs: Vec<PathBuf>,

    /// SQL script; may be repeated; .gz too
    #[arg(long = "sql", value_name = "FILE", help_heading = "Statements")]
    scripts: Vec<PathBuf>,

    /// Read the server's statement digests (performance_schema.events_statements_summary_by_digest)
    #[arg(long, conflicts_with = "dump", help_heading = "Statements")]
    digests: bool,

    /// Read the server's latest statements (performance_schema.events_statements_history_long)
    #[arg(long, conflicts_with = "dump", help_heading = "Statements")]
    history: bool,

    /// Assign statements without a known schema to --schema: a rotated slow log of MySQL doesn't
    /// state it
    #[arg(long, help_heading = "Statements")]
    assume_schema: bool,

    /// Maximum of statement classes; the costliest are kept
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Statements")]
    max_classes: u32,

    /// Maximum of samples per statement class
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Statements")]
    max_samples: u32,

    /// Protocol of the application's statements, whatever a log states: text or prepared
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true, default_value_t = ProtocolArg::Text, help_heading = "Statements")]
    protocol: ProtocolArg,

    /// SQL mode of the application's sessions, if it changes quotes or backslashes: ANSI_QUOTES,
    /// NO_BACKSLASH_ESCAPES
    #[arg(long, value_name = "MODE", help_heading = "Statements")]
    sql_mode: Option<String>,

    /// Seed of the samples of rows and values
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "What to capture")]
    seed: u64,

    /// Time limit of each statement in the server
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to capture")]
    statement_time: Duration,

    /// Folder to write; must be missing or empty
    #[arg(long, value_name = "DIR", required = true, help_heading = "Output")]
    out: PathBuf,

    /// Output format of the summary: text or json (schemas/capture.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolArg {
    Text,
    Prepared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub fn run(args: &CaptureArgs) -> Result<ExitCode> {
    let request = args.request()?;
    let captured = match &args.dump {
        Some(dump) => capture::capture(&CaptureSource::Dump(dump), &request, &Bar::new())?,
        None => capture_from_server(args, &request)?,
    };
    output::print(&match args.format {
        Format::Text => printed::text(&captured, output::style()),
        Format::Json => printed::json(&captured),
    })?;
    Ok(if captured.classes.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn capture_from_server(args: &CaptureArgs, request: &Request) -> Result<CaptureSummary> {
    // Default: the server that option files name. A new private server would have nothing to
    // capture.
    let targets = args.connect.resolve_with_option_files(1)?;
    let [spec] = targets.specs.as_slice() else { bail!("weigh capture takes one server") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    Ok(capture::capture(&CaptureSource::Server(&server), request, &bar)?)
}

impl CaptureArgs {
    fn request(&self) -> Result<Request> {
        let collect_logs = |kind, paths: &[PathBuf]| {
            paths.iter().map(move |path| Log { kind, path: path.clone() }).collect::<Vec<_>>()
        };
        let logs = [
            collect_logs(LogKind::Slow, &self.slow_logs),
            collect_logs(LogKind::General, &self.general_logs),
            collect_logs(LogKind::Script, &self.scripts),
        ]
        .concat();
        // A missing file is reported before connecting.
        logs.iter().map(|log| log.path.as_path()).chain(self.dump.as_deref()).try_for_each(check_readable)?;
        Ok(Request {
            folder: self.out.clone(),
            schema: self.schema.clone(),
            tables: without_repeats(self.tables.iter().cloned()),
            rows: self.rows,
            logs,
            digests: self.digests,
            history: self.history,
            max_classes: self.max_classes as usize,
            max_samples: self.max_samples as usize,
            seed: self.seed,
            protocol: match self.protocol {
                ProtocolArg::Text => Protocol::Text,
                ProtocolArg::Prepared => Protocol::Prepared,
            },
            sql_mode: self.sql_mode.clone(),
            assume_schema: self.assume_schema,
            limits: facts::Limits { statement: self.statement_time, ..facts::Limits::default() },
            weigh_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

fn check_readable(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) => bail!("cannot read {}: {error}", path.display()),
    }
}
