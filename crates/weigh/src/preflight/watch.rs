//! How far reading is, with the time left.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use preflight::Watcher;

/// A line on standard error, where that is a terminal.
pub struct Watch {
    bar: ProgressBar,
    begin: Instant,
    last: Mutex<Option<Instant>>,
}

impl Watch {
    pub fn new() -> Self {
        let bar = if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {percent:>3} % {eta} left") {
            bar.set_style(style);
        }
        Self { bar, begin: Instant::now(), last: Mutex::new(None) }
    }
}

impl Watcher for Watch {
    fn rows(&self, table: &str, done: u64, expected: u64) {
        let Ok(mut last) = self.last.lock() else { return };
        if last.is_some_and(|last| last.elapsed().as_millis() < 200) {
            return;
        }
        *last = Some(Instant::now());
        let rate = done as f64 / self.begin.elapsed().as_secs_f64().max(0.001);
        self.bar.set_length(expected.max(done));
        self.bar.set_position(done);
        self.bar.set_message(format!("reading {table}, {rate:.0} rows/s"));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
