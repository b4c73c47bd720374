//! The live line: what is being done, and how the pair under load stands.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use measure::{Block, Observer, PairKind, Request, Run, Standing};

const STAGE: &str = "{spinner} {wide_msg} {bar:12} {percent:>3} %";
const MEASURING: &str = "{spinner} {wide_msg} {bar:12} {prefix}";

/// Positions of a stage's bar.
const PARTS: u64 = 1000;

/// Shows progress on standard error where that is a terminal, and nothing elsewhere.
pub struct Live<'a> {
    /// What is measured; nothing where a server is only watched.
    request: Option<&'a Request>,
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl<'a> Live<'a> {
    pub fn new(request: &'a Request) -> Self {
        Self { request: Some(request), ..Self::watching() }
    }

    /// For what measures no pairs.
    pub fn watching() -> Self {
        Self { request: None, bar: Mutex::new(None), shown: stderr().is_terminal() }
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

impl server::Progress for Live<'_> {
    fn step(&self, what: &str) {
        self.begin(PARTS, STAGE, what);
    }

    fn fraction(&self, done: f64) {
        self.update(|bar| bar.set_position((done * PARTS as f64) as u64));
    }
}

impl Observer for Live<'_> {
    fn stage(&self, what: &str) {
        server::Progress::step(self, what);
    }

    fn fraction(&self, done: f64) {
        server::Progress::fraction(self, done);
    }

    fn measuring(&self, max_time: Duration, replicate: u32, replicates: u32) {
        self.begin(
            max_time.as_millis() as u64,
            MEASURING,
            &format!("replicate {replicate} of {replicates}: warming up"),
        );
    }

    fn block(&self, run: &Run, _block: &Block, standings: &[Standing], spent: Duration) {
        self.update(|bar| {
            bar.set_position(spent.as_millis() as u64);
            bar.set_prefix(format!("{} of {} s", spent.as_secs(), run.options.max_time_s));
            if let (Some(request), Some(standing)) = (self.request, standings.first()) {
                bar.set_message(describe(request, run, standing));
            }
        });
    }
}

/// The pair under load and its ratio so far, in few words: what no axis of this run tells apart is left out.
fn describe(request: &Request, run: &Run, standing: &Standing) -> String {
    let pair = &run.pairs[standing.pair];
    let (condition, variant) = (&run.conditions[pair.condition], &run.variants[pair.variant]);
    let mut words = condition.workload.clone();
    if request.axes.texts.len() > 1 {
        words += &format!(", {}", condition.text);
    }
    if request.threads.len() > 1 {
        words += &format!(", {} threads", condition.threads);
    }
    words += &format!(": {}", variant.collation);
    if request.axes.connections.len() > 1 {
        words += &format!(" by {}", variant.connection_charset);
    }
    if run.servers.len() > 1 {
        words += &format!(" on {}", run.servers[variant.server].label);
    }
    words += match pair.kind {
        PairKind::AA => " × its copy",
        PairKind::Collation => "",
        PairKind::Server => " × the first server's",
    };
    if let Some(ratio) = standing.ratio {
        words += &format!(" {:.3} ± {:.1} %", ratio.value, ratio.precision() * 100.0);
    }
    words
}
