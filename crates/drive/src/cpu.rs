//! Server CPU time by connection, from the operating system's accounting of each thread (`/proc/PID/task/TID/schedstat`).

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use server::interrupt;

use crate::connection::Connection;
use crate::error::WireError;

/// Server work that makes a connection's thread stand out: about 10 ms of one core.
const BURN: &str = "DO BENCHMARK(30000, SHA2('weigh', 256))";
const TRIES: usize = 12;
/// The most connections whose threads are looked for.
const MOST: usize = 256;
/// The thread must stand out by this many times as much as any other one to be taken for the connection's. A thread that happens to be
/// busy during the first burn can't do that: the connection's own runs for 10 ms meanwhile.
const MARGIN: u64 = 16;

/// The threads of a server process that serve the connections of one load.
#[derive(Debug)]
pub(crate) struct ServerThreads {
    pid: u32,
    threads: Vec<u32>,
}

impl ServerThreads {
    /// Finds the thread behind each connection by letting the connections work one after the other and looking which thread
    /// ran. This asks nothing of the server but a thread a connection: MySQL 5.6 does not tell thread ids, and what newer
    /// servers tell is wrong across a container's border. `None` where it cannot be told, and where there are so many that
    /// looking at all of them for each would take minutes.
    pub(crate) fn find<'a>(
        pid: u32,
        connections: impl ExactSizeIterator<Item = &'a mut Connection>,
    ) -> Result<Option<Self>, WireError> {
        if connections.len() > MOST {
            return Ok(None);
        }
        let mut threads = Vec::new();
        for connection in connections {
            if interrupt::interrupted() {
                return Ok(None);
            }
            match find_thread(pid, &mut |work| connection.query(work).map(drop), &threads)? {
                Some(thread) => threads.push(thread),
                None => return Ok(None),
            }
        }
        Ok(Some(Self { pid, threads }))
    }

    /// Binds the threads to the cores, in the order of the connections; `false` where one is not bound then. Those before it are free again.
    pub(crate) fn pin(&self, cores: &Cores) -> bool {
        let mut threads = self.threads.iter().enumerate();
        let bound = threads.all(|(index, &thread)| cores.pin(Pid::from_raw(thread as i32), index));
        if !bound {
            self.threads.iter().for_each(|&thread| cores.free(Pid::from_raw(thread as i32)));
        }
        bound
    }

    /// The threads' ids.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.threads
    }

    /// CPU time that the threads have used so far, in nanoseconds; `None` once one of them is gone.
    pub(crate) fn cpu_ns(&self) -> Option<u64> {
        self.threads.iter().map(|&thread| thread_cpu_ns(self.pid, thread)).sum()
    }
}

/// The thread of a server process that serves one connection.
#[derive(Debug)]
pub struct ServerThread {
    pid: u32,
    thread: u32,
}

/// How long a thread that has answered may take until it rests.
const REST: Duration = Duration::from_secs(2);

impl ServerThread {
    /// Finds the thread by letting its connection work: `run` sends it a statement. `None` where no thread stands out.
    pub fn find<E>(pid: u32, mut run: impl FnMut(&'static str) -> Result<(), E>) -> Result<Option<Self>, E> {
        let thread = find_thread(pid, &mut run, &[])?;
        Ok(thread.map(|thread| Self { pid, thread }))
    }

    /// CPU time that the thread has used so far. It is exact, as the thread is let come to rest first: the system tells a running
    /// thread's time as of its last tick. A stopped one (SIGSTOP) rests, too: that the server doesn't answer is for the next
    /// statement to find out. `None` once the thread is gone, and where it goes on working.
    pub fn cpu(&self) -> Option<Duration> {
        let begin = Instant::now();
        while !self.rests()? {
            if begin.elapsed() > REST {
                return None;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        thread_cpu_ns(self.pid, self.thread).map(Duration::from_nanos)
    }

    fn rests(&self) -> Option<bool> {
        let stat = fs::read_to_string(format!("/proc/{}/task/{}/stat", self.pid, self.thread)).ok()?;
        Some(stat.rsplit_once(')')?.1.trim_start().starts_with(['S', 'T']))
    }
}

/// The cores that this process may use.
#[derive(Clone, Debug)]
pub(crate) struct Cores(Vec<usize>);

impl Cores {
    pub(crate) fn allowed() -> Self {
        let set = sched_getaffinity(None).unwrap_or_default();
        Self((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
    }

    /// Binds a thread (the calling one where none is named) to the `index`-th core, going round, and reads back whether it is.
    pub(crate) fn pin(&self, thread: Option<Pid>, index: usize) -> bool {
        let Some(&core) = self.0.get(index % self.0.len().max(1)) else { return false };
        let mut set = CpuSet::new();
        set.set(core);
        let is_bound = |bound: CpuSet| bound.count() == 1 && bound.is_set(core);
        sched_setaffinity(thread, &set).is_ok() && sched_getaffinity(thread).is_ok_and(is_bound)
    }

    /// Lets a thread run on all of them again.
    fn free(&self, thread: Option<Pid>) {
        let mut set = CpuSet::new();
        self.0.iter().for_each(|&core| set.set(core));
        // One that may not be freed was never bound.
        let _ = sched_setaffinity(thread, &set);
    }
}

fn find_thread<E>(
    pid: u32,
    run: &mut impl FnMut(&'static str) -> Result<(), E>,
    taken: &[u32],
) -> Result<Option<u32>, E> {
    let mut evidence = Evidence::default();
    for _ in 0..TRIES {
        let burn = Instant::now();
        let before = all_threads(pid);
        run(BURN)?;
        evidence.worked(&before, &all_threads(pid));
        let length = burn.elapsed();
        if let Some(thread) = evidence.outstanding(taken) {
            return Ok(Some(thread));
        }
        // Other threads of the server were busy too, with a purge for instance: which of them are while the connection rests?
        let before = all_threads(pid);
        std::thread::sleep(length);
        evidence.rested(&before, &all_threads(pid));
        if let Some(thread) = evidence.outstanding(taken) {
            return Ok(Some(thread));
        }
    }
    Ok(None)
}

/// How long each thread ran, in nanoseconds, while a connection worked and while it rested. The connection's thread runs each time it
/// works and never when it rests; a thread that is busy now and then fails one or the other before long.
#[derive(Debug, Default)]
struct Evidence {
    threads: HashMap<u32, Ran>,
    rounds: usize,
}

#[derive(Debug, Default)]
struct Ran {
    /// The least of all times that the connection worked.
    working: u64,
    /// The most of all times that it rested.
    resting: u64,
}

impl Ran {
    fn stands_out_by(&self) -> u64 {
        self.working.saturating_sub(self.resting)
    }
}

impl Evidence {
    fn worked(&mut self, before: &HashMap<u32, u64>, after: &HashMap<u32, u64>) {
        if self.rounds == 0 {
            self.threads = after.keys().map(|&thread| (thread, Ran { working: u64::MAX, resting: 0 })).collect();
        }
        self.rounds += 1;
        // A thread that came or went since is not the connection's.
        self.threads.retain(|thread, ran| {
            let grown = grown(before, after, *thread);
            ran.working = ran.working.min(grown.unwrap_or(0));
            grown.is_some()
        });
    }

    fn rested(&mut self, before: &HashMap<u32, u64>, after: &HashMap<u32, u64>) {
        for (thread, ran) in &mut self.threads {
            ran.resting = ran.resting.max(grown(before, after, *thread).unwrap_or(0));
        }
    }

    /// The one thread that stands out, where it isn't another connection's.
    fn outstanding(&self, taken: &[u32]) -> Option<u32> {
        let (&thread, most) = self.threads.iter().max_by_key(|(_, ran)| ran.stands_out_by())?;
        let others = self.threads.iter().filter(|&(&other, _)| other != thread);
        let next = others.map(|(_, ran)| ran.stands_out_by()).max().unwrap_or(0);
        (most.stands_out_by() > MARGIN * next && !taken.contains(&thread)).then_some(thread)
    }
}

/// How much longer a thread has run.
fn grown(before: &HashMap<u32, u64>, after: &HashMap<u32, u64>, thread: u32) -> Option<u64> {
    Some(after.get(&thread)?.saturating_sub(*before.get(&thread)?))
}

fn all_threads(pid: u32) -> HashMap<u32, u64> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else { return HashMap::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|thread| Some((thread, thread_cpu_ns(pid, thread)?)))
        .collect()
}

fn thread_cpu_ns(pid: u32, thread: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// CPU time of the calling thread, user and system, in nanoseconds.
pub(crate) fn own_cpu_ns() -> u64 {
    own_cpu().as_nanos() as u64
}

/// CPU time of the calling thread, user and system.
pub fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_cpu_time_grows_with_work() {
        let before = own_cpu_ns();
        let mut sum = 0u64;
        for i in 0..3_000_000u64 {
            sum = std::hint::black_box(sum ^ i);
        }
        assert!(own_cpu_ns() > before);
    }

    const MS: u64 = 1_000_000;

    /// The threads after the connection's ran for so long, and another one, in ms.
    fn at(connection: u64, other: u64) -> HashMap<u32, u64> {
        HashMap::from([(7, connection * MS), (8, other * MS), (9, 0)])
    }

    #[test]
    fn a_thread_that_is_always_busy_is_not_taken_for_the_connections() {
        let mut evidence = Evidence::default();
        evidence.worked(&at(0, 0), &at(10, 9));
        assert_eq!(evidence.outstanding(&[]), None);
        evidence.rested(&at(10, 9), &at(10, 18));
        assert_eq!(evidence.outstanding(&[]), Some(7));
        assert_eq!(evidence.outstanding(&[7]), None);
    }

    #[test]
    fn a_thread_that_was_busy_once_does_not_hide_the_connections() {
        let mut evidence = Evidence::default();
        evidence.worked(&at(0, 0), &at(10, 90));
        evidence.rested(&at(10, 90), &at(10, 90));
        assert_eq!(evidence.outstanding(&[]), None);
        evidence.worked(&at(10, 90), &at(20, 90));
        assert_eq!(evidence.outstanding(&[]), Some(7));
    }

    #[test]
    fn a_thread_that_came_or_went_is_not_the_connections() {
        let mut evidence = Evidence::default();
        let without = |mut threads: HashMap<u32, u64>| {
            threads.remove(&8);
            threads
        };
        evidence.worked(&without(at(0, 0)), &at(10, 20));
        assert_eq!(evidence.outstanding(&[]), Some(7));
        evidence.worked(&at(10, 20), &without(at(10, 0)));
        assert_eq!(evidence.outstanding(&[]), None);
    }

    #[test]
    fn the_threads_of_this_process_are_seen() {
        let pid = std::process::id();
        assert!(all_threads(pid).contains_key(&pid));
        assert!(thread_cpu_ns(pid, pid).is_some());
        assert!(all_threads(u32::MAX).is_empty());
    }
}
