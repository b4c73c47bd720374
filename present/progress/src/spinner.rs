//! A spinner for work of unknown length.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::display;

/// Time before the spinner appears. Users do not take a shorter pause for a hang.
const DELAY: Duration = Duration::from_secs(2);

/// A spinner on standard error, shown after two seconds if that is a terminal. Dropping it clears
/// the line.
pub struct Spinner(Option<Running>);

struct Running {
    /// Dropping the sender ends the thread.
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Spinner {
    pub fn new(message: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = channel();
        let thread = thread::spawn(move || {
            if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                display::begin("{spinner} {msg}", 0, message);
                let _ = ended.recv();
                display::end();
            }
        });
        Self(Some(Running { end, thread }))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(Running { end, thread }) = self.0.take() {
            drop(end);
            // A panic in the thread leaves a line on the terminal, which is no reason to fail.
            let _ = thread.join();
        }
    }
}
