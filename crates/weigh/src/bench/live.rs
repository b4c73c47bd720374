//! The live line: what is being done, and how the pair under load stands.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use measure::{Block, Observer, PairKind, Run, Standing};

/// Shows progress on standard error where that is a terminal, and nothing elsewhere.
pub struct Live {
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl Live {
    pub fn new() -> Self {
        Self { bar: Mutex::new(None), shown: stderr().is_terminal() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, bar: ProgressBar, template: &str) {
        self.end();
        if self.shown {
            bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
            bar.enable_steady_tick(Duration::from_millis(200));
            *self.lock() = Some(bar);
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Some(bar) = self.lock().take() {
            bar.finish_and_clear();
        }
    }

    fn update(&self, change: impl FnOnce(&ProgressBar)) {
        if let Some(bar) = &*self.lock() {
            change(bar);
        }
    }
}

const PARTS: u64 = 1000;

impl server::Progress for Live {
    fn step(&self, what: &str) {
        if self.shown {
            let bar = ProgressBar::new(PARTS).with_message(what.to_owned());
            self.begin(bar, "{spinner} {msg} {wide_bar} {percent:>3} %");
        }
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
        if self.shown {
            self.begin(
                ProgressBar::new(max_time.as_millis() as u64),
                "{spinner} {msg} {wide_bar} {elapsed} of at most {len_time}"
                    .replace("{len_time}", &format!("{} s", max_time.as_secs()))
                    .as_str(),
            );
        }
    }

    fn block(&self, run: &Run, _block: &Block, standings: &[Standing], spent: Duration) {
        self.update(|bar| {
            bar.set_position(spent.as_millis() as u64);
            if let Some(standing) = standings.first() {
                bar.set_message(describe(run, standing));
            }
        });
    }
}

fn describe(run: &Run, standing: &Standing) -> String {
    let pair = &run.pairs[standing.pair];
    let cell = &run.cells[pair.cell];
    let name = match pair.kind {
        PairKind::AA => "A/A".into(),
        PairKind::Collation => run.variants[pair.variant].collation.clone(),
        PairKind::Server => {
            let variant = &run.variants[pair.variant];
            format!("{} on {}", variant.collation, run.servers[variant.server].label)
        }
    };
    let ratio = standing
        .ratio
        .map(|ratio| format!(" × {:.3} ± {:.1} %", ratio.value, ratio.precision() * 100.0))
        .unwrap_or_default();
    format!("{}, {name}{ratio}", cell.workload)
}
