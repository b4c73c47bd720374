//! Work of unknown length on a server that is looked after meanwhile: creating an index may take minutes, and a server that is frozen is
//! told from one that works only by asking it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use server::Server;

use super::Progress;
use super::error::TablesError;

/// How often a piece of work is looked after.
const LOOK: Duration = Duration::from_millis(250);

enum Event<T> {
    Progress(Progress),
    Done(Result<T, TablesError>),
}

/// Does `work` on a thread of its own and returns what came of it. Where it makes no progress for as long as the server may take to answer,
/// the server is asked whether it answers at all: if not, that is the error, and the thread is left behind with its connections.
pub(super) fn run<T: Send + 'static>(
    server: &Server,
    progress: &(dyn Fn(Progress) + Sync),
    work: impl FnOnce(&(dyn Fn(Progress) + Sync)) -> Result<T, TablesError> + Send + 'static,
) -> Result<T, TablesError> {
    let (events, received) = channel();
    let body = move || {
        let outcome = work(&teller(&events));
        // Whoever gave up takes no outcome any more.
        let _ = events.send(Event::Done(outcome));
    };
    let thread = thread::Builder::new().name("loading".into()).spawn(body).map_err(TablesError::NoThread)?;
    let patience = server.endpoint().timeout / 2;
    let mut last = Instant::now();
    loop {
        match received.recv_timeout(LOOK) {
            Ok(Event::Progress(done)) => {
                last = Instant::now();
                progress(done);
            }
            Ok(Event::Done(outcome)) => return outcome,
            Err(RecvTimeoutError::Timeout) if last.elapsed() > patience => {
                server.check_answers()?;
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

fn teller<T: Send>(events: &Sender<Event<T>>) -> impl Fn(Progress) + Sync {
    |done| drop(events.send(Event::Progress(done)))
}
