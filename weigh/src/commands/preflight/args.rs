//! Options of `weigh preflight`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use preflight::checks::CHECKS;
use preflight::{Keyless, Options, ReadOptions, Request, SampleOptions, Selection};

use crate::options::collation::FlavourArg;
use crate::options::connect::{ConnectArgs, DEFAULT_RUNNING, SpecText, with_default_server};
use crate::options::pipeline::BaselineArgs;
use crate::options::values::{SeverityArg, without_repeats};

const EXAMPLES: &str = "\
Examples:
  weigh preflight -h replica1.example -u me -p --schema shop --to utf8mb4_0900_ai_ci
      Converting every text column of shop to utf8mb4_0900_ai_ci: what breaks, and the plan, read from a replica.
  weigh preflight -S /run/mysqld/mysqld.sock --schema shop --table customers --to utf8mb4_uca1400_ai_ci --format html > page.html
      One table, as an HTML page.
  weigh preflight … --to utf8mb4_0900_ai_ci,utf8mb4_0900_as_ci
      Two target collations; the plan is for the first.
  weigh preflight … --parallel 4 --resume shop.checkpoint
      Four tables at a time. After an interruption, run the same command to resume.

  weigh preflight --csv names.csv --from utf8mb4_bin --key name --to utf8mb4_0900_ai_ci --flavour mysql
  weigh preflight --parquet people/ --from utf8mb4_bin --key town+name --to utf8mb4_0900_ai_ci --flavour mysql
      Files instead of a server.
  weigh preflight --dump shop.sql --to utf8mb4_uca1400_ai_ci
      The tables of a dump.

The server is only read from; --apply-to changes another one. The account needs SELECT on the tables; SHOW VIEW, TRIGGER and EVENT for the programs of the plan;
REPLICATION CLIENT for the pause on replica lag.

Exit status: 0 no finding of --fail-on's severity or worse, 1 findings, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Find what a conversion breaks, and write the plan that converts
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true, mut_arg("servers", |arg| with_default_server(arg, DEFAULT_RUNNING)))]
pub struct PreflightArgs {
    /// Collations to convert to; the plan is for the first, collisions are searched under all
    #[arg(long, value_name = "COLLATION,…", value_delimiter = ',', help_heading = "What to convert")]
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

    /// Also convert ascii columns, and give _bin columns the new collation (otherwise they get the
    /// _bin collation of its charset)
    #[arg(long, help_heading = "What to convert")]
    pub all_columns: bool,

    /// Read a CSV file with a header, in UTF-8, instead of a server
    #[arg(
        long,
        value_name = "FILE",
        group = "table_file",
        conflicts_with_all = ["dump", "parquet"],
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub csv: Option<PathBuf>,

    /// Read a Parquet file, or a folder of Parquet files, instead of a server
    #[arg(
        long,
        value_name = "PATH",
        group = "table_file",
        conflicts_with = "dump",
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub parquet: Option<PathBuf>,

    /// Read a dump instead of a server: a mysqldump file, or a mydumper folder, unpacked
    #[arg(long, value_name = "PATH", help_heading = "Files instead of a server")]
    pub dump: Option<PathBuf>,

    /// Current collation of the text columns of --csv or --parquet
    #[arg(long, value_name = "COLLATION", requires = "table_file", help_heading = "Files instead of a server")]
    pub from: Option<String>,

    /// Columns of --csv or --parquet that form a unique key; may be repeated
    #[arg(
        long = "key",
        value_name = "COLUMN[+COLUMN…]",
        requires = "from",
        help_heading = "Files instead of a server"
    )]
    pub keys: Vec<String>,

    /// Flavour of the collations, for files, if MySQL and MariaDB differ under one name: mysql or
    /// mariadb
    #[arg(
        long,
        value_enum,
        value_name = "FLAVOUR",
        hide_possible_values = true,
        help_heading = "Files instead of a server"
    )]
    pub flavour: Option<FlavourArg>,

    /// Run only these checks (see --list)
    #[arg(long = "check", value_name = "NAME,…", value_delimiter = ',', value_parser = parse_check_name, help_heading = "Checks")]
    pub checks: Vec<&'static str>,

    /// Skip these checks
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_check_name, help_heading = "Checks")]
    pub skip: Vec<&'static str>,

    /// Explain every check and exit
    #[arg(long, help_heading = "Checks")]
    pub list: bool,

    /// Check definitions only, read no rows
    #[arg(long, help_heading = "Reading")]
    pub no_rows: bool,

    /// Tables to read at a time, each over its own connection
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Reading")]
    pub parallel: u32,

    /// Time that reading one chunk should take
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = measure::parse_duration, help_heading = "Reading")]
    pub chunk_time: Duration,

    /// Pause while the server's Threads_running is above this; 0 never pauses
    #[arg(long, value_name = "Threads_running=N", default_value = "Threads_running=25", value_parser = parse_max_load, help_heading = "Reading")]
    pub max_load: u64,

    /// Pause while the server is a replica with more lag than this
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = measure::parse_duration, help_heading = "Reading")]
    pub max_lag: Duration,

    /// Tables without a key to read in chunks by: read (in one pass) or skip
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true, default_value_t = WithoutKey::Read, help_heading = "Reading")]
    pub without_key: WithoutKey,

    /// Write finished tables to this file, and skip the tables that it lists already
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub resume: Option<PathBuf>,

    /// Memory for sorting, in MiB; larger sorts use temporary files
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..), help_heading = "Reading")]
    pub memory: u32,

    /// Folder of temporary files [default: $TMPDIR, or /tmp]
    #[arg(long, value_name = "FOLDER", help_heading = "Reading")]
    pub temp_dir: Option<PathBuf>,

    /// Private server to rehearse the plan on, named as by --server, or none [default: an installed
    /// server of the nearest version]
    #[arg(long, value_name = "SPEC", conflicts_with = "scratch", help_heading = "Plan")]
    pub trial: Option<String>,

    /// Instead of rehearsing, try each ALTER on the server itself, in a schema of this name, which
    /// is created and dropped; begins with weigh_
    #[arg(long, value_name = "SCHEMA", value_parser = parse_scratch_name, conflicts_with_all = ["csv", "parquet", "dump"], help_heading = "Plan")]
    pub scratch: Option<String>,

    /// Maximum of rows of a table that are copied for the rehearsal; 0 copies none. Not with
    /// --scratch
    #[arg(long, value_name = "ROWS", default_value_t = 50_000, help_heading = "Plan")]
    pub sample: u64,

    /// Write the plan to this file, for the server's command-line client [default: plan.sql in
    /// weigh-results/<time>, if the output is text]
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub plan: Option<PathBuf>,

    /// Also write the statements that restore the present definitions after the plan to this file;
    /// they are rehearsed, too
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "parquet", "dump"], help_heading = "Plan")]
    pub plan_back: Option<PathBuf>,

    /// Also run the plan on this running server, which has a copy of its schemas, and stop at the
    /// first statement that is refused; not the server that is read. Names its host or socket
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["csv", "parquet", "dump"], help_heading = "Plan")]
    pub apply_to: Option<SpecText>,

    /// Results of weigh bench, to add the run-time cost of the conversions to the report; may be
    /// repeated
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub costs: Vec<PathBuf>,

    /// Exit with status 1 if there is a finding of this severity or worse: error, warning or note
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true, default_value_t = SeverityArg::Warning, help_heading = "Output")]
    pub fail_on: SeverityArg,

    /// Groups, examples and repairs that a finding lists, at most [default: 100, in text 2]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub examples: Option<usize>,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Output format: text, json (schemas/preflight.schema.json), csv, markdown, html, sql (the
    /// plan alone), sarif or junit
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = PreflightFormat::Text, help_heading = "Output")]
    pub format: PreflightFormat,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// Default of `--examples`.
const DEFAULT_EXAMPLES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreflightFormat {
    /// Sentences and tables for a terminal
    Text,
    /// One JSON document
    Json,
    /// One line per finding
    Csv,
    /// For a page or a ticket
    Markdown,
    /// One page for a browser
    Html,
    /// The plan alone, for the server's command-line client
    Sql,
    /// Findings for code scanning
    Sarif,
    /// Findings as test cases
    Junit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WithoutKey {
    /// In one pass
    Read,
    /// Left out
    Skip,
}

fn parse_check_name(text: &str) -> Result<&'static str, String> {
    let names = || CHECKS.iter().map(|check| check.name);
    names()
        .find(|name| *name == text)
        .ok_or_else(|| format!("no such check; {}", measure::suggest_names(text, names())))
}

fn parse_max_load(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("Threads_running=").unwrap_or(text);
    number.parse().map_err(|_| "write Threads_running=N".to_owned())
}

fn parse_scratch_name(text: &str) -> Result<String, String> {
    if text.starts_with("weigh_") {
        Ok(text.to_owned())
    } else {
        Err("schemas that weigh creates begin with weigh_".to_owned())
    }
}

pub fn explain_checks() -> String {
    let explain = |check: &&preflight::checks::Check| {
        format!(
            "{}: {}
    {}
",
            check.name, check.title, check.doc
        )
    };
    CHECKS.iter().map(explain).collect::<Vec<_>>().join("\n")
}

impl PreflightArgs {
    /// Returns the limit of the groups, examples and repairs of a finding.
    pub fn examples(&self) -> usize {
        self.examples.unwrap_or(DEFAULT_EXAMPLES)
    }

    /// Returns `true` if files are read instead of a server.
    pub fn reads_files(&self) -> bool {
        self.csv.is_some() || self.parquet.is_some() || self.dump.is_some()
    }

    pub fn request(&self) -> Result<Request> {
        if self.to.is_empty() {
            bail!("name a collation by --to");
        }
        if let Some(trial) = self.trial.as_deref().filter(|trial| self.reads_files() && *trial != "none") {
            bail!("--trial {trial} is for a server: a plan from files is not rehearsed; leave it out");
        }
        Ok(Request {
            schemas: self.schemas.clone(),
            targets: without_repeats(self.to.iter().map(|name| name.to_lowercase())),
            tables: self.tables.clone(),
            columns: self.columns.clone(),
            // `--from` is the collation of every column, so a `_bin` collation is no column's own
            // choice to keep.
            all_columns: self.all_columns || self.csv.is_some() || self.parquet.is_some(),
            examples: self.examples(),
            plan_back: self.plan_back.is_some(),
        })
    }

    pub fn options(&self, request: Request) -> Result<Options> {
        let selection = Selection::new(CHECKS, &self.checks, &self.skip)?;
        if selection.is_empty() {
            bail!("--check and --skip leave no check");
        }
        Ok(Options {
            request,
            selection,
            parallel: self.parallel as usize,
            memory: (self.memory as usize) << 20,
            folder: self.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
            read_rows: !self.no_rows,
        })
    }

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

    /// Returns the rows to copy to the private server. `None` with `--sample 0`.
    pub fn sample(&self) -> Option<SampleOptions> {
        (self.sample > 0).then(|| SampleOptions { rows: self.sample, ..SampleOptions::default() })
    }

    pub fn scope(&self) -> facts::Scope {
        facts::Scope { schemas: self.schemas.clone(), programs: true, activity: true }
    }
}
