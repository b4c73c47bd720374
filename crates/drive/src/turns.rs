//! Two loads that take turns within a block, every few milliseconds.
//!
//! Where both sides of a duet run at the same time on the same cores, it is the kernel's scheduler that divides the cores between
//! them, and it divides neither evenly nor in proportion to what each needs: two chains of threads that keep waking each other fall
//! into step. In turns, each side has its cores to itself for a slice, so its throughput is its own; and slices are so short that
//! whatever else happens on the machine happens to both.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whose turn it is, for the threads of all sides of one block.
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    slice: Duration,
    end: Instant,
    threads: Vec<usize>,
}

struct State {
    /// Counts turns, from 0; a thread takes part in each of its side's once.
    number: usize,
    /// Threads of the side whose turn it is that have not finished.
    running: usize,
    until: Instant,
    over: bool,
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
    /// Turns of a length until `end`, for sides of so many threads each.
    pub(crate) fn new(threads: Vec<usize>, slice: Duration, end: Instant) -> Self {
        let state = State { number: 0, running: threads[0], until: Instant::now() + slice, over: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), slice, end, threads }
    }

    pub(crate) fn place(&self, side: usize) -> Place<'_> {
        Place { turns: self, side, next: 0 }
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

    /// The next turn; at the end of a round past the end it is over, so that all sides have had as many turns.
    fn pass_on(&self, state: &mut State) {
        let now = Instant::now();
        state.number += 1;
        state.over |= state.number.is_multiple_of(self.threads.len()) && now >= self.end;
        state.running = self.threads[self.side(state.number)];
        state.until = now + self.slice;
        self.changed.notify_all();
    }
}

impl Place<'_> {
    /// Waits for this side's next turn and returns when it ends; `None` when the block is over.
    pub(crate) fn wait(&mut self) -> Option<Instant> {
        let mut state = self.turns.lock();
        while !state.over && (self.turns.side(state.number) != self.side || state.number < self.next) {
            state = self.turns.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.next = state.number + 1;
        (!state.over).then_some(state.until)
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
        self.turns.lock().over = true;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SLICE: Duration = Duration::from_millis(2);

    /// Runs threads that do `work` in each of their turns; returns how many turns each side's threads had.
    fn run(threads: &[usize], length: Duration, work: &(dyn Fn(usize) + Sync)) -> Vec<Vec<u32>> {
        let turns = &Turns::new(threads.to_vec(), SLICE, Instant::now() + length);
        std::thread::scope(|scope| {
            let start = |side: usize| {
                scope.spawn(move || {
                    let mut place = turns.place(side);
                    let mut count = 0;
                    while let Some(until) = place.wait() {
                        count += 1;
                        while Instant::now() < until {
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
        })
    }

    #[test]
    fn sides_never_run_at_the_same_time_and_have_as_many_turns() {
        let active = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let turns = run(&[3, 2], Duration::from_millis(60), &|side| {
            active[side].fetch_add(1, Ordering::SeqCst);
            assert_eq!(active[1 - side].load(Ordering::SeqCst), 0, "both sides at once");
            std::thread::yield_now();
            active[side].fetch_sub(1, Ordering::SeqCst);
        });
        let first = turns[0][0];
        assert!(first > 1 && turns.iter().flatten().all(|&count| count == first), "{turns:?}");
    }

    #[test]
    fn rounds_turn_round() {
        let turns = Turns::new(vec![1, 1], SLICE, Instant::now());
        assert_eq!((0..6).map(|number| turns.side(number)).collect::<Vec<_>>(), [0, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn a_thread_that_leaves_ends_the_block_for_all() {
        let turns = &Turns::new(vec![1, 1], SLICE, Instant::now() + Duration::from_secs(60));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.place(1).wait());
            drop(turns.place(0));
            assert_eq!(waiting.join().unwrap(), None);
        });
    }
}
