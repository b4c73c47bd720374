//! Division of the measuring time among replicates and conditions.

use std::time::{Duration, Instant};

use crate::request::DEFAULT_REPLICATES;

/// Minimum number of replicates, even if starting servers and loading rows takes more than
/// [`RENEWAL_SHARE`] of the measuring time. Two if the measuring time is too short for three. An
/// interval over two replicates says little: its half-width is 10 standard deviations.
const MIN_REPLICATES_BY_RENEWAL: u32 = 3;

/// Maximum share of the measuring time for starting servers and loading rows. The number of
/// replicates is reduced until it is kept.
const RENEWAL_SHARE: f64 = 0.5;

/// Measuring time of all replicates together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeBudget {
    /// Total measuring time.
    pub(crate) max: Duration,
    /// Requested number of replicates.
    pub(crate) requested: Option<u32>,
    /// Time that a replicate needs for one block of each pair.
    pub(crate) min_replicate_time: Duration,
    /// Time used so far.
    pub(crate) spent: Duration,
    /// Longest time so far that a replicate needed for starting servers and loading rows.
    pub(crate) renewal_time: Duration,
}

impl TimeBudget {
    /// Returns the number of replicates to divide the time among.
    pub(crate) fn replicates(&self) -> u32 {
        let how_often = |time: Duration, each: Duration| (time.as_secs_f64() / each.as_secs_f64().max(1e-3)) as u32;
        let by_renewal = how_often(self.max.mul_f64(RENEWAL_SHARE), self.renewal_time).max(MIN_REPLICATES_BY_RENEWAL);
        let by_blocks = how_often(self.max, self.min_replicate_time).max(2);
        self.requested.unwrap_or(DEFAULT_REPLICATES.min(by_renewal).min(by_blocks))
    }

    /// Whether `done` replicates are enough: the requested number, or as many as there is time for.
    pub(crate) fn is_exhausted(&self, done: u32) -> bool {
        let is_left = |used: Duration, all: Duration| used + self.min_replicate_time <= all;
        match self.requested {
            Some(requested) => done >= requested,
            // If pairs became precise early, time is left for further replicates.
            None if done < self.replicates() => false,
            None => {
                let fits_renewal = self.renewal_time * (done + 1) <= self.max.mul_f64(RENEWAL_SHARE);
                !(fits_renewal && is_left(self.spent, self.max))
            }
        }
    }

    /// Returns the time for one share of a replicate, with `left` shares still to be measured,
    /// including this one.
    pub(crate) fn time_per_share(&self, left: usize) -> Duration {
        self.max.saturating_sub(self.spent) / left.max(1) as u32
    }
}

/// Clock of a run. It stands still while the run is interrupted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Start of measuring in this process.
    since: Instant,
    /// Time before the run was resumed.
    pub(crate) earlier: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { since: Instant::now(), earlier: Duration::ZERO }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.earlier + self.since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(max: u64, requested: Option<u32>, min_replicate_time: u64, renewal_time: u64) -> TimeBudget {
        let [max, min_replicate_time, renewal_time] = [max, min_replicate_time, renewal_time].map(Duration::from_secs);
        TimeBudget { max, requested, min_replicate_time, spent: Duration::ZERO, renewal_time }
    }

    #[test]
    fn replicates_fill_the_time() {
        assert_eq!(time(180, None, 10, 5).replicates(), DEFAULT_REPLICATES);
        assert_eq!(time(180, None, 10, 15).replicates(), 6, "loading takes its time");
        assert_eq!(time(180, None, 10, 500).replicates(), MIN_REPLICATES_BY_RENEWAL, "three at least");
        assert_eq!(time(180, None, 40, 5).replicates(), 4, "each has a block of each pair");
        assert_eq!(time(180, None, 400, 5).replicates(), 2, "an interval needs two");
        assert_eq!(time(180, Some(25), 400, 500).replicates(), 25, "a requested number is not reduced");
    }

    #[test]
    fn uses_remaining_time_for_more_replicates() {
        let ten = TimeBudget { spent: Duration::from_secs(100), ..time(180, None, 10, 5) };
        assert!(!ten.is_exhausted(9) && !ten.is_exhausted(10), "80 s are left");
        assert!(ten.is_exhausted(18), "starting and loading anew would take more than half of the time");
        assert!(TimeBudget { spent: Duration::from_secs(175), ..ten }.is_exhausted(10));
        assert!(
            TimeBudget { requested: Some(3), ..ten }.is_exhausted(3)
                && !TimeBudget { requested: Some(12), ..ten }.is_exhausted(10)
        );
    }

    #[test]
    fn divides_remaining_time_evenly() {
        let used = TimeBudget { spent: Duration::from_secs(60), ..time(180, None, 10, 5) };
        assert_eq!(used.time_per_share(12), Duration::from_secs(10));
        assert_eq!(TimeBudget { spent: Duration::from_secs(999), ..used }.time_per_share(0), Duration::ZERO);
    }
}
