//! The real executor: variants under load on real servers.

use std::collections::BTreeMap;
use std::time::Duration;

use drive::{
    Binding, Load, Settings, Sharing, SysbenchLoad, SysbenchTally, SysbenchWork, Tally, Target, Work, WorkGauge,
};
use server::interrupt;

use crate::error::Error;
use crate::latency;
use crate::model::{Latency, Side};
use crate::schedule::Executor;
use crate::stolen::Stolen;
use crate::time::Clock;

/// Load at the start of every block that is not counted, so that both sides are up to speed.
const LEAD_IN: Duration = Duration::from_millis(50);

/// How long a side has the cores, at least, before it is the other's turn. Long against handing over (some 50 µs) and refilling the caches,
/// short against what else happens on a machine.
const TURN: Duration = Duration::from_millis(10);

/// Up to so many connections are made anew for each block. It takes some 10 ms each; with more, what is particular to each averages out.
pub(crate) const MOST_RESTARTED: u32 = 8;

/// How often connections are made anew until their threads are found, and bound.
const TRIES: u32 = 3;

/// So many blocks in a row may lose connections before that is what ends the run.
const MOST_LOST_IN_A_ROW: u32 = 5;

/// The loads of one condition, by variant.
pub(crate) enum Loads {
    /// Our own client's, connected.
    Native(BTreeMap<usize, Load>),
    /// What sysbench is told.
    Sysbench { work: SysbenchWork, rows: workload::Options, targets: BTreeMap<usize, (Target, Settings)> },
}

/// Puts the loads of one condition to work.
pub(crate) struct Real {
    pub(crate) loads: Loads,
    /// Whether the connections are made anew for each block.
    pub(crate) restarts: bool,
    pub(crate) clock: Clock,
    /// Whether the server's threads are known, and bound, on every load; in a block all sides are as the others, or it is left out.
    pub(crate) placed: Placed,
    /// Blocks in a row that lost connections.
    pub(crate) lost_in_a_row: u32,
    /// Share of the machine's time that a hypervisor gave to others in the last block.
    pub(crate) stolen: Option<f64>,
}

impl Executor for Real {
    type Error = Error;

    fn block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Error> {
        self.stolen = None;
        let stolen = Stolen::begin();
        let sides = match &mut self.loads {
            Loads::Native(loads) => {
                if self.restarts && !restart_placed(loads, variants, self.placed)? {
                    let left_out = |&variant: &usize| Side { unbound: true, ..side(variant, &Tally::default()) };
                    return Ok(variants.iter().map(left_out).collect());
                }
                match native(loads, variants, Sharing::Turns(TURN), length) {
                    Err(Error::Load(lost @ drive::Error::Lost { .. })) => self.reconnect(variants, lost),
                    sides => {
                        self.lost_in_a_row = 0;
                        sides
                    }
                }
            }
            Loads::Sysbench { work, rows, targets } => sysbench(work, rows, targets, variants, length),
        };
        self.stolen = stolen.share();
        // What a signal broke is not to be reported as a failure.
        if interrupt::interrupted() { Err(Error::Interrupted) } else { sides }
    }

    fn stolen(&self) -> Option<f64> {
        self.stolen
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// What is known of the threads behind connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The server's CPU time is told.
    pub(crate) found: bool,
    /// Both ends are bound to cores.
    pub(crate) bound: bool,
}

impl Placed {
    /// What holds for each of the loads.
    pub(crate) fn of(loads: &Loads) -> Self {
        let Loads::Native(loads) = loads else { return Self { found: false, bound: false } };
        let all = |holds: fn(&Load) -> bool| loads.values().all(holds);
        Self { found: all(Load::has_server_cpu), bound: all(|load| *load.binding() == Binding::Bound) }
    }

    fn holds_for(self, load: &Load) -> bool {
        (load.has_server_cpu() || !self.found) && (*load.binding() == Binding::Bound || !self.bound)
    }
}

/// Makes connections anew, again where their threads are not found or bound at first; whether they are in the end.
fn restart_placed(loads: &mut BTreeMap<usize, Load>, variants: &[usize], placed: Placed) -> Result<bool, Error> {
    restart(loads, variants)?;
    for _ in 1..TRIES {
        let lacking: Vec<usize> =
            variants.iter().copied().filter(|variant| !placed.holds_for(&loads[variant])).collect();
        if lacking.is_empty() {
            return Ok(true);
        }
        restart(loads, &lacking)?;
    }
    Ok(variants.iter().all(|variant| placed.holds_for(&loads[variant])))
}

impl Real {
    /// Makes lost connections anew and returns sides in which nothing counts, unless that has happened too often to be chance.
    fn reconnect(&mut self, variants: &[usize], lost: drive::Error) -> Result<Vec<Side>, Error> {
        self.lost_in_a_row += 1;
        if self.lost_in_a_row > MOST_LOST_IN_A_ROW || interrupt::interrupted() {
            return Err(lost.into());
        }
        let Loads::Native(loads) = &mut self.loads else { return Err(lost.into()) };
        restart(loads, variants)?;
        let drive::Error::Lost { server, connections, .. } = &lost else { return Err(lost.into()) };
        let nothing = |&variant: &usize| {
            let of_this = loads.get(&variant).is_some_and(|load| load.target().server == *server);
            Side { lost_connections: if of_this { *connections } else { 0 }, ..side(variant, &Tally::default()) }
        };
        Ok(variants.iter().map(nothing).collect())
    }
}

/// Makes the connections of these variants anew. Where in memory a connection's state happens to lie in the server stays the same as
/// long as it lives, and moves its speed by half a percent; made anew for each block, that becomes noise that the interval knows of.
fn restart(loads: &mut BTreeMap<usize, Load>, variants: &[usize]) -> Result<(), Error> {
    for &variant in variants {
        if let Some(load) = loads.remove(&variant) {
            loads.insert(variant, load.restart()?);
        }
    }
    Ok(())
}

fn native(
    loads: &BTreeMap<usize, Load>,
    variants: &[usize],
    sharing: Sharing,
    length: Duration,
) -> Result<Vec<Side>, Error> {
    let loads: Vec<&Load> = variants.iter().map(|variant| &loads[variant]).collect();
    let gauge = WorkGauge::begin(&loads)?;
    let tallies = drive::run_block(&loads, sharing, LEAD_IN, length)?;
    let work = gauge.end(&loads, &tallies)?;
    let sides = variants.iter().zip(&tallies).zip(work);
    let side = |((&variant, tally), work): ((&usize, &Tally), Work)| {
        let side = side(variant, tally);
        Side {
            work: work.counters,
            server_cpu_us: side.server_cpu_us.or(work.cpu_us),
            pages_read: work.pages_read,
            ..side
        }
    };
    Ok(sides.map(side).collect())
}

fn side(variant: usize, tally: &Tally) -> Side {
    let per_query = |nanoseconds: u64| nanoseconds as f64 / 1e3 / tally.all_queries.max(1) as f64;
    let average = |effort: f64, of: u64| (effort > 0.0 && of > 0).then(|| effort / of as f64);
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

fn sysbench(
    work: &SysbenchWork,
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
    let tallies = drive::run_sysbench(&loads, length)?;
    Ok(variants.iter().zip(&tallies).map(|(&variant, tally)| sysbench_side(variant, tally)).collect())
}

fn sysbench_side(variant: usize, tally: &SysbenchTally) -> Side {
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
