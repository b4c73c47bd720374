//! Turns: the two loads of a duet alternate every few milliseconds, each in its own closed loop.
//!
//! If both sides ran at the same time on the same cores, the scheduler would divide the cores
//! unevenly: two chains of threads that keep waking each other fall into step. In turns, each side
//! has the cores to itself for a slice, so its throughput is its own. The slices are short, so that
//! a disturbance of the machine affects both sides equally.
//!
//! ```text
//!            |<------- slice ------->|drain|
//! side A  ···(first)[statement][statement]··|            paused             |(first)[statement]···
//! side B                                    |(first)[statement][statement]··|        paused
//! ```
//!
//! A connection pauses between two statements, possibly within a transaction, and continues there
//! in its next turn. With many connections a transaction takes longer than a slice: a turn that let
//! each connection finish would be a batch of one transaction per connection, not a closed loop.
//! The first statement of a turn is not counted, as it waits for fewer other statements than later
//! ones do. The drain is the time until a side is idle: one statement with all connections at work,
//! plus the round trip. Slices are long compared with the drain.
//!
//! Rounds alternate their order, and all sides have the same number of turns:
//!
//! ```text
//!           round 0        round 1       round 2  …   last round
//! turns     A B            B A           A B          A or B first
//!           not counted    counted       counted      not counted; events run to their end
//! ```

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Slice length in median drains, within the limits of the block.
const DRAINS_PER_SLICE: u32 = 40;

/// Number of slices of maximum length in the counted time of a block. Limits the slice length.
const TURNS_PER_BLOCK: u32 = 4;

/// The order of turns for the threads of all sides of one block.
pub(crate) struct Turns {
    state: Mutex<State>,
    /// Signals that a turn begins or the block is over; one condition variable per side. With
    /// hundreds of threads, waking the waiting side as well would take longer than a slice.
    changed: Vec<Condvar>,
    /// Rounds that begin earlier are not counted.
    begin: Instant,
    end: Instant,
    /// Number of threads per side.
    threads: Vec<usize>,
    shortest: Duration,
    longest: Duration,
}

struct State {
    /// Number of the current turn, from 0. A thread takes part in each turn of its side once.
    number: usize,
    /// Threads of the current side that have not finished the turn.
    running: usize,
    turn: Turn,
    over: bool,
    /// Whether a round has counted.
    has_counted: bool,
    slice: Duration,
    drains: Vec<Duration>,
}

/// Limits of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// No statement begins after this time, except in the last turn and within an event that holds
    /// locks.
    pub(crate) until: Instant,
    /// Whether statements count. `false` in the first round, in rounds that begin during the
    /// lead-in, and in the last round.
    pub(crate) counts: bool,
    /// Whether this is the side's last turn: running transactions end, however long they take, and
    /// none begins except injected extra work.
    pub(crate) last: bool,
}

/// A thread that takes part in the turns. Dropping the value ends the block for all threads: no
/// thread waits for an ended one.
pub(crate) struct Participant<'a> {
    turns: &'a Turns,
    side: usize,
    /// Number of the earliest turn that this thread can still take part in.
    next: usize,
}

impl Turns {
    /// Starts turns from now until `end`, counted from `begin` on. `threads` is the number of
    /// threads per side. Slices start at `slice` and adapt, but are never shorter than `shortest`.
    pub(crate) fn new(threads: Vec<usize>, shortest: Duration, slice: Duration, begin: Instant, end: Instant) -> Self {
        let longest = (end.saturating_duration_since(begin) / TURNS_PER_BLOCK).max(shortest);
        let slice = slice.clamp(shortest, longest);
        let turn = Turn { until: Instant::now() + slice, counts: false, last: false };
        let state =
            State { number: 0, running: threads[0], turn, over: false, has_counted: false, slice, drains: Vec::new() };
        let changed = threads.iter().map(|_| Condvar::new()).collect();
        Self { state: Mutex::new(state), changed, begin, end, threads, shortest, longest }
    }

    pub(crate) fn join(&self, side: usize) -> Participant<'_> {
        Participant { turns: self, side, next: 0 }
    }

    pub(crate) fn slice(&self) -> Duration {
        self.lock().slice
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the side of a turn. Each round reverses the order (A B, B A, A B, …), so that a
    /// drift favours no side.
    fn side_of_turn(&self, number: usize) -> usize {
        let sides = self.threads.len();
        let (round, place) = (number / sides, number % sides);
        if round.is_multiple_of(2) { place } else { sides - 1 - place }
    }

    /// Starts the next turn, or ends the block after the last round. The last round is the first
    /// one that begins after `end` and after a counted round: on a machine that stalls, a block
    /// may be over before its first round ends.
    fn start_next_turn(&self, state: &mut State) {
        let now = Instant::now();
        if !state.turn.last {
            state.drains.push(now.saturating_duration_since(state.turn.until));
        }
        state.number += 1;
        let sides = self.threads.len();
        if state.number.is_multiple_of(sides) {
            if state.turn.last {
                self.end_all(state);
                return;
            }
            state.turn.last = now >= self.end && state.has_counted;
            state.turn.counts = now >= self.begin && !state.turn.last;
            state.has_counted |= state.turn.counts;
            state.slice = self.slice_for(&mut state.drains, state.slice);
        }
        let side = self.side_of_turn(state.number);
        state.running = self.threads[side];
        state.turn.until = now + state.slice;
        self.changed[side].notify_all();
    }

    /// Returns the slice length for the next round, the same for all sides.
    fn slice_for(&self, drains: &mut [Duration], current: Duration) -> Duration {
        // With fewer than four drains, a single disturbed drain would decide.
        if drains.len() < 4 {
            return current;
        }
        drains.sort_unstable();
        (drains[drains.len() / 2] * DRAINS_PER_SLICE).clamp(self.shortest, self.longest)
    }

    fn end_all(&self, state: &mut State) {
        state.over = true;
        self.changed.iter().for_each(Condvar::notify_all);
    }
}

impl Participant<'_> {
    /// Waits for this side's next turn. `None` if the block is over.
    pub(crate) fn wait(&mut self) -> Option<Turn> {
        let mut state = self.turns.lock();
        while !state.over && (self.turns.side_of_turn(state.number) != self.side || state.number < self.next) {
            state = self.turns.changed[self.side].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.next = state.number + 1;
        (!state.over).then_some(state.turn)
    }

    /// Reports that this thread has finished the turn.
    pub(crate) fn done(&mut self) {
        let mut state = self.turns.lock();
        state.running = state.running.saturating_sub(1);
        if state.running == 0 && !state.over {
            self.turns.start_next_turn(&mut state);
        }
    }
}

impl Drop for Participant<'_> {
    fn drop(&mut self) {
        self.turns.end_all(&mut self.turns.lock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SLICE: Duration = Duration::from_millis(2);

    fn turns(threads: &[usize], length: Duration) -> Turns {
        let now = Instant::now();
        Turns::new(threads.to_vec(), SLICE, SLICE, now, now + length)
    }

    /// Runs threads that do `work` in each of their turns. Returns the number of turns per thread
    /// and the final slice length.
    fn run(threads: &[usize], length: Duration, work: &(dyn Fn(usize) + Sync)) -> (Vec<Vec<u32>>, Duration) {
        let turns = &turns(threads, length);
        let counts = std::thread::scope(|scope| {
            let start = |side: usize| {
                scope.spawn(move || {
                    let mut place = turns.join(side);
                    let mut count = 0;
                    while let Some(turn) = place.wait() {
                        count += 1;
                        while !turn.last && Instant::now() < turn.until {
                            work(side);
                        }
                        place.done();
                    }
                    count
                })
            };
            let handles: Vec<Vec<_>> =
                threads.iter().enumerate().map(|(side, &n)| (0..n).map(|_| start(side)).collect()).collect();
            handles.into_iter().map(|side| side.into_iter().map(|thread| thread.join().unwrap()).collect()).collect()
        });
        (counts, turns.slice())
    }

    #[test]
    fn sides_run_at_different_times_and_have_equally_many_turns() {
        let active = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let (turns, _) = run(&[3, 2], Duration::from_millis(60), &|side| {
            active[side].fetch_add(1, Ordering::SeqCst);
            assert_eq!(active[1 - side].load(Ordering::SeqCst), 0, "both sides at once");
            std::thread::yield_now();
            active[side].fetch_sub(1, Ordering::SeqCst);
        });
        let first = turns[0][0];
        assert!(first > 1 && turns.iter().flatten().all(|&count| count == first), "{turns:?}");
    }

    #[test]
    fn slices_grow_with_statement_time() {
        let (_, slice) = run(&[1, 1], Duration::from_millis(400), &|_| std::thread::sleep(Duration::from_millis(3)));
        assert!(slice > SLICE, "{slice:?}");
    }

    #[test]
    fn slice_is_forty_median_drains() {
        let turns = turns(&[1, 1], Duration::from_millis(400));
        let slice = |drains: &[u64]| {
            let mut drains: Vec<Duration> = drains.iter().map(|&drain| Duration::from_millis(drain)).collect();
            turns.slice_for(&mut drains, SLICE)
        };
        assert_eq!(slice(&[9, 9, 9]), SLICE, "of three drains one that was disturbed could decide");
        assert_eq!(slice(&[1, 2, 90, 1]), Duration::from_millis(80));
        assert_eq!(slice(&[0; 4]), SLICE);
        assert_eq!(slice(&[90; 4]), turns.longest);
    }

    #[test]
    fn first_and_last_round_are_not_counted() {
        let turns = &turns(&[1, 1], Duration::from_millis(20));
        let seen: Vec<Vec<Turn>> = std::thread::scope(|scope| {
            let side = |side| {
                move || {
                    let mut place = turns.join(side);
                    std::iter::from_fn(|| {
                        let turn = place.wait()?;
                        std::thread::sleep(SLICE);
                        place.done();
                        Some(turn)
                    })
                    .collect::<Vec<_>>()
                }
            };
            [scope.spawn(side(0)), scope.spawn(side(1))].map(|thread| thread.join().unwrap()).into()
        });
        for turns in seen {
            let (first, last) = (turns[0], turns[turns.len() - 1]);
            assert!(!first.counts && !first.last && last.last && !last.counts);
            assert!(turns[1..turns.len() - 1].iter().all(|turn| turn.counts && !turn.last), "{turns:?}");
        }
    }

    #[test]
    fn late_block_has_a_counted_round() {
        let turns = &turns(&[1], Duration::ZERO);
        let mut place = turns.join(0);
        let counts: Vec<(bool, bool)> = std::iter::from_fn(|| {
            let turn = place.wait()?;
            place.done();
            Some((turn.counts, turn.last))
        })
        .collect();
        assert_eq!(counts, [(false, false), (true, false), (false, true)]);
    }

    #[test]
    fn order_reverses_each_round() {
        let turns = turns(&[1, 1], Duration::ZERO);
        assert_eq!((0..6).map(|number| turns.side_of_turn(number)).collect::<Vec<_>>(), [0, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn leaving_thread_ends_the_block() {
        let turns = &turns(&[1, 1], Duration::from_secs(60));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.join(1).wait());
            drop(turns.join(0));
            assert_eq!(waiting.join().unwrap(), None);
        });
    }
}
