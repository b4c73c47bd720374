//! Times short operations by repeating them.

use std::time::Duration;

/// An operation that can be repeated `n` times.
pub trait TimedOperation {
    type Error;

    /// Repeats the operation `n` times and returns the total time.
    fn time(&mut self, n: u64) -> Result<Duration, Self::Error>;
}

/// Number of repetitions that calibration starts with.
const INITIAL_REPETITIONS: u64 = 64;
/// Largest growth of the number of repetitions in one step. The first steps are so short that the
/// clock's cost distorts them.
const MAX_GROWTH: u64 = 64;

/// Returns the number of repetitions of `subject` that take about `target`, at least 1. Warms the
/// operation up.
pub fn calibrate<S: TimedOperation>(subject: &mut S, target: Duration) -> Result<u64, S::Error> {
    let mut n = INITIAL_REPETITIONS;
    loop {
        let took = subject.time(n)?;
        let wanted = scale_repetitions(n, target, took);
        // A quarter of the target is long enough to extrapolate from.
        if took >= target / 4 || wanted <= n {
            return Ok(wanted.max(1));
        }
        n = wanted.min(n.saturating_mul(MAX_GROWTH));
    }
}

fn scale_repetitions(n: u64, target: Duration, took: Duration) -> u64 {
    (n as f64 * target.as_secs_f64() / took.as_secs_f64().max(1e-9)) as u64
}

/// Returns the time of one of `n` repetitions, in ns.
pub fn nanoseconds_each(took: Duration, n: u64) -> f64 {
    took.as_secs_f64() * 1e9 / n as f64
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Takes `each` per repetition, and `once` in addition.
    struct FakeOperation {
        each: Duration,
        once: Duration,
        calls: usize,
    }

    impl TimedOperation for FakeOperation {
        type Error = Infallible;

        fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
            self.calls += 1;
            Ok(self.once + Duration::from_nanos(self.each.as_nanos() as u64 * n))
        }
    }

    #[test]
    fn calibration_reaches_the_target_at_any_cost() {
        for each in [1, 20, 500, 100_000, 3_000_000] {
            let mut subject =
                FakeOperation { each: Duration::from_nanos(each), once: Duration::from_micros(100), calls: 0 };
            let target = Duration::from_millis(100);
            let Ok(n) = calibrate(&mut subject, target);
            let Ok(took) = subject.time(n);
            assert!(took > target * 9 / 10 && took < target * 11 / 10, "{each} ns: {n} take {took:?}");
            assert!(subject.calls < 10, "{}", subject.calls);
        }
    }

    #[test]
    fn slow_operation_runs_once() {
        let mut subject = FakeOperation { each: Duration::from_secs(1), once: Duration::ZERO, calls: 0 };
        assert_eq!(calibrate(&mut subject, Duration::from_millis(100)), Ok(1));
    }

    #[test]
    fn operation_without_cost_ends() {
        let mut subject = FakeOperation { each: Duration::ZERO, once: Duration::ZERO, calls: 0 };
        assert!(calibrate(&mut subject, Duration::from_millis(100)).unwrap() > 1_000_000);
    }

    #[test]
    fn divides_time_by_repetitions() {
        assert_eq!(nanoseconds_each(Duration::from_millis(100), 1_000_000), 100.0);
    }
}
