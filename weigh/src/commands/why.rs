//! `weigh why`: says whether collations make a statement fail or slow, and how to fix it.

mod args;

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use audit::Severity;
use progress::Bar;
use report::pipeline::DumpLines;
use report::why as printed;
use server::{Options, Progress, Server, Setting, Spec};
use why::{Copy, Diagnosis, Given, Request, diagnose};

use super::preflight::find_nearest_server;
use crate::dump::{BUFFER_POOL_BYTES, Filled, open_filled, open_packed};
use crate::options::pipeline::{Conclusion, format_name};
use crate::{input, output};
use args::Format;
pub use args::WhyArgs;

/// Settings of the running server that decide about collations, keys and names.
const SETTINGS: [&str; 9] = [
    "innodb_large_prefix",
    "innodb_file_format",
    "innodb_default_row_format",
    "innodb_page_size",
    "lower_case_table_names",
    "character_set_server",
    "collation_server",
    "character_set_collations",
    "old_mode",
];

pub fn run(args: &mut WhyArgs) -> Result<ExitCode> {
    args.place_server_first();
    let args = &*args;
    let baseline = args.baseline.read::<Diagnosis>()?;
    let (given, unreadable) = statements(args)?;
    let request = Request { given, schema: args.schema.clone(), first: args.first_statements() };
    let mut diagnosis = if args.dumps.is_empty() { ask_server(args, request)? } else { ask_dump(args, request)? };
    diagnosis.notes.extend(unreadable);
    // With a slow log, statements with findings come first; otherwise the order stays.
    if !args.slow_logs.is_empty() {
        diagnosis.statements.sort_by_key(|judged| judged.findings.is_empty());
    }
    let is_unknown = diagnosis.statements.iter().all(|judged| judged.findings.is_empty())
        && diagnosis.statements.iter().any(|judged| judged.is_unjudged);
    let conclusion = Conclusion {
        baseline: baseline.as_ref(),
        lines: DumpLines::default(),
        fail_on: Severity::Note,
        format: format_name(&args.format),
        is_partial: is_unknown,
    };
    conclusion.print(diagnosis, |diagnosis| match args.format {
        Format::Text => printed::text(diagnosis, output::style()),
        Format::Json => printed::json(diagnosis),
        Format::Html => printed::page(diagnosis),
        Format::Sarif | Format::Junit => String::new(),
    })
}

/// Reads the statements before any server is opened. Describes those that cannot be read.
fn statements(args: &WhyArgs) -> Result<(Vec<Given>, Vec<String>)> {
    let (mut given, mut unreadable) = (Vec::new(), Vec::new());
    for path in &args.scripts {
        let bytes =
            bounded::read_large_file(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
        given.extend(why::parse_script(&path.display().to_string(), &bytes)?);
    }
    for path in &args.slow_logs {
        let log = open_packed(path)?;
        let name = path.display().to_string();
        let worst =
            why::read_slow_log(&name, log, args.worst as usize).map_err(|error| input::read_error(path, &error))?;
        unreadable.extend(worst.unreadable.map(|one| format!("{} not read: {}", one.title(&name), one.explanation())));
        given.extend(worst.given);
    }
    if let Some(text) = &args.statement {
        let split = why::parse_script("statement", text.as_bytes())?;
        let is_one = split.len() == 1;
        let place = |number: usize| if is_one { "statement".into() } else { format!("statement {number}") };
        given.extend(split.into_iter().zip(1..).map(|(one, number)| Given { place: place(number), ..one }));
    }
    let files: Vec<_> = args.scripts.iter().chain(&args.slow_logs).map(|path| path.display().to_string()).collect();
    if let (true, Some(unreadable)) = (given.is_empty(), unreadable.first()) {
        bail!("{unreadable}");
    }
    if given.is_empty() && !files.is_empty() {
        bail!("no statement is in {}; a slow log has lines such as `# Query_time: …`", files.join(", "));
    }
    if given.is_empty() {
        bail!("no statement is given; write one in quotes, or name a file by --sql or --slow-log");
    }
    Ok((given, unreadable))
}

/// Starts a private server, fills it from dumps, and judges the statements on it.
fn ask_dump(args: &WhyArgs, mut request: Request) -> Result<Diagnosis> {
    let bar = Bar::new();
    let filled =
        open_filled(&args.connect, &args.dumps, request.schema.as_deref().unwrap_or(why::DEFAULT_SCHEMA), &bar)?;
    request.schema.get_or_insert_with(|| filled.loaded.schema.clone());
    let mut diagnosis = match judge(&filled.server, &request, false, &bar) {
        Err(why::Error::Statement { place, message }) if message.starts_with(why::NO_TABLE) => {
            match filled.explain_missing_table() {
                Some(reason) => bail!("{place}: {message}; {reason}"),
                None => bail!("{place}: {message}"),
            }
        }
        judged => judged?,
    };
    let Filled { server, loaded, .. } = filled;
    diagnosis.copy = format!("{} ({})", server.label(), server.version());
    let refused = loaded.refused.iter().map(ToString::to_string);
    diagnosis.notes.splice(0..0, refused.chain(loaded.left_out));
    server.stop()?;
    Ok(diagnosis)
}

/// Judges the statements on a private server. `is_of_account`: its definitions are those that an
/// account of a running server may see.
fn judge(server: &Server, request: &Request, is_of_account: bool, bar: &Bar) -> Result<Diagnosis, why::Error> {
    bar.step("judging the statements");
    let mut copy = Copy::new(server)?;
    copy.is_of_account = is_of_account;
    let found = diagnose(&mut copy, request)?;
    Ok(Diagnosis {
        format: why::FORMAT,
        weigh: env!("CARGO_PKG_VERSION").to_owned(),
        server: server.label().to_owned(),
        version: server.version().to_owned(),
        copy: String::new(),
        statements: found.statements,
        notes: found.notes,
    })
}

/// Judges the statements on a private copy of a running server's schemas, and explains them on the
/// server itself.
fn ask_server(args: &WhyArgs, request: Request) -> Result<Diagnosis> {
    let targets = args.connect.resolve_with_option_files(1)?;
    let [spec] = targets.specs.as_slice() else { bail!("weigh why takes one server at a time") };
    if !spec.is_running() {
        bail!("{spec} is a new server without tables; give their definitions by --dump FILE");
    }
    let bar = Bar::new();
    let source = server::open(spec, &targets.options, &bar)?;
    let trial = match args.trial.as_deref() {
        Some(text) => text.parse::<Spec>()?,
        None => find_nearest_server(&source)?.ok_or_else(|| {
            anyhow!("no {} is installed for the private copy (weigh servers install; --trial SPEC)", source.flavour())
        })?,
    };
    if trial.is_running() {
        bail!("--trial takes a server that weigh starts");
    }
    let mut request = request;
    if let (None, Spec::Attach(named)) = (&request.schema, spec) {
        request.schema.clone_from(&named.database);
    }
    if let ([schema, ..], None) = (args.copied_schemas(&request).as_slice(), &request.schema) {
        request.schema = Some(schema.clone());
    }
    if request.schema.is_none() {
        request.schema = Some(only_schema(&source)?);
    }
    let schemas = args.copied_schemas(&request);
    why::refuse_missing_schemas(&source, &schemas)?;
    let settings = source.read_settings(&SETTINGS)?;
    let private = Options {
        settings: Setting::adopt(settings),
        // The option file that was read for the running server is a client's.
        defaults_file: None,
        buffer_pool: Some(BUFFER_POOL_BYTES),
        ..targets.options.clone()
    };
    let server = open_copy(&trial, private, &bar)?;
    bar.step("copying the definitions");
    let unbuilt = why::copy_schemas(&source, &server, &schemas)?;
    let mut diagnosis = judge(&server, &request, true, &bar)?;
    diagnosis.copy = format!("{} ({})", server.label(), server.version());
    diagnosis.server = source.label().to_owned();
    diagnosis.version = source.version().to_owned();
    diagnosis.notes.splice(0..0, unbuilt);
    server.stop()?;
    bar.step("explaining the statements on the server");
    why::confirm(&source, &request, &mut diagnosis)?;
    Ok(diagnosis)
}

/// Returns the only schema of a server. Fails if it has none or several.
fn only_schema(source: &Server) -> Result<String> {
    let mut schemas = why::list_schemas(source)?;
    match schemas.len() {
        1 => Ok(schemas.remove(0)),
        0 => bail!("{} has no schema that this account can see", source.label()),
        _ => bail!("name the schema of the statements by --schema; {} has {}", source.label(), schemas.join(", ")),
    }
}

/// Opens the copy with the running server's settings. If it doesn't start with them, opens it with
/// the two that every version knows.
fn open_copy(trial: &Spec, options: Options, bar: &Bar) -> Result<Server> {
    match server::open(trial, &options, bar) {
        Ok(server) => Ok(server),
        Err(_) => {
            let known =
                |setting: &Setting| matches!(setting.name.as_str(), "character_set_server" | "lower_case_table_names");
            let settings = options.settings.iter().filter(|setting| known(setting)).cloned().collect();
            Ok(server::open(trial, &Options { settings, ..options }, bar)?)
        }
    }
}
