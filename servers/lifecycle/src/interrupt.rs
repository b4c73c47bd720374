//! SIGINT, SIGTERM and SIGHUP.
//!
//! The first signal only sets a flag, which long loops poll. The stack unwinds, and destructors
//! clean up. If the process still runs after 5 s, or on a second SIGINT or SIGTERM, the signal
//! thread runs the [`cleanup`](crate::cleanup) registry and exits with status 128 + the number of
//! the first signal.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Time that unwinding may take after the first signal.
const GRACE_PERIOD: Duration = Duration::from_secs(5);

static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// A signal has asked the process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Starts the thread that handles signals. Call once per process, early in `main`.
pub fn install() -> io::Result<()> {
    let mut handled = vec![SIGINT, SIGTERM];
    // `nohup weigh …` starts the process with SIGHUP ignored, which must stay so.
    if !is_ignored(SIGHUP) {
        handled.push(SIGHUP);
    }
    let mut signals = Signals::new(handled)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let Some(first) = signals.forever().next() else { return };
        SIGNAL.store(first, Ordering::SeqCst);
        let deadline = Instant::now() + GRACE_PERIOD;
        while Instant::now() < deadline && !signals.pending().any(is_impatient) {
            thread::sleep(Duration::from_millis(20));
        }
        crate::cleanup::run_all();
        std::process::exit(128 + first);
    })?;
    Ok(())
}

/// True for a signal that ends the process at once if it is the second. A terminal that is closed
/// and its shell each send a SIGHUP.
fn is_impatient(second: i32) -> bool {
    second != SIGHUP
}

/// True once a signal has asked the process to end.
pub fn is_pending() -> bool {
    signal().is_some()
}

/// The signal that asked the process to end. By convention, the exit status is then 128 + this
/// number.
pub fn signal() -> Option<i32> {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// Fails once a signal has arrived. For loops that use `?`.
pub fn check() -> Result<(), Interrupted> {
    if is_pending() { Err(Interrupted) } else { Ok(()) }
}

/// True if the process was started with `signal` ignored, according to `SigIgn` in
/// `/proc/self/status`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
