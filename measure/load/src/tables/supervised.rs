//! Long tasks on a server, supervised while they run. Creating an index may take minutes; only a
//! query on another connection distinguishes a busy server from a frozen one.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use server::Server;

use super::Progress;
use super::error::TablesError;

/// Interval between checks of a running task.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

enum Event<T> {
    Progress(Progress),
    Done(Result<T, TablesError>),
}

/// Runs `work` on a separate thread and returns its result. Without progress for half the server's
/// time-out, checks whether the server still replies. If the server does not reply, returns the
/// error of the check and abandons the thread with its connections.
pub(super) fn run_supervised<T: Send + 'static>(
    server: &Server,
    progress: &(dyn Fn(Progress) + Sync),
    work: impl FnOnce(&(dyn Fn(Progress) + Sync)) -> Result<T, TablesError> + Send + 'static,
) -> Result<T, TablesError> {
    let (events, received) = channel();
    let body = move || {
        let outcome = work(&progress_sender(&events));
        // The receiver is gone if the task was abandoned.
        let _ = events.send(Event::Done(outcome));
    };
    let thread = thread::Builder::new().name("loading".into()).spawn(body).map_err(TablesError::NoThread)?;
    let grace = server.endpoint().timeout / 2;
    let mut last = Instant::now();
    loop {
        match received.recv_timeout(CHECK_INTERVAL) {
            Ok(Event::Progress(done)) => {
                last = Instant::now();
                progress(done);
            }
            Ok(Event::Done(outcome)) => return outcome,
            Err(RecvTimeoutError::Timeout) if last.elapsed() > grace => {
                server.check_replies()?;
                last = Instant::now();
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends has sent its outcome"),
            },
        }
    }
}

fn progress_sender<T: Send>(events: &Sender<Event<T>>) -> impl Fn(Progress) + Sync {
    |done| drop(events.send(Event::Progress(done)))
}
