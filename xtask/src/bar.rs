//! Where slow work stands: a bar on a terminal, a line a step elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use server::Progress;

/// Gone when dropped.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new() -> Self {
        if !stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {percent:>3} %") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(bar))
    }
}

impl Progress for Bar {
    fn step(&self, what: &str) {
        match &self.0 {
            Some(bar) => {
                bar.set_message(what.to_owned());
                bar.set_position(0);
            }
            None => eprintln!("{what}"),
        }
    }

    fn fraction(&self, done: f64) {
        if let Some(bar) = &self.0 {
            bar.set_position((done * 1000.0) as u64);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
