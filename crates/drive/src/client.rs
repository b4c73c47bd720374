//! One connection's part of a block: event after event, counted and timed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use crate::cpu::own_cpu_ns;
use crate::error::WireError;
use crate::session::Session;
use crate::tally::Tally;
use crate::turns::Turns;

/// Load until `end`, counting what begins from `begin` on; in turns with others where there are turns to take.
#[derive(Clone)]
pub(crate) struct Order {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) turns: Option<(Arc<Turns>, usize)>,
}

/// What one thread of a load works with.
pub(crate) struct Client {
    pub(crate) session: Session,
    pub(crate) generator: workload::Generator,
    pub(crate) handicap: Handicap,
}

/// When an event is due that does not count.
pub(crate) struct Handicap {
    share: f64,
    due: f64,
}

impl Handicap {
    pub(crate) fn new(share: f64) -> Self {
        // In the middle, so that over any number of events the extra ones are neither too many nor too few on average.
        Self { share, due: 0.5 }
    }

    /// How many events are due after one that counted.
    fn after_event(&mut self) -> u32 {
        self.due += self.share;
        let whole = self.due.floor();
        self.due -= whole;
        whole as u32
    }
}

/// Does what is ordered until nobody orders any more, or the connection fails.
pub(crate) fn serve(mut client: Client, orders: &Receiver<Order>, reports: &Sender<Result<Tally, WireError>>) {
    while let Ok(order) = orders.recv() {
        let report = work(&mut client, &order);
        let failed = report.is_err();
        if reports.send(report).is_err() || failed {
            return;
        }
    }
}

/// One connection's part of a block.
fn work(client: &mut Client, order: &Order) -> Result<Tally, WireError> {
    let mut tally = Tally::default();
    let cpu = own_cpu_ns();
    match &order.turns {
        None => stretch(client, order.begin, order.end, &mut tally)?,
        Some((turns, side)) => {
            let mut place = turns.place(*side);
            while let Some(until) = place.wait() {
                stretch(client, order.begin, until, &mut tally)?;
                place.done();
            }
        }
    }
    tally.client_cpu_ns = own_cpu_ns() - cpu;
    Ok(tally)
}

/// Event after event until a time; those that begin before `begin` are not counted. The last one ends after that time, and the
/// tally's seconds with it, so that a slow event weighs what it took.
fn stretch(client: &mut Client, begin: Instant, until: Instant, tally: &mut Tally) -> Result<(), WireError> {
    let Client { session, generator, handicap } = client;
    let mut start = Instant::now();
    let mut counted_from = None;
    while start < until {
        let (mut queries, mut rows) = (0, 0);
        let outcome = generator.event(|statement, values| {
            queries += 1;
            rows += session.run(statement, values)?;
            Ok(())
        });
        tally.all_queries += queries;
        let counts = start >= begin;
        if counts && counted_from.is_none() {
            counted_from = Some(start);
        }
        match outcome {
            Ok(()) => {
                let now = Instant::now();
                if counts {
                    tally.events += 1;
                    tally.queries += queries;
                    tally.rows += rows;
                    let nanoseconds = u64::try_from((now - start).as_nanos()).unwrap_or(u64::MAX);
                    tally.latency.saturating_record(nanoseconds);
                }
                start = now;
                for _ in 0..handicap.after_event() {
                    generator
                        .event(|statement, values| session.run(statement, values).map(drop))
                        .or_else(|error| if error.is_fatal() { Err(error) } else { session.abandon_transaction() })?;
                    start = Instant::now();
                }
            }
            Err(WireError::Server { code, .. }) => {
                *tally.errors.entry(code).or_default() += 1;
                session.abandon_transaction()?;
                start = Instant::now();
            }
            Err(fatal) => return Err(fatal),
        }
    }
    tally.seconds += counted_from.map_or(0.0, |from| (start - from).as_secs_f64());
    Ok(())
}
