//! An open loop: events begin when they are due, whether or not those before them have ended, as requests reach a server that many users share.
//!
//! Latency counts from when an event was due, so that a wait for a free connection is in it, which a closed loop hides ("coordinated omission").
//! Times between events are exponential, as in sysbench's `--rate`: arrivals that know nothing of each other.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// When the events of one block are due, handed out to the connections of its load in order.
pub(crate) struct Arrivals {
    next: Mutex<Next>,
    /// Mean time between two, in seconds.
    mean: f64,
    end: Instant,
    /// No event begins after this: what is due and has not begun by then was missed.
    patience: Duration,
}

struct Next {
    due: Instant,
    random: Xoshiro256PlusPlus,
}

impl Arrivals {
    /// Events from now until `end`, so many a second on average. A server that falls behind has `patience` more for those that were due.
    pub(crate) fn new(rate: f64, seed: u64, end: Instant, patience: Duration) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut next = Next { due: Instant::now(), random };
        let mean = 1.0 / rate;
        next.step(mean);
        Self { next: Mutex::new(next), mean, end, patience }
    }

    /// When the next event is due; `None` where no more is.
    pub(crate) fn next(&self) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let due = next.due;
        if due >= self.end {
            return None;
        }
        next.step(self.mean);
        Some(due)
    }

    /// Whether an event may still begin.
    pub(crate) fn may_begin(&self, now: Instant) -> bool {
        now < self.end + self.patience
    }
}

impl Next {
    fn step(&mut self, mean: f64) {
        // Of (0, 1], so that its logarithm is finite.
        let uniform = ((self.random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        self.due += Duration::from_secs_f64(-uniform.ln() * mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_due_as_the_rate_says_and_none_twice() {
        let begin = Instant::now();
        let arrivals = Arrivals::new(1000.0, 7, begin + Duration::from_secs(100), Duration::ZERO);
        let due: Vec<Instant> = std::iter::from_fn(|| arrivals.next()).collect();
        // A Poisson count of mean 100,000: ten standard deviations.
        assert!((due.len() as f64 - 100_000.0).abs() < 3_200.0, "{}", due.len());
        assert!(due.is_sorted() && due[0] > begin);
        let short = due.windows(2).filter(|two| two[1] - two[0] < Duration::from_micros(693)).count();
        assert!(
            (short as f64 / due.len() as f64 - 0.5).abs() < 0.02,
            "half of exponential times are below ln 2 of the mean"
        );
    }

    #[test]
    fn patience_ends() {
        let end = Instant::now();
        let arrivals = Arrivals::new(1.0, 0, end, Duration::from_secs(1));
        assert!(arrivals.may_begin(end) && !arrivals.may_begin(end + Duration::from_secs(1)));
    }
}
