//! A worker: runs the events of one connection in a block, counts and times them.
//!
//! ```text
//!             Command::Work                  block over: report
//!    idle ───────────────────▶ working ─────────────────────────▶ idle
//!     │ Command::Status           │ error that is not ignored
//!     │ (read counters, stay)     ▼
//!     └─ command channel closed ─▶ ended
//! ```
//!
//! In turns, [`TurnPacer`] moves a worker through these states:
//!
//! ```text
//! waiting ──▶ first statement ──▶ counting ──▶ drained ──▶ waiting … ──▶ over
//! (other      (not counted)       (until the   (last statement
//! side runs)                      turn ends)   has ended)
//! ```

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use workload::Generator;

use super::arrivals::Arrivals;
use super::session::Session;
use super::sleep::{minimise_timer_slack, sleep_until};
use super::tally::Tally;
use super::turns::{Participant, Turn, Turns};
use crate::accounting::{Counters, client_thread_cpu_ns};
use crate::error::{IgnoredErrors, WireError};

/// A command for a worker.
pub(crate) enum Command {
    Work(Block),
    /// Read the session's status counters and run these status queries; send the result to this
    /// channel.
    Status(Vec<&'static str>, Sender<Result<Counters, WireError>>),
}

/// A block: load until `end`. Counts events that begin, or are due, at `begin` or later. In turns,
/// [`Turns`] decides what counts and when the block ends.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) pacing: Pacing,
}

/// How the events of a worker follow each other.
#[derive(Clone)]
pub(crate) enum Pacing {
    /// Closed loop: an event begins when the previous one and its pause have ended.
    ClosedLoop,
    /// Closed loop within the turns of this side (index).
    Turns(Arc<Turns>, usize),
    /// Open loop: an event begins when it is due.
    OpenLoop(Arc<Arrivals>),
}

/// Everything that the thread of one connection needs.
pub(crate) struct WorkerContext {
    pub(crate) session: Session,
    pub(crate) generator: Generator,
    pub(crate) extra_work: ExtraWork,
    pub(crate) ignored: IgnoredErrors,
}

/// Injected extra work: determines how many additional, uncounted events follow each event.
pub(crate) struct ExtraWork {
    share: f64,
    due: f64,
}

impl ExtraWork {
    pub(crate) fn new(share: f64) -> Self {
        // Starts at 0.5, so that the number of extra events is right on average.
        Self { share, due: 0.5 }
    }

    /// Returns the number of extra events due after one event.
    fn due_after_event(&mut self) -> u32 {
        self.due += self.share;
        let whole = self.due.floor();
        self.due -= whole;
        whole as u32
    }
}

/// Executes commands until the channel closes or a command fails.
pub(crate) fn run_commands(
    mut client: WorkerContext,
    commands: &Receiver<Command>,
    reports: &Sender<Result<Tally, WireError>>,
) {
    while let Ok(command) = commands.recv() {
        let is_usable = match command {
            Command::Work(block) => {
                let report = run_block_part(&mut client, &block);
                let done = report.is_ok();
                reports.send(report).is_ok() && done
            }
            Command::Status(extra_queries, reply) => {
                let counters = client.session.counters(&extra_queries);
                let done = counters.is_ok();
                reply.send(counters).is_ok() && done
            }
        };
        if !is_usable {
            return;
        }
    }
}

fn run_block_part(client: &mut WorkerContext, block: &Block) -> Result<Tally, WireError> {
    let mut tally = Tally::default();
    let cpu = client_thread_cpu_ns();
    match &block.pacing {
        Pacing::ClosedLoop => run_closed_loop(client, block.begin, block.end, &mut tally)?,
        Pacing::Turns(turns, side) => run_in_turns(client, turns.join(*side), &mut tally)?,
        Pacing::OpenLoop(arrivals) => run_open_loop(client, block, arrivals, &mut tally)?,
    }
    tally.client_cpu_ns = client_thread_cpu_ns() - cpu;
    Ok(tally)
}

/// Runs a closed loop until `until`. Events that begin before `begin` are not counted. The last
/// event may end after `until`; the tally's seconds include it, so that a slow event has its full
/// weight. Pauses count as time.
fn run_closed_loop(
    client: &mut WorkerContext,
    begin: Instant,
    until: Instant,
    tally: &mut Tally,
) -> Result<(), WireError> {
    let WorkerContext { session, generator, extra_work, ignored } = client;
    let mut start = Instant::now();
    let mut counted_from = None;
    let mut pause = generator.draw_remaining_pause();
    loop {
        if !pause.is_zero() {
            let end = (start + pause).min(until);
            minimise_timer_slack();
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
        let outcome = generator.next_event(|statement, values| {
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
                for _ in 0..extra_work.due_after_event() {
                    generator
                        .next_event(|statement, values| session.run(statement, values).map(drop))
                        .or_else(|error| handle_ignored_error(error, session, ignored).map(drop))?;
                    start = Instant::now();
                }
            }
            Err(error) => {
                let code = handle_ignored_error(error, session, ignored)?;
                *tally.errors.entry(code).or_default() += 1;
                start = Instant::now();
            }
        }
        pause = generator.pause();
    }
    tally.seconds += counted_from.map_or(0.0, |from| (start - from).as_secs_f64());
    Ok(())
}

/// Runs the events of an open loop that this connection takes. The tally's seconds run from the
/// block's begin to its end, or to the end of this connection's last event if that is later.
fn run_open_loop(
    client: &mut WorkerContext,
    block: &Block,
    arrivals: &Arrivals,
    tally: &mut Tally,
) -> Result<(), WireError> {
    let WorkerContext { session, generator, ignored, .. } = client;
    minimise_timer_slack();
    let mut now = Instant::now();
    while let Some(due) = arrivals.next() {
        let counts = due >= block.begin;
        if !counts && now >= block.begin {
            // Drop the backlog of the lead-in: it would delay the counted events.
            continue;
        }
        if !arrivals.may_begin(now) {
            tally.missed += u64::from(counts);
            continue;
        }
        sleep_until(due);
        let (mut queries, mut rows) = (0, 0);
        let outcome = generator.next_event(|statement, values| {
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
            Err(error) => *tally.errors.entry(handle_ignored_error(error, session, ignored)?).or_default() += 1,
        }
    }
    tally.seconds += (now.max(block.end) - block.begin).as_secs_f64();
    Ok(())
}

/// Rolls back the transaction after an ignored error and returns the error number. Any other error
/// is returned as an error.
fn handle_ignored_error(error: WireError, session: &mut Session, ignored: &IgnoredErrors) -> Result<u16, WireError> {
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

/// Runs a closed loop in this side's turns until the block is over.
fn run_in_turns(client: &mut WorkerContext, participant: Participant<'_>, tally: &mut Tally) -> Result<(), WireError> {
    let Some(mut pacer) = TurnPacer::new(participant, tally) else { return Ok(()) };
    pacer.wait_out_pause(client.generator.draw_remaining_pause());
    while pacer.may_begin() {
        let counted = pacer.event(client, true)?;
        let due = if counted { client.extra_work.due_after_event() } else { 0 };
        for _ in 0..due {
            pacer.event(client, false)?;
        }
        pacer.wait_out_pause(client.generator.pause());
    }
    Ok(())
}

/// Guides a worker through its turns. A worker can pause between any two statements, except in the
/// last turn and within an event that holds locks. Counted time runs from the end of a turn's first
/// statement to the end of its last statement or pause. A pause before that statement starts the
/// counted time earlier: pauses spread the connections' statements, so a turn's first ones are like
/// any other.
struct TurnPacer<'a> {
    participant: Participant<'a>,
    tally: &'a mut Tally,
    turn: Turn,
    /// Start of the counted time in this turn. `None` until the first statement has ended or a
    /// pause begins, and in a turn that does not count.
    counted_from: Option<Instant>,
    /// End of the last statement or pause, or start of the turn.
    now: Instant,
    /// Whether the block is over. It can end within an event if another connection fails.
    over: bool,
}

/// Progress of the current event.
#[derive(Default)]
struct Event {
    statements: u32,
    counted: u32,
    /// Sum of the statements' times, without the waits between turns.
    took: Duration,
}

/// Why an event ended early.
enum EventEnd {
    Over,
    Failed(WireError),
}

impl<'a> TurnPacer<'a> {
    fn new(mut participant: Participant<'a>, tally: &'a mut Tally) -> Option<Self> {
        let turn = participant.wait()?;
        Some(Self { participant, tally, turn, counted_from: None, now: Instant::now(), over: false })
    }

    /// Waits until an event may begin. `false` if the block is over.
    fn may_begin(&mut self) -> bool {
        while !self.over && (self.turn.last || self.now >= self.turn.until) {
            self.end_turn_and_wait();
        }
        !self.over
    }

    /// Waits until the current event may continue. `false` if the block is over. An event runs to
    /// its end in the last turn, and if it holds locks: a paused event could block another
    /// connection of its side, and the turn would never end.
    fn may_continue(&mut self, holds_locks: bool) -> bool {
        while !self.over && !self.turn.last && !holds_locks && self.now >= self.turn.until {
            self.end_turn_and_wait();
        }
        !self.over
    }

    fn end_turn_and_wait(&mut self) {
        if let Some(from) = self.counted_from.take() {
            self.tally.seconds += (self.now - from).as_secs_f64();
        }
        self.participant.done();
        match self.participant.wait() {
            Some(turn) => (self.turn, self.now) = (turn, Instant::now()),
            None => self.over = true,
        }
    }

    /// Waits out the pause after an event. Only time in this side's turns counts towards the pause.
    /// In the last turn, the pause is skipped.
    fn wait_out_pause(&mut self, mut left: Duration) {
        while !left.is_zero() && !self.over && !self.turn.last {
            if self.turn.counts {
                self.counted_from.get_or_insert(self.now);
            }
            minimise_timer_slack();
            sleep_until((self.now + left).min(self.turn.until));
            let now = Instant::now();
            left = left.saturating_sub(now - self.now);
            self.now = now;
            if now >= self.turn.until && !left.is_zero() {
                self.end_turn_and_wait();
            }
        }
    }

    /// Runs one event. Returns whether it completed. With `counts` false the event is not counted,
    /// but its time is.
    fn event(&mut self, client: &mut WorkerContext, counts: bool) -> Result<bool, WireError> {
        let WorkerContext { session, generator, ignored, .. } = client;
        let mut event = Event::default();
        let outcome = generator.next_event(|statement, values| {
            if !self.may_continue(event.statements > 0 && session.writes()) {
                return Err(EventEnd::Over);
            }
            self.tally.all_queries += u64::from(counts);
            let rows = session.run(statement, values).map_err(EventEnd::Failed)?;
            self.count_statement(&mut event, rows, counts);
            Ok(())
        });
        match outcome {
            Ok(()) if counts => {
                self.count_event(&event, generator.effort());
                Ok(true)
            }
            Ok(()) => Ok(true),
            Err(EventEnd::Over) => Ok(false),
            Err(EventEnd::Failed(error)) => {
                let code = handle_ignored_error(error, session, ignored)?;
                self.now = Instant::now();
                if self.turn.counts && counts {
                    *self.tally.errors.entry(code).or_default() += 1;
                }
                Ok(false)
            }
        }
    }

    fn count_statement(&mut self, event: &mut Event, rows: u64, counts: bool) {
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

    /// Counts an event in proportion to its counted statements: with many connections an event is
    /// spread over several turns.
    fn count_event(&mut self, event: &Event, effort: f64) {
        self.tally.all_effort += effort;
        if event.counted == 0 {
            return;
        }
        let share = f64::from(event.counted) / f64::from(event.statements);
        self.tally.partial_events += share;
        self.tally.effort += share * effort;
        if self.turn.counts {
            self.tally.latency.saturating_record(nanoseconds(event.took));
        }
    }
}
