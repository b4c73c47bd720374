//! A thread that ends connections whose server has not answered in time.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::load_limits::Load;
use super::{Endpoint, connection};

/// Interval at which the connections are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// [`Watch::start`] while no statement runs.
const IDLE: u64 = u64::MAX;

const IN_TIME: u8 = 0;
const TOO_LONG: u8 = 1;
const SILENT: u8 = 2;
const EXCESS: u8 = 3;

static CLOCK: LazyLock<Instant> = LazyLock::new(Instant::now);

static WATCHES: LazyLock<Mutex<Vec<Weak<Watch>>>> = LazyLock::new(|| {
    // If the thread cannot start, only the limits of single reads apply.
    let _ = thread::Builder::new().name("watch".into()).spawn(check_all);
    Mutex::new(Vec::new())
});

/// A connection and its running statement.
pub(super) struct Watch {
    /// The connection's socket. Only shut down here, which works for any kind of socket.
    socket: TcpStream,
    endpoint: Endpoint,
    /// Time limit of a statement with all its rows, in milliseconds.
    limit: AtomicU64,
    /// Start of the running statement in milliseconds of [`CLOCK`], or [`IDLE`].
    start: AtomicU64,
    /// Start of the statement or end of its last answered probe, in milliseconds of [`CLOCK`].
    alive: AtomicU64,
    is_probing: AtomicBool,
    verdict: AtomicU8,
    /// Limits of all statements together.
    load: OnceLock<Load>,
    /// The limit of `load` that was exceeded.
    excess: OnceLock<String>,
}

/// A running statement. Ends when dropped.
pub(super) struct Operation(Arc<Watch>);

impl Drop for Operation {
    fn drop(&mut self) {
        let start = self.0.start.swap(IDLE, Ordering::AcqRel);
        if let Some(load) = self.0.load.get() {
            load.add_time(milliseconds().saturating_sub(start));
        }
    }
}

/// Watches a connection's socket.
pub(super) fn watch_socket(socket: RawFd, endpoint: &Endpoint, limit: Duration) -> io::Result<Arc<Watch>> {
    let watch = Arc::new(Watch {
        socket: duplicate(socket)?,
        endpoint: endpoint.clone(),
        limit: AtomicU64::new(limit.as_millis() as u64),
        start: AtomicU64::new(IDLE),
        alive: AtomicU64::new(0),
        is_probing: AtomicBool::new(false),
        verdict: AtomicU8::new(IN_TIME),
        load: OnceLock::new(),
        excess: OnceLock::new(),
    });
    let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    watches.retain(|watch| watch.strong_count() > 0);
    watches.push(Arc::downgrade(&watch));
    Ok(watch)
}

/// Duplicates a socket of the driver.
pub(super) fn duplicate(socket: RawFd) -> io::Result<TcpStream> {
    // SAFETY: the driver's connection, which the caller borrows, keeps the file open meanwhile.
    let socket = unsafe { BorrowedFd::borrow_raw(socket) };
    Ok(TcpStream::from(socket.try_clone_to_owned()?))
}

impl Watch {
    pub(super) fn set_limit(&self, limit: Duration) {
        self.limit.store(limit.as_millis() as u64, Ordering::Release);
    }

    /// Limits the total of all statements. The limits of the first call stay in force.
    pub(super) fn limit_load(&self, load: Load) {
        let _ = self.load.set(load);
    }

    pub(super) fn add_load(&self, bytes: u64) {
        if let Some(load) = self.load.get() {
            load.add_bytes(bytes);
        }
    }

    fn limit(&self) -> Duration {
        Duration::from_millis(self.limit.load(Ordering::Acquire))
    }

    pub(super) fn begin(self: &Arc<Self>) -> Operation {
        let now = milliseconds();
        self.alive.store(now, Ordering::Relaxed);
        self.start.store(now, Ordering::Release);
        Operation(Arc::clone(self))
    }

    /// Replaces the error of a connection that the thread has shut down.
    pub(super) fn explain<T>(&self, result: mysql::Result<T>) -> mysql::Result<T> {
        let text = match (&result, self.verdict.load(Ordering::Acquire)) {
            (Ok(_), _) | (_, IN_TIME) => return result,
            (_, TOO_LONG) => format!("the answer was not complete after {} s", self.limit().as_secs_f64()),
            (_, EXCESS) => {
                let excess = self.excess.get().cloned().unwrap_or_default();
                return Err(mysql::Error::IoError(io::Error::new(io::ErrorKind::QuotaExceeded, excess)));
            }
            _ => format!("the server did not answer for {} s", self.endpoint.timeout.as_secs_f64()),
        };
        Err(mysql::Error::IoError(io::Error::new(io::ErrorKind::TimedOut, text)))
    }

    fn check(self: Arc<Self>) {
        // Read first: a statement that ends meanwhile is not counted twice.
        let spent = self.load.get().map_or(0, Load::spent);
        let start = self.start.load(Ordering::Acquire);
        if start == IDLE {
            return;
        }
        let now = milliseconds();
        let is_over = |since: u64, limit: Duration| u128::from(now.saturating_sub(since)) > limit.as_millis();
        if is_over(start, self.limit()) {
            self.end(TOO_LONG);
        } else if let Some(excess) =
            self.load.get().and_then(|load| load.excess(spent + now.saturating_sub(start), now))
        {
            let _ = self.excess.set(excess);
            self.end(EXCESS);
        } else if is_over(self.alive.load(Ordering::Relaxed), self.endpoint.timeout)
            && !self.is_probing.swap(true, Ordering::AcqRel)
        {
            let watch = Arc::clone(&self);
            let probe = thread::Builder::new().name("probe".into()).spawn(move || watch.probe(start));
            if probe.is_err() {
                self.is_probing.store(false, Ordering::Release);
            }
        }
    }

    fn probe(&self, start: u64) {
        if connection::answers(&self.endpoint) {
            self.alive.store(milliseconds(), Ordering::Relaxed);
        } else if self.start.load(Ordering::Acquire) == start {
            self.end(SILENT);
        }
        self.is_probing.store(false, Ordering::Release);
    }

    fn end(&self, verdict: u8) {
        self.verdict.store(verdict, Ordering::Release);
        self.cut();
    }

    /// Ends the connection.
    pub(super) fn cut(&self) {
        // Fails if the server has closed it.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

fn milliseconds() -> u64 {
    CLOCK.elapsed().as_millis() as u64
}

fn check_all() {
    loop {
        thread::sleep(POLL_INTERVAL);
        let watches: Vec<Arc<Watch>> = {
            let watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
            watches.iter().filter_map(Weak::upgrade).collect()
        };
        if !watches.is_empty() {
            lifecycle::fatal::panic_for_test("watch");
        }
        watches.into_iter().for_each(Watch::check);
    }
}
