//! A block of load: runs one load or two loads for a limited time.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use lifecycle::interrupt;

use super::load::{Load, Worker};
use super::tally::Tally;
use super::turns::Turns;
use super::worker::{Block, Pacing};
use crate::accounting::{MAX_SAMPLED_CONNECTIONS, ServerThreads};
use crate::error::{Error, WireError};

/// Interval between checks for a signal or a missed deadline while a block runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// How the loads of a block share its time. A single load has all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    Together,
    /// The loads run in turns of at least this length. Turns get longer if statements or the round
    /// trip take longer.
    Turns(Duration),
}

/// Runs the loads in one block: first for `lead_in`, whose events are not counted, then for
/// `length`. Returns one tally per load.
pub fn run_block(loads: &[&Load], sharing: Sharing, lead_in: Duration, length: Duration) -> Result<Vec<Tally>, Error> {
    let cpu = |load: &Load| load.server_threads.as_ref().and_then(ServerThreads::cpu_ns);
    let before: Vec<_> = loads.iter().map(|load| cpu(load)).collect();
    let start = Instant::now();
    let begin = start + lead_in;
    let end = begin + length;
    let turns = match sharing {
        Sharing::Turns(slice) if loads.len() > 1 => {
            let threads = loads.iter().map(|load| load.workers.len()).collect();
            let last_slice = loads.iter().map(|load| load.last_slice_length()).max().unwrap_or_default();
            Some(Arc::new(Turns::new(threads, slice, last_slice, begin, end)))
        }
        _ => None,
    };
    for (side, load) in loads.iter().enumerate() {
        let pacing = match (&turns, load.arrivals(start, end, length)) {
            (Some(turns), _) => Pacing::Turns(Arc::clone(turns), side),
            (None, Some(arrivals)) => Pacing::OpenLoop(arrivals),
            (None, None) => Pacing::ClosedLoop,
        };
        load.send_block(&Block { begin, end, pacing });
    }
    // Events of an open loop may begin up to one block length late.
    let last = if loads.iter().any(|load| load.is_open_loop()) { end + length } else { end };
    let mut tallies = BlockWatch::new(loads, last).collect()?;
    if let Some(turns) = turns {
        loads.iter().for_each(|load| load.set_last_slice_length(turns.slice()));
    }
    for ((tally, load), before) in tallies.iter_mut().zip(loads).zip(before) {
        tally.server_cpu_ns = before.zip(cpu(load)).map(|(before, after)| after.saturating_sub(before));
    }
    Ok(tallies)
}

/// Waits for the workers of one block and cuts their connections if the block does not end.
struct BlockWatch<'a> {
    loads: &'a [&'a Load],
    end: Instant,
    /// Whether all connections were cut, because of a missed deadline or a signal.
    connections_cut: bool,
}

impl<'a> BlockWatch<'a> {
    fn new(loads: &'a [&'a Load], end: Instant) -> Self {
        Self { loads, end, connections_cut: false }
    }

    /// Returns one tally per load. Waits for all workers even after a failure, so that none still
    /// runs in the next block.
    fn collect(mut self) -> Result<Vec<Tally>, Error> {
        let reports: Vec<Vec<_>> =
            self.loads.iter().map(|load| load.workers.iter().map(|worker| self.wait(worker)).collect()).collect();
        let sums = self.loads.iter().zip(reports).map(|(load, reports)| self.sum_reports(load, reports));
        let sums: Vec<_> = sums.collect();
        let lost: Vec<u32> = sums.iter().map(lost_connections).collect();
        match sums.into_iter().collect() {
            Err(Error::Lost { server, source, .. }) => Err(Error::Lost { server, connections: lost, source }),
            other => other,
        }
    }

    /// Waits for a worker's report. Cuts all connections once the block is late or a signal came.
    fn wait(&mut self, worker: &Worker) -> Result<Tally, WireError> {
        loop {
            match worker.reports.recv_timeout(CHECK_INTERVAL) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(WireError::protocol("a connection failed in an earlier block"));
                }
                Err(RecvTimeoutError::Timeout)
                    if !self.connections_cut && (self.is_late() || interrupt::is_pending()) =>
                {
                    self.connections_cut = true;
                    self.loads.iter().flat_map(|load| &load.workers).for_each(|worker| worker.cutter.cut());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn is_late(&self) -> bool {
        // Later than a statement's own time-out, whose message is more precise.
        Instant::now() > self.end + self.timeout() + 2 * CHECK_INTERVAL
    }

    fn timeout(&self) -> Duration {
        self.loads.iter().map(|load| load.target().endpoint.timeout).max().unwrap_or_default()
    }

    fn sum_reports(&self, load: &Load, reports: Vec<Result<Tally, WireError>>) -> Result<Tally, Error> {
        let workers = reports.len().max(1);
        let mut sum = Tally::default();
        let mut failures = Vec::new();
        for (place, report) in reports.into_iter().enumerate() {
            match report {
                Ok(tally) => {
                    sum.sampled_queries += if place < MAX_SAMPLED_CONNECTIONS { tally.all_queries } else { 0 };
                    sum.add(&tally);
                }
                Err(source) => failures.push(source),
            }
        }
        sum.seconds /= workers as f64;
        sum.events += sum.partial_events.round() as u64;
        let server = || load.target().server.clone();
        let connections = failures.len() as u32;
        // Errors of connections that this client has cut are not reported as lost connections.
        let lost = !self.connections_cut && failures.iter().all(WireError::is_lost);
        match failures.into_iter().next() {
            None => Ok(sum),
            Some(_) if self.connections_cut && interrupt::is_pending() => Err(Error::Interrupted),
            Some(_) if self.connections_cut => {
                Err(Error::Late { server: server(), seconds: self.timeout().as_secs_f64() })
            }
            Some(source) if lost => Err(Error::Lost { server: server(), connections: vec![connections], source }),
            Some(source) => Err(Error::Wire { server: server(), doing: "running the workload", source }),
        }
    }
}

fn lost_connections(sum: &Result<Tally, Error>) -> u32 {
    match sum {
        Err(Error::Lost { connections, .. }) => connections.iter().sum(),
        _ => 0,
    }
}
