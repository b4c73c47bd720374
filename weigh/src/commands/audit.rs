//! `weigh audit`: checks how character sets and collations are set up on a server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail, ensure};
use audit::{
    Audit, CHECKS, DUMP_CHECK, FileStatements, RUNNING_SERVER_CHECKS, RefusedStatement, Request, Selection, Statement,
    Target, Unseen,
};
use clap::{Args, ValueEnum};
use progress::Bar;
use report::audit as printed;
use server::{Flavour, Server};

use crate::dump::{Filled, open_filled, open_packed, read_lines};
use crate::options::connect::{ConnectArgs, DEFAULT_RUNNING_OR_DUMP, SpecText, with_default_server};
use crate::options::pipeline::{BaselineArgs, Conclusion, format_name, has_lines};
use crate::options::values::SeverityArg;
use crate::{input, output};

const EXAMPLES: &str = "\
Examples:
  weigh audit mysql://me@db1.example
      Every schema of a running server, which is only read from.
  weigh audit --socket /run/mysqld/mysqld.sock --schema shop,log --format html > audit.html
      Two schemas, as a page.
  weigh audit mysql://me@db1.example --fail-on error
      For a pipeline: exit status 1 only if something fails or loses data.
  weigh audit --host db1.example --target mysql-8.4 --sql app.sql --slow-log slow.log
      With what an upgrade changes, and what the application's statements say.
  weigh audit --dump schema.sql --server mysql@8.0
      A dump instead of a server: a private server is started and filled from it.
  weigh audit --list --check join-mismatch
      What one check looks for, and why.

Exit status: 0 no finding of --fail-on's severity or worse, 1 findings, 2 could not do it, or no schema to check; 130 and 143 after ctrl-C and SIGTERM.";

/// Find what is wrong with a server's collations; only reads
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true, mut_arg("servers", |arg| with_default_server(arg, DEFAULT_RUNNING_OR_DUMP)))]
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

    /// List the checks; with --check, explain the named checks
    #[arg(long, help_heading = "What to check")]
    list: bool,

    /// Server to upgrade or move to: mysql-8.4, mysql-9, mariadb-10.11, mariadb-11.8, …
    #[arg(long, value_name = "VERSION", help_heading = "What to check")]
    target: Option<Target>,

    /// SQL script whose statements are checked; may be repeated
    #[arg(long = "sql", value_name = "FILE", help_heading = "What to check")]
    scripts: Vec<PathBuf>,

    /// Slow query log whose statements are checked, one per statement class; may be repeated
    #[arg(long = "slow-log", value_name = "FILE", help_heading = "What to check")]
    slow_logs: Vec<PathBuf>,

    /// Dump to check instead of a running server (.sql, .sql.gz), loaded into a private server; may
    /// be repeated
    #[arg(long = "dump", value_name = "FILE", conflicts_with = "replicas", help_heading = "What to check")]
    dumps: Vec<PathBuf>,

    /// Replica whose defaults are compared with the server's, named as by --server; may be repeated
    #[arg(long = "replica", value_name = "SPEC", help_heading = "What to check")]
    replicas: Vec<SpecText>,

    /// Rows read from each table as a sample, from both ends of the primary key; 0 reads none
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "What to check")]
    sample: u64,

    /// Ignore findings below this severity: note, warning or error
    #[arg(long, alias = "least", value_enum, value_name = "SEVERITY", hide_possible_values = true, default_value_t = SeverityArg::Note, help_heading = "Output")]
    min_severity: SeverityArg,

    /// Exit with status 1 if there is a finding of this severity or worse: error, warning or note
    #[arg(long, value_enum, value_name = "SEVERITY", hide_possible_values = true, default_value_t = SeverityArg::Warning, help_heading = "Output")]
    fail_on: SeverityArg,

    /// Print every finding, notes included, with its reason and its fix
    #[arg(long, help_heading = "Output")]
    all: bool,

    /// List findings one by one, by schema, table or check
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true, help_heading = "Output")]
    by: Option<By>,

    /// Time limit of each statement in the server
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "60s", help_heading = "What to check")]
    statement_time: Duration,

    #[command(flatten)]
    baseline: BaselineArgs,

    /// Output format: text, json (schemas/audit.schema.json), csv, markdown, html, sarif or junit
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// `--by`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Schema,
    Table,
    Check,
}

impl From<By> for printed::By {
    fn from(by: By) -> Self {
        match by {
            By::Schema => Self::Schema,
            By::Table => Self::Table,
            By::Check => Self::Check,
        }
    }
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
    Html,
    Sarif,
    Junit,
}

pub fn run(args: &AuditArgs) -> Result<ExitCode> {
    let selection = args.selection(&[])?;
    if args.list {
        output::print_list(&list_checks(args))?;
        return Ok(ExitCode::SUCCESS);
    }
    let baseline = args.baseline.read::<Audit>()?;
    let audit = if args.dumps.is_empty() { audit_server(args, &selection)? } else { audit_dump(args, &selection)? };
    let dumps = args.dumps.iter().filter(|_| has_lines(&args.format)).map(|path| (path.as_path(), args.dump_schema()));
    let conclusion = Conclusion {
        baseline: baseline.as_ref(),
        lines: read_lines(dumps)?,
        fail_on: args.fail_on.into(),
        format: format_name(&args.format),
        is_partial: false,
    };
    let saw_nothing = audit.server.schemas.is_empty() && audit.findings.is_empty();
    let code = conclusion.print(audit, |audit| render(audit, args))?;
    Ok(if saw_nothing { ExitCode::from(2) } else { code })
}

fn list_checks(args: &AuditArgs) -> String {
    if args.checks.is_empty() {
        return printed::list_checks();
    }
    let named = CHECKS.iter().filter(|check| args.checks.iter().any(|name| name == check.name));
    named.map(|check| printed::describe_check(check, output::style())).collect::<Vec<_>>().join("\n")
}

fn audit_server(args: &AuditArgs, selection: &Selection) -> Result<Audit> {
    // Default: the server that option files name, as for the servers' own clients. An audit of a
    // new, empty private server would find nothing.
    let targets = args.connect.resolve_with_option_files(1)?;
    let [spec] = targets.specs.as_slice() else {
        bail!("weigh audit takes one server; name its replicas by --replica");
    };
    // Reads files before connecting, so that an unreadable file is reported without a connection.
    let (statements, unreadable) = args.statements()?;
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    let open = |replica: &SpecText| Ok(server::open(&replica.spec()?, &targets.options, &bar)?);
    let replicas: Vec<Server> = args.replicas.iter().map(open).collect::<Result<_>>()?;
    let request = Request { source: args.connect.source_words()?, ..args.request(statements) };
    let input = audit::gather(&server, &replicas, request, selection, &bar)?;
    let mut audit = audit::run(&input, selection, args.min_severity.into(), env!("CARGO_PKG_VERSION"));
    audit.unseen.extend(unreadable);
    Ok(audit)
}

/// Audits a private server that is filled from dumps.
fn audit_dump(args: &AuditArgs, selection: &Selection) -> Result<Audit> {
    let (mut statements, unreadable) = args.statements()?;
    let names = args.dumps.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let bar = Bar::new();
    let filled = open_filled(&args.connect, &args.dumps, args.dump_schema(), &bar)?;
    let (server, loaded) = (&filled.server, &filled.loaded);
    for statement in &mut statements {
        statement.schema.get_or_insert_with(|| loaded.schema.clone());
    }
    let flavour = if server.flavour() == Flavour::MySql { "mysql" } else { "mariadb" };
    // preflight reads one dump, unpacked.
    let source = match args.dumps.as_slice() {
        [path] if path.extension().is_none_or(|ending| ending != "gz") => {
            vec![format!("--dump={}", path.display()), format!("--flavour={flavour}")]
        }
        _ => Vec::new(),
    };
    let request = Request { source, ..args.request(statements) };
    let mut input = audit::gather(server, &[], request, selection, &bar)?;
    input.refused = loaded.refused.iter().map(refused_statement).collect();
    // Of the private server, only what the dump made matters.
    input.facts.unseen.clear();
    let is_made = |schema: &str| loaded.made_schema.as_deref() == Some(schema);
    input.facts.schemas.retain(|schema| !is_made(&schema.name) || !schema.tables.is_empty());
    // The defaults of a schema that the dump does not create are the private server's.
    let has_made = input.facts.schemas.iter().any(|schema| is_made(&schema.name));
    let of_defaults: &[&str] = if has_made { &["table-mismatch"] } else { &[] };
    let mut audit =
        audit::run(&input, &args.selection(of_defaults)?, args.min_severity.into(), env!("CARGO_PKG_VERSION"));
    if audit.server.tables == 0 {
        let version = format!("{} ({})", server.label(), server.version());
        let reason = filled.explain_missing_table().unwrap_or_else(|| "no CREATE TABLE is in it".to_owned());
        bail!("{names} creates no table on {version}: {reason}");
    }
    let Filled { server, loaded, .. } = filled;
    server.stop()?;
    audit.server.label = format!("{names} on {}", audit.server.label);
    let unloaded = loaded.left_out.into_iter().map(|why| Unseen { what: "part of the dump".into(), why, remedy: None });
    audit.unseen.extend(unloaded.chain(unreadable));
    Ok(audit)
}

fn refused_statement(refused: &why::RefusedStatement) -> RefusedStatement {
    RefusedStatement { place: refused.place.clone(), error: refused.refusal.to_string(), is_setup: refused.is_setup }
}

impl AuditArgs {
    /// Selects the checks, without those of `left_out`. Of a dump, those of a running server are
    /// left out, too, and the one of its statements is added to those of `--check`.
    fn selection(&self, left_out: &[&str]) -> Result<Selection> {
        let mut skip = self.skip.clone();
        skip.extend(left_out.iter().map(|name| (*name).to_owned()));
        if !self.dumps.is_empty() {
            if let Some(name) = self.checks.iter().find(|name| RUNNING_SERVER_CHECKS.contains(&name.as_str())) {
                bail!("--check {name} is of a running server; a dump says nothing about it");
            }
            skip.extend(RUNNING_SERVER_CHECKS.map(str::to_owned));
        } else if !self.list {
            if self.checks.iter().any(|name| name == DUMP_CHECK) {
                bail!("--check {DUMP_CHECK} is of --dump; a running server has refused nothing");
            }
            skip.push(DUMP_CHECK.to_owned());
        }
        let mut checks = self.checks.clone();
        if !checks.is_empty() && !self.dumps.is_empty() && !skip.iter().any(|name| name == DUMP_CHECK) {
            checks.push(DUMP_CHECK.to_owned());
        }
        Ok(Selection::new(CHECKS, &checks, &skip)?)
    }

    /// Schema of tables for which the dump names none.
    fn dump_schema(&self) -> &str {
        match self.schemas.as_slice() {
            [schema] => schema,
            _ => why::DEFAULT_SCHEMA,
        }
    }

    fn request(&self, statements: Vec<Statement>) -> Request {
        Request {
            schemas: self.schemas.clone(),
            target: self.target,
            statements,
            sample: self.sample,
            limits: facts::Limits { statement: self.statement_time, ..facts::Limits::default() },
            source: Vec::new(),
        }
    }

    /// Reads the statements of scripts and logs, and names those that cannot be read.
    fn statements(&self) -> Result<(Vec<Statement>, Vec<Unseen>)> {
        let (mut statements, mut unseen) = (Vec::new(), Vec::new());
        let mut add = |path: &Path, found: FileStatements, what: &str| -> Result<()> {
            let unreadable = found.unreadable.iter().map(|one| Unseen {
                what: one.title(&path.display().to_string()),
                why: one.explanation(),
                remedy: None,
            });
            unseen.extend(unreadable);
            ensure!(!found.statements.is_empty() || found.unreadable.is_some(), "{} has no {what}", path.display());
            statements.extend(found.statements);
            Ok(())
        };
        for path in &self.scripts {
            let bytes =
                bounded::read_large_file(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
            let found = audit::parse_sql_file(&path.display().to_string(), &bytes)
                .map_err(|error| input::read_error(path, &error))?;
            add(path, found, "statement")?;
        }
        for path in &self.slow_logs {
            let given = audit::parse_slow_log(&path.display().to_string(), open_packed(path)?)
                .map_err(|error| input::read_error(path, &error))?;
            add(path, given, "statement of a slow query log")?;
        }
        Ok((statements, unseen))
    }
}

fn render(audit: &Audit, args: &AuditArgs) -> String {
    match args.format {
        Format::Text => {
            let selection = printed::Selection { all: args.all, by: args.by.map(printed::By::from) };
            printed::text(audit, selection, output::style())
        }
        Format::Json => printed::json(audit),
        Format::Csv => printed::csv(audit),
        Format::Markdown => printed::markdown(audit),
        Format::Html => printed::page(audit),
        Format::Sarif | Format::Junit => String::new(),
    }
}
