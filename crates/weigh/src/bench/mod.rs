//! `weigh bench`.

pub mod announce;
pub mod args;
pub mod live;
pub mod opening;
pub mod resolve;
mod selftest;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use measure::{Analysis, Driver, Folder, Outcome, PairKind, Probe};
use profile::perf::{CallGraph, Sampling};
use profile::{Plan, Profiler, Profiles};
use report::{Report, Style};
use server::Tool;

pub use args::BenchArgs;
use live::Live;
use opening::{Opening, open, openings, tell_footprint};
pub use resolve::Bench;

use crate::bar::Bar;
use crate::output::{self, Format};
use crate::report::write_page;
use crate::{folder, results, resume};

/// Runs `weigh bench`.
pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    if args.list_workloads {
        output::print(&announce::workloads())?;
        return Ok(ExitCode::SUCCESS);
    }
    let bench = resolve::resolve(args)?;
    let mut targets = args.connect.resolve(bench.request.most_connections())?;
    if args.level {
        targets.options.settings.splice(0..0, opening::level());
    }
    targets.options.direct_io = bench.request.buffer_pool.is_some();
    run_on(&bench, &openings(targets))
}

/// How `--profile` samples: five seconds of each variant.
const PROFILE: Plan = Plan {
    sampling: Sampling { frequency: 499, call_graph: CallGraph::FramePointers },
    windows: 10,
    window: Duration::from_millis(500),
};

/// Measures what was resolved on these servers, or says what would be measured.
pub fn run_on(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    match bench.rounds {
        Some(rounds) => selftest::run(bench, openings, rounds),
        None if bench.dry_run => dry_run(bench, openings),
        None => measure(bench, openings),
    }
}

fn dry_run(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    let servers = open(openings, &Live::new(&bench.request))?;
    let preview = measure::preview(&bench.request, &servers)?;
    output::print(&announce::dry_run(&bench.request, &preview, &servers))?;
    Ok(ExitCode::SUCCESS)
}

fn measure(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    if bench.request.driver == Driver::Sysbench {
        Tool::Sysbench.find_or_install(&Bar::new()).map_err(|error| {
            anyhow!("there is no sysbench on the PATH; install it, or leave out --driver sysbench ({error})")
        })?;
    }
    if bench.profile {
        // What it fails for stands in the report, beside what was measured.
        let _ = profile::perf::install(&Bar::new());
    }
    // Before the servers: a folder that can't be had is told at once. It goes again where nothing is measured.
    let folder = results_folder(bench)?;
    let out = folder.path().to_owned();
    let request = folder::resumed(bench.folder.as_ref(), &bench.request, folder.resumed());
    let live = Live::new(&request);
    let mut servers = open(openings, &live)?;
    resume::refuse_changes(&request, &servers, &folder)?;
    resume::tell_begin(&folder);
    tell_footprint(&request, &servers)?;
    let request = folder::compared(bench.folder.as_ref(), &request, &servers, &live)?;
    let sampled = if bench.resume.is_some() { sampled_before(&folder)? } else { None };
    let samples = bench.profile && sampled.is_none();
    let mut profiler = samples.then(|| Profiler::new(PROFILE, &out.join(profile::output::FOLDER)));
    let probe = profiler.as_mut().map(|profiler| profiler as &mut dyn Probe);
    let outcome = measure::run(&request, &mut servers, folder, env!("CARGO_PKG_VERSION"), &live, probe);
    live.end();
    drop(servers);
    let profiles = profiler.map(Profiler::finish).or(sampled);
    finish(bench, outcome, profiles, &out)
}

/// The folder of the run: that of the one to go on with, or a new one, in which stands what is asked for.
fn results_folder(bench: &Bench) -> Result<Folder> {
    if let Some(resumed) = &bench.resume {
        return Ok(Folder::resume(resumed)?);
    }
    let folder = results::folder(bench.out.as_deref())?;
    measure::prepare(&bench.request, &folder, env!("CARGO_PKG_VERSION"))?;
    Ok(folder)
}

/// The profiles of a run that goes on, where all were taken: they are of its first replicate.
fn sampled_before(folder: &Folder) -> Result<Option<Profiles>> {
    let is_whole = folder.resumed().and_then(|run| run.progress).is_some_and(|progress| progress.replicates > 0);
    Ok(if is_whole { profile::output::read(folder.path())? } else { None })
}

/// Prints what was measured, also of a run that ended early.
fn finish(bench: &Bench, outcome: Outcome, profiles: Option<Profiles>, out: &Path) -> Result<ExitCode> {
    let Outcome { run, failure, blocks } = outcome;
    let time = bench.request.max_time.as_secs_f64();
    if blocks == 0 {
        failure.map_or(Ok(()), Err)?;
        bail!("not one block of load fitted into {time} s; give it more by --max-time");
    }
    let (_, blocks) = measure::read(out)?;
    let analysis = measure::analyse(&run, &blocks);
    let compared = has_comparison(&analysis);
    if let Some(profiles) = &profiles
        && let Err(error) = profile::output::write(&out.join(profile::output::FOLDER), profiles)
    {
        output::tell(&error.to_string());
    }
    let report = Report::new(run, analysis).with_profiles(profiles);
    let printed = output::print(&render(&report, bench.format));
    tell_results(out, &report, if failure.is_some() { " until then" } else { "" });
    if failure.is_some() {
        resume::tell_way(out, &report.run);
    }
    failure.map_or(Ok(()), Err)?;
    printed?;
    if !compared {
        bail!("no comparison could be made in {time} s; give it more by --max-time, or ask for less");
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a run into its folder, and says where both are.
pub fn tell_results(out: &Path, report: &Report, until_then: &str) {
    let page = write_page(out, report);
    output::tell(&format!("\nresults{until_then}: {}", out.display()));
    match &page {
        Ok(page) => output::tell(&format!("page: {}", page.display())),
        Err(error) => output::tell(&format!("{error}; `weigh report {}` tries again", out.display())),
    }
}

/// Whether a variant was held against its baseline; where there is nothing but a baseline, whether that was against its copy.
fn has_comparison(analysis: &Analysis) -> bool {
    let all = || analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let only_copies = all().all(|comparison| comparison.kind == PairKind::AA);
    all().any(|comparison| comparison.is_measured() && (only_copies || comparison.kind != PairKind::AA))
}

/// A report in one of the forms that options name.
pub fn render(report: &Report, format: Format) -> String {
    match format {
        Format::Text => report::text(report, Style { color: output::color() }),
        Format::Json => report::json(report),
        Format::Csv => report::csv([report]),
        Format::Markdown => report::markdown(report),
    }
}
