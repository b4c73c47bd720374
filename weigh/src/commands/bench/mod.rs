//! `weigh bench`: measures what charsets and collations cost.

pub mod announce;
pub mod args;
pub mod live;
mod next;
pub mod opening;
pub mod resolve;
mod selftest;
mod unopened;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use fetch::Tool;
use files::HeldFolder;
use measure::{Analysis, Driver, Outcome, PairKind, Preview, Probe, Request, RunFolder};
use profile::perf::{CallGraph, Sampling};
use profile::{Plan, Profiler, Profiles};
use progress::Bar;
use report::Report;

pub use args::BenchArgs;
use live::Live;
use opening::{Opening, open_servers, print_footprint, resolve_openings};
pub use resolve::Bench;

use crate::commands::report::write_page;
use crate::options::workload_folder;
use crate::output::{self, Format};
use crate::{results, resume};

pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    if args.list_workloads {
        output::print_list(&announce::list_workloads())?;
        return Ok(ExitCode::SUCCESS);
    }
    let bench = resolve::resolve(args)?;
    let mut targets = args.connect.resolve(bench.request.max_connections())?;
    if args.level {
        targets.options.settings.splice(0..0, opening::level_settings());
    }
    targets.options.direct_io = bench.request.buffer_pool.is_some();
    run_on(&bench, &resolve_openings(targets))
}

/// Sampling of `--profile`: five seconds of each variant.
const PROFILE_PLAN: Plan = Plan {
    sampling: Sampling { frequency: 499, call_graph: CallGraph::FramePointers },
    windows: 10,
    window: Duration::from_millis(500),
};

/// Runs the self-test, a dry run or a measurement, as `bench` says.
pub fn run_on(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    match bench.rounds {
        Some(rounds) => selftest::run(bench, openings, rounds),
        None if bench.dry_run => dry_run(bench, openings),
        None => measure(bench, openings),
    }
}

/// Describes a run. Connects to servers that run already, and starts none.
fn dry_run(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    let mut known = Vec::new();
    let mut planned = Vec::new();
    let mut attached = None;
    for opening in openings {
        let (facts, server) = if opening.spec.is_running() {
            let [server] = &open_servers(std::slice::from_ref(opening), &Live::new(&bench.request))?[..] else {
                bail!("one server is opened at a time");
            };
            attached.get_or_insert_with(|| server.label().to_owned());
            let facts = measure::read_server_collations(std::slice::from_ref(server))?;
            (facts, format!("{} {}, attached", server.flavour(), server.version()))
        } else {
            let Some(unopened) = unopened::look_up(&opening.spec)? else {
                bail!(
                    "{}: its version, and so its collations, are known only when it runs, and --dry-run starts nothing; name \
                     a catalogue name or an image with a version, or leave out --dry-run",
                    opening.spec
                );
            };
            (vec![unopened.collations], format!("{}; a private instance", unopened.state))
        };
        let suffix = opening.label_suffix.as_ref().map(|suffix| format!(" ({suffix})")).unwrap_or_default();
        planned.extend(facts.iter().map(|facts| announce::PlannedServer {
            label: format!("{}{suffix}", facts.label),
            description: server.clone(),
        }));
        known.extend(facts);
    }
    let preview = measure::preview_collations(&bench.request, &known, attached.as_deref())?;
    output::print(&announce::describe_dry_run(&bench.request, &preview, &planned))?;
    refuse_less(bench, &preview)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a run whose time does not suffice for an interval of every pair, before a server is
/// installed or started. Does nothing if the collations of a server are known only once it runs.
fn refuse_short_time(bench: &Bench, openings: &[Opening]) -> Result<()> {
    let known = openings.iter().map(|opening| unopened::look_up(&opening.spec)).collect::<Result<Option<Vec<_>>>>()?;
    let Some(known) = known else { return Ok(()) };
    let facts: Vec<_> = known.into_iter().map(|unopened| unopened.collations).collect();
    // Other faults of the request are reported by the run itself.
    measure::preview_collations(&bench.request, &facts, None).map_or(Ok(()), |preview| refuse_less(bench, &preview))
}

fn refuse_less(bench: &Bench, preview: &Preview) -> Result<()> {
    let (least, given) = (preview.least_time, bench.request.max_time);
    if given >= least {
        return Ok(());
    }
    let least_request = Request { max_time: least, ..bench.request.clone() };
    bail!(
        "--max-time {} s is too short: {} under {} take {:.0} s of load at least, and {} in all with starts and loads of \
         rows; raise it, or name fewer --collation or --workload, or a shorter --block",
        given.as_secs_f64(),
        message::count_noun(bench.request.workload_count() as u64, "workload"),
        message::count_noun(preview.variants.iter().filter(|variant| !variant.copy).count() as u64, "collation"),
        least.as_secs_f64().ceil(),
        announce::describe_range(&least_request, preview)
    )
}

fn measure(bench: &Bench, openings: &[Opening]) -> Result<ExitCode> {
    if bench.request.driver == Driver::Sysbench {
        Tool::Sysbench.find_or_install(&Bar::new()).map_err(|error| {
            anyhow!("there is no sysbench on the PATH; install it, or leave out --driver sysbench ({error})")
        })?;
    }
    if bench.profile {
        // A failure to install perf is written into the report.
        let _ = profile::perf::install(&Bar::new());
    }
    if bench.resume.is_none() {
        refuse_short_time(bench, openings)?;
    }
    // Created before the servers start, so that a failure is reported at once. `measure::run`
    // removes the folder if nothing is measured.
    let folder = open_results_folder(bench)?;
    let out = folder.folder();
    let request = workload_folder::restore_result_diff(bench.folder.as_ref(), &bench.request, folder.unfinished_run());
    let live = Live::new(&request);
    let mut servers = open_servers(openings, &live)?;
    resume::refuse_changes(&request, &servers, &folder)?;
    resume::print_resume_point(&folder);
    workload_folder::refuse_servers(bench.folder.as_ref(), &servers)?;
    if bench.resume.is_none() {
        // For servers that are known only once they are open. No rows are loaded yet.
        let preview = measure::preview(&request, &servers)?;
        refuse_less(bench, &preview)?;
        live.expect(format!("{} in all", announce::describe_range(&request, &preview)));
    }
    print_footprint(&request, &servers)?;
    let request = workload_folder::diff_results(bench.folder.as_ref(), &request, &servers, &live)?;
    let earlier = if bench.resume.is_some() { read_complete_profiles(&folder)? } else { None };
    let samples = bench.profile && earlier.is_none();
    let mut profiler = samples.then(|| Profiler::new(PROFILE_PLAN, Arc::clone(&out)));
    let probe = profiler.as_mut().map(|profiler| profiler as &mut dyn Probe);
    let outcome = measure::run(&request, &mut servers, folder, env!("CARGO_PKG_VERSION"), &live, probe);
    live.end();
    drop(servers);
    let profiles = profiler.map(Profiler::finish).or(earlier);
    finish(bench, openings, outcome, profiles, &out)
}

/// Opens the folder of the resumed run, or creates one and writes the request into it.
fn open_results_folder(bench: &Bench) -> Result<RunFolder> {
    if let Some(resumed) = &bench.resume {
        return Ok(RunFolder::resume(resumed)?);
    }
    let folder = results::create_folder(bench.out.as_deref(), bench.request.access())?;
    measure::prepare(&bench.request, &folder, env!("CARGO_PKG_VERSION"))?;
    Ok(folder)
}

/// Reads the profiles of a resumed run. `None` unless its first replicate, which is the profiled
/// one, is complete.
fn read_complete_profiles(folder: &RunFolder) -> Result<Option<Profiles>> {
    let is_complete =
        folder.unfinished_run().and_then(|run| run.progress).is_some_and(|progress| progress.replicates > 0);
    Ok(if is_complete { profile::output::read(folder.path())? } else { None })
}

/// Prints the results, also of a run that ended early.
fn finish(
    bench: &Bench,
    openings: &[Opening],
    outcome: Outcome,
    profiles: Option<Profiles>,
    out: &HeldFolder,
) -> Result<ExitCode> {
    let Outcome { run, failure, blocks } = outcome;
    let time = bench.request.max_time.as_secs_f64();
    if blocks == 0 {
        failure.map_or(Ok(()), Err)?;
        bail!("no block of load fitted into {time} s; raise --max-time");
    }
    let blocks = match measure::read_run(out.path()) {
        Ok((_, blocks)) => blocks,
        // The folder was removed, which the failure says.
        Err(error) => return Err(failure.map_or_else(|| error.into(), Into::into)),
    };
    let analysis = measure::analyse(&run, &blocks);
    let compared = has_comparison(&analysis);
    if let Some(profiles) = &profiles
        && let Err(error) = profile::output::write(out, profiles)
    {
        output::print_message(&error.to_string());
    }
    let report = Report::new(run, analysis).with_profiles(profiles);
    let printed = output::print(&render(&report, bench.format));
    print_results(out, &report, if failure.is_some() { " until then" } else { "" });
    match next::profile_command(bench, openings, &report) {
        _ if failure.is_some() => resume::print_resume_command(out.path(), &report.run),
        Some(command) if report.profiles.is_none() => {
            output::print_note(&format!("next: where the CPU goes: {command}"));
        }
        _ => {}
    }
    failure.map_or(Ok(()), Err)?;
    printed?;
    if !compared {
        bail!("no comparison could be made in {time} s; raise --max-time, or measure less");
    }
    if let Some(reason) = report.cannot_tell() {
        // The text has the reason already.
        if bench.format != Format::Text {
            output::print_message(&format!("weigh: {reason}"));
        }
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a run's page into its folder, and prints the paths of both.
pub fn print_results(out: &HeldFolder, report: &Report, until_then: &str) {
    let page = write_page(out, report);
    let out = out.path();
    let command = escape::Command::new("weigh report").words([out.to_string_lossy()]);
    output::print_note(&format!("\nresults{until_then}: {}", out.display()));
    match &page {
        Ok(page) => {
            let figures = command.option("format", "text");
            output::print_note(&format!("page: {}\nall figures: {figures}", page.display()));
        }
        Err(error) => output::print_message(&format!("{error}; `{command}` tries again")),
    }
}

/// Returns `true` if any variant was compared with its baseline. A run of nothing but a baseline
/// needs its A/A pair only.
fn has_comparison(analysis: &Analysis) -> bool {
    let all = || analysis.conditions.iter().flat_map(|condition| &condition.comparisons);
    let only_copies = all().all(|comparison| comparison.kind == PairKind::AA);
    all().any(|comparison| comparison.is_measured() && (only_copies || comparison.kind != PairKind::AA))
}

pub fn render(report: &Report, format: Format) -> String {
    match format {
        Format::Text => report::text(report, output::style()),
        Format::Json => report::json(report),
        Format::Csv => report::csv([report]),
        Format::Markdown => report::markdown(report),
    }
}
