//! `weigh upgrade`: rehearses an upgrade on private servers of both versions.

mod args;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use audit::Severity;
use facts::Unseen;
use progress::Bar;
use rehearsal::Values;
use report::upgrade as printed;
use server::{DEFAULT_TIMEOUT, Login, Options, Progress, Server, Setting, Spec, collation_charset};
use upgrade::{Dump, Given, LiveRequest, Phase, Report, Request, Schema, rehearse};

use super::preflight::find_nearest_server;
use crate::dump::{BUFFER_POOL_BYTES, open_packed, read_lines};
use crate::options::pipeline::{Baseline, Conclusion, format_name, has_lines};
use crate::{input, output};
use args::Format;
pub use args::UpgradeArgs;

/// Settings of a running server that decide about what it accepts and stores.
const SETTINGS: [&str; 11] = [
    "innodb_large_prefix",
    "innodb_file_format",
    "innodb_default_row_format",
    "innodb_page_size",
    "lower_case_table_names",
    "character_set_server",
    "collation_server",
    "character_set_collations",
    "explicit_defaults_for_timestamp",
    "old_mode",
    "sql_mode",
];

pub fn run(args: &UpgradeArgs) -> Result<ExitCode> {
    let (from, to) = (args.from.spec()?, args.to.spec()?);
    if to.is_running() && !args.live {
        bail!(
            "--to takes a server that weigh starts, such as mysql@9: an upgrade is rehearsed on private servers only \
             (--live compares two running servers)"
        );
    }
    let rewrite = args.rewrite.as_deref().map(upgrade::open_rewrite).transpose()?.map(Arc::new);
    let baseline = args.baseline.read::<Report>()?;
    let (scripts, unreadable) = scripts(args)?;
    let bar = Bar::new();
    if args.live {
        let mut report = compare_live(args, [&from, &to], scripts, &bar)?;
        report.unchecked.extend(unreadable);
        drop(bar);
        return print(args, baseline.as_ref(), report);
    }
    let begun = Instant::now();
    let Source { server: source, schema, unseen } = open_source(args, &from, &bar)?;
    let own = options(args, &[&args.settings, &args.settings_to]);
    let (target, option_findings) = upgrade::open_target(&to, &own, &bar)
        .map_err(|error| anyhow!("{error}\nThe new server does not start with --set and --set-to as they are."))?;
    let begin = Phase::new(if from.is_running() { "definitions and starts" } else { "starts" }, begun.elapsed());
    let request = Request {
        has_collation_server: has_collation_server(args, &schema),
        schema,
        unseen,
        default_schema: args.schemas.first().cloned(),
        scripts,
        migrations: args.migrations.len(),
        first: first_statements(args),
        option_findings,
        rewrite,
    };
    let mut report = rehearse(&source, &target, &request, &bar)?;
    let rehearsed = Instant::now();
    source.stop()?;
    target.stop()?;
    report.unchecked.extend(unreadable);
    report.phases.insert(0, begin);
    report.phases.push(Phase::new("ends", rehearsed.elapsed()));
    drop(bar);
    print(args, baseline.as_ref(), report)
}

/// True if the old server's `collation_server` is the user's: given by `--set`, or with `--my-cnf`
/// or a running server.
fn has_collation_server(args: &UpgradeArgs, schema: &Schema) -> bool {
    let names = ["collation_server", "character_set_server"];
    let is_set = args.settings.iter().any(|one| names.contains(&one.name.variable().as_str()));
    is_set || args.my_cnf.is_some() || matches!(schema, Schema::Definitions(_))
}

/// Statements that the application's connection begins with.
fn first_statements(args: &UpgradeArgs) -> Vec<String> {
    let names = |collation: &String| format!("SET NAMES {} COLLATE {collation}", collation_charset(collation));
    args.connection_collation.iter().map(names).collect()
}

fn compare_live(args: &UpgradeArgs, specs: [&Spec; 2], scripts: Vec<Vec<Given>>, bar: &Bar) -> Result<Report> {
    if !specs.iter().all(|spec| spec.is_running()) {
        bail!("--live takes two running servers, such as --from mysql://me@db1 --to mysql://me@db2");
    }
    if args.schemas.is_empty() {
        bail!("name the schemas to compare by --schema");
    }
    let own = Options { timeout: args.timeout, ..Options::default() };
    let open = |spec: &Spec| server::open(spec, &own, bar);
    let begun = Instant::now();
    let (source, target) = (open(specs[0])?, open(specs[1])?);
    let begin = Phase::new("connections", begun.elapsed());
    let request = LiveRequest {
        schemas: args.schemas.clone(),
        scripts,
        first: first_statements(args),
        limit: args.timeout.unwrap_or(DEFAULT_TIMEOUT),
    };
    let mut report = upgrade::compare_live(&source, &target, &request, bar)?;
    report.phases.insert(0, begin);
    Ok(report)
}

fn print(args: &UpgradeArgs, baseline: Option<&Baseline>, report: Report) -> Result<ExitCode> {
    let schema = report.schema.clone();
    let dumps = args.dumps.iter().filter(|_| has_lines(&args.format)).map(|path| (path.as_path(), schema.as_str()));
    let conclusion = Conclusion {
        baseline,
        lines: read_lines(dumps)?,
        fail_on: Severity::Note,
        format: format_name(&args.format),
        is_partial: !report.unseen.is_empty(),
    };
    conclusion.print(report, |report| match args.format {
        Format::Text => printed::text(report, output::style()),
        Format::Json => printed::json(report),
        Format::Html => printed::page(report),
        Format::Sarif | Format::Junit => String::new(),
    })
}

fn options(args: &UpgradeArgs, settings: &[&[Setting]]) -> Options {
    Options {
        settings: settings.concat(),
        defaults_file: args.my_cnf.clone(),
        threads: 4,
        buffer_pool: Some(BUFFER_POOL_BYTES),
        timeout: args.timeout,
        login: Login::default(),
        ..Options::default()
    }
}

/// Private server of the old version.
struct Source {
    server: Server,
    /// Schema that it is to be filled with.
    schema: Schema,
    /// Parts of a running server's schema that its account may not see.
    unseen: Vec<Unseen>,
}

/// Opens the private server of the old version.
fn open_source(args: &UpgradeArgs, from: &Spec, bar: &Bar) -> Result<Source> {
    if !from.is_running() {
        if args.dumps.is_empty() {
            bail!("give the schema by --dump FILE, or name a running server by --from mysql://me@host and --schema");
        }
        if args.trial.is_some() {
            bail!("--trial stands for a running --from, and {from} is started privately anyway");
        }
        let dump = |path: &PathBuf| {
            let own = path.clone();
            Dump { name: path.display().to_string(), open: Box::new(move || open(&own)) }
        };
        for path in &args.dumps {
            open_packed(path)?;
        }
        let own = options(args, &[&args.settings]);
        let source = server::open(from, &own, bar).map_err(|error| {
            let text = upgrade::hide_secret_values(&error.to_string());
            let lines = upgrade::refused_lines(from, &own, error, bar);
            match lines.is_empty() {
                true => anyhow!("{text}"),
                false => anyhow!("{text}\nThe old server does not start with {}", lines.join(", ")),
            }
        })?;
        let schema = Schema::Dumps(args.dumps.iter().map(dump).collect());
        return Ok(Source { server: source, schema, unseen: Vec::new() });
    }
    if !args.dumps.is_empty() {
        bail!("--dump takes a --from that weigh starts, such as mysql@5.7");
    }
    if args.schemas.is_empty() {
        bail!("name the schemas of the running server by --schema");
    }
    let running = server::open(from, &Options { timeout: args.timeout, ..Options::default() }, bar)?;
    let unseen = upgrade::read_unseen(&running, &args.schemas, bar)?;
    let trial = match args.trial.as_deref() {
        Some(text) => text.parse::<Spec>()?,
        None => find_nearest_server(&running)?.ok_or_else(|| {
            anyhow!("no {} is installed for the private copy (weigh servers install; --trial SPEC)", running.flavour())
        })?,
    };
    if trial.is_running() {
        bail!("--trial takes a server that weigh starts");
    }
    bar.step("reading the definitions");
    let definitions = rehearsal::read(&running, &mut running.connect_patiently()?, &args.schemas, Values::Skip)?;
    let mut own = options(args, &[]);
    own.settings = Setting::adopt(running.read_settings(&SETTINGS)?);
    own.settings.extend(options(args, &[&args.settings]).settings);
    let source = server::open(&trial, &own, bar)?;
    Ok(Source { server: source, schema: Schema::Definitions(definitions), unseen })
}

fn open(path: &Path) -> std::io::Result<Box<dyn std::io::BufRead>> {
    open_packed(path).map_err(|error| std::io::Error::other(error.to_string()))
}

/// Reads migrations, scripts and logs, before any server is opened. Describes the statements that
/// cannot be read.
fn scripts(args: &UpgradeArgs) -> Result<(Vec<Vec<Given>>, Vec<String>)> {
    let given = |one: why::Given| Given { place: one.place, text: one.text, schema: one.schema };
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for path in args.migrations.iter().chain(&args.scripts) {
        let bytes =
            bounded::read_large_file(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
        let statements = why::parse_script(&path.display().to_string(), &bytes)?;
        all.push(statements.into_iter().map(given).collect());
    }
    for path in &args.slow_logs {
        let name = path.display().to_string();
        let worst = why::read_slow_log(&name, open_packed(path)?, args.worst as usize)
            .map_err(|error| input::read_error(path, &error))?;
        unreadable.extend(worst.unreadable.map(|one| format!("{}: {}", one.title(&name), one.explanation())));
        all.push(worst.given.into_iter().map(given).collect());
    }
    Ok((all, unreadable))
}
