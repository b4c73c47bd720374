//! Sampling servers: under the load of a run, under their own, or from samples that were taken elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use drive::{Load, Sharing};
use measure::{Observer, Probe, Run, Variant};
use server::{Server, interrupt};

use crate::error::Error;
use crate::model::{FORMAT, Profile, Profiles, SamplingInfo};
use crate::output;
use crate::own::OwnLoad;
use crate::perf::{self, Recorder, Sampling, Scope};
use crate::resolve;
use crate::script::Script;
use crate::summary::{self, SideThreads, Window};

/// Load at the start of a window in which its statements warm up; it is sampled and counted all the same.
const LEAD_IN: Duration = Duration::from_millis(20);

/// How long a side has the cores before it is another's turn, as in a duet that is measured.
const TURN: Duration = Duration::from_millis(10);

/// How often a sleep looks whether it should end.
const POLL: Duration = Duration::from_millis(50);

/// How long and how often to sample.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How samples are taken.
    pub sampling: Sampling,
    /// Windows that intervals are taken over.
    pub windows: usize,
    /// Length of a window, of each side.
    pub window: Duration,
}

/// Where profiles go: what was sampled, and the folder that flame graphs are put into.
#[derive(Debug)]
pub struct Profiler {
    plan: Plan,
    folder: PathBuf,
    /// One a condition.
    pub profiles: Vec<Profile>,
    /// Why a condition has none.
    pub failures: Vec<Error>,
}

impl Profiler {
    /// Samples by this plan, and writes into this folder, which need not be there yet.
    pub fn new(plan: Plan, folder: &Path) -> Self {
        Self { plan, folder: folder.to_owned(), profiles: Vec::new(), failures: Vec::new() }
    }

    /// What was sampled, and why the rest was not, each reason once.
    pub fn finish(self) -> Profiles {
        let mut failures: Vec<String> = self.failures.iter().map(ToString::to_string).collect();
        failures.dedup();
        Profiles { format: FORMAT.into(), profiles: self.profiles, failures }
    }

    /// Samples the loads of a condition in turns: they share every window, so that whatever else happens on the machine happens to all.
    fn sample(
        &self,
        run: &Run,
        condition: usize,
        loads: &[(usize, &Load)],
        observer: &dyn Observer,
    ) -> Result<Profile, Error> {
        let title = run.conditions[condition].to_string();
        observer.stage(&format!("{title}: sampling"));
        let by = perf::version()?;
        let sides = loads.iter().map(|&(variant, load)| side(run, variant, load)).collect::<Result<Vec<_>, _>>()?;
        let pids: BTreeSet<u32> = sides.iter().filter_map(|side| side.pid).collect();
        let scope = perf::scope(self.plan.sampling)?;
        let recorder = Recorder::start(&pids.into_iter().collect::<Vec<_>>(), self.plan.sampling, scope)?;
        let windows = self.windows(loads, observer)?;
        observer.stage(&format!("{title}: reading samples"));
        let script = recorder.stop()?;
        let wanted: Vec<String> = loads.iter().map(|&(variant, _)| run.variants[variant].collation.clone()).collect();
        let info = info(&by, self.plan.sampling, scope);
        let length = self.plan.window.as_secs_f64() * loads.len() as f64;
        let parts = Parts { title, sides: &sides, windows: &windows, wanted: &wanted };
        let mut profile = parts.profile(&script, info, &self.folder, &format!("{condition}-"))?;
        profile.condition = Some(condition);
        profile.window_s = Some(length);
        Ok(profile)
    }

    fn windows(&self, loads: &[(usize, &Load)], observer: &dyn Observer) -> Result<Vec<Window>, Error> {
        let loads: Vec<&Load> = loads.iter().map(|&(_, load)| load).collect();
        let length = self.plan.window * loads.len() as u32;
        let mut windows = Vec::new();
        for number in 0..self.plan.windows {
            if interrupt::interrupted() {
                return Err(Error::Interrupted);
            }
            observer.fraction(number as f64 / self.plan.windows as f64);
            let from_ns = now_ns();
            let tallies = drive::run_block(&loads, Sharing::Turns(TURN), LEAD_IN, length)?;
            let per_query = |tally: &drive::Tally| {
                Some(tally.server_cpu_ns? as f64 / 1e3 / tally.all_queries as f64).filter(|cpu| cpu.is_finite())
            };
            windows.push(Window { from_ns, to_ns: now_ns(), cpu_us: tallies.iter().map(per_query).collect() });
        }
        Ok(windows)
    }
}

impl Probe for Profiler {
    /// What keeps a condition from being sampled is noted; a load that fails ends the run, which knows best why.
    fn condition(
        &mut self,
        run: &Run,
        condition: usize,
        loads: &BTreeMap<usize, Load>,
        observer: &dyn Observer,
    ) -> Result<bool, measure::Error> {
        let own = loads.iter().filter(|(variant, _)| !run.variants[**variant].copy);
        let own: Vec<(usize, &Load)> = own.map(|(&variant, load)| (variant, load)).collect();
        match self.sample(run, condition, &own, observer) {
            Ok(profile) => {
                self.profiles.push(profile);
                Ok(true)
            }
            Err(Error::Load(error)) => Err(error.into()),
            Err(error) => {
                self.failures.push(error);
                Ok(false)
            }
        }
    }
}

/// Samples a server under whatever load it has. Nothing is written to it; with `server`, its status is read at each window's ends.
/// `announce` is told what will be watched, before it is.
pub fn attach(
    pid: u32,
    server: Option<&Server>,
    plan: Plan,
    folder: &Path,
    observer: &dyn Observer,
    announce: impl FnOnce(Scope),
) -> Result<Profile, Error> {
    let by = perf::version()?;
    let label = server.map_or_else(|| format!("process {pid}"), |server| server.label().to_owned());
    let mut own = OwnLoad::new(pid, server)?;
    perf::check_alive(&[pid])?;
    let scope = perf::scope(plan.sampling)?;
    announce(scope);
    let recorder = Recorder::start(&[pid], plan.sampling, scope)?;
    observer.stage(&format!("{label}: sampling"));
    let mut windows = Vec::new();
    for number in 0..plan.windows {
        observer.fraction(number as f64 / plan.windows as f64);
        let from_ns = now_ns();
        let before = own.read();
        pause(plan.window)?;
        let after = own.read();
        if !own.is_alive() {
            break;
        }
        let cpu_us = before.zip(after).and_then(|(before, after)| after.cpu_us_since(&before));
        windows.push(Window { from_ns, to_ns: now_ns(), cpu_us: vec![cpu_us] });
    }
    if windows.len() < 2 && windows.len() < plan.windows {
        return Err(Error::Gone { pid, windows: windows.len() });
    }
    observer.stage(&format!("{label}: reading samples"));
    let script = recorder.stop()?;
    let sides = [SideThreads { label: label.clone(), variant: None, pid: Some(pid), threads: None }];
    let info = info(&by, plan.sampling, scope);
    let parts = Parts { title: format!("{label}, under its own load"), sides: &sides, windows: &windows, wanted: &[] };
    let mut profile = parts.profile(&script, info, folder, "")?;
    profile.window_s = Some(plan.window.as_secs_f64());
    if !own.is_alive() {
        profile.notes.push(format!(
            "process {pid} ended while it was sampled; what is told is of the {} windows before",
            windows.len()
        ));
    }
    Ok(profile)
}

/// Reads samples that were taken elsewhere, as what one server did; of several processes, the one that is a server.
pub fn import(path: &Path, windows: usize, folder: &Path) -> Result<Profile, Error> {
    let script = perf::read_script(path)?;
    let label = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (Some(first), Some(last)) = (script.samples.first(), script.samples.last()) else {
        return Err(Error::NoSamples(path.display().to_string()));
    };
    let (first, last) = (first.time_ns.min(last.time_ns), first.time_ns.max(last.time_ns) + 1);
    let length = ((last - first) / windows as u64).max(1);
    let begin = |number: usize| first + length * number as u64;
    let windows: Vec<Window> = (0..windows)
        .map(|number| Window {
            from_ns: begin(number),
            to_ns: if number + 1 == windows { last } else { begin(number + 1) },
            cpu_us: vec![None],
        })
        .collect();
    let sides = [SideThreads { label: label.clone(), variant: None, pid: server_process(&script), threads: None }];
    let info =
        SamplingInfo { by: format!("another perf, read from {label}"), frequency: None, call_graph: None, scope: None };
    let mut profile =
        Parts { title: label, sides: &sides, windows: &windows, wanted: &[] }.profile(&script, info, folder, "")?;
    let unnamed = script.mappings.is_empty();
    if unnamed {
        let note = "the file has no mappings, so functions are named as perf named them; `perf script --show-mmap-events` writes them";
        profile.notes.push(note.into());
    }
    Ok(profile)
}

/// The process that has mapped a server's program, where only one has.
fn server_process(script: &Script) -> Option<u32> {
    let is_server = |module: &str| module.ends_with("/mysqld") || module.ends_with("/mariadbd");
    let pids: BTreeSet<u32> =
        script.mappings.iter().filter(|mapping| is_server(&mapping.module)).map(|mapping| mapping.pid).collect();
    pids.first().copied().filter(|_| pids.len() == 1)
}

/// What a profile is made from, beside the samples.
struct Parts<'a> {
    title: String,
    sides: &'a [SideThreads],
    windows: &'a [Window],
    wanted: &'a [String],
}

impl Parts<'_> {
    fn profile(&self, script: &Script, sampling: SamplingInfo, folder: &Path, prefix: &str) -> Result<Profile, Error> {
        let resolved = resolve::resolve(script, self.wanted);
        let sorted = summary::sort(&resolved, self.sides, self.windows);
        let mut profile = Profile {
            title: self.title.clone(),
            condition: None,
            sampling,
            windows: self.windows.len(),
            window_s: None,
            sides: self.sides.iter().zip(&sorted).map(|(side, sorted)| summary::profile(side, sorted)).collect(),
            differences: (1..sorted.len())
                .map(|index| summary::difference(index, &sorted[0], &sorted[index]))
                .collect(),
            notes: Vec::new(),
        };
        if let Some(silent) = profile.sides.iter().find(|side| side.samples == 0) {
            return Err(Error::NoSamples(format!("{}: {}", self.title, silent.label)));
        }
        output::graphs(&mut profile, &resolved, &sorted, folder, prefix)?;
        Ok(profile)
    }
}

fn info(by: &str, sampling: Sampling, scope: Scope) -> SamplingInfo {
    SamplingInfo {
        by: format!("perf {by}"),
        frequency: Some(sampling.frequency),
        call_graph: Some(sampling.call_graph.to_string()),
        scope: Some(scope.to_string()),
    }
}

fn side(run: &Run, variant: usize, load: &Load) -> Result<SideThreads, Error> {
    let target = load.target();
    let pid = target.pid.ok_or_else(|| Error::Elsewhere(target.server.clone()))?;
    let threads = load.server_threads().ok_or_else(|| Error::NoThreads(target.server.clone()))?;
    Ok(SideThreads {
        label: label(run, &run.variants[variant]),
        variant: Some(variant),
        pid: Some(pid),
        threads: Some(threads.iter().copied().collect()),
    })
}

/// The collation, and what else tells this variant apart from the others.
fn label(run: &Run, variant: &Variant) -> String {
    let mut label = variant.collation.clone();
    if variant.connection_charset != variant.charset {
        label += &format!(" (connection {})", variant.connection_charset);
    }
    if run.servers.len() > 1 {
        label += &format!(" on {}", run.servers[variant.server].label);
    }
    label
}

/// The clock that samples carry.
fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn pause(length: Duration) -> Result<(), Error> {
    let end = Instant::now() + length;
    while Instant::now() < end {
        if interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
        thread::sleep(POLL.min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}
