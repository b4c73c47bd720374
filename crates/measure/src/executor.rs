//! The real executor: variants under load on real servers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use drive::{Load, Settings, Sharing, SysbenchLoad, SysbenchTally, Tally, Target};
use server::interrupt;
use workload::Workload;

use crate::error::Error;
use crate::latency;
use crate::model::{Latency, Side};
use crate::schedule::Executor;

/// Load at the start of every block that is not counted, so that both sides are up to speed.
const LEAD_IN: Duration = Duration::from_millis(50);

/// How long a side has the cores before it is the other's turn. Long against handing over (some 50 µs) and refilling the caches,
/// short against what else happens on a machine.
const TURN: Duration = Duration::from_millis(10);

/// Up to so many connections are made anew for each block. It takes some 10 ms each; with more, what is particular to each averages out.
pub(crate) const MOST_RESTARTED: u32 = 8;

/// So many blocks in a row may lose connections before that is what ends the run.
const MOST_LOST_IN_A_ROW: u32 = 5;

/// The loads of one cell, by variant.
pub(crate) enum Loads {
    /// Our own client's, connected.
    Native(BTreeMap<usize, Load>),
    /// What sysbench is told.
    Sysbench { workload: Workload, rows: workload::Options, targets: BTreeMap<usize, (Target, Settings)> },
}

/// Puts the loads of one cell to work.
pub(crate) struct Real {
    pub(crate) loads: Loads,
    /// Whether the two sides of a duet take turns.
    pub(crate) turns: bool,
    /// Whether the connections are made anew for each block.
    pub(crate) restarts: bool,
    pub(crate) started: Instant,
    /// Blocks in a row that lost connections.
    pub(crate) lost_in_a_row: u32,
}

impl Executor for Real {
    type Error = Error;

    fn block(&mut self, variants: &[usize], length: Duration) -> Result<Vec<Side>, Error> {
        let sides = match &mut self.loads {
            Loads::Native(loads) => {
                if self.restarts {
                    restart(loads, variants)?;
                }
                let sharing = if self.turns { Sharing::Turns(TURN) } else { Sharing::Together };
                match native(loads, variants, sharing, length) {
                    Err(Error::Load(lost @ drive::Error::Lost { .. })) => self.reconnect(variants, lost),
                    sides => {
                        self.lost_in_a_row = 0;
                        sides
                    }
                }
            }
            Loads::Sysbench { workload, rows, targets } => sysbench(*workload, rows, targets, variants, length),
        };
        // What a signal broke is not to be reported as a failure.
        if interrupt::interrupted() { Err(Error::Interrupted) } else { sides }
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
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
    let tallies = drive::run_block(&loads, sharing, LEAD_IN, length)?;
    Ok(variants.iter().zip(&tallies).map(|(&variant, tally)| side(variant, tally)).collect())
}

fn side(variant: usize, tally: &Tally) -> Side {
    let per_query = |nanoseconds: u64| nanoseconds as f64 / 1e3 / tally.all_queries.max(1) as f64;
    Side {
        variant,
        seconds: tally.seconds,
        events: tally.events,
        queries: tally.queries,
        rows: Some(tally.rows),
        errors: tally.errors.clone(),
        lost_connections: 0,
        server_cpu_us: tally.server_cpu_ns.map(per_query),
        client_cpu_us: Some(per_query(tally.client_cpu_ns)),
        latency: latency::from_histogram(&tally.latency),
        log: None,
    }
}

fn sysbench(
    workload: Workload,
    rows: &workload::Options,
    targets: &BTreeMap<usize, (Target, Settings)>,
    variants: &[usize],
    length: Duration,
) -> Result<Vec<Side>, Error> {
    let loads: Vec<SysbenchLoad<'_>> = variants
        .iter()
        .map(|variant| &targets[variant])
        .map(|(target, settings)| SysbenchLoad { target, workload, rows, settings })
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
        server_cpu_us: None,
        client_cpu_us: None,
        latency: Latency { p50_ms: None, p95_ms: Some(tally.p95_ms), p99_ms: None, hdr: None },
        log: None,
    }
}
