//! Live progress line: the current step, the difference of the pair under load, and the time left.
//! Each time that measuring begins or continues, also the differences that are new since the last
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use measure::{Block, Estimate, Observer, PairKind, PairProgress, Request, Run};
use progress::display;

const STEP_TEMPLATE: &str = "{spinner} {wide_msg} {bar:12} {percent:>3} %";
const MEASURING_TEMPLATE: &str = "{spinner} {wide_msg} {percent:>3} % {prefix}";

const STEP_LENGTH: u64 = 1000;

/// Progress of measuring on the process's display.
pub struct Live<'a> {
    /// `None` if no ratios are measured.
    request: Option<&'a Request>,
    /// Time at which the first warm-up began; `None` before it. The time left is estimated from it.
    begun: Mutex<Option<Instant>>,
    /// Time that the whole run is expected to take: `40 s to 65 s in all`.
    expected: OnceLock<String>,
    /// Load so far and the run's limit; `None` before the first block.
    spent: Mutex<Option<(Duration, Duration)>>,
    /// By pair: workload, and the difference so far.
    differences: Mutex<BTreeMap<usize, (String, String)>>,
    /// Lines of differences that were printed.
    printed: Mutex<BTreeSet<String>>,
}

impl<'a> Live<'a> {
    pub fn new(request: &'a Request) -> Self {
        Self { request: Some(request), ..Self::without_pairs() }
    }

    /// Creates a display for work that measures no pairs.
    pub fn without_pairs() -> Self {
        Self {
            request: None,
            begun: Mutex::new(None),
            expected: OnceLock::new(),
            spent: Mutex::new(None),
            differences: Mutex::default(),
            printed: Mutex::default(),
        }
    }

    /// Sets the time that the steps before the first block show.
    pub fn expect(&self, time: String) {
        let _ = self.expected.set(time);
    }

    pub fn end(&self) {
        display::end();
    }

    /// Returns the lines of differences in server CPU per query, one per workload, that were not
    /// returned before.
    fn new_lines_so_far(&self) -> Vec<String> {
        let differences = self.differences.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_workload: Vec<(&str, Vec<&str>)> = Vec::new();
        for (workload, difference) in differences.values() {
            match by_workload.iter_mut().find(|(name, _)| name == workload) {
                Some((_, all)) => all.push(difference),
                None => by_workload.push((workload, vec![difference])),
            }
        }
        let lines = by_workload.iter().map(|(workload, all)| format!("CPU so far, {workload}: {}", all.join(", ")));
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        lines.filter(|line| printed.insert(line.clone())).collect()
    }

    /// Returns the time since measuring began, starts and loads included.
    fn elapsed(&self) -> Duration {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now).elapsed()
    }

    /// Returns the load so far, the run's limit and the time left. `None` before the first block.
    fn run_progress(&self) -> Option<(Duration, Duration, String)> {
        let (spent, max_time) = (*self.spent.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some((spent, max_time, describe_time_left(spent, max_time, self.elapsed())))
    }
}

impl server::Progress for Live<'_> {
    fn step(&self, what: &str) {
        let expected = self.expected.get().filter(|_| self.run_progress().is_none());
        let template = if expected.is_some() { MEASURING_TEMPLATE } else { STEP_TEMPLATE };
        display::begin(template, STEP_LENGTH, what);
        if let Some((spent, max_time, left)) = self.run_progress() {
            let percent = (100.0 * spent.div_duration_f64(max_time)).min(100.0);
            display::update(|step| step.suffix(format!("{percent:.0} % of the run, {left}")));
        } else if let Some(time) = expected {
            display::update(|step| step.suffix(time.clone()));
        }
    }

    fn fraction(&self, done: f64) {
        display::update(|step| step.position((done * STEP_LENGTH as f64) as u64));
    }

    fn note(&self, text: &str) {
        display::print_above(&[format!("note: {text}")]);
    }
}

impl Observer for Live<'_> {
    fn stage(&self, what: &str) {
        server::Progress::step(self, what);
    }

    fn fraction(&self, done: f64) {
        server::Progress::fraction(self, done);
    }

    fn measuring(&self, max_time: Duration, replicate: u32, replicates: u32) {
        self.elapsed();
        display::print_above(&self.new_lines_so_far());
        // A run with time left begins more starts than planned.
        let of = if replicate <= replicates { format!(" of {replicates}") } else { String::new() };
        display::begin(MEASURING_TEMPLATE, max_time.as_millis() as u64, &format!("start {replicate}{of}: warming up"));
        if let Some((spent, _, left)) = self.run_progress() {
            display::update(|step| {
                step.position(spent.as_millis() as u64);
                step.suffix(left);
            });
        } else if let Some(time) = self.expected.get() {
            display::update(|step| step.suffix(time.clone()));
        }
    }

    fn block(&self, run: &Run, _block: &Block, standings: &[PairProgress], spent: Duration) {
        if let Some(request) = self.request {
            let mut differences = self.differences.lock().unwrap_or_else(PoisonError::into_inner);
            differences.extend(standings.iter().filter_map(|standing| difference(request, run, standing)));
        }
        let max_time = Duration::from_secs_f64(run.options.max_time_s);
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = Some((spent, max_time));
        let left = describe_time_left(spent, max_time, self.elapsed());
        display::update(|step| {
            step.position(spent.as_millis() as u64);
            step.suffix(left);
            if let (Some(request), Some(standing)) = (self.request, standings.first()) {
                step.message(describe(request, run, standing));
            }
        });
    }
}

/// Returns `about 3 min left`. Assumes that starts and loads of rows keep their share of the
/// elapsed time.
fn describe_time_left(spent: Duration, max_time: Duration, elapsed: Duration) -> String {
    let pace = (elapsed.as_secs_f64() / spent.as_secs_f64().max(0.001)).max(1.0);
    display::describe_time_left(max_time.saturating_sub(spent).mul_f64(pace))
}

/// Returns the pair's number, workload and difference so far: `utf8mb4_bin +23 % ± 4`. `None` for
/// copies and servers, and before there is an interval that says something.
fn difference(request: &Request, run: &Run, standing: &PairProgress) -> Option<(usize, (String, String))> {
    let pair = &run.pairs[standing.pair];
    let cpu = standing.cpu.filter(|_| pair.kind == PairKind::Collation).and_then(format_difference)?;
    let (workload, variant) = names(request, run, standing.pair);
    Some((standing.pair, (workload, format!("{variant} {cpu}"))))
}

/// Half-width in percent above which a difference is not shown, unless the difference is at least
/// as large.
const MAX_HALF_WIDTH: f64 = 30.0;

/// Returns `+23 % ± 4`. `None` if the interval is too wide to say anything.
fn format_difference(ratio: Estimate) -> Option<String> {
    let (change, half) = ((ratio.value - 1.0) * 100.0, ratio.precision() * ratio.value * 100.0);
    let sign = if change < -0.5 { '−' } else { '+' };
    (half <= MAX_HALF_WIDTH.max(change.abs())).then(|| format!("{sign}{:.0} % ± {half:.0}", change.abs()))
}

/// Describes the pair under load and its difference so far: of CPU per query, else of throughput.
fn describe(request: &Request, run: &Run, standing: &PairProgress) -> String {
    let (workload, variant) = names(request, run, standing.pair);
    let (name, ratio) = match standing.cpu {
        Some(cpu) => ("CPU", Some(cpu)),
        None => ("throughput", standing.ratio),
    };
    let figure = ratio.and_then(format_difference).map(|difference| format!(", {name} {difference}"));
    format!("{workload}: {variant}{}", figure.unwrap_or_default())
}

/// Names a pair: its workload and its variant. Text, threads, connection charset and server are
/// left out if the run has only one.
fn names(request: &Request, run: &Run, pair: usize) -> (String, String) {
    let pair = &run.pairs[pair];
    let (condition, variant) = (&run.conditions[pair.condition], &run.variants[pair.variant]);
    let mut workload = condition.workload.clone();
    if request.axes.texts.len() > 1 {
        workload += &format!(", {}", condition.text);
    }
    if request.threads.len() > 1 {
        workload += &format!(", {} threads", condition.threads);
    }
    let mut name = variant.collation.clone();
    if request.axes.connections.len() > 1 {
        name += &format!(" by {}", variant.connection_charset);
    }
    if run.servers.len() > 1 {
        name += &format!(" on {}", run.servers[variant.server].label);
    }
    name += match pair.kind {
        PairKind::AA => " × its copy",
        PairKind::Collation => "",
        PairKind::Server => " × the first server's",
    };
    (workload, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_includes_starts_and_loads() {
        let seconds = Duration::from_secs;
        assert_eq!(describe_time_left(seconds(45), seconds(180), seconds(60)), "about 3 min left");
        assert_eq!(describe_time_left(seconds(170), seconds(180), seconds(200)), "about 11 s left");
    }

    #[test]
    fn a_difference_with_a_wide_interval_is_not_shown() {
        let show = |value: f64, half: f64| format_difference(Estimate { value, low: value - half, high: value + half });
        assert_eq!(show(1.17, 0.03).as_deref(), Some("+17 % ± 3"));
        assert_eq!(show(0.92, 0.04).as_deref(), Some("−8 % ± 4"));
        assert_eq!(show(0.998, 0.01).as_deref(), Some("+0 % ± 1"));
        assert_eq!(show(2.1, 0.5).as_deref(), Some("+110 % ± 50"));
        assert_eq!([show(0.92, 1.82), show(1.0, 0.93), show(1.3, 0.6)], [None, None, None]);
    }

    #[test]
    fn only_differences_that_changed_are_printed() {
        let live = Live::without_pairs();
        let add = |pair, workload: &str, difference: &str| {
            live.differences.lock().unwrap().insert(pair, (workload.to_owned(), difference.to_owned()));
        };
        assert!(live.new_lines_so_far().is_empty());
        add(0, "group_by", "utf8mb4_bin +49 % ± 9");
        add(1, "order_ranges", "utf8mb4_bin +90 % ± 4");
        add(2, "group_by", "utf8mb4_general_ci +97 % ± 3");
        add(0, "group_by", "utf8mb4_bin +50 % ± 5");
        let expected = [
            "CPU so far, group_by: utf8mb4_bin +50 % ± 5, utf8mb4_general_ci +97 % ± 3",
            "CPU so far, order_ranges: utf8mb4_bin +90 % ± 4",
        ];
        assert_eq!(live.new_lines_so_far(), expected);
        assert!(live.new_lines_so_far().is_empty());
        add(1, "order_ranges", "utf8mb4_bin +88 % ± 2");
        assert_eq!(live.new_lines_so_far(), ["CPU so far, order_ranges: utf8mb4_bin +88 % ± 2"]);
    }
}
