//! `weigh bench`.

mod args;
mod live;
mod resolve;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use measure::{Folder, Outcome, Run};
use report::{Report, Style};
use server::Server;

pub use args::BenchArgs;
use live::Live;
use resolve::Bench;

use crate::output::{self, Format};

/// Runs `weigh bench`.
pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    if args.list_workloads {
        list_workloads();
        return Ok(ExitCode::SUCCESS);
    }
    let bench = resolve::resolve(args)?;
    let targets = args.connect.resolve(bench.request.most_connections())?;
    let live = Live::new();
    let servers = targets
        .specs
        .iter()
        .map(|spec| server::open(spec, &targets.options, &live))
        .collect::<Result<Vec<Server>, _>>()?;
    live.end();
    announce(&bench, &servers);
    if bench.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let out = bench.out.clone().unwrap_or_else(default_folder);
    let folder = Folder::create(&out)?;
    let outcome = measure::run(&bench.request, &servers, folder, env!("CARGO_PKG_VERSION"), &live);
    live.end();
    drop(servers);
    finish(&bench, outcome, &out)
}

fn list_workloads() {
    for kind in workload::Kind::ALL {
        println!("{:<24}{}", kind.name(), kind.description());
    }
}

fn default_folder() -> PathBuf {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    PathBuf::from("weigh-results").join(now)
}

/// Says, before anything is created, what will be created on servers that are not `weigh`'s own.
fn announce(bench: &Bench, servers: &[Server]) {
    let request = &bench.request;
    for server in servers {
        let origin = if server.is_private() { "private instance" } else { "attached" };
        eprintln!("{}: {} {}, {origin}", server.label(), server.flavour(), server.version());
    }
    let attached: Vec<&str> = servers.iter().filter(|server| !server.is_private()).map(Server::label).collect();
    if !attached.is_empty() || bench.dry_run {
        let place = if attached.is_empty() { "the private instance".into() } else { attached.join(" and ") };
        let tables = workload::tables(&request.workloads, &request.rows).len();
        eprintln!(
            "On {place} this creates, for each collation and once more for the baseline, a schema weigh_… of {tables} table(s) × {} rows, \
             and drops it at the end. Nothing else is touched.",
            request.rows.table_size
        );
    }
    if bench.dry_run {
        let names: Vec<String> = request.workloads.iter().map(ToString::to_string).collect();
        eprintln!("Measures {} for at most {} s.", names.join(", "), request.max_time.as_secs());
    }
}

fn finish(bench: &Bench, outcome: Outcome, out: &std::path::Path) -> Result<ExitCode> {
    let Outcome { run, failure } = outcome;
    let any = print(bench, run, out)?;
    eprintln!("\nresults: {}", out.display());
    match failure {
        None => Ok(ExitCode::SUCCESS),
        Some(failure) if any => Err(failure).context("the run ended early; what was measured until then is above"),
        Some(failure) => Err(failure.into()),
    }
}

/// Prints the report; says whether it had anything in it.
fn print(bench: &Bench, run: Run, out: &std::path::Path) -> Result<bool> {
    let (_, blocks) = measure::read(out)?;
    if !blocks.iter().any(|block| !block.warm_up) {
        return Ok(false);
    }
    let analysis = measure::analyse(&run, &blocks);
    let report = Report::new(run, analysis);
    let text = match bench.format {
        Format::Text => report::text(&report, Style { color: output::color() }),
        Format::Json => report::json(&report),
        Format::Csv => report::csv(&report),
        Format::Markdown => report::markdown(&report),
    };
    output::print(&text)?;
    Ok(true)
}
