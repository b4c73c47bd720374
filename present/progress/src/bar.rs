//! A progress bar for work of several steps.

use server::Progress;

use crate::display::{self, Detail};

const TEMPLATE: &str = "{spinner} {msg} {wide_bar} {percent:>3} % {prefix}";
const LENGTH: u64 = 1000;

/// Shows steps on the process's display. Dropping it ends the display.
#[derive(Debug, Default)]
pub struct Bar(());

impl Bar {
    pub fn new() -> Self {
        Self(())
    }

    /// Makes this process print a line of text for each step.
    pub fn with_steps_printed() -> Self {
        display::set_detail(Detail::Steps);
        Self::new()
    }
}

impl Progress for Bar {
    fn step(&self, what: &str) {
        display::begin(TEMPLATE, LENGTH, &escape::line(what));
    }

    fn text(&self, description: &str) {
        display::update(|step| step.message(escape::line(description).into_owned()));
    }

    fn note(&self, text: &str) {
        display::print_above(&[format!("note: {text}")]);
    }

    fn fraction(&self, done: f64) {
        display::update(|step| {
            step.position((done * LENGTH as f64) as u64);
            step.estimate_time_left();
        });
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        display::end();
    }
}
