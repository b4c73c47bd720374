//! A progress bar for work of several steps, and a spinner for work that tells nothing of how far it is.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use server::Progress;

/// A line on standard error where that is a terminal, gone when dropped.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        if !stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {percent:>3} %") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }
}

impl Progress for Bar {
    fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.set_position(0);
    }

    fn fraction(&self, done: f64) {
        self.0.set_position((done * 1000.0) as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How long a user waits before wondering.
const PATIENCE: Duration = Duration::from_secs(2);

/// A line on standard error, where that is a terminal, for work that takes longer than two seconds; gone when dropped.
pub struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    pub fn new(message: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self(None);
        }
        let (work, ended) = channel();
        Self(Some((
            work,
            thread::spawn(move || {
                if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    let bar = ProgressBar::new_spinner().with_message(message);
                    bar.enable_steady_tick(Duration::from_millis(200));
                    let _ = ended.recv();
                    bar.finish_and_clear();
                }
            }),
        )))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((work, thread)) = self.0.take() {
            drop(work);
            // It ends as soon as the work has; a line that stays is no reason to fail.
            let _ = thread.join();
        }
    }
}
