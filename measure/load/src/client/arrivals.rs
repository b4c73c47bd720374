//! Open loop: an event begins when it is due and a connection is free, even if earlier events have
//! not ended.
//!
//! Latency counts from the due time. It includes the wait for a free connection, which a closed
//! loop hides ("coordinated omission"). The times between events are exponentially distributed, as
//! with sysbench's `--rate`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Due times of the events of one block. Each connection of the load takes the next one.
pub(crate) struct Arrivals {
    next: Mutex<NextArrival>,
    /// Mean time between two events, in seconds.
    mean: f64,
    end: Instant,
    /// Time after `end` during which late events may still begin. Events that are later count as
    /// missed.
    grace: Duration,
}

struct NextArrival {
    due: Instant,
    random: Xoshiro256PlusPlus,
}

impl Arrivals {
    /// Starts a sequence of due times from `start` until `end` with `rate` events per second on
    /// average. Rate, seed and length of time determine the number of events.
    pub(crate) fn new(rate: f64, seed: u64, start: Instant, end: Instant, grace: Duration) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut next = NextArrival { due: start, random };
        let mean = 1.0 / rate;
        next.draw(mean);
        Self { next: Mutex::new(next), mean, end, grace }
    }

    /// Returns the due time of the next event. `None` once that time is `end` or later.
    pub(crate) fn next(&self) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let due = next.due;
        if due >= self.end {
            return None;
        }
        next.draw(self.mean);
        Some(due)
    }

    /// Whether a late event may still begin at `now`.
    pub(crate) fn may_begin(&self, now: Instant) -> bool {
        now < self.end + self.grace
    }
}

impl NextArrival {
    fn draw(&mut self, mean: f64) {
        // In (0, 1], so that the logarithm is finite.
        let uniform = ((self.random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        self.due += Duration::from_secs_f64(-uniform.ln() * mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_match_the_rate() {
        let begin = Instant::now();
        let arrivals = Arrivals::new(1000.0, 7, begin, begin + Duration::from_secs(100), Duration::ZERO);
        let due: Vec<Instant> = std::iter::from_fn(|| arrivals.next()).collect();
        // The count is Poisson with mean 100,000. The tolerance is ten standard deviations.
        assert!((due.len() as f64 - 100_000.0).abs() < 3_200.0, "{}", due.len());
        assert!(due.is_sorted() && due[0] > begin);
        let short = due.windows(2).filter(|two| two[1] - two[0] < Duration::from_micros(693)).count();
        assert!(
            (short as f64 / due.len() as f64 - 0.5).abs() < 0.02,
            "half of exponential times are below ln 2 of the mean"
        );
    }

    #[test]
    fn seed_determines_the_schedule() {
        let begin = Instant::now();
        let schedule = |start: Instant| -> Vec<Duration> {
            let arrivals = Arrivals::new(400.0, 3, start, start + Duration::from_millis(200), Duration::ZERO);
            std::iter::from_fn(|| arrivals.next()).map(|due| due - start).collect()
        };
        assert_eq!(schedule(begin), schedule(begin + Duration::from_secs(5)));
    }

    #[test]
    fn late_event_may_begin_within_the_grace_time() {
        let end = Instant::now();
        let arrivals = Arrivals::new(1.0, 0, end, end, Duration::from_secs(1));
        assert!(arrivals.may_begin(end) && !arrivals.may_begin(end + Duration::from_secs(1)));
    }
}
