//! Two loads that take turns within a block, every few milliseconds, each in a closed loop of its own.
//!
//! Where both sides of a duet run at the same time on the same cores, it is the kernel's scheduler that divides the cores between
//! them, and it divides neither evenly nor in proportion to what each needs: two chains of threads that keep waking each other fall
//! into step. In turns, each side has its cores to itself for a slice, so its throughput is its own; and slices are so short that
//! whatever else happens on the machine happens to both.
//!
//! ```text
//!            |<------- slice ------->|drain|
//! side A  ···(first)[statement][statement]··|            paused             |(first)[statement]···
//! side B                                    |(first)[statement][statement]··|        paused
//! ```
//!
//! A connection pauses between two statements, in the middle of a transaction if need be, and goes on there in its next turn: with many
//! connections a transaction takes longer than a slice, and a turn that let each connection finish its own would be a batch of one
//! transaction a connection and no closed loop. The first statement of a turn is not counted: it does not queue behind as many others as
//! those that follow. How long a side takes to come to rest, its drain, is what a statement takes with all connections at work, and the
//! round trip with it; slices are made long against it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A slice is at least so many times as long as the median drain.
const DRAINS_PER_SLICE: u32 = 40;

/// A block has at least so many turns that count: slices grow no longer than that allows.
const TURNS_PER_BLOCK: u32 = 4;

/// Whose turn it is, for the threads of all sides of one block.
pub(crate) struct Turns {
    state: Mutex<State>,
    /// One a side: with hundreds of threads, waking those whose turn it isn't would take longer than a slice.
    changed: Vec<Condvar>,
    /// Turns that begin before this do not count.
    begin: Instant,
    end: Instant,
    /// Threads of each side.
    threads: Vec<usize>,
    shortest: Duration,
    longest: Duration,
}

struct State {
    /// Counts turns, from 0; a thread takes part in each of its side's once.
    number: usize,
    /// Threads of the side whose turn it is that have not finished.
    running: usize,
    turn: Turn,
    over: bool,
    slice: Duration,
    drains: Vec<Duration>,
}

/// What a side may do in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// No statement begins after this.
    pub(crate) until: Instant,
    /// Whether statements count; not in the first round, which warms up, nor in the last.
    pub(crate) counts: bool,
    /// Whether it is the side's last one: transactions that have begun are ended, however long that takes, and none begins.
    pub(crate) last: bool,
}

/// A thread's place in the turns. Dropping it, on success, error and panic alike, ends the block for all: none waits for a thread
/// that is gone.
pub(crate) struct Place<'a> {
    turns: &'a Turns,
    side: usize,
    /// Turn that this thread takes part in next, at the earliest.
    next: usize,
}

impl Turns {
    /// Turns from now until `end`, counted from `begin` on, for sides of so many threads each. Slices are `shortest` long or longer, as
    /// the sides turn out to need, and `slice` to begin with.
    pub(crate) fn new(threads: Vec<usize>, shortest: Duration, slice: Duration, begin: Instant, end: Instant) -> Self {
        let longest = (end.saturating_duration_since(begin) / TURNS_PER_BLOCK).max(shortest);
        let slice = slice.clamp(shortest, longest);
        let turn = Turn { until: Instant::now() + slice, counts: false, last: false };
        let state = State { number: 0, running: threads[0], turn, over: false, slice, drains: Vec::new() };
        let changed = threads.iter().map(|_| Condvar::new()).collect();
        Self { state: Mutex::new(state), changed, begin, end, threads, shortest, longest }
    }

    pub(crate) fn place(&self, side: usize) -> Place<'_> {
        Place { turns: self, side, next: 0 }
    }

    /// How long slices have become.
    pub(crate) fn slice(&self) -> Duration {
        self.lock().slice
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose turn a turn is: each round goes the other way round (A B, B A, A B, …), so that a drift favours nobody.
    fn side(&self, number: usize) -> usize {
        let sides = self.threads.len();
        let (round, place) = (number / sides, number % sides);
        if round.is_multiple_of(2) { place } else { sides - 1 - place }
    }

    /// The next turn. All sides have as many: the last round begins where a round ends past the end, and after it the block is over.
    fn pass_on(&self, state: &mut State) {
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
            state.turn.last = now >= self.end && state.number >= 2 * sides;
            state.turn.counts = now >= self.begin && !state.turn.last;
            state.slice = self.slice_for(&mut state.drains, state.slice);
        }
        let side = self.side(state.number);
        state.running = self.threads[side];
        state.turn.until = now + state.slice;
        self.changed[side].notify_all();
    }

    /// Both sides of a round have slices of the same length.
    fn slice_for(&self, drains: &mut [Duration], now: Duration) -> Duration {
        // Of a few only, one that the machine disturbed would decide.
        if drains.len() < 4 {
            return now;
        }
        drains.sort_unstable();
        (drains[drains.len() / 2] * DRAINS_PER_SLICE).clamp(self.shortest, self.longest)
    }

    fn end_all(&self, state: &mut State) {
        state.over = true;
        self.changed.iter().for_each(Condvar::notify_all);
    }
}

impl Place<'_> {
    /// Waits for this side's next turn; `None` when the block is over.
    pub(crate) fn wait(&mut self) -> Option<Turn> {
        let mut state = self.turns.lock();
        while !state.over && (self.turns.side(state.number) != self.side || state.number < self.next) {
            state = self.turns.changed[self.side].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.next = state.number + 1;
        (!state.over).then_some(state.turn)
    }

    /// This thread has done its part of the turn.
    pub(crate) fn done(&mut self) {
        let mut state = self.turns.lock();
        state.running = state.running.saturating_sub(1);
        if state.running == 0 && !state.over {
            self.turns.pass_on(&mut state);
        }
    }
}

impl Drop for Place<'_> {
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

    /// Runs threads that do `work` in each of their turns; returns how many turns each side's threads had, and how long slices became.
    fn run(threads: &[usize], length: Duration, work: &(dyn Fn(usize) + Sync)) -> (Vec<Vec<u32>>, Duration) {
        let turns = &turns(threads, length);
        let counts = std::thread::scope(|scope| {
            let start = |side: usize| {
                scope.spawn(move || {
                    let mut place = turns.place(side);
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
    fn sides_never_run_at_the_same_time_and_have_as_many_turns() {
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
    fn slices_grow_with_what_a_statement_takes() {
        let (_, slice) = run(&[1, 1], Duration::from_millis(400), &|_| std::thread::sleep(Duration::from_millis(3)));
        assert!(slice > SLICE, "{slice:?}");
    }

    #[test]
    fn a_slice_is_forty_median_drains_within_its_bounds() {
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
    fn the_first_round_and_the_last_do_not_count() {
        let turns = &turns(&[1, 1], Duration::from_millis(20));
        let seen: Vec<Vec<Turn>> = std::thread::scope(|scope| {
            let side = |side| {
                move || {
                    let mut place = turns.place(side);
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
    fn rounds_turn_round() {
        let turns = turns(&[1, 1], Duration::ZERO);
        assert_eq!((0..6).map(|number| turns.side(number)).collect::<Vec<_>>(), [0, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn a_thread_that_leaves_ends_the_block_for_all() {
        let turns = &turns(&[1, 1], Duration::from_secs(60));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.place(1).wait());
            drop(turns.place(0));
            assert_eq!(waiting.join().unwrap(), None);
        });
    }
}
