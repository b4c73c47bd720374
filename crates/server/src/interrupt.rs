//! SIGINT, SIGTERM and SIGHUP: noted at once, obeyed in an orderly way, forced when that takes too long.
//!
//! The first signal only sets a flag that every loop of ours polls; the stack unwinds and what lives on it cleans up.
//! Where that has not ended the process within five seconds, or on a second signal, the signal thread runs the
//! [`cleanup`](crate::cleanup) registry itself and exits with 128 + signal.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long the orderly way may take.
const GRACE: Duration = Duration::from_secs(5);

static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Starts to watch for signals. Once per process, early in `main`.
pub fn install() -> io::Result<()> {
    let mut watched = vec![SIGINT, SIGTERM];
    // `nohup weigh …` ignores SIGHUP before we start and must stay so.
    if !is_ignored(SIGHUP) {
        watched.push(SIGHUP);
    }
    let mut signals = Signals::new(watched)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let Some(first) = signals.forever().next() else { return };
        SIGNAL.store(first, Ordering::SeqCst);
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline && signals.pending().next().is_none() {
            thread::sleep(Duration::from_millis(20));
        }
        crate::cleanup::run_all();
        std::process::exit(128 + first);
    })?;
    Ok(())
}

/// Whether a signal has asked the process to end.
pub fn interrupted() -> bool {
    signal().is_some()
}

/// The signal that asked the process to end; its exit status is 128 + this.
pub fn signal() -> Option<i32> {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// `Err(Interrupted)` once a signal has come, for loops that use `?`.
pub fn check() -> Result<(), crate::Error> {
    if interrupted() { Err(crate::Error::Interrupted) } else { Ok(()) }
}

/// Whether the process was started with this signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
