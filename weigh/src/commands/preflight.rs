//! `weigh preflight`: finds what a conversion breaks, and plans the statements that convert.

mod apply;
mod args;
mod client;
mod costs;
mod files;
mod trial;
mod watch;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::files::{Access, OwnFile};
use anyhow::{Result, anyhow, bail};
use facts::Facts;
use measure::RunFolderError;
use preflight::{Checkpoint, Options, Rehearsed, Report, RowSource, ServerRows, Source, read_definitions};
use progress::Bar;
use rehearsal::Kind;
use report::preflight::{self as printed, PlanFiles};
use server::{Login, Server, Spec};

use crate::dump::read_lines;
use crate::options::collation::describe_charset;
use crate::options::pipeline::{Conclusion, format_name, has_lines};
use crate::options::values::without_repeats;
use crate::{output, results};
pub use args::PreflightArgs;
use args::PreflightFormat;
use trial::Trial;
pub use trial::{find_nearest, find_nearest_server};

/// Reply to a command line without `--to`.
const MISSING_TARGET: &str = "name the collation to convert to by --to, such as
  --to utf8mb4_0900_ai_ci       the default of MySQL 8.0 and later
  --to utf8mb4_uca1400_ai_ci    the default of MariaDB 11.6 and later
  --to utf8mb4_unicode_520_ci   for earlier versions
Which suits you: docs/how-to/choose-a-collation.md";

pub fn run(args: &PreflightArgs) -> Result<ExitCode> {
    if args.list {
        output::print_list(&args::explain_checks())?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.to.is_empty() {
        bail!("{MISSING_TARGET}");
    }
    if let (Some(plan), Some(back)) = (&args.plan, &args.plan_back)
        && plan == back
    {
        bail!("--plan and --plan-back both write {}: give each a file of its own", plan.display());
    }
    // Opened first, so that a bad path fails before the long work.
    let open = |path: &Option<PathBuf>| path.as_deref().map(open_plan_file).transpose();
    let (plan, plan_back) = (open(&args.plan)?, open(&args.plan_back)?);
    let baseline = args.baseline.read::<Report>()?;
    let measured = costs::read(&args.costs)?;
    let request = args.request()?;
    let options = args.options(request)?;
    let (mut report, client) = match args.reads_files() {
        true => (files::check_files(args, &options)?, Client::default()),
        false => check_server(args, &options)?,
    };
    costs::add(&measured, &mut report);
    let Client { words, not_altered } = client;
    let files = PlanFiles {
        client: words,
        not_altered,
        examples: args.examples,
        ..write_files(args, plan, plan_back, &report)?
    };
    let dumps = match &args.dump {
        Some(path) if has_lines(&args.format) => preflight::list_dump_files(path)?,
        _ => Vec::new(),
    };
    let conclusion = Conclusion {
        baseline: baseline.as_ref(),
        lines: read_lines(dumps.iter().map(|(path, schema)| (path.as_path(), schema.as_str())))?,
        fail_on: args.fail_on.into(),
        format: format_name(&args.format),
        is_partial: false,
    };
    conclusion.print(report, |report| render(report, &files, args.format))
}

/// Opens a file for a plan. Fails for a file that weigh did not write: its name may be a typing
/// error.
fn open_plan_file(path: &Path) -> Result<OwnFile> {
    OwnFile::open(path, printed::FIRST_LINE).map_err(write_error(path))
}

fn write_error(path: &Path) -> impl FnOnce(io::Error) -> anyhow::Error {
    move |error| anyhow!("cannot write {}: {error}", path.display())
}

/// Writes the plan to the file of `--plan`, and the way back to the file of `--plan-back`. Without
/// `--plan`, text output writes a plan with steps into a new folder of results, with the page and
/// the commands of online schema change tools.
fn write_files(
    args: &PreflightArgs,
    plan_file: Option<OwnFile>,
    back_file: Option<OwnFile>,
    report: &Report,
) -> Result<PlanFiles> {
    let write_named = |file: &OwnFile, text: &str| {
        file.replace(Access::OwnerOnly, |out| out.write_all(text.as_bytes())).map_err(write_error(file.path()))?;
        Ok::<_, anyhow::Error>(Some(file.path().display().to_string()))
    };
    let plan = printed::plan_file(report);
    if let Some(file) = back_file {
        write_named(&file, &printed::rollback_file(report))?;
    }
    if let Some(file) = plan_file {
        return Ok(PlanFiles { plan: write_named(&file, &plan)?, ..PlanFiles::default() });
    }
    if args.format != PreflightFormat::Text || report.plan.as_ref().is_none_or(|plan| plan.steps.is_empty()) {
        return Ok(PlanFiles::default());
    }
    let folder = match results::open_folder(None, Access::Umask) {
        Ok(folder) => folder,
        Err(RunFolderError::Create { path, source }) => {
            output::print_message(&format!(
                "cannot write the plan into {}: {source}; --plan FILE writes it",
                path.display()
            ));
            return Ok(PlanFiles::default());
        }
        Err(error) => return Err(error.into()),
    };
    let write = |name: &str, text: &str| -> Result<Option<String>> {
        Ok(Some(results::write(&folder, name, text, Access::OwnerOnly)?.display().to_string()))
    };
    let online = printed::online_file(report);
    let online = online.map(|text| write("plan-online.sh", &text)).transpose()?.flatten();
    let page = write("preflight.html", &printed::page(report))?;
    Ok(PlanFiles { plan: write("plan.sql", &plan)?, online, page, ..PlanFiles::default() })
}

/// How a plan is run on the server that was read.
#[derive(Default)]
struct Client {
    /// Words of the command that opens a client on the server.
    words: Vec<String>,
    /// Schemas of the plan in which the account may not alter a table.
    not_altered: Vec<String>,
}

impl Client {
    fn find(server: &Server, spec: &Spec, login: &Login, report: &Report) -> Result<Self> {
        let words = client::words(server, spec, login);
        if words.is_empty() || report.plan.is_none() {
            return Ok(Self { words, ..Self::default() });
        }
        let converted = report.tables.iter().filter(|table| !table.converted.is_empty());
        let schemas = without_repeats(converted.map(|table| table.schema.clone()));
        // A server that doesn't say what the account may do refuses the plan itself.
        let not_altered = facts::schemas_without(&mut server.connect()?, "ALTER", &schemas).unwrap_or_default();
        Ok(Self { words, not_altered })
    }
}

/// Checks a server.
fn check_server(args: &PreflightArgs, options: &Options) -> Result<(Report, Client)> {
    let targets = args.connect.resolve_with_private_server(args.parallel)?;
    let [spec] = targets.specs.as_slice() else { bail!("preflight takes one server at a time") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    let scratch = apply::open_scratch(args, &targets.options, &server, &bar)?;
    let mut scope = args.scope();
    let tied = preflight::read_tied_schemas(&server, &args.schemas)?;
    scope.schemas.extend(tied.names);
    let mut facts = facts::read(&server, &scope, &facts::Limits::default(), &bar)?;
    facts.unseen.extend(tied.unseen);
    let options = &use_server_names(&facts, options)?;
    let definitions = read_definitions(&server, &facts)?;
    // A table without its definition can't be checked or planned for.
    for schema in &mut facts.schemas {
        schema.tables.retain(|table| definitions.find(Kind::Table, &table.schema, &table.name).is_some());
    }
    let trial = Trial::choose(args, spec, &targets.options, &server, &facts)?;
    trial.as_ref().map_or(Ok(()), |trial| trial.check(&bar))?;
    let read = args.read_options();
    let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> {
        Ok(Box::new(ServerRows::open(&server, &facts, &read)?))
    };
    let source = Source {
        label: server.label().to_owned(),
        facts: &facts,
        definitions: &definitions,
        open: &open,
        is_server: true,
    };
    let checkpoint = match &args.resume {
        Some(path) => Checkpoint::open(path, &checkpoint_identity(&server, args))?,
        None => Checkpoint::disabled(),
    };
    let watcher = watch::Watch::new();
    let mut report = preflight::run(&source, options, &checkpoint, &watcher)?;
    drop(watcher);
    if report.plan.is_some() {
        let Options { request, selection, .. } = options;
        let rehearsed =
            Rehearsed { facts: &facts, definitions: &definitions, request, selection, sample: args.sample() };
        trial::try_plan(args, trial.as_ref(), &server, &rehearsed, &mut report, &bar)?;
    }
    if let Some(scratch) = scratch {
        apply::apply(&scratch, &facts, &mut report, &bar)?;
    }
    let client = Client::find(&server, spec, &targets.options.login, &report)?;
    Ok((report, client))
}

/// Returns the options with the server's names of the targets: MySQL 5.7 has `utf8_bin` for
/// `utf8mb3_bin`. Refuses targets that the server doesn't have, and servers without a visible
/// schema.
fn use_server_names(facts: &Facts, options: &Options) -> Result<Options> {
    let mut options = options.clone();
    for target in &mut options.request.targets {
        let Some(found) = facts.server.collation(target) else {
            let names = facts.server.collations.iter().map(|collation| collation.name.as_str());
            let of_charset: Vec<&str> = collations_of(facts, target);
            if !of_charset.is_empty() {
                bail!(describe_charset(target, &format!(" on {}", facts.server.label), &of_charset, 1));
            }
            bail!("{} has no collation {target}; {}", facts.server.label, measure::suggest_names(target, names));
        };
        target.clone_from(&found.name);
    }
    if facts.schemas.is_empty() {
        return Err(anyhow!(
            "{} has no schema but system schemas and weigh's own, or none that this account can see: grant SELECT on one",
            facts.server.label
        ));
    }
    Ok(options)
}

/// Returns the collations of a character set, the default first. Empty if `name` is no character
/// set.
fn collations_of<'f>(facts: &'f Facts, name: &str) -> Vec<&'f str> {
    let Some(charset) = facts.server.charset(name) else { return Vec::new() };
    let is_of_charset = |collation: &&facts::CollationFact| collation.charset == charset.name;
    let mut collations: Vec<&facts::CollationFact> = facts.server.collations.iter().filter(is_of_charset).collect();
    collations.sort_by_key(|collation| collation.name != charset.default_collation);
    collations.into_iter().map(|collation| collation.name.as_str()).collect()
}

/// Identifies what a checkpoint belongs to: weigh's version, the server, and the options that
/// choose targets, columns, checks, rows and examples.
fn checkpoint_identity(server: &Server, args: &PreflightArgs) -> String {
    let what = (
        &args.to,
        &args.schemas,
        &args.tables,
        &args.columns,
        args.all_columns,
        &args.checks,
        &args.skip,
        args.examples(),
        (args.no_rows, args.without_key),
    );
    format!("weigh {} preflight of {} {}: {what:?}", env!("CARGO_PKG_VERSION"), server.endpoint(), server.version())
        .replace('\n', " ")
}

fn render(report: &Report, files: &PlanFiles, format: PreflightFormat) -> String {
    match format {
        PreflightFormat::Text => printed::text(report, files, output::style()),
        PreflightFormat::Json => printed::json(report),
        PreflightFormat::Csv => printed::csv(report),
        PreflightFormat::Markdown => printed::markdown(report),
        PreflightFormat::Html => printed::page(report),
        PreflightFormat::Sql => printed::plan_output(report),
        PreflightFormat::Sarif | PreflightFormat::Junit => String::new(),
    }
}
