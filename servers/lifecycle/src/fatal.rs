//! Ends of the process without unwinding: panics and failed allocations. The
//! [`cleanup`](crate::cleanup) registry runs first, and the exit status is 2.
//!
//! Without this module, a panic in a thread leaves the threads that wait for it waiting, and a
//! failed allocation aborts the process and leaves its schemas and folders behind.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::File;
use std::io::{self, Read};
use std::panic;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fd::{BorrowedFd, IntoRawFd};

/// Exit status after an error of any kind.
const EXIT_STATUS: i32 = 2;

/// Write end of the pipe that wakes the ending thread. -1 before [`install`].
static WAKE: AtomicI32 = AtomicI32::new(-1);
/// Size of the allocation that failed. 0 if none has.
static FAILED_ALLOCATION: AtomicUsize = AtomicUsize::new(0);

/// Makes each panic outside of [`contain`](contain::contain) end the process, on any thread. Call
/// once per process, early in `main`.
pub fn install() -> io::Result<()> {
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let mut reader = File::from(reader);
    // Started now: when memory is short, no thread could be started.
    thread::Builder::new().name("end".into()).spawn(move || {
        let mut byte = [0];
        if reader.read_exact(&mut byte).is_ok() {
            clean_up_and_exit();
        }
    })?;
    WAKE.store(writer.into_raw_fd(), Ordering::Release);
    panic::set_hook(Box::new(|panic| {
        if contain::is_contained() {
            return;
        }
        let thread = thread::current();
        eprintln!("weigh: internal error in thread {}: {panic}", thread.name().unwrap_or("?"));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            eprintln!("{trace}");
        }
        eprintln!("Please report this, with the command line.");
        stop_here();
    }));
    Ok(())
}

/// Panics if a test asks for it: the variable `WEIGH_TEST_PANIC` names the place. Does nothing in
/// release builds.
pub fn panic_for_test(place: &str) {
    if cfg!(debug_assertions) && std::env::var_os("WEIGH_TEST_PANIC").is_some_and(|name| name == place) {
        panic!("a test asked for it");
    }
}

/// Ends the process because `bytes` could not be allocated. Returns if [`install`] was not called.
/// Allocates nothing.
pub fn end_without_memory(bytes: usize) {
    FAILED_ALLOCATION.store(bytes, Ordering::Release);
    if WAKE.load(Ordering::Acquire) >= 0 {
        stop_here();
    }
}

/// Wakes the ending thread, and stops this one until the process has ended.
fn stop_here() -> ! {
    let wake = WAKE.load(Ordering::Acquire);
    // SAFETY: `install` leaked the file, so it stays open until the process ends.
    let wake = unsafe { BorrowedFd::borrow_raw(wake) };
    let _ = rustix::io::write(wake, &[1]);
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

fn clean_up_and_exit() -> ! {
    let bytes = FAILED_ALLOCATION.load(Ordering::Acquire);
    if bytes > 0 {
        eprintln!(
            "weigh: out of memory: {bytes} bytes are not to be had at once. A file or a server's answer may be damaged, \
             or made to exhaust memory."
        );
    }
    crate::cleanup::run_all();
    std::process::exit(EXIT_STATUS)
}
