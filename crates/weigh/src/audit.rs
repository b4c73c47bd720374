//! `weigh audit`: how character sets and collations are set up on a server, and where it hurts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use audit::{Audit, CHECKS, Request, Selection, Severity, Statement, Target};
use clap::{Args, ValueEnum};
use report::{Style, audit as printed};
use server::Server;

use crate::bar::Bar;
use crate::connect::{ConnectArgs, SpecText};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  weigh audit --host db1.example --user me --password
      Every schema of a running server, which is only read from.
  weigh audit --socket /run/mysqld/mysqld.sock --schema shop,log --format html > audit.html
      Two schemas, as a page.
  weigh audit --host db1.example --target mysql-8.4 --sql app.sql --slow-log slow.log
      With what an upgrade changes, and what the application's statements say.
  weigh audit --list --check join-mismatch
      What one check looks for, and why.

Exit status: 0 nothing found, 1 findings, 2 could not do it; 130 and 143 after ctrl-C and SIGTERM.";

/// Check how character sets and collations are set up on a server: layers that disagree, joins that lose an index, codes that
/// pay for Unicode, limits, stored programs, upgrades
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct AuditArgs {
    /// Schemas to read [default: all but the server's own]
    #[arg(long = "schema", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to check")]
    schemas: Vec<String>,

    /// Checks to run [default: all; --list names them]
    #[arg(long = "check", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to check")]
    checks: Vec<String>,

    /// Checks to leave out
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = "What to check")]
    skip: Vec<String>,

    /// List the checks; with --check, explain those
    #[arg(long, help_heading = "What to check")]
    list: bool,

    /// Server to upgrade or move to: mysql-8.4, mysql-9, mariadb-10.11, mariadb-11.8, …
    #[arg(long, value_name = "VERSION", help_heading = "What to check")]
    target: Option<Target>,

    /// SQL script whose statements are checked; may be repeated
    #[arg(long = "sql", value_name = "FILE", help_heading = "What to check")]
    scripts: Vec<PathBuf>,

    /// Slow query log whose statements are checked, each kind once; may be repeated
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "What to check")]
    slow_logs: Vec<PathBuf>,

    /// Replica of the server, named as by --server, whose defaults are held against it; may be repeated
    #[arg(long = "replica", value_name = "SPEC", help_heading = "What to check")]
    replicas: Vec<SpecText>,

    /// Rows of each table that are read as a sample, the first and last by primary key; 0 reads none
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "What to check")]
    sample: u64,

    /// Leave out findings that weigh less: note, warning or error
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true, default_value_t = Least::Note, help_heading = "Output")]
    least: Least,

    /// Longest that one statement may run in the server
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to check")]
    statement_time: Duration,

    /// How findings are printed: text, json (schemas/audit.schema.json), csv, markdown or html
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// `--least`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Least {
    Note,
    Warning,
    Error,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
    Html,
}

/// Runs `weigh audit`.
pub fn run(args: &AuditArgs) -> Result<ExitCode> {
    let selection = Selection::new(&args.checks, &args.skip)?;
    if args.list {
        output::print(&listed(args))?;
        return Ok(ExitCode::SUCCESS);
    }
    let audit = audited(args, &selection)?;
    output::print(&rendered(&audit, args.format))?;
    Ok(if audit.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn listed(args: &AuditArgs) -> String {
    if args.checks.is_empty() {
        return printed::list();
    }
    let named = CHECKS.iter().filter(|check| args.checks.iter().any(|name| name == check.name));
    named.map(|check| printed::one(check)).collect::<Vec<_>>().join("\n")
}

fn audited(args: &AuditArgs, selection: &Selection) -> Result<Audit> {
    // Without a word on the server, the one that option files name, as for the servers' own clients: nobody audits an empty one.
    let targets = args.connect.resolve_or(1, &["mysql://".to_owned()])?;
    let [spec] = targets.specs.as_slice() else {
        bail!("weigh audit takes one server; name its replicas by --replica");
    };
    // Files are read first: one that can't be costs nobody a connection.
    let statements = args.statements()?;
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    let open = |replica: &SpecText| Ok(server::open(&replica.spec()?, &targets.options, &bar)?);
    let replicas: Vec<Server> = args.replicas.iter().map(open).collect::<Result<_>>()?;
    let request = Request {
        schemas: args.schemas.clone(),
        target: args.target,
        statements,
        sample: args.sample,
        limits: facts::Limits { statement: args.statement_time, ..facts::Limits::default() },
    };
    let evidence = audit::gather(&server, &replicas, request, selection, &bar)?;
    let least = match args.least {
        Least::Note => Severity::Note,
        Least::Warning => Severity::Warning,
        Least::Error => Severity::Error,
    };
    Ok(audit::run(&evidence, selection, least, env!("CARGO_PKG_VERSION")))
}

impl AuditArgs {
    fn statements(&self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        for path in &self.scripts {
            statements.extend(audit::sql_file(&path.display().to_string(), &text(path)?));
        }
        for path in &self.slow_logs {
            statements.extend(audit::slow_log(&path.display().to_string(), &text(path)?));
        }
        Ok(statements)
    }
}

/// A file's text. Statements may hold bytes of any character set; what is looked for is ASCII.
fn text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn rendered(audit: &Audit, format: Format) -> String {
    match format {
        Format::Text => printed::text(audit, Style { color: output::color() }),
        Format::Json => printed::json(audit),
        Format::Csv => printed::csv(audit),
        Format::Markdown => printed::markdown(audit),
        Format::Html => printed::page(audit),
    }
}
