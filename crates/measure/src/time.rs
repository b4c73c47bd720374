//! How many replicates there are, and how the time for load is divided among them.

use std::time::{Duration, Instant};

/// Replicates unless told otherwise. Student's interval over ten is 0.72 standard deviations wide to each side, over five 1.24; what
/// differs between starts and loads is 0.5 to 1.8 % (docs/measurement.md).
pub(crate) const DEFAULT_REPLICATES: u32 = 10;

/// Fewer than this are not measured for want of time to load rows: the interval of two is 9 standard deviations wide to each side.
const LEAST: u32 = 3;

/// Starting servers and loading rows may take this share of the time for load before there are fewer replicates.
const RENEWAL_SHARE: f64 = 0.5;

/// The time for load, all replicates together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// All of it.
    pub(crate) max: Duration,
    /// Replicates that were asked for.
    pub(crate) asked: Option<u32>,
    /// What a replicate needs for one block of each pair.
    pub(crate) shortest: Duration,
    /// What is used.
    pub(crate) spent: Duration,
    /// What starting servers and loading rows takes in each replicate.
    pub(crate) renewal: Duration,
}

impl Time {
    /// How many replicates the time is divided among.
    pub(crate) fn replicates(&self) -> u32 {
        let how_often = |time: Duration, each: Duration| (time.as_secs_f64() / each.as_secs_f64().max(1e-3)) as u32;
        let by_renewal = how_often(self.max.mul_f64(RENEWAL_SHARE), self.renewal).max(LEAST);
        let by_blocks = how_often(self.max, self.shortest).max(2);
        self.asked.unwrap_or(DEFAULT_REPLICATES.min(by_renewal).min(by_blocks))
    }

    /// Whether so many replicates are enough: as many as were asked for, or as there is time for.
    pub(crate) fn is_up(&self, done: u32) -> bool {
        let is_left = |used: Duration, all: Duration| used + self.shortest <= all;
        match self.asked {
            Some(asked) => done >= asked,
            // Where pairs were measured in less than their time, there is some for more.
            None if done < self.replicates() => false,
            None => {
                let renewed = self.renewal * (done + 1) <= self.max.mul_f64(RENEWAL_SHARE);
                !(renewed && is_left(self.spent, self.max))
            }
        }
    }

    /// The time for one share of a replicate, where so many of these are left, this one among them.
    pub(crate) fn share(&self, left: usize) -> Duration {
        self.max.saturating_sub(self.spent) / left.max(1) as u32
    }
}

/// Time since a run began, without the time between its end and its being resumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// When this process began to measure.
    since: Instant,
    /// What had passed before, where the run is resumed.
    pub(crate) before: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { since: Instant::now(), before: Duration::ZERO }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(max: u64, asked: Option<u32>, shortest: u64, renewal: u64) -> Time {
        let [max, shortest, renewal] = [max, shortest, renewal].map(Duration::from_secs);
        Time { max, asked, shortest, spent: Duration::ZERO, renewal }
    }

    #[test]
    fn there_are_as_many_replicates_as_time_is_enough_for() {
        assert_eq!(time(180, None, 10, 5).replicates(), DEFAULT_REPLICATES);
        assert_eq!(time(180, None, 10, 15).replicates(), 6, "loading takes its time");
        assert_eq!(time(180, None, 10, 500).replicates(), LEAST, "three at least");
        assert_eq!(time(180, None, 40, 5).replicates(), 4, "each has a block of each pair");
        assert_eq!(time(180, None, 400, 5).replicates(), 2, "an interval needs two");
        assert_eq!(time(180, Some(25), 400, 500).replicates(), 25, "what was asked for is done");
    }

    #[test]
    fn time_that_is_left_after_the_last_replicate_is_for_more() {
        let ten = Time { spent: Duration::from_secs(100), ..time(180, None, 10, 5) };
        assert!(!ten.is_up(9) && !ten.is_up(10), "80 s are left");
        assert!(ten.is_up(18), "starting and loading anew would take more than half of the time");
        assert!(Time { spent: Duration::from_secs(175), ..ten }.is_up(10));
        assert!(Time { asked: Some(3), ..ten }.is_up(3) && !Time { asked: Some(12), ..ten }.is_up(10));
    }

    #[test]
    fn what_is_left_is_divided_evenly() {
        let used = Time { spent: Duration::from_secs(60), ..time(180, None, 10, 5) };
        assert_eq!(used.share(12), Duration::from_secs(10));
        assert_eq!(Time { spent: Duration::from_secs(999), ..used }.share(0), Duration::ZERO);
    }
}
