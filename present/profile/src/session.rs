//! Samples servers under the load of a run or under their own load, and imports samples that were
//! taken elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use files::HeldFolder;
use lifecycle::interrupt;
use load::{Load, Sharing, WorkMeter};
use measure::{Incomparability, Observer, Probe, Run, Variant};
use server::Server;

use crate::activity::ServerActivity;
use crate::error::Error;
use crate::model::{FORMAT, Profile, Profiles, SamplingInfo};
use crate::output;
use crate::perf::{self, Recorder, Sampling, Scope};
use crate::resolve;
use crate::script::Script;
use crate::summary::{self, SideThreads, Window};

/// Warm-up at the start of a window. Samples of the warm-up count, too.
const WARM_UP: Duration = Duration::from_millis(20);

/// Length of a side's turn on the cores, as in a measured duet.
const TURN: Duration = Duration::from_millis(10);

/// Interval at which waiting checks for a signal.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

/// Status counters per statement, by name.
type Work = BTreeMap<String, f64>;

/// Settings and duration of sampling.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub sampling: Sampling,
    /// Number of windows that intervals are computed over.
    pub windows: usize,
    /// Length of a window, per side.
    pub window: Duration,
}

/// Samples each condition of a run, and writes flame graphs into its folder.
#[derive(Debug)]
pub struct Profiler {
    plan: Plan,
    /// The run's folder.
    folder: Arc<HeldFolder>,
    /// Profiles, one per sampled condition.
    pub profiles: Vec<Profile>,
    /// Reasons for missing profiles.
    pub failures: Vec<Error>,
}

impl Profiler {
    pub fn new(plan: Plan, folder: Arc<HeldFolder>) -> Self {
        Self { plan, folder, profiles: Vec::new(), failures: Vec::new() }
    }

    /// Returns profiles and failures. Consecutive equal failures are reported once.
    pub fn finish(self) -> Profiles {
        let mut failures: Vec<String> = self.failures.iter().map(ToString::to_string).collect();
        failures.dedup();
        Profiles { format: FORMAT.into(), profiles: self.profiles, failures }
    }

    /// Samples the loads of a condition in turns. All loads share each window, so that other work
    /// on the machine affects all loads equally.
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
        let sides =
            loads.iter().map(|&(variant, load)| side_threads(run, variant, load)).collect::<Result<Vec<_>, _>>()?;
        let pids: BTreeSet<u32> = sides.iter().filter_map(|side| side.pid).collect();
        let scope = perf::choose_scope(self.plan.sampling)?;
        let recorder = Recorder::start(&pids.into_iter().collect::<Vec<_>>(), self.plan.sampling, scope)?;
        let (windows, work) = self.measure_windows(loads, observer)?;
        observer.stage(&format!("{title}: reading samples"));
        let script = recorder.stop()?;
        let preferred_collations: Vec<String> =
            loads.iter().map(|&(variant, _)| run.variants[variant].collation.clone()).collect();
        let info = sampling_info(&by, self.plan.sampling, scope);
        let length = self.plan.window.as_secs_f64() * loads.len() as f64;
        let input =
            ProfileInput { title, sides: &sides, windows: &windows, preferred_collations: &preferred_collations };
        let mut profile = input.profile(&script, info, &self.folder, &format!("{condition}-"))?;
        profile.condition = Some(condition);
        profile.window_s = Some(length);
        for difference in &mut profile.differences {
            let [own, first] = [difference.side, 0].map(|side| (run.variants[loads[side].0].server, &work[side]));
            difference.not_comparable = compare_work(own, first);
        }
        Ok(profile)
    }

    /// Runs the loads, window by window. Also returns, for each load, the status counters per
    /// statement: the means over the windows.
    fn measure_windows(
        &self,
        loads: &[(usize, &Load)],
        observer: &dyn Observer,
    ) -> Result<(Vec<Window>, Vec<Work>), Error> {
        let loads: Vec<&Load> = loads.iter().map(|&(_, load)| load).collect();
        let length = self.plan.window * loads.len() as u32;
        let mut windows = Vec::new();
        let mut work = vec![Work::new(); loads.len()];
        for number in 0..self.plan.windows {
            if interrupt::is_pending() {
                return Err(Error::Interrupted);
            }
            observer.fraction(number as f64 / self.plan.windows as f64);
            let meter = WorkMeter::begin(&loads)?;
            let from_ns = now_ns();
            let tallies = load::run_block(&loads, Sharing::Turns(TURN), WARM_UP, length)?;
            let per_query = |tally: &load::Tally| {
                Some(tally.server_cpu_ns? as f64 / 1e3 / tally.all_queries as f64).filter(|cpu| cpu.is_finite())
            };
            windows.push(Window { from_ns, to_ns: now_ns(), cpu_us: tallies.iter().map(per_query).collect() });
            for (sum, own) in work.iter_mut().zip(meter.end(&loads, &tallies)?) {
                for (counter, count) in own.counters {
                    *sum.entry(counter).or_default() += count / self.plan.windows as f64;
                }
            }
        }
        Ok((windows, work))
    }
}

impl Probe for Profiler {
    /// Samples a condition. If that fails, records why and returns `false`. A failed load ends the
    /// run instead, because the run's error message says more.
    fn condition(
        &mut self,
        run: &Run,
        condition: usize,
        loads: &BTreeMap<usize, Load>,
        observer: &dyn Observer,
    ) -> Result<bool, measure::Error> {
        let originals = loads.iter().filter(|(variant, _)| !run.variants[**variant].copy);
        let originals: Vec<(usize, &Load)> = originals.map(|(&variant, load)| (variant, load)).collect();
        match self.sample(run, condition, &originals, observer) {
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

/// Samples a server under its own load. Writes nothing to the server. With `server`, its status is
/// read at both ends of each window. `announce` is called with the scope before sampling starts.
pub fn attach(
    pid: u32,
    server: Option<&Server>,
    plan: Plan,
    folder: &HeldFolder,
    observer: &dyn Observer,
    announce: impl FnOnce(Scope),
) -> Result<Profile, Error> {
    let by = perf::version()?;
    let label = server.map_or_else(|| format!("process {pid}"), |server| server.label().to_owned());
    let mut activity = ServerActivity::new(pid, server)?;
    perf::check_alive(&[pid])?;
    let scope = perf::choose_scope(plan.sampling)?;
    announce(scope);
    let recorder = Recorder::start(&[pid], plan.sampling, scope)?;
    observer.stage(&format!("{label}: sampling"));
    let mut windows = Vec::new();
    for number in 0..plan.windows {
        observer.fraction(number as f64 / plan.windows as f64);
        let from_ns = now_ns();
        let before = activity.read();
        pause(plan.window)?;
        let after = activity.read();
        if !activity.is_alive() {
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
    let info = sampling_info(&by, plan.sampling, scope);
    let input = ProfileInput {
        title: format!("{label}, under its own load"),
        sides: &sides,
        windows: &windows,
        preferred_collations: &[],
    };
    let mut profile = input.profile(&script, info, folder, "")?;
    profile.window_s = Some(plan.window.as_secs_f64());
    if !activity.is_alive() {
        profile.notes.push(format!(
            "process {pid} ended while it was sampled; the profile covers the {} windows before",
            windows.len()
        ));
    }
    Ok(profile)
}

/// Imports samples that were taken elsewhere, as the profile of one server. If exactly one process
/// is a server, only its samples are used.
pub fn import(path: &Path, windows: usize, folder: &HeldFolder) -> Result<Profile, Error> {
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
    let mut profile = ProfileInput { title: label, sides: &sides, windows: &windows, preferred_collations: &[] }
        .profile(&script, info, folder, "")?;
    let unnamed = script.mappings.is_empty();
    if unnamed {
        let note = "the file has no mappings, so functions may have perf's names; `perf script --show-mmap-events` writes them";
        profile.notes.push(note.into());
    }
    Ok(profile)
}

/// Returns the process with a mapping of a server's program, if there is exactly one.
fn server_process(script: &Script) -> Option<u32> {
    let is_server = |module: &str| module.ends_with("/mysqld") || module.ends_with("/mariadbd");
    let pids: BTreeSet<u32> =
        script.mappings.iter().filter(|mapping| is_server(&mapping.module)).map(|mapping| mapping.pid).collect();
    pids.first().copied().filter(|_| pids.len() == 1)
}

/// Input of a profile in addition to the samples.
struct ProfileInput<'a> {
    title: String,
    sides: &'a [SideThreads],
    windows: &'a [Window],
    preferred_collations: &'a [String],
}

impl ProfileInput<'_> {
    fn profile(
        &self,
        script: &Script,
        sampling: SamplingInfo,
        folder: &HeldFolder,
        prefix: &str,
    ) -> Result<Profile, Error> {
        let resolved = resolve::resolve(script, self.preferred_collations);
        let samples = summary::assign_samples(&resolved, self.sides, self.windows);
        let mut profile = Profile {
            title: self.title.clone(),
            condition: None,
            sampling,
            windows: self.windows.len(),
            window_s: None,
            sides: self
                .sides
                .iter()
                .zip(&samples)
                .map(|(side, samples)| summary::summarise_side(side, samples))
                .collect(),
            differences: (1..samples.len())
                .map(|index| summary::compare_sides(index, &samples[0], &samples[index]))
                .collect(),
            notes: Vec::new(),
        };
        if let Some(empty_side) = profile.sides.iter().find(|side| side.samples == 0) {
            return Err(Error::NoSamples(format!("{}: {}", self.title, empty_side.label)));
        }
        output::draw_graphs(&mut profile, &resolved, &samples, folder, prefix)?;
        Ok(profile)
    }
}

/// Compares the work of a side with that of the first side. Each side is its server and its status
/// counters per statement. `None` for sides on different servers, which count differently.
fn compare_work(own: (usize, &Work), first: (usize, &Work)) -> Option<Incomparability> {
    (own.0 == first.0).then(|| measure::find_different_work(own.1, first.1)).flatten()
}

fn sampling_info(by: &str, sampling: Sampling, scope: Scope) -> SamplingInfo {
    SamplingInfo {
        by: format!("perf {by}"),
        frequency: Some(sampling.frequency),
        call_graph: Some(sampling.call_graph.to_string()),
        scope: Some(scope.to_string()),
    }
}

fn side_threads(run: &Run, variant: usize, load: &Load) -> Result<SideThreads, Error> {
    let target = load.target();
    let pid = target.pid.ok_or_else(|| Error::Elsewhere(target.server.clone()))?;
    let threads = load.server_threads().ok_or_else(|| Error::NoThreads(target.server.clone()))?;
    Ok(SideThreads {
        label: variant_label(run, &run.variants[variant]),
        variant: Some(variant),
        pid: Some(pid),
        threads: Some(threads.iter().copied().collect()),
    })
}

/// Returns the collation, with the connection charset if it differs from the collation's charset,
/// and with the server if the run has several.
fn variant_label(run: &Run, variant: &Variant) -> String {
    let mut label = variant.collation.clone();
    if variant.connection_charset != variant.charset {
        label += &format!(" (connection {})", variant.connection_charset);
    }
    if run.servers.len() > 1 {
        label += &format!(" on {}", run.servers[variant.server].label);
    }
    label
}

/// Returns the time of the clock that samples use.
fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn pause(length: Duration) -> Result<(), Error> {
    let end = Instant::now() + length;
    while Instant::now() < end {
        if interrupt::is_pending() {
            return Err(Error::Interrupted);
        }
        thread::sleep(SIGNAL_CHECK.min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}
