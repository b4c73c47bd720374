//! `weigh profile`: shows where a server's CPU goes.

mod args;
mod resolve;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use files::{Access, HeldFolder};
use profile::perf::{CallGraph, Scope};
use profile::{FORMAT, Plan, Profile, Profiler, Profiles};
use progress::Bar;

pub use args::{DEFAULT_TABLE_SIZE, ProfileArgs};

use crate::commands::bench::live::Live;
use crate::commands::bench::opening::{open_servers, print_footprint, resolve_openings};
use crate::options::workload_folder;
use crate::output::{self, Format};
use crate::results;

pub fn run(args: &ProfileArgs) -> Result<ExitCode> {
    let plan = resolve::resolve_plan(args);
    match (&args.perf_script, args.pid) {
        (Some(script), _) => finish(args, |folder| Ok(profile::import(script, resolve::WINDOWS, folder)?)),
        (None, Some(pid)) => finish(args, |folder| {
            sample_with_progress(|live| {
                profile::attach(pid, None, plan, folder, live, |scope| print_cost(pid, plan, scope))
            })
        }),
        (None, None) if args.no_load => sample_own_load(args, plan),
        (None, None) => sample_under_load(args, plan),
    }
}

/// Samples a running server under its own load.
fn sample_own_load(args: &ProfileArgs, plan: Plan) -> Result<ExitCode> {
    let targets = args.connect.resolve(1)?;
    let [spec] = &targets.specs[..] else { bail!("--no-load samples one server at a time; name one by --server") };
    if !spec.is_running() {
        bail!(
            "--no-load is for a server that runs already, and {spec} would be started for this; name one by a URL, a DSN or --socket, or leave --no-load out"
        );
    }
    finish(args, |folder| {
        sample_with_progress(|live| {
            let server = server::open(spec, &targets.options, live)?;
            let pid = server.pid().ok_or_else(|| profile::Error::Elsewhere(server.label().into()))?;
            profile::attach(pid, Some(&server), plan, folder, live, |scope| print_cost(pid, plan, scope))
        })
    })
}

fn sample_with_progress(sample: impl FnOnce(&Live<'_>) -> Result<Profile, profile::Error>) -> Result<Profile> {
    profile::perf::install(&Bar::new())?;
    let live = Live::without_pairs();
    let profile = sample(&live);
    live.end();
    Ok(profile?)
}

/// Prints what sampling costs the server, before it begins.
fn print_cost(pid: u32, plan: Plan, scope: Scope) {
    let seconds = (plan.window * plan.windows as u32).as_secs_f64();
    let frequency = plan.sampling.frequency;
    let (watched, cost) = match scope {
        Scope::Cores => ("all cores", "a few percent of its throughput"),
        Scope::Threads => {
            ("each of its threads", "up to a third of its throughput, because every switch of a thread costs")
        }
    };
    output::print_note(&format!(
        "Sampling process {pid} for {seconds} s, {watched}, {frequency} times per second of CPU time. A load of short statements loses \
         {cost} (docs/reference/profile.md)."
    ));
    if scope == Scope::Threads && plan.sampling.call_graph == CallGraph::FramePointers {
        output::print_note(
            "As root, with CAP_PERFMON, or with kernel.perf_event_paranoid at 0 or less it would cost far less.",
        );
    }
}

fn finish(args: &ProfileArgs, sample: impl FnOnce(&HeldFolder) -> Result<Profile>) -> Result<ExitCode> {
    let out = results::open_folder(args.out.as_deref(), Access::OwnerOnly)?;
    if out.has(profile::output::FOLDER) {
        bail!("{} already holds a profile; name another folder by --out", out.path().display());
    }
    let profile = sample(&out)?;
    print_profiles(args, &out, Profiles { format: FORMAT.into(), profiles: vec![profile], failures: Vec::new() })
}

fn sample_under_load(args: &ProfileArgs, plan: Plan) -> Result<ExitCode> {
    // A missing perf is reported before rows are loaded.
    profile::perf::install(&Bar::new())?;
    profile::perf::version()?;
    let own = args.folder.resolve(&args.load, args.against.as_deref(), args.trust)?;
    let request = resolve::resolve_request(args, own.as_ref())?;
    let targets = args.connect.resolve(request.max_connections())?;
    let folder = results::create_folder(args.out.as_deref(), request.access())?;
    let out = folder.folder();
    let live = Live::new(&request);
    let mut servers = open_servers(&resolve_openings(targets), &live)?;
    workload_folder::refuse_servers(own.as_ref(), &servers)?;
    print_footprint(&request, &servers)?;
    let request = workload_folder::diff_results(own.as_ref(), &request, &servers, &live)?;
    let mut profiler = Profiler::new(plan, Arc::clone(&out));
    let outcome = measure::run(&request, &mut servers, folder, env!("CARGO_PKG_VERSION"), &live, Some(&mut profiler));
    live.end();
    drop(servers);
    if profiler.profiles.is_empty() {
        // The failure of the run says more than the failure to sample.
        outcome.failure.map_or(Ok(()), Err)?;
        profiler.failures.drain(..).next().map_or(Ok(()), Err)?;
        bail!("nothing was sampled");
    }
    let mut profiles = profiler.finish();
    if let (Some(folder), Some(first)) = (&request.workload_folder, profiles.profiles.first_mut()) {
        first.notes.extend(report::result_diff::left_out_lines(&folder.left_out()));
    }
    let failed = !profiles.failures.is_empty();
    let code = print_profiles(args, &out, profiles)?;
    outcome.failure.map_or(Ok(()), Err)?;
    Ok(if failed { ExitCode::from(2) } else { code })
}

fn print_profiles(args: &ProfileArgs, out: &HeldFolder, profiles: Profiles) -> Result<ExitCode> {
    let folder = out.path().join(profile::output::FOLDER);
    profile::output::write(out, &profiles)?;
    output::print(&match args.format {
        Format::Text => report::profile_text(&profiles, args.all, output::style()),
        Format::Json => report::profile_json(&profiles),
        Format::Csv => report::profile_csv(&profiles),
        Format::Markdown => report::profile_markdown(&profiles),
    })?;
    let sides =
        profiles.profiles.iter().flat_map(|profile| &profile.sides).filter_map(|side| side.flame_graph.as_ref());
    let differences = profiles.profiles.iter().flat_map(|profile| &profile.differences);
    let graphs = sides.chain(differences.filter_map(|difference| difference.flame_graph.as_ref()));
    let graphs: Vec<(String, String)> =
        graphs.filter_map(|name| Some((name.clone(), std::fs::read_to_string(folder.join(name)).ok()?))).collect();
    let page = results::write(out, "profile.html", report::profile_page(&profiles, &graphs), Access::OwnerOnly)?;
    output::print_note(&format!("\nresults: {}\npage, with flame graphs: {}", out.path().display(), page.display()));
    Ok(if report::profiles_say_nothing(&profiles) { ExitCode::from(2) } else { ExitCode::SUCCESS })
}
