//! Sleeping until a point in time.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use lifecycle::interrupt;

/// Interval between checks for a signal during a long sleep.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Sets this thread's timer slack to 1 ns. By default the kernel wakes a thread up to 50 µs late,
/// half the latency of a short statement. Failure is ignored: it affects all sides equally.
pub(crate) fn minimise_timer_slack() {
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Sleeps until a point in time, or until a signal asks the process to end.
pub(crate) fn sleep_until(until: Instant) {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || interrupt::is_pending() {
            return;
        }
        thread::sleep(left.min(CHECK_INTERVAL));
    }
}
