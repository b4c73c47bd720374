//! A progress bar for work of several steps.

use std::io::{IsTerminal, stderr};
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
