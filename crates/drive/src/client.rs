//! One connection's part of a block: event after event, counted and timed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use workload::Generator;

use crate::arrivals::Arrivals;
use crate::cpu::own_cpu_ns;
use crate::error::{IgnoredErrors, WireError};
use crate::rest::{sleep_until, wake_in_time};
use crate::session::Session;
use crate::tally::Tally;
use crate::turns::{Place, Turn, Turns};
use crate::work::Counters;

/// What a connection is told to do.
pub(crate) enum Order {
    Work(Block),
    /// Read the session's counters, and what these statements tell, and send them there.
    Status(Vec<&'static str>, Sender<Result<Counters, WireError>>),
}

/// Load until `end`, counting what begins, or is due, from `begin` on.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) way: Way,
}

/// When one event follows another.
#[derive(Clone)]
pub(crate) enum Way {
    /// When the one before has ended, and the pause behind it.
    OneByOne,
    /// The same in this side's turns.
    InTurns(Arc<Turns>, usize),
    /// When it is due.
    AsDue(Arc<Arrivals>),
}

/// What one thread of a load works with.
pub(crate) struct Client {
    pub(crate) session: Session,
    pub(crate) generator: Generator,
    pub(crate) extra_work: ExtraWork,
    pub(crate) ignored: IgnoredErrors,
}

/// When an event is due that does not count.
pub(crate) struct ExtraWork {
    share: f64,
    due: f64,
}

impl ExtraWork {
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
        let goes_on = match order {
            Order::Work(block) => {
                let report = work(&mut client, &block);
                let done = report.is_ok();
                reports.send(report).is_ok() && done
            }
            Order::Status(also, answer) => {
                let counters = client.session.counters(&also);
                let done = counters.is_ok();
                answer.send(counters).is_ok() && done
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// One connection's part of a block.
fn work(client: &mut Client, order: &Block) -> Result<Tally, WireError> {
    let mut tally = Tally::default();
    let cpu = own_cpu_ns();
    match &order.way {
        Way::OneByOne => one_by_one(client, order.begin, order.end, &mut tally)?,
        Way::InTurns(turns, side) => in_turns(client, turns.place(*side), &mut tally)?,
        Way::AsDue(arrivals) => as_due(client, order, arrivals, &mut tally)?,
    }
    tally.client_cpu_ns = own_cpu_ns() - cpu;
    Ok(tally)
}

/// Event after event until a time; those that begin before `begin` are not counted. The last one ends after that time, and the
/// tally's seconds with it, so that a slow event weighs what it took. Pauses count as time.
fn one_by_one(client: &mut Client, begin: Instant, until: Instant, tally: &mut Tally) -> Result<(), WireError> {
    let Client { session, generator, extra_work, ignored } = client;
    let mut start = Instant::now();
    let mut counted_from = None;
    let mut pause = generator.rest_of_pause();
    loop {
        if !pause.is_zero() {
            let end = (start + pause).min(until);
            wake_in_time();
            sleep_until(end);
            if end > begin {
                counted_from.get_or_insert(start.max(begin));
            }
            start = Instant::now();
        }
        if start >= until {
            break;
        }
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
                tally.all_effort += generator.effort();
                if counts {
                    tally.effort += generator.effort();
                    tally.events += 1;
                    tally.queries += queries;
                    tally.rows += rows;
                    tally.latency.saturating_record(nanoseconds(now - start));
                }
                start = now;
                for _ in 0..extra_work.after_event() {
                    generator
                        .event(|statement, values| session.run(statement, values).map(drop))
                        .or_else(|error| pass_over(error, session, ignored).map(drop))?;
                    start = Instant::now();
                }
            }
            Err(error) => {
                let code = pass_over(error, session, ignored)?;
                *tally.errors.entry(code).or_default() += 1;
                start = Instant::now();
            }
        }
        pause = generator.pause();
    }
    tally.seconds += counted_from.map_or(0.0, |from| (start - from).as_secs_f64());
    Ok(())
}

/// Events as they are due, those that the connection gets. The tally's seconds are those in which events were due, or longer where the server fell
/// behind.
fn as_due(client: &mut Client, order: &Block, arrivals: &Arrivals, tally: &mut Tally) -> Result<(), WireError> {
    let Client { session, generator, ignored, .. } = client;
    wake_in_time();
    let mut now = Instant::now();
    while let Some(due) = arrivals.next() {
        let counts = due >= order.begin;
        if !counts && now >= order.begin {
            // What the lead-in left behind would be the queue of what counts.
            continue;
        }
        if !arrivals.may_begin(now) {
            tally.missed += u64::from(counts);
            continue;
        }
        sleep_until(due);
        let (mut queries, mut rows) = (0, 0);
        let outcome = generator.event(|statement, values| {
            queries += 1;
            rows += session.run(statement, values)?;
            Ok(())
        });
        now = Instant::now();
        tally.all_queries += queries;
        if outcome.is_ok() {
            tally.all_effort += generator.effort();
        }
        match outcome {
            Ok(()) if counts => {
                tally.effort += generator.effort();
                tally.events += 1;
                tally.queries += queries;
                tally.rows += rows;
                tally.latency.saturating_record(nanoseconds(now - due));
            }
            Ok(()) => {}
            Err(error) => *tally.errors.entry(pass_over(error, session, ignored)?).or_default() += 1,
        }
    }
    tally.seconds += (now.max(order.end) - order.begin).as_secs_f64();
    Ok(())
}

/// Leaves the transaction of an error that is passed over, and returns its number; any other error is an error.
fn pass_over(error: WireError, session: &mut Session, ignored: &IgnoredErrors) -> Result<u16, WireError> {
    match error {
        WireError::Server { code, .. } if !error.is_fatal() && ignored.has(code) => {
            session.abandon_transaction()?;
            Ok(code)
        }
        error => Err(error),
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Event after event in this side's turns, until the block is over.
fn in_turns(client: &mut Client, place: Place<'_>, tally: &mut Tally) -> Result<(), WireError> {
    let Some(mut pace) = Pace::begin(place, tally) else { return Ok(()) };
    pace.rest(client.generator.rest_of_pause());
    while pace.may_begin() {
        let counted = pace.event(client, true)?;
        let due = if counted { client.extra_work.after_event() } else { 0 };
        for _ in 0..due {
            pace.event(client, false)?;
        }
        pace.rest(client.generator.pause());
    }
    Ok(())
}

/// A connection's way through its turns. It stops between any two statements; time is counted from the end of a turn's first statement
/// to the end of its last one, and statements that end in this time. Where it rests, as an application does between two calls, no statement of it
/// waits for others to begin: then time is counted from there on, and up to the end of the turn.
struct Pace<'a> {
    place: Place<'a>,
    tally: &'a mut Tally,
    turn: Turn,
    /// End of the turn's first statement, where the turn counts.
    counted_from: Option<Instant>,
    /// End of the last statement, or begin of the turn.
    now: Instant,
    /// Whether the block is over, maybe in the middle of an event, as another connection failed.
    over: bool,
}

/// The event in hand.
#[derive(Default)]
struct Event {
    statements: u32,
    counted: u32,
    /// How long its statements took, pauses left out.
    took: Duration,
}

/// What ends an event early.
enum Stop {
    Over,
    Failed(WireError),
}

impl<'a> Pace<'a> {
    fn begin(mut place: Place<'a>, tally: &'a mut Tally) -> Option<Self> {
        let turn = place.wait()?;
        Some(Self { place, tally, turn, counted_from: None, now: Instant::now(), over: false })
    }

    /// Waits until an event may begin; `false` when the block is over.
    fn may_begin(&mut self) -> bool {
        while !self.over && (self.turn.last || self.now >= self.turn.until) {
            self.pause();
        }
        !self.over
    }

    /// Waits until an event that has begun may go on. In the last turn it does until it ends, and so does one that holds locks: paused, it
    /// would keep a connection of its own side waiting, whose turn then could not end.
    fn may_go_on(&mut self, holds_locks: bool) -> bool {
        while !self.over && !self.turn.last && !holds_locks && self.now >= self.turn.until {
            self.pause();
        }
        !self.over
    }

    /// Ends this turn and waits for the next.
    fn pause(&mut self) {
        if let Some(from) = self.counted_from.take() {
            self.tally.seconds += (self.now - from).as_secs_f64();
        }
        self.place.done();
        match self.place.wait() {
            Some(turn) => (self.turn, self.now) = (turn, Instant::now()),
            None => self.over = true,
        }
    }

    /// Lets the pause behind an event pass. It passes in this side's turns only: in between, time stands still for a side.
    fn rest(&mut self, mut left: Duration) {
        while !left.is_zero() && !self.over && !self.turn.last {
            if self.turn.counts {
                self.counted_from.get_or_insert(self.now);
            }
            wake_in_time();
            sleep_until((self.now + left).min(self.turn.until));
            let now = Instant::now();
            left = left.saturating_sub(now - self.now);
            self.now = now;
            if now >= self.turn.until && !left.is_zero() {
                self.pause();
            }
        }
    }

    /// One event, or the rest of a block that ends early. Returns whether it was done to its end. One that does not count takes its time
    /// all the same.
    fn event(&mut self, client: &mut Client, counts: bool) -> Result<bool, WireError> {
        let Client { session, generator, ignored, .. } = client;
        let mut event = Event::default();
        let outcome = generator.event(|statement, values| {
            if !self.may_go_on(event.statements > 0 && session.writes()) {
                return Err(Stop::Over);
            }
            self.tally.all_queries += u64::from(counts);
            let rows = session.run(statement, values).map_err(Stop::Failed)?;
            self.ended(&mut event, rows, counts);
            Ok(())
        });
        match outcome {
            Ok(()) if counts => {
                self.credit(&event, generator.effort());
                Ok(true)
            }
            Ok(()) => Ok(true),
            Err(Stop::Over) => Ok(false),
            Err(Stop::Failed(error)) => {
                let code = pass_over(error, session, ignored)?;
                self.now = Instant::now();
                if self.turn.counts && counts {
                    *self.tally.errors.entry(code).or_default() += 1;
                }
                Ok(false)
            }
        }
    }

    fn ended(&mut self, event: &mut Event, rows: u64, counts: bool) {
        let now = Instant::now();
        event.took += now - self.now;
        event.statements += 1;
        self.now = now;
        match self.counted_from {
            _ if !self.turn.counts => {}
            None => self.counted_from = Some(now),
            Some(_) if counts => {
                event.counted += 1;
                self.tally.queries += 1;
                self.tally.rows += rows;
            }
            Some(_) => {}
        }
    }

    /// An event counts by the share of its statements that count: with many connections it is spread over several turns.
    fn credit(&mut self, event: &Event, effort: f64) {
        self.tally.all_effort += effort;
        if event.counted == 0 {
            return;
        }
        let share = f64::from(event.counted) / f64::from(event.statements);
        self.tally.shares += share;
        self.tally.effort += share * effort;
        if self.turn.counts {
            self.tally.latency.saturating_record(nanoseconds(event.took));
        }
    }
}
