//! `weigh preflight`: what a conversion breaks, and the statements that convert.

mod args;
mod costs;
mod files;
mod trial;
mod watch;

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use facts::Facts;
use preflight::{Checkpoint, Options, Report, RowSource, ServerRows, Source, creates, program_sources};
use report::{Style, preflight as printed};
use server::Server;

use crate::bar::Bar;
use crate::output;
pub use args::PreflightArgs;
use args::PreflightFormat;

/// Runs `weigh preflight`.
pub fn run(args: &PreflightArgs) -> Result<ExitCode> {
    if args.list {
        output::print(&args::listing())?;
        return Ok(ExitCode::SUCCESS);
    }
    let measured = costs::read(&args.costs)?;
    let request = args.request()?;
    let options = args.options(request)?;
    let mut report = if args.is_offline() { files::report(args, &options)? } else { on_server(args, &options)? };
    costs::add(&measured, &mut report);
    output::print(&render(&report, args.format))?;
    Ok(if report.has_findings() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn on_server(args: &PreflightArgs, options: &Options) -> Result<Report> {
    let targets = args.connect.resolve(args.parallel)?;
    let [spec] = targets.specs.as_slice() else { bail!("preflight takes one server at a time") };
    let bar = Bar::new();
    let server = server::open(spec, &targets.options, &bar)?;
    let mut facts = facts::read(&server, &args.scope(), &facts::Limits::default(), &bar)?;
    known(&facts, options)?;
    let (creates, mut unseen) = creates(&server, &facts)?;
    // Without its definition a table can be neither judged nor planned for.
    for schema in &mut facts.schemas {
        schema.tables.retain(|table| creates.contains_key(&(table.schema.clone(), table.name.clone())));
    }
    let (programs, unseen_programs) = program_sources(&server, &facts, &options.request.targets[0])?;
    unseen.extend(unseen_programs);
    let read = args.read_options();
    let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> {
        Ok(Box::new(ServerRows::open(&server, &facts, &read)?))
    };
    let source = Source {
        label: server.label().to_owned(),
        facts: &facts,
        creates: &creates,
        programs: &programs,
        open: &open,
        is_server: true,
    };
    let checkpoint = match &args.resume {
        Some(path) => Checkpoint::open(path, &run_name(&server, args))?,
        None => Checkpoint::none(),
    };
    let watcher = watch::Watch::new();
    let mut report = preflight::preflight(&source, options, &checkpoint, &watcher)?;
    drop(watcher);
    report.unchecked.extend(unseen);
    if let Some(plan) = &mut report.plan {
        trial::algorithms(args, spec, &targets.options, &server, &facts, &creates, plan, &bar)?;
    }
    Ok(report)
}

/// Refuses targets that the server lacks.
fn known(facts: &Facts, options: &Options) -> Result<()> {
    for target in &options.request.targets {
        if facts.server.collation(target).is_none() {
            let names = facts.server.collations.iter().map(|collation| collation.name.as_str());
            bail!("{} has no collation {target}; {}", facts.server.label, measure::nearest(target, names));
        }
    }
    if facts.schemas.is_empty() {
        return Err(anyhow!(
            "{} has no schema that this account can see; name one by --schema, or grant SELECT on it",
            facts.server.label
        ));
    }
    Ok(())
}

/// What a checkpoint is of.
fn run_name(server: &Server, args: &PreflightArgs) -> String {
    let what = (
        &args.to,
        &args.schemas,
        &args.tables,
        &args.columns,
        args.all_columns,
        &args.checks,
        &args.skip,
        args.examples,
    );
    format!("weigh {} preflight of {} {}: {what:?}", env!("CARGO_PKG_VERSION"), server.endpoint(), server.version())
        .replace('\n', " ")
}

fn render(report: &Report, format: PreflightFormat) -> String {
    match format {
        PreflightFormat::Text => printed::text(report, Style { color: output::color() }),
        PreflightFormat::Json => printed::json(report),
        PreflightFormat::Csv => printed::csv(report),
        PreflightFormat::Markdown => printed::markdown(report),
        PreflightFormat::Html => printed::page(report),
    }
}
