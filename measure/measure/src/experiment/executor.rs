//! Runs blocks of load on real servers.

use std::collections::BTreeMap;
use std::time::Duration;

use lifecycle::interrupt;
use load::{
    Binding, Load, Settings, Sharing, StatementWork, SysbenchLoad, SysbenchTally, SysbenchWorkload, Tally, Target,
    WorkMeter,
};

use super::Error;
use crate::environment::stolen::StolenTime;
use crate::model::latency;
use crate::model::{Latency, Side};
use crate::schedule::{Clock, Executor};

/// Uncounted load at the start of every block of the native client, until the sides have reached
/// their speed.
const LEAD_IN: Duration = Duration::from_millis(50);

/// Minimum length of a turn. Long compared with a switch of turns (about 50 µs) and with refilling
/// the caches; short compared with other disturbances of a machine.
const MIN_TURN: Duration = Duration::from_millis(10);

/// Maximum number of connections per variant for which they are reopened before every block; each
/// takes about 10 ms. With more connections, differences between single connections average out.
pub(crate) const MAX_RESTARTED_CONNECTIONS: u32 = 8;

/// Attempts to reopen connections until their threads are identified and bound.
const MAX_PLACEMENT_ATTEMPTS: u32 = 3;

/// Number of consecutive blocks that may lose connections before the run fails.
const MAX_CONSECUTIVE_LOSSES: u32 = 5;

/// Loads of one condition, by variant.
pub(crate) enum Loads {
    /// Connected loads of the native client.
    Native(BTreeMap<usize, Load>),
    /// Arguments for sysbench.
    Sysbench { work: SysbenchWorkload, rows: workload::Options, targets: BTreeMap<usize, (Target, Settings)> },
}

/// Runs blocks over the loads of one condition.
pub(crate) struct LoadExecutor {
    pub(crate) loads: Loads,
    /// Whether to reopen the connections for every block.
    pub(crate) restarts: bool,
    pub(crate) clock: Clock,
    /// Thread placement of all loads after connecting. A block in which a side does not reach it is
    /// excluded.
    pub(crate) placement: ThreadPlacement,
    /// Consecutive blocks with lost connections.
    pub(crate) consecutive_losses: u32,
    /// Share of CPU time that a hypervisor gave to other machines during the last block.
    pub(crate) stolen: Option<f64>,
}

impl Executor for LoadExecutor {
    type Error = Error;

    fn run_block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Error> {
        self.stolen = None;
        let stolen = StolenTime::begin();
        let sides = match &mut self.loads {
            Loads::Native(loads) => {
                // A loss may have reopened the connections unbound.
                let is_ready = !self.restarts && is_placed(loads, variants, self.placement);
                if !is_ready && !restart_until_placed(loads, variants, self.placement)? {
                    let unbound_side = |&variant: &usize| Side { unbound: true, ..empty_side(variant) };
                    return Ok(variants.iter().map(unbound_side).collect());
                }
                match run_native_block(loads, variants, Sharing::Turns(MIN_TURN), length) {
                    Err(Error::Load(lost @ load::Error::Lost { .. })) => self.reconnect(variants, lost),
                    sides => {
                        self.consecutive_losses = 0;
                        sides
                    }
                }
            }
            Loads::Sysbench { work, rows, targets } => run_sysbench_block(work, rows, targets, variants, length),
        };
        self.stolen = stolen.share();
        // After a signal, the block is not used, and an error is reported as an interruption.
        if interrupt::is_pending() { Err(Error::Interrupted) } else { sides }
    }

    fn stolen_share(&self) -> Option<f64> {
        self.stolen
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// State of the client and server threads of all connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPlacement {
    /// The server threads are identified, so their CPU time is known.
    pub(crate) has_server_threads: bool,
    /// Client and server threads are bound to cores.
    pub(crate) is_bound: bool,
}

impl ThreadPlacement {
    /// Returns the placement that all loads have.
    pub(crate) fn from_loads(loads: &Loads) -> Self {
        let Loads::Native(loads) = loads else { return Self { has_server_threads: false, is_bound: false } };
        let all = |holds: fn(&Load) -> bool| loads.values().all(holds);
        Self { has_server_threads: all(Load::has_server_cpu), is_bound: all(|load| *load.binding() == Binding::Bound) }
    }

    fn is_met_by(self, load: &Load) -> bool {
        (load.has_server_cpu() || !self.has_server_threads) && (*load.binding() == Binding::Bound || !self.is_bound)
    }
}

fn is_placed(loads: &BTreeMap<usize, Load>, variants: &[usize], placement: ThreadPlacement) -> bool {
    variants.iter().all(|variant| placement.is_met_by(&loads[variant]))
}

/// Reopens connections, several times if needed, until their threads are identified and bound.
/// Returns whether that succeeded.
fn restart_until_placed(
    loads: &mut BTreeMap<usize, Load>,
    variants: &[usize],
    placement: ThreadPlacement,
) -> Result<bool, Error> {
    restart(loads, variants)?;
    for _ in 1..MAX_PLACEMENT_ATTEMPTS {
        let lacking: Vec<usize> =
            variants.iter().copied().filter(|variant| !placement.is_met_by(&loads[variant])).collect();
        if lacking.is_empty() {
            return Ok(true);
        }
        restart(loads, &lacking)?;
    }
    Ok(is_placed(loads, variants, placement))
}

impl LoadExecutor {
    /// Reopens the connections after a loss and returns sides with zero counts. Fails after too
    /// many consecutive losses.
    fn reconnect(&mut self, variants: &[usize], lost: load::Error) -> Result<Vec<Side>, Error> {
        self.consecutive_losses += 1;
        if self.consecutive_losses > MAX_CONSECUTIVE_LOSSES || interrupt::is_pending() {
            return Err(lost.into());
        }
        let Loads::Native(loads) = &mut self.loads else { return Err(lost.into()) };
        restart(loads, variants)?;
        let load::Error::Lost { connections, .. } = lost else { return Err(lost.into()) };
        let side = |(&variant, lost_connections): (&usize, u32)| Side { lost_connections, ..empty_side(variant) };
        Ok(variants.iter().zip(connections).map(side).collect())
    }
}

/// Reopens the connections of these variants. The memory address of a connection's state in the
/// server stays the same for the connection's lifetime and changes the connection's speed by about
/// 0.5 %. Reopening gives a connection another address in some blocks, which turns part of this
/// bias into noise that the interval covers.
fn restart(loads: &mut BTreeMap<usize, Load>, variants: &[usize]) -> Result<(), Error> {
    for &variant in variants {
        if let Some(load) = loads.remove(&variant) {
            loads.insert(variant, load.restart()?);
        }
    }
    Ok(())
}

/// Returns a side without counts.
fn empty_side(variant: usize) -> Side {
    side_from_tally(variant, &Tally::default())
}

fn run_native_block(
    loads: &BTreeMap<usize, Load>,
    variants: &[usize],
    sharing: Sharing,
    length: Duration,
) -> Result<Vec<Side>, Error> {
    let loads: Vec<&Load> = variants.iter().map(|variant| &loads[variant]).collect();
    let meter = WorkMeter::begin(&loads)?;
    let tallies = load::run_block(&loads, sharing, LEAD_IN, length)?;
    let work = meter.end(&loads, &tallies)?;
    let sides = variants.iter().zip(&tallies).zip(work);
    let side = |((&variant, tally), work): ((&usize, &Tally), StatementWork)| {
        let side = side_from_tally(variant, tally);
        Side {
            work: work.counters,
            server_cpu_us: side.server_cpu_us.or(work.cpu_us),
            pages_read: work.pages_read,
            ..side
        }
    };
    Ok(sides.map(side).collect())
}

fn side_from_tally(variant: usize, tally: &Tally) -> Side {
    let per_query = |nanoseconds: u64| nanoseconds as f64 / 1e3 / tally.all_queries.max(1) as f64;
    let average = |effort: f64, count: u64| (effort > 0.0 && count > 0).then(|| effort / count as f64);
    Side {
        variant,
        seconds: tally.seconds,
        events: tally.events,
        queries: tally.queries,
        rows: Some(tally.rows),
        errors: tally.errors.clone(),
        lost_connections: 0,
        unbound: false,
        missed: tally.missed,
        work: BTreeMap::new(),
        server_cpu_us: tally.server_cpu_ns.map(per_query),
        pages_read: None,
        effort: average(tally.effort, tally.events),
        statement_effort: average(tally.all_effort, tally.all_queries),
        client_cpu_us: Some(per_query(tally.client_cpu_ns)),
        latency: latency::from_histogram(&tally.latency),
        log: None,
    }
}

fn run_sysbench_block(
    work: &SysbenchWorkload,
    rows: &workload::Options,
    targets: &BTreeMap<usize, (Target, Settings)>,
    variants: &[usize],
    length: Duration,
) -> Result<Vec<Side>, Error> {
    let loads: Vec<SysbenchLoad<'_>> = variants
        .iter()
        .map(|variant| &targets[variant])
        .map(|(target, settings)| SysbenchLoad { target, work, rows, settings })
        .collect();
    let tallies = load::run_sysbench(&loads, length)?;
    Ok(variants.iter().zip(&tallies).map(|(&variant, tally)| side_from_sysbench(variant, tally)).collect())
}

fn side_from_sysbench(variant: usize, tally: &SysbenchTally) -> Side {
    let errors = (tally.ignored_errors > 0).then_some((0, tally.ignored_errors));
    Side {
        variant,
        seconds: tally.seconds,
        events: tally.events,
        queries: tally.queries,
        rows: None,
        errors: errors.into_iter().collect(),
        lost_connections: 0,
        unbound: false,
        missed: 0,
        effort: None,
        statement_effort: None,
        work: BTreeMap::new(),
        server_cpu_us: None,
        pages_read: None,
        client_cpu_us: None,
        latency: Latency { p50_ms: None, p95_ms: Some(tally.p95_ms), p99_ms: None, hdr: None },
        log: None,
    }
}
