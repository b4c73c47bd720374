//! Live progress line: the current step, the ratio of the pair under load, and the time left. When
//! measuring begins or continues after connecting, also the differences so far.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use measure::{Block, Observer, PairKind, PairProgress, Request, Run};
use progress::display;

const STEP_TEMPLATE: &str = "{spinner} {wide_msg} {bar:12} {percent:>3} %";
const MEASURING_TEMPLATE: &str = "{spinner} {wide_msg} {prefix}";

const STEP_LENGTH: u64 = 1000;

/// Progress of measuring on the process's display.
pub struct Live<'a> {
    /// `None` if no ratios are measured.
    request: Option<&'a Request>,
    /// Time at which the first warm-up began; `None` before it. The time left is estimated from it.
    begun: Mutex<Option<Instant>>,
    /// By pair: workload, and the difference so far.
    differences: Mutex<BTreeMap<usize, (String, String)>>,
}

impl<'a> Live<'a> {
    pub fn new(request: &'a Request) -> Self {
        Self { request: Some(request), ..Self::without_pairs() }
    }

    /// Creates a display for work that measures no pairs.
    pub fn without_pairs() -> Self {
        Self { request: None, begun: Mutex::new(None), differences: Mutex::default() }
    }

    pub fn end(&self) {
        display::end();
    }

    /// Returns a line for each workload: the differences so far, of server CPU per query.
    fn lines_so_far(&self) -> Vec<String> {
        let differences = self.differences.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_workload: Vec<(&str, Vec<&str>)> = Vec::new();
        for (workload, difference) in differences.values() {
            match by_workload.iter_mut().find(|(name, _)| name == workload) {
                Some((_, all)) => all.push(difference),
                None => by_workload.push((workload, vec![difference])),
            }
        }
        by_workload.iter().map(|(workload, all)| format!("so far, {workload}: {}", all.join(", "))).collect()
    }

    /// Returns the time since measuring began, starts and loads included.
    fn elapsed(&self) -> Duration {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now).elapsed()
    }
}

impl server::Progress for Live<'_> {
    fn step(&self, what: &str) {
        display::begin(STEP_TEMPLATE, STEP_LENGTH, what);
    }

    fn fraction(&self, done: f64) {
        display::update(|step| step.position((done * STEP_LENGTH as f64) as u64));
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
        display::print_above(&self.lines_so_far());
        // A run with time left begins more starts than planned.
        let of = if replicate <= replicates { format!(" of {replicates}") } else { String::new() };
        display::begin(MEASURING_TEMPLATE, max_time.as_millis() as u64, &format!("start {replicate}{of}: warming up"));
    }

    fn block(&self, run: &Run, _block: &Block, standings: &[PairProgress], spent: Duration) {
        if let Some(request) = self.request {
            let mut differences = self.differences.lock().unwrap_or_else(PoisonError::into_inner);
            differences.extend(standings.iter().filter_map(|standing| difference(request, run, standing)));
        }
        let suffix = describe_time(spent, run.options.max_time_s, self.elapsed());
        display::update(|step| {
            step.position(spent.as_millis() as u64);
            step.suffix(suffix);
            if let (Some(request), Some(standing)) = (self.request, standings.first()) {
                step.message(describe(request, run, standing));
            }
        });
    }
}

/// Returns `45 of 180 s, 3 min left`: seconds of load so far and at most, and an estimate of the
/// time left. It assumes that starts and loads of rows keep their share of the elapsed time.
fn describe_time(spent: Duration, max_time_s: f64, elapsed: Duration) -> String {
    let load = spent.as_secs_f64();
    let left = (max_time_s - load).max(0.0) * (elapsed.as_secs_f64() / load.max(0.001)).max(1.0);
    let left = if left < 90.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) };
    format!("{load:.0} of {max_time_s} s, {left} left")
}

/// Returns the pair's number, workload and difference so far: `utf8mb4_bin +23 % ± 4`. `None` for
/// copies and servers, and before there is an interval.
fn difference(request: &Request, run: &Run, standing: &PairProgress) -> Option<(usize, (String, String))> {
    let pair = &run.pairs[standing.pair];
    let cpu = standing.cpu.filter(|_| pair.kind == PairKind::Collation)?;
    let words = describe(request, run, &PairProgress { ratio: None, ..*standing });
    let (workload, variant) = words.split_once(": ")?;
    let percent = format!("{:+.0} % ± {:.0}", (cpu.value - 1.0) * 100.0, cpu.precision() * cpu.value * 100.0);
    Some((standing.pair, (workload.to_owned(), format!("{variant} {percent}"))))
}

/// Describes the pair under load and its ratio so far. Text, threads, connection charset and server
/// are left out if the run has only one.
fn describe(request: &Request, run: &Run, standing: &PairProgress) -> String {
    let pair = &run.pairs[standing.pair];
    let (condition, variant) = (&run.conditions[pair.condition], &run.variants[pair.variant]);
    let mut words = condition.workload.clone();
    if request.axes.texts.len() > 1 {
        words += &format!(", {}", condition.text);
    }
    if request.threads.len() > 1 {
        words += &format!(", {} threads", condition.threads);
    }
    words += &format!(": {}", variant.collation);
    if request.axes.connections.len() > 1 {
        words += &format!(" by {}", variant.connection_charset);
    }
    if run.servers.len() > 1 {
        words += &format!(" on {}", run.servers[variant.server].label);
    }
    words += match pair.kind {
        PairKind::AA => " × its copy",
        PairKind::Collation => "",
        PairKind::Server => " × the first server's",
    };
    if let Some(ratio) = standing.ratio {
        words += &format!(" {:.2} ± {:.0} %", ratio.value, ratio.precision() * 100.0);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_includes_starts_and_loads() {
        let seconds = Duration::from_secs;
        assert_eq!(describe_time(seconds(45), 180.0, seconds(60)), "45 of 180 s, 3 min left");
        assert_eq!(describe_time(seconds(170), 180.0, seconds(200)), "170 of 180 s, 12 s left");
    }

    #[test]
    fn differences_so_far_have_a_line_for_each_workload() {
        let live = Live::without_pairs();
        let add = |pair, workload: &str, difference: &str| {
            live.differences.lock().unwrap().insert(pair, (workload.to_owned(), difference.to_owned()));
        };
        assert!(live.lines_so_far().is_empty());
        add(0, "group_by", "utf8mb4_bin +49 % ± 9");
        add(1, "order_ranges", "utf8mb4_bin +90 % ± 4");
        add(2, "group_by", "utf8mb4_general_ci +97 % ± 3");
        add(0, "group_by", "utf8mb4_bin +50 % ± 5");
        let expected = [
            "so far, group_by: utf8mb4_bin +50 % ± 5, utf8mb4_general_ci +97 % ± 3",
            "so far, order_ranges: utf8mb4_bin +90 % ± 4",
        ];
        assert_eq!(live.lines_so_far(), expected);
    }
}
