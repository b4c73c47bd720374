//! A block: one load, or two in a duet, put to work for a stretch of time, and not for longer.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use server::interrupt;

use crate::client::{Block, Way};
use crate::cpu::ServerThreads;
use crate::error::{Error, WireError};
use crate::load::{Load, Worker};
use crate::tally::Tally;
use crate::turns::Turns;
use crate::work::SAMPLED;

/// How often a block is looked after while it runs.
const LOOK: Duration = Duration::from_millis(250);

/// How the loads of a block share its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All at the same time.
    Together,
    /// In turns of this length, or longer where statements, or the way to the server, take so long.
    Turns(Duration),
}

/// Puts the loads to work in one block, for `lead_in` uncounted and then for `length` counted, and returns what each did: a duet
/// with two loads, a solo with one.
pub fn run_block(loads: &[&Load], sharing: Sharing, lead_in: Duration, length: Duration) -> Result<Vec<Tally>, Error> {
    let cpu = |load: &Load| load.server_threads.as_ref().and_then(ServerThreads::cpu_ns);
    let before: Vec<_> = loads.iter().map(|load| cpu(load)).collect();
    let begin = Instant::now() + lead_in;
    let end = begin + length;
    let turns = match sharing {
        Sharing::Turns(slice) if loads.len() > 1 => {
            let threads = loads.iter().map(|load| load.workers.len()).collect();
            let learnt = loads.iter().map(|load| load.slice()).max().unwrap_or_default();
            Some(Arc::new(Turns::new(threads, slice, learnt, begin, end)))
        }
        _ => None,
    };
    for (side, load) in loads.iter().enumerate() {
        let way = match (&turns, load.arrivals(end, length)) {
            (Some(turns), _) => Way::InTurns(Arc::clone(turns), side),
            (None, Some(arrivals)) => Way::AsDue(arrivals),
            (None, None) => Way::OneByOne,
        };
        load.order(&Block { begin, end, way });
    }
    let taken = turns;
    // An open loop that falls behind may go on for as long again.
    let last = if loads.iter().any(|load| load.is_open()) { end + length } else { end };
    let mut tallies = Watch::over(loads, last).collect()?;
    if let Some(turns) = taken {
        loads.iter().for_each(|load| load.learn_slice(turns.slice()));
    }
    for ((tally, load), before) in tallies.iter_mut().zip(loads).zip(before) {
        tally.server_cpu_ns = before.zip(cpu(load)).map(|(before, after)| after.saturating_sub(before));
    }
    Ok(tallies)
}

/// Looks after the loads of one block.
struct Watch<'a> {
    loads: &'a [&'a Load],
    end: Instant,
    /// Whether all connections were cut, as the block did not end or a signal came.
    cut: bool,
}

impl<'a> Watch<'a> {
    fn over(loads: &'a [&'a Load], end: Instant) -> Self {
        Self { loads, end, cut: false }
    }

    /// What each load did. All workers are waited for, also after a failure, so that none still runs in the next block.
    fn collect(mut self) -> Result<Vec<Tally>, Error> {
        let reports: Vec<Vec<_>> =
            self.loads.iter().map(|load| load.workers.iter().map(|worker| self.wait(worker)).collect()).collect();
        let sums = self.loads.iter().zip(reports).map(|(load, reports)| self.sum(load, reports));
        let sums: Vec<_> = sums.collect();
        sums.into_iter().collect()
    }

    /// Waits for one worker, but not for ever: each statement has its time-out, and all together have one more after the block's end.
    fn wait(&mut self, worker: &Worker) -> Result<Tally, WireError> {
        loop {
            match worker.reports.recv_timeout(LOOK) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(WireError::protocol("a connection failed in an earlier block"));
                }
                Err(RecvTimeoutError::Timeout) if !self.cut && (self.is_late() || interrupt::interrupted()) => {
                    self.cut = true;
                    self.loads.iter().flat_map(|load| &load.workers).for_each(|worker| worker.cut.now());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn is_late(&self) -> bool {
        // A little more than a statement's time-out, which says more about what went wrong.
        Instant::now() > self.end + self.timeout() + 2 * LOOK
    }

    fn timeout(&self) -> Duration {
        self.loads.iter().map(|load| load.target().endpoint.timeout).max().unwrap_or_default()
    }

    fn sum(&self, load: &Load, reports: Vec<Result<Tally, WireError>>) -> Result<Tally, Error> {
        let workers = reports.len().max(1);
        let mut sum = Tally::default();
        let mut failures = Vec::new();
        for (place, report) in reports.into_iter().enumerate() {
            match report {
                Ok(tally) => {
                    sum.sampled_queries += if place < SAMPLED { tally.all_queries } else { 0 };
                    sum.add(&tally);
                }
                Err(source) => failures.push(source),
            }
        }
        sum.seconds /= workers as f64;
        sum.events += sum.shares.round() as u64;
        let server = || load.target().server.clone();
        let connections = failures.len() as u32;
        // What the cutting broke was not lost.
        let lost = !self.cut && failures.iter().all(WireError::is_lost);
        match failures.into_iter().next() {
            None => Ok(sum),
            Some(_) if self.cut => Err(Error::Late { server: server(), seconds: self.timeout().as_secs_f64() }),
            Some(source) if lost => Err(Error::Lost { server: server(), connections, source }),
            Some(source) => Err(Error::Wire { server: server(), doing: "running the workload", source }),
        }
    }
}
