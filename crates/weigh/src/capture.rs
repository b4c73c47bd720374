//! `weigh capture`: a workload's folder from a server or a dump, and logs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use capture::{Captured, From, Log, LogKind, Request};
use clap::{Args, ValueEnum};
use replay::Protocol;
use report::{Style, capture as printed};

use crate::bar::Bar;
use crate::connect::ConnectArgs;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh capture --host db1.example --user me --password --schema shop --slow-log slow.log --out shop
      Tables and rows of a running server, which is only read from, and the statements of its slow log.
  weigh capture --dump shop.sql --schema shop --slow-log slow.log.1.gz --slow-log slow.log --out shop
      The same from a dump, without a server.
  weigh capture --socket /run/mysqld/mysqld.sock --schema shop --digests --out shop
      Statements that the server remembers (MySQL 8 and later keep a statement of each digest with its values).
  weigh workload check shop
      What is wrong with the folder, after changes by hand.

Exit status: 0 captured, 1 captured without a statement, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Take a workload from a server or a dump and logs: tables, rows, and statements with samples of their values, as a folder
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct CaptureArgs {
    /// Schema whose tables and statements are captured
    #[arg(long, value_name = "NAME", required = true, help_heading = "What to capture")]
    schema: String,

    /// Tables and views of it [default: all]
    #[arg(long = "table", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to capture")]
    tables: Vec<String>,

    /// The most rows of each table, beside those that rows of other tables refer to
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "What to capture")]
    rows: u64,

    /// Take tables and rows of this dump instead of a server's: a file of mysqldump's, or a folder of mydumper's; .gz as well
    #[arg(long, value_name = "PATH", help_heading = "What to capture")]
    dump: Option<PathBuf>,

    /// Slow query log of MySQL, MariaDB or Percona Server; may be repeated, .gz as well
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "Statements")]
    slow_logs: Vec<PathBuf>,

    /// General query log; may be repeated, .gz as well
    #[arg(long = "general-log", value_name = "FILE", help_heading = "Statements")]
    general_logs: Vec<PathBuf>,

    /// SQL script; may be repeated, .gz as well
    #[arg(long = "sql", value_name = "FILE", help_heading = "Statements")]
    scripts: Vec<PathBuf>,

    /// Read the server's digests (performance_schema.events_statements_summary_by_digest)
    #[arg(long, conflicts_with = "dump", help_heading = "Statements")]
    digests: bool,

    /// Read the server's last statements (performance_schema.events_statements_history_long)
    #[arg(long, conflicts_with = "dump", help_heading = "Statements")]
    history: bool,

    /// Take statements whose schema no log tells as of --schema: MySQL's slow log loses it when it is rotated
    #[arg(long, help_heading = "Statements")]
    assume_schema: bool,

    /// The most classes of statements, those that took most time first
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Statements")]
    max_classes: u32,

    /// The most samples of values of a class
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Statements")]
    max_samples: u32,

    /// How the application's statements travel, which no log tells: text or prepared
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true, default_value_t = ProtocolArg::Text, help_heading = "Statements")]
    protocol: ProtocolArg,

    /// sql_mode of the application's sessions, where it changes quotes or backslashes: ANSI_QUOTES, NO_BACKSLASH_ESCAPES
    #[arg(long, value_name = "MODE", help_heading = "Statements")]
    sql_mode: Option<String>,

    /// What samples of rows and values are drawn by
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "What to capture")]
    seed: u64,

    /// Longest that one statement may run in the server
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to capture")]
    statement_time: Duration,

    /// Folder to write, which is not there yet, or is empty
    #[arg(long, value_name = "DIR", required = true, help_heading = "Output")]
    out: PathBuf,

    /// How it is told what was captured: text or json (schemas/capture.schema.json)
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// `--protocol`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolArg {
    Text,
    Prepared,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs `weigh capture`.
pub fn run(args: &CaptureArgs) -> Result<ExitCode> {
    let request = args.request()?;
    let captured = match &args.dump {
        Some(dump) => capture::capture(&From::Dump(dump), &request, &Bar::new())?,
        None => on_server(args, &request)?,
    };
    output::print(&match args.format {
        Format::Text => printed::text(&captured, Style { color: output::color() }),
        Format::Json => printed::json(&captured),
    })?;
    Ok(if captured.classes.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn on_server(args: &CaptureArgs, request: &Request) -> Result<Captured> {
    // Without a word on the server, the one that option files name: nobody captures an empty one.
    let targets = args.connect.resolve_or(1, &["mysql://".to_owned()])?;
    let [spec] = targets.specs.as_slice() else { bail!("weigh capture takes one server") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    Ok(capture::capture(&From::Server(&server), request, &bar)?)
}

impl CaptureArgs {
    fn request(&self) -> Result<Request> {
        let of = |kind, paths: &[PathBuf]| {
            paths.iter().map(move |path| Log { kind, path: path.clone() }).collect::<Vec<_>>()
        };
        let logs = [
            of(LogKind::Slow, &self.slow_logs),
            of(LogKind::General, &self.general_logs),
            of(LogKind::Script, &self.scripts),
        ]
        .concat();
        // Files that can't be read cost nobody a connection.
        logs.iter().map(|log| log.path.as_path()).chain(self.dump.as_deref()).try_for_each(readable)?;
        Ok(Request {
            folder: self.out.clone(),
            schema: self.schema.clone(),
            tables: crate::given::without_repeats(self.tables.iter().cloned()),
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
            by: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

fn readable(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) => bail!("cannot read {}: {error}", path.display()),
    }
}
