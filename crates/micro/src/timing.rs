//! Timing something so short that it has to be repeated to be timed. Knows nothing of what that is.

use std::time::Duration;

/// Something that can be done `n` times in a row.
pub trait Subject {
    /// Why it could not be done.
    type Error;

    /// Does it `n` times, and tells how long that took.
    fn time(&mut self, n: u64) -> Result<Duration, Self::Error>;
}

/// Where finding out how often begins.
const FIRST: u64 = 64;
/// The most that the number grows by in one step: the first steps are too short to be told from the clock's own cost.
const GROWTH: u64 = 64;

/// How often to repeat `subject` so that it takes about `target`: at least once. It is warm afterwards.
pub fn calibrate<S: Subject>(subject: &mut S, target: Duration) -> Result<u64, S::Error> {
    let mut n = FIRST;
    loop {
        let took = subject.time(n)?;
        let wanted = scaled(n, target, took);
        // A time of this length extrapolates well enough.
        if took >= target / 4 || wanted <= n {
            return Ok(wanted.max(1));
        }
        n = wanted.min(n.saturating_mul(GROWTH));
    }
}

fn scaled(n: u64, target: Duration, took: Duration) -> u64 {
    (n as f64 * target.as_secs_f64() / took.as_secs_f64().max(1e-9)) as u64
}

/// What one of `n` took, in ns.
pub fn ns(took: Duration, n: u64) -> f64 {
    took.as_secs_f64() * 1e9 / n as f64
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Takes so long a time, and so long once.
    struct Clockwork {
        each: Duration,
        once: Duration,
        calls: usize,
    }

    impl Subject for Clockwork {
        type Error = Infallible;

        fn time(&mut self, n: u64) -> Result<Duration, Infallible> {
            self.calls += 1;
            Ok(self.once + Duration::from_nanos(self.each.as_nanos() as u64 * n))
        }
    }

    #[test]
    fn it_is_repeated_for_about_as_long_as_asked_whatever_it_costs() {
        for each in [1, 20, 500, 100_000, 3_000_000] {
            let mut subject =
                Clockwork { each: Duration::from_nanos(each), once: Duration::from_micros(100), calls: 0 };
            let target = Duration::from_millis(100);
            let Ok(n) = calibrate(&mut subject, target);
            let Ok(took) = subject.time(n);
            assert!(took > target * 9 / 10 && took < target * 11 / 10, "{each} ns: {n} take {took:?}");
            assert!(subject.calls < 10, "{}", subject.calls);
        }
    }

    #[test]
    fn what_takes_longer_than_asked_is_done_once() {
        let mut subject = Clockwork { each: Duration::from_secs(1), once: Duration::ZERO, calls: 0 };
        assert_eq!(calibrate(&mut subject, Duration::from_millis(100)), Ok(1));
    }

    #[test]
    fn what_takes_no_time_at_all_ends_too() {
        let mut subject = Clockwork { each: Duration::ZERO, once: Duration::ZERO, calls: 0 };
        assert!(calibrate(&mut subject, Duration::from_millis(100)).unwrap() > 1_000_000);
    }

    #[test]
    fn one_of_many_is_a_part_of_all() {
        assert_eq!(ns(Duration::from_millis(100), 1_000_000), 100.0);
    }
}
