//! Sleeping until a time, for pauses between events.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use server::interrupt;

/// How often a long sleep looks for a signal.
const LOOK: Duration = Duration::from_millis(100);

/// Has this thread woken as soon as its time has come. By default the kernel does so up to 50 µs late, which would be half of a short statement's
/// latency. Where it can't be changed, it is on all sides.
pub(crate) fn wake_in_time() {
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Sleeps until then, or until a signal asks for the end.
pub(crate) fn sleep_until(then: Instant) {
    loop {
        let left = then.saturating_duration_since(Instant::now());
        if left.is_zero() || interrupt::interrupted() {
            return;
        }
        thread::sleep(left.min(LOOK));
    }
}
