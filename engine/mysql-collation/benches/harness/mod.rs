//! Times pieces of code, the *subjects*, compared with one another.
//!
//! Each round times all subjects, one after the other, so that a disturbance affects all of them.
//! Times are CPU times: other processes affect the caches, but their time doesn't count. The
//! result of a process is the median over its rounds. Printed medians and intervals are over
//! processes.

#![allow(dead_code, reason = "no bench has all of it")]

use std::collections::VecDeque;
use std::fmt;
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// Number of rounds per process.
const ROUNDS: usize = 30;
const PROCESSES: usize = 9;
/// Environment variable that marks a child process.
const CHILD_VARIABLE: &str = "BENCH_PROCESS";
/// Prefix of a child's lines with times.
const TIMES: &str = "times:";
/// Least duration of one timing.
const MIN_TIMING: Duration = Duration::from_millis(2);

/// Code to time, under a name.
pub struct Subject<'a> {
    name: &'a str,
    prepare: Box<dyn Fn() + 'a>,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Subject<'a> {
    pub fn new<T>(name: &'a str, mut run: impl FnMut() -> T + 'a) -> Self {
        let run = Box::new(move || {
            std::hint::black_box(run());
        });
        Self { name, prepare: Box::new(|| {}), run }
    }

    /// Sets code that runs before each timing, and is not timed.
    pub fn prepared_by(mut self, prepare: impl Fn() + 'a) -> Self {
        self.prepare = Box::new(prepare);
        self
    }

    /// Time of `calls` calls, in ns.
    fn time(&mut self, calls: u32) -> f64 {
        (self.prepare)();
        let begin = cpu_time();
        for _ in 0..calls {
            (self.run)();
        }
        (cpu_time() - begin).as_nanos() as f64
    }

    /// Returns the least power of two of calls that take [`MIN_TIMING`] or longer, at most 2²⁴.
    fn calibrate_calls(&mut self) -> u32 {
        let mut calls = 1;
        while self.time(calls) < MIN_TIMING.as_nanos() as f64 && calls < 1 << 24 {
            calls *= 2;
        }
        calls
    }
}

/// Buffers to write to in turn. The time of writing a sort key varies by up to half with the
/// addresses of the key and its text; a single buffer would measure the address.
pub struct RotatingBuffers {
    all: Vec<Vec<u8>>,
    next: usize,
}

impl RotatingBuffers {
    pub fn new() -> Self {
        let all = (0..32).map(|index| Vec::with_capacity(1024 + 16 * index)).collect();
        Self { all, next: 0 }
    }

    /// Returns the next buffer, emptied.
    pub fn next(&mut self) -> &mut Vec<u8> {
        self.next = (self.next + 1) % self.all.len();
        let place = &mut self.all[self.next];
        place.clear();
        place
    }
}

/// CPU time of this thread.
fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// A median over processes and its confidence interval of 96 %.
pub struct Estimate {
    low: f64,
    median: f64,
    high: f64,
}

impl Estimate {
    /// Creates an estimate from one value for each process. With a probability of 96 %, the true
    /// median lies between the second and the eighth of nine values.
    fn of(mut values: Vec<f64>) -> Self {
        assert_eq!(values.len(), PROCESSES, "a value for each process");
        Self { median: median(&mut values), low: values[1], high: values[PROCESSES - 2] }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} × [{:.2} … {:.2}]", self.median, self.low, self.high)
    }
}

/// Median; sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// Times subjects and prints a table: ns per call, and the ratio to the first subject within each
/// process.
pub fn compare(title: &str, mut subjects: Vec<Subject>) {
    let times = times(&mut subjects);
    println!("{title}");
    for (subject, own) in subjects.iter().zip(&times) {
        let (time, ratio) = (Estimate::of(own.clone()), ratios(own, &times[0]));
        println!(
            "  {:34} {:>10.1} ns {:>22} {:>9.2} × {:>18}",
            subject.name,
            time.median,
            format!("[{:.1} … {:.1}]", time.low, time.high),
            ratio.median,
            format!("[{:.2} … {:.2}]", ratio.low, ratio.high),
        );
    }
    println!();
}

/// Times subjects over a text of `bytes` bytes and prints gigabytes per second.
pub fn rates(title: &str, bytes: usize, mut subjects: Vec<Subject>) {
    println!("{title}");
    let times = times(&mut subjects);
    for (subject, own) in subjects.iter().zip(times) {
        let rate = Estimate::of(own.into_iter().map(|time| bytes as f64 / time).collect());
        let interval = format!("[{:.1} … {:.1}]", rate.low, rate.high);
        println!("  {:34} {:>10.1} GB/s {interval:>20}", subject.name, rate.median);
    }
    println!();
}

/// Ratio of the second subject's time to the first's, within each process.
pub fn ratio(first: Subject, second: Subject) -> Estimate {
    let times = times(&mut [first, second]);
    ratios(&times[1], &times[0])
}

fn ratios(times: &[f64], first: &[f64]) -> Estimate {
    Estimate::of(times.iter().zip(first).map(|(time, first)| time / first).collect())
}

/// Time of each subject in every process, in ns per call.
fn times(subjects: &mut [Subject]) -> Vec<Vec<f64>> {
    if let Some(recorded) = RECORDED.get() {
        let next = recorded.lock().expect("no thread panics while it holds the lock").pop_front();
        return next.expect("a process times what the others do");
    }
    let times = times_of_this_process(subjects);
    println!("{TIMES}{}", times.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    // The parent process ignores these estimates of a single process.
    times.into_iter().map(|time| vec![time; PROCESSES]).collect()
}

/// Median time of each subject over the rounds, in ns per call.
fn times_of_this_process(subjects: &mut [Subject]) -> Vec<f64> {
    let calls: Vec<u32> = subjects.iter_mut().map(Subject::calibrate_calls).collect();
    let mut times = vec![Vec::with_capacity(ROUNDS); subjects.len()];
    for _ in 0..ROUNDS {
        for (index, subject) in subjects.iter_mut().enumerate() {
            times[index].push(subject.time(calls[index]) / f64::from(calls[index]));
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// Results of the child processes for each call of [`times`]: a time for each subject and process.
static RECORDED: OnceLock<Mutex<VecDeque<Vec<Vec<f64>>>>> = OnceLock::new();

/// Runs a bench, under `cargo bench` only: `cargo test --all-targets` starts benches without
/// `--bench`.
pub fn run(bench: impl Fn()) {
    if std::env::args().any(|argument| argument == "--bench") {
        in_fresh_processes(bench);
    }
}

/// Runs a bench in fresh processes, then prints their times. The addresses of code, tables and
/// texts differ between processes, which can move a ratio by more than its interval within one
/// process.
pub fn in_fresh_processes(bench: impl Fn()) {
    if std::env::var_os(CHILD_VARIABLE).is_none() {
        let processes = (1..=PROCESSES).map(|number| {
            eprintln!("process {number} of {PROCESSES}");
            times_of_a_process()
        });
        let processes: Vec<_> = processes.collect();
        let of_subject = |call: usize, subject| processes.iter().map(|times| times[call][subject]).collect();
        let of_call = |call: usize| (0..processes[0][call].len()).map(|subject| of_subject(call, subject)).collect();
        let recorded = (0..processes[0].len()).map(of_call).collect();
        RECORDED.set(Mutex::new(recorded)).expect("a bench runs once");
    }
    bench();
}

/// A time for each subject, for each call of [`times`].
fn times_of_a_process() -> Vec<Vec<f64>> {
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(this);
    command.args(std::env::args().skip(1)).env(CHILD_VARIABLE, "1").stderr(Stdio::inherit());
    let output = command.output().expect("this program can be started again");
    assert!(output.status.success(), "a process of the bench ended with {}", output.status);
    let lines = str::from_utf8(&output.stdout).expect("a bench prints UTF-8").lines();
    let parse = |times: &str| times.split(' ').map(|time| time.parse().expect("a time is a number")).collect();
    lines.filter_map(|line| line.strip_prefix(TIMES)).map(parse).collect()
}
