//! Progress of reading rows, with the time left.

use std::sync::Mutex;
use std::time::Instant;

use preflight::ScanProgress;
use progress::display;

const TEMPLATE: &str = "{spinner} {msg} {wide_bar} {percent:>3} % {eta} left";

/// Shows on the process's display how many rows are read.
pub struct Watch {
    begin: Instant,
    /// Last update. `None` before the first row.
    last: Mutex<Option<Instant>>,
}

impl Watch {
    pub fn new() -> Self {
        Self { begin: Instant::now(), last: Mutex::new(None) }
    }
}

impl ScanProgress for Watch {
    fn rows_read(&self, table: &str, done: u64, expected: u64) {
        let Ok(mut last) = self.last.lock() else { return };
        match *last {
            None => display::begin(TEMPLATE, expected, "reading rows"),
            Some(last) if last.elapsed().as_millis() < 200 => return,
            Some(_) => {}
        }
        *last = Some(Instant::now());
        let rate = done as f64 / self.begin.elapsed().as_secs_f64().max(0.001);
        display::update(|step| {
            step.length(expected.max(done));
            step.position(done);
            step.estimate_time_left();
            step.message(format!("reading {table}, {rate:.0} rows/s"));
        });
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        display::end();
    }
}
