//! CPU time of server threads per connection, from `/proc/PID/task/TID/schedstat`.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use lifecycle::interrupt;
use rustix::process::Pid;

use super::cores::Cores;
use crate::error::WireError;
use crate::wire::Connection;

/// Statement that makes a connection's thread busy for about 10 ms.
const CPU_BURN_SQL: &str = "DO BENCHMARK(30000, SHA2('weigh', 256))";
const MAX_ATTEMPTS: usize = 12;
/// With more connections, no thread is searched for.
const MAX_CONNECTIONS: usize = 256;
/// Factor by which a thread's excess run time (working − idle) must exceed that of every other
/// thread. The connection's own thread runs for 10 ms per statement, so an unrelated thread that is
/// busy during the first statement would need 160 ms to exceed it 16 times.
const MIN_RATIO: u64 = 16;

/// The threads of a server process that serve the connections of one load.
#[derive(Debug)]
pub(crate) struct ServerThreads {
    pid: u32,
    threads: Vec<u32>,
}

impl ServerThreads {
    /// Finds the thread of each connection: each connection in turn runs a CPU-bound statement, and
    /// the thread that ran is the connection's. This works for every server with one thread per
    /// connection. MySQL 5.6 reports no thread ids, and newer servers in a container report ids of
    /// the container's namespace, so no server is asked for them. `None` if a thread cannot be
    /// identified, for more than 256 connections, or after a signal.
    pub(crate) fn find<'a>(
        pid: u32,
        connections: impl ExactSizeIterator<Item = &'a mut Connection>,
    ) -> Result<Option<Self>, WireError> {
        if connections.len() > MAX_CONNECTIONS {
            return Ok(None);
        }
        let mut threads = Vec::new();
        for connection in connections {
            if interrupt::is_pending() {
                return Ok(None);
            }
            match find_thread(pid, &mut |work| connection.query(work).map(drop), &threads)? {
                Some(thread) => threads.push(thread),
                None => return Ok(None),
            }
        }
        Ok(Some(Self { pid, threads }))
    }

    /// Binds the threads to the cores, in the order of the connections. If one binding fails,
    /// releases all threads and returns `false`.
    pub(crate) fn pin(&self, cores: &Cores) -> bool {
        let mut threads = self.threads.iter().enumerate();
        let bound = threads.all(|(index, &thread)| cores.pin(Pid::from_raw(thread as i32), index));
        if !bound {
            self.threads.iter().for_each(|&thread| cores.free(Pid::from_raw(thread as i32)));
        }
        bound
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.threads
    }

    /// CPU time of the threads so far, in nanoseconds. `None` once one of them has ended.
    pub(crate) fn cpu_ns(&self) -> Option<u64> {
        self.threads.iter().map(|&thread| read_thread_cpu_ns(self.pid, thread)).sum()
    }
}

/// The thread of a server process that serves one connection.
#[derive(Debug)]
pub struct ServerThread {
    pid: u32,
    thread: u32,
}

/// Maximum wait until a thread sleeps after its statement.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(2);

impl ServerThread {
    /// Finds the thread of a connection. `run` sends a statement on that connection. `None` if no
    /// thread stands out by its run time in 12 attempts.
    pub fn find<E>(pid: u32, mut run: impl FnMut(&'static str) -> Result<(), E>) -> Result<Option<Self>, E> {
        let thread = find_thread(pid, &mut run, &[])?;
        Ok(thread.map(|thread| Self { pid, thread }))
    }

    /// CPU time of the thread so far. Waits until the thread sleeps, since the kernel updates a
    /// running thread's time only once per tick. A stopped thread (SIGSTOP) counts as sleeping.
    /// `None` if the thread has ended or does not sleep within two seconds.
    pub fn cpu(&self) -> Option<Duration> {
        let begin = Instant::now();
        while !self.is_sleeping()? {
            if begin.elapsed() > MAX_SETTLE_TIME {
                return None;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        read_thread_cpu_ns(self.pid, self.thread).map(Duration::from_nanos)
    }

    fn is_sleeping(&self) -> Option<bool> {
        let stat = fs::read_to_string(format!("/proc/{}/task/{}/stat", self.pid, self.thread)).ok()?;
        Some(stat.rsplit_once(')')?.1.trim_start().starts_with(['S', 'T']))
    }
}

fn find_thread<E>(
    pid: u32,
    run: &mut impl FnMut(&'static str) -> Result<(), E>,
    other_connections: &[u32],
) -> Result<Option<u32>, E> {
    let mut activity = ThreadActivity::default();
    for _ in 0..MAX_ATTEMPTS {
        let start = Instant::now();
        let before = read_cpu_times(pid);
        run(CPU_BURN_SQL)?;
        activity.record_work(&before, &read_cpu_times(pid));
        let length = start.elapsed();
        if let Some(thread) = activity.find_outlier(other_connections) {
            return Ok(Some(thread));
        }
        // Other threads were busy too, for example with a purge. Find out which of them run while
        // the connection is idle.
        let before = read_cpu_times(pid);
        std::thread::sleep(length);
        activity.record_idle(&before, &read_cpu_times(pid));
        if let Some(thread) = activity.find_outlier(other_connections) {
            return Ok(Some(thread));
        }
    }
    Ok(None)
}

/// Run time of each thread, in nanoseconds, while a connection works and while it is idle. The
/// connection's own thread runs in every working phase and in no idle phase.
#[derive(Debug, Default)]
struct ThreadActivity {
    threads: HashMap<u32, RunTime>,
    rounds: usize,
}

#[derive(Debug, Default)]
struct RunTime {
    /// Shortest run time over all working phases.
    working: u64,
    /// Longest run time over all idle phases.
    resting: u64,
}

impl RunTime {
    fn excess(&self) -> u64 {
        self.working.saturating_sub(self.resting)
    }
}

impl ThreadActivity {
    fn record_work(&mut self, before: &HashMap<u32, u64>, after: &HashMap<u32, u64>) {
        if self.rounds == 0 {
            self.threads = after.keys().map(|&thread| (thread, RunTime { working: u64::MAX, resting: 0 })).collect();
        }
        self.rounds += 1;
        // A thread that started or ended meanwhile is not the connection's.
        self.threads.retain(|thread, ran| {
            let increase = increase(before, after, *thread);
            ran.working = ran.working.min(increase.unwrap_or(0));
            increase.is_some()
        });
    }

    fn record_idle(&mut self, before: &HashMap<u32, u64>, after: &HashMap<u32, u64>) {
        for (thread, ran) in &mut self.threads {
            ran.resting = ran.resting.max(increase(before, after, *thread).unwrap_or(0));
        }
    }

    /// Returns the thread whose excess run time is more than 16 times that of every other thread.
    /// `None` if there is no such thread, or if it belongs to another connection.
    fn find_outlier(&self, other_connections: &[u32]) -> Option<u32> {
        let (&thread, most) = self.threads.iter().max_by_key(|(_, ran)| ran.excess())?;
        let others = self.threads.iter().filter(|&(&other, _)| other != thread);
        let next = others.map(|(_, ran)| ran.excess()).max().unwrap_or(0);
        (most.excess() > MIN_RATIO * next && !other_connections.contains(&thread)).then_some(thread)
    }
}

/// Returns the increase of a thread's run time in nanoseconds. `None` if the thread is missing in
/// `before` or `after`.
fn increase(before: &HashMap<u32, u64>, after: &HashMap<u32, u64>, thread: u32) -> Option<u64> {
    Some(after.get(&thread)?.saturating_sub(*before.get(&thread)?))
}

fn read_cpu_times(pid: u32) -> HashMap<u32, u64> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else { return HashMap::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|thread| Some((thread, read_thread_cpu_ns(pid, thread)?)))
        .collect()
}

fn read_thread_cpu_ns(pid: u32, thread: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Run times in ns of three threads: the connection's (7) and another one (8), given in ms, and
    /// an idle one (9).
    fn run_times(connection: u64, other: u64) -> HashMap<u32, u64> {
        HashMap::from([(7, connection * MS), (8, other * MS), (9, 0)])
    }

    #[test]
    fn busy_thread_is_not_the_connection() {
        let mut activity = ThreadActivity::default();
        activity.record_work(&run_times(0, 0), &run_times(10, 9));
        assert_eq!(activity.find_outlier(&[]), None);
        activity.record_idle(&run_times(10, 9), &run_times(10, 18));
        assert_eq!(activity.find_outlier(&[]), Some(7));
        assert_eq!(activity.find_outlier(&[7]), None);
    }

    #[test]
    fn once_busy_thread_does_not_hide_the_connection() {
        let mut activity = ThreadActivity::default();
        activity.record_work(&run_times(0, 0), &run_times(10, 90));
        activity.record_idle(&run_times(10, 90), &run_times(10, 90));
        assert_eq!(activity.find_outlier(&[]), None);
        activity.record_work(&run_times(10, 90), &run_times(20, 90));
        assert_eq!(activity.find_outlier(&[]), Some(7));
    }

    #[test]
    fn short_lived_thread_is_not_the_connection() {
        let mut activity = ThreadActivity::default();
        let without = |mut threads: HashMap<u32, u64>| {
            threads.remove(&8);
            threads
        };
        activity.record_work(&without(run_times(0, 0)), &run_times(10, 20));
        assert_eq!(activity.find_outlier(&[]), Some(7));
        activity.record_work(&run_times(10, 20), &without(run_times(10, 0)));
        assert_eq!(activity.find_outlier(&[]), None);
    }

    #[test]
    fn lists_threads_of_this_process() {
        let pid = std::process::id();
        assert!(read_cpu_times(pid).contains_key(&pid));
        assert!(read_thread_cpu_ns(pid, pid).is_some());
        assert!(read_cpu_times(u32::MAX).is_empty());
    }
}
