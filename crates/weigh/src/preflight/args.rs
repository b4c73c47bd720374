//! The options of `weigh preflight`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use preflight::{Keyless, Options, ReadOptions, Request, check_names};

use crate::connect::ConnectArgs;
use crate::offline::FlavourArg;

const EXAMPLES: &str = "\
Examples:
  weigh preflight -h replica1.example -u me -p --schema shop --to utf8mb4_0900_ai_ci
      What breaks when every text column of shop becomes utf8mb4_0900_ai_ci, read from a replica, and the plan.
  weigh preflight -S /run/mysqld/mysqld.sock --schema shop --table customers --to utf8mb4_uca1400_ai_ci --format html > page.html
      One table, as a page.
  weigh preflight … --to utf8mb4_0900_ai_ci,utf8mb4_0900_as_ci
      Two collations side by side; the plan is for the first.
  weigh preflight … --parallel 4 --resume shop.checkpoint
      Four tables at a time; after an interruption the same command goes on where it was.

  weigh preflight --csv names.csv --from utf8mb4_bin --key name --to utf8mb4_0900_ai_ci --flavour mysql
  weigh preflight --parquet people/ --from utf8mb4_bin --key town+name --to utf8mb4_0900_ai_ci --flavour mysql
      Without a server.
  weigh preflight --dump shop.sql --to utf8mb4_uca1400_ai_ci
      The tables of a dump.

The server is only read from. The account needs SELECT on the tables; SHOW VIEW, TRIGGER and EVENT for the programs of the plan;
REPLICATION CLIENT for the pause on replica lag.

Exit status: 0 nothing breaks, 1 findings, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Find out what breaks when columns are converted to another collation, and print the statements that convert them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct PreflightArgs {
    /// Collations to convert to; the plan is for the first, collisions are looked for under all
    #[arg(
        long,
        value_name = "COLLATION,…",
        value_delimiter = ',',
        required_unless_present = "list",
        help_heading = "What to convert"
    )]
    pub to: Vec<String>,

    /// Schemas [default: all but the server's own]
    #[arg(long = "schema", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to convert")]
    pub schemas: Vec<String>,

    /// Tables, as table or schema.table [default: all]
    #[arg(long = "table", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to convert")]
    pub tables: Vec<String>,

    /// Columns, as column, table.column or schema.table.column [default: all]
    #[arg(long = "column", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to convert")]
    pub columns: Vec<String>,

    /// Convert ascii columns, too, and give _bin columns the new collation (they get its character set's _bin otherwise)
    #[arg(long, help_heading = "What to convert")]
    pub all_columns: bool,

    /// Look at a CSV file with a header, in UTF-8, instead of a server
    #[arg(
        long,
        value_name = "FILE",
        group = "table_file",
        conflicts_with_all = ["dump", "parquet"],
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub csv: Option<PathBuf>,

    /// Look at a Parquet file, or a folder of them, instead of a server
    #[arg(
        long,
        value_name = "PATH",
        group = "table_file",
        conflicts_with = "dump",
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub parquet: Option<PathBuf>,

    /// Look at a dump instead of a server: a file of mysqldump's, or a folder of mydumper's, unpacked
    #[arg(long, value_name = "PATH", help_heading = "Files instead of a server")]
    pub dump: Option<PathBuf>,

    /// Collation that the text columns of --csv or --parquet have now
    #[arg(long, value_name = "COLLATION", requires = "table_file", help_heading = "Files instead of a server")]
    pub from: Option<String>,

    /// Columns of --csv or --parquet that are a unique key together; may be repeated
    #[arg(
        long = "key",
        value_name = "COLUMN[+COLUMN…]",
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub keys: Vec<String>,

    /// Whose collations, for files, where MySQL and MariaDB differ under one name: mysql or mariadb
    #[arg(
        long,
        value_enum,
        value_name = "FLAVOUR",
        hide_possible_values = true,
        help_heading = "Files instead of a server"
    )]
    pub flavour: Option<FlavourArg>,

    /// Run only these checks (see --list)
    #[arg(long = "check", value_name = "NAME,…", value_delimiter = ',', value_parser = check_name, help_heading = "Checks")]
    pub checks: Vec<&'static str>,

    /// Don't run these checks
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = check_name, help_heading = "Checks")]
    pub skip: Vec<&'static str>,

    /// Explain every check, and do nothing else
    #[arg(long, help_heading = "Checks")]
    pub list: bool,

    /// Look at definitions only, read no rows
    #[arg(long, help_heading = "Reading")]
    pub no_rows: bool,

    /// How many tables to read at a time, each over a connection of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Reading")]
    pub parallel: u32,

    /// How long reading a chunk should take
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = measure::parse_duration, help_heading = "Reading")]
    pub chunk_time: Duration,

    /// Pause while the server's status is above this; 0 never pauses
    #[arg(long, value_name = "Threads_running=N", default_value = "Threads_running=25", value_parser = max_load, help_heading = "Reading")]
    pub max_load: u64,

    /// Pause while the server, as a replica, is further behind
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = measure::parse_duration, help_heading = "Reading")]
    pub max_lag: Duration,

    /// Tables without a key to read in chunks by: read (in one pass) or skip
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true, default_value_t = WithoutKey::Read, help_heading = "Reading")]
    pub without_key: WithoutKey,

    /// Write finished tables to this file, and don't read again those that are in it
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub resume: Option<PathBuf>,

    /// Memory for sorting, in MiB; what is more goes to temporary files
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..), help_heading = "Reading")]
    pub memory: u32,

    /// Folder of temporary files [default: $TMPDIR, or /tmp]
    #[arg(long, value_name = "FOLDER", help_heading = "Reading")]
    pub temp_dir: Option<PathBuf>,

    /// Server on which to try how each ALTER is run: as --server, or none [default: one of the same version, where it is installed]
    #[arg(long, value_name = "SPEC", conflicts_with = "scratch", help_heading = "Plan")]
    pub trial: Option<String>,

    /// Try it on the server itself, in a schema of this name, which is created for it and dropped; begins with weigh_
    #[arg(long, value_name = "SCHEMA", value_parser = scratch_name, help_heading = "Plan")]
    pub scratch: Option<String>,

    /// The most rows of a table on which an ALTER is timed there; 0 times none. Not with --scratch
    #[arg(long, value_name = "ROWS", default_value_t = 50_000, help_heading = "Plan")]
    pub sample: u64,

    /// Results of weigh bench: what the conversions cost at run time stands in the report; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub costs: Vec<PathBuf>,

    /// The most groups, examples and repairs that a finding lists
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Output")]
    pub examples: usize,

    /// How results are printed: text, json (schemas/preflight.schema.json), csv, markdown or html
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = PreflightFormat::Text, help_heading = "Output")]
    pub format: PreflightFormat,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreflightFormat {
    /// Sentences and tables for a terminal
    Text,
    /// One JSON document
    Json,
    /// One line a finding
    Csv,
    /// For a page or a ticket
    Markdown,
    /// One page for a browser
    Html,
}

/// `--without-key`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WithoutKey {
    /// In one pass
    Read,
    /// Left out
    Skip,
}

fn check_name(text: &str) -> Result<&'static str, String> {
    check_names()
        .find(|name| *name == text)
        .ok_or_else(|| format!("no such check; {}", measure::nearest(text, check_names())))
}

fn max_load(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("Threads_running=").unwrap_or(text);
    number.parse().map_err(|_| "write Threads_running=N".to_owned())
}

fn scratch_name(text: &str) -> Result<String, String> {
    if text.starts_with("weigh_") {
        Ok(text.to_owned())
    } else {
        Err("schemas that weigh creates begin with weigh_".to_owned())
    }
}

/// Every check, explained.
pub fn listing() -> String {
    let of = |check: &preflight::checks::Check| format!("{}: {}\n    {}\n", check.name, check.summary, check.explain);
    preflight::checks::CHECKS.iter().map(of).collect::<Vec<_>>().join("\n")
}

impl PreflightArgs {
    /// Whether files are looked at, not a server.
    pub fn is_offline(&self) -> bool {
        self.csv.is_some() || self.parquet.is_some() || self.dump.is_some()
    }

    /// What is asked for.
    pub fn request(&self) -> Result<Request> {
        if self.to.is_empty() {
            bail!("name a collation by --to");
        }
        Ok(Request {
            targets: crate::given::without_repeats(self.to.iter().map(|name| name.to_lowercase())),
            tables: self.tables.clone(),
            columns: self.columns.clone(),
            all_columns: self.all_columns,
            examples: self.examples,
        })
    }

    /// How to run.
    pub fn options(&self, request: Request) -> Result<Options> {
        let wanted = |name: &&str| (self.checks.is_empty() || self.checks.contains(name)) && !self.skip.contains(name);
        let checks: Vec<&'static str> = check_names().filter(wanted).collect();
        if checks.is_empty() {
            bail!("--check and --skip leave no check");
        }
        Ok(Options {
            request,
            checks,
            parallel: self.parallel as usize,
            memory: (self.memory as usize) << 20,
            folder: self.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
            read_rows: !self.no_rows,
        })
    }

    /// How to read rows.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            chunk_time: self.chunk_time,
            max_threads_running: (self.max_load > 0).then_some(self.max_load),
            max_lag: self.max_lag,
            keyless: match self.without_key {
                WithoutKey::Read => Keyless::Read,
                WithoutKey::Skip => Keyless::Skip,
            },
            ..ReadOptions::default()
        }
    }

    /// What to read of the server's definitions.
    pub fn scope(&self) -> facts::Scope {
        facts::Scope { schemas: self.schemas.clone(), programs: true, activity: true }
    }
}
