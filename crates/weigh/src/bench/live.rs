//! The live line: what is being done, and how the pair under load stands.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use measure::{Block, Observer, PairKind, Run, Standing};

const STAGE: &str = "{spinner} {msg} {wide_bar} {percent:>3} %";
const MEASURING: &str = "{spinner} {wide_msg} {bar:20} {prefix}";

/// Positions of a stage's bar.
const PARTS: u64 = 1000;

/// Shows progress on standard error where that is a terminal, and nothing elsewhere.
pub struct Live {
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl Live {
    pub fn new() -> Self {
        Self { bar: Mutex::new(None), shown: stderr().is_terminal() }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Some(bar) = self.lock().take() {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, length: u64, template: &str, message: &str) {
        self.end();
        if self.shown {
            let bar = ProgressBar::new(length).with_message(message.to_owned());
            bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
            bar.enable_steady_tick(Duration::from_millis(200));
            *self.lock() = Some(bar);
        }
    }

    fn update(&self, change: impl FnOnce(&ProgressBar)) {
        if let Some(bar) = &*self.lock() {
            change(bar);
        }
    }
}

impl server::Progress for Live {
    fn step(&self, what: &str) {
        self.begin(PARTS, STAGE, what);
    }

    fn fraction(&self, done: f64) {
        self.update(|bar| bar.set_position((done * PARTS as f64) as u64));
    }
}

impl Observer for Live {
    fn stage(&self, what: &str) {
        server::Progress::step(self, what);
    }

    fn fraction(&self, done: f64) {
        server::Progress::fraction(self, done);
    }

    fn measuring(&self, max_time: Duration) {
        self.begin(max_time.as_millis() as u64, MEASURING, "warming up");
    }

    fn block(&self, run: &Run, _block: &Block, standings: &[Standing], spent: Duration) {
        self.update(|bar| {
            bar.set_position(spent.as_millis() as u64);
            bar.set_prefix(format!("{} of at most {} s", spent.as_secs(), run.options.max_time_s));
            if let Some(standing) = standings.first() {
                bar.set_message(describe(run, standing));
            }
        });
    }
}

/// The pair under load and its ratio so far.
fn describe(run: &Run, standing: &Standing) -> String {
    let pair = &run.pairs[standing.pair];
    let name = |variant: usize| {
        let variant = &run.variants[variant];
        let server =
            if run.servers.len() > 1 { format!(" on {}", run.servers[variant.server].label) } else { String::new() };
        format!("{}{server}", variant.collation)
    };
    let pair_name = match pair.kind {
        PairKind::AA => format!("{} against its copy", name(pair.baseline)),
        PairKind::Collation | PairKind::Server => format!("{} against {}", name(pair.variant), name(pair.baseline)),
    };
    let ratio = standing.ratio.map(|ratio| format!(": {:.3} ± {:.1} %", ratio.value, ratio.precision() * 100.0));
    format!("{}: {pair_name}{}", run.cells[pair.cell], ratio.unwrap_or_default())
}
