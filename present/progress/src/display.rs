//! Progress display of a process, on standard error.
//!
//! On a terminal it is a line that moves; the line of a step replaces that of the step before.
//! Elsewhere it is a line of text every [`INTERVAL`], so that a log shows that the work goes on. No
//! text is printed twice in a row: a step that shows nothing new says how long it has taken.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Time between two lines of text without a terminal.
const INTERVAL: Duration = Duration::from_secs(15);
/// Time and share of a step before which its time left is not estimated.
const MIN_ESTIMATE_TIME: Duration = Duration::from_secs(5);
const MIN_ESTIMATE_SHARE: f64 = 0.02;
const TICK: Duration = Duration::from_millis(200);

/// How much progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// No output (`--quiet`).
    Nothing,
    /// The moving line, or a line of text now and then.
    #[default]
    Bar,
    /// Also a line of text for each step, for `--verbose`.
    Steps,
}

static DETAIL: OnceLock<Detail> = OnceLock::new();
static DISPLAY: Mutex<Option<Display>> = Mutex::new(None);

/// Sets how much progress this process shows. Only the first call has an effect.
pub fn set_detail(detail: Detail) {
    let _ = DETAIL.set(detail);
}

fn detail() -> Detail {
    DETAIL.get().copied().unwrap_or_default()
}

struct Display {
    /// `None` without a terminal.
    bar: Option<ProgressBar>,
    message: String,
    position: u64,
    length: u64,
    begun: Instant,
    /// Text after the bar, such as the time left, or empty.
    suffix: String,
    /// Time of the last line of text, or of the beginning of the work.
    printed: Instant,
    /// Last line of text that [`start_printing`] printed. Empty before the first.
    last_text: String,
}

fn lock() -> MutexGuard<'static, Option<Display>> {
    DISPLAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time since the process showed progress first.
fn elapsed() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// Begins a step of `length` units; 0 for an unknown length. `template` is indicatif's.
pub fn begin(template: &str, length: u64, message: &str) {
    if detail() == Detail::Nothing {
        return;
    }
    let mut display = lock();
    let before = display.take();
    let printed = before.as_ref().map_or_else(Instant::now, |before| before.printed);
    let last_text = before.as_ref().map(|before| before.last_text.clone()).unwrap_or_default();
    if let Some(bar) = before.and_then(|before| before.bar) {
        bar.finish_and_clear();
    }
    elapsed();
    if detail() == Detail::Steps {
        print(message);
    }
    let bar = stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(length).with_message(message.to_owned());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        bar
    });
    if bar.is_none() {
        start_printing();
    }
    *display = Some(Display {
        bar,
        message: message.to_owned(),
        position: 0,
        length,
        begun: Instant::now(),
        suffix: String::new(),
        printed,
        last_text,
    });
}

/// Changes the step that is under way. Without one, does nothing.
pub fn update(change: impl FnOnce(&mut Update<'_>)) {
    if let Some(display) = &mut *lock() {
        change(&mut Update(display));
    }
}

/// The step that is under way.
pub struct Update<'a>(&'a mut Display);

impl Update<'_> {
    pub fn position(&mut self, position: u64) {
        self.0.position = position;
        if let Some(bar) = &self.0.bar {
            bar.set_position(position);
        }
    }

    /// Shows the time left, for a step that advances steadily. Shows nothing before
    /// [`MIN_ESTIMATE_TIME`] and [`MIN_ESTIMATE_SHARE`].
    pub fn estimate_time_left(&mut self) {
        let display = &*self.0;
        let left = estimate_time_left(display.begun.elapsed(), display.position, display.length);
        self.suffix(left.map(describe_time_left).unwrap_or_default());
    }

    pub fn length(&mut self, length: u64) {
        self.0.length = length;
        if let Some(bar) = &self.0.bar {
            bar.set_length(length);
        }
    }

    pub fn message(&mut self, message: String) {
        if let Some(bar) = &self.0.bar {
            bar.set_message(message.clone());
        }
        self.0.message = message;
    }

    /// Sets the text after the bar, such as the time left.
    pub fn suffix(&mut self, suffix: String) {
        if let Some(bar) = &self.0.bar {
            bar.set_prefix(suffix.clone());
        }
        self.0.suffix = suffix;
    }
}

/// Ends the display, and clears its line.
pub fn end() {
    if let Some(bar) = lock().take().and_then(|display| display.bar) {
        bar.finish_and_clear();
    }
}

/// Prints lines above the display, which doesn't overwrite them later.
pub fn print_above(lines: &[String]) {
    if detail() == Detail::Nothing {
        return;
    }
    let display = lock();
    for line in lines {
        match display.as_ref().and_then(|display| display.bar.as_ref()) {
            Some(bar) => bar.println(escape::line(line)),
            None => print(line),
        }
    }
}

/// Starts the thread that prints a line of text every [`INTERVAL`].
fn start_printing() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_secs(1));
                if let Some(display) = &mut *lock()
                    && display.bar.is_none()
                    && display.printed.elapsed() >= INTERVAL
                {
                    print(&next_text(display));
                    display.printed = Instant::now();
                }
            }
        });
    });
}

/// Returns the time that the rest of a step takes at the pace until now. `None` too early for a
/// steady pace.
fn estimate_time_left(elapsed: Duration, position: u64, length: u64) -> Option<Duration> {
    let share = position.min(length) as f64 / length.max(1) as f64;
    let is_known = elapsed >= MIN_ESTIMATE_TIME && share >= MIN_ESTIMATE_SHARE;
    is_known.then(|| elapsed.mul_f64((1.0 - share) / share))
}

/// Returns `about 40 s left` or `about 3 min left`.
pub fn describe_time_left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..90 => format!("about {} s left", seconds.max(1)),
        seconds => format!("about {} min left", (seconds + 30) / 60),
    }
}

/// Returns the next line of text, and remembers it. If the step shows nothing new, the line has the
/// time that the step has taken: `starting mariadb, for 30 s`.
fn next_text(display: &mut Display) -> String {
    let text = describe(display);
    if text == display.last_text {
        return format!("{text}, for {} s", display.begun.elapsed().as_secs());
    }
    display.last_text.clone_from(&text);
    text
}

/// Returns the message, with the share that is done and the suffix if they are known.
fn describe(display: &Display) -> String {
    let share = (display.length > 0 && display.position > 0)
        .then(|| format!("{} % done", 100 * display.position.min(display.length) / display.length));
    let parts: Vec<String> =
        share.into_iter().chain(Some(display.suffix.clone()).filter(|suffix| !suffix.is_empty())).collect();
    if parts.is_empty() { display.message.clone() } else { format!("{} · {}", display.message, parts.join(", ")) }
}

fn print(message: &str) {
    // Standard error may be closed, which is no reason to end the work.
    let _ = writeln!(stderr(), "[{:>4} s] {}", elapsed().as_secs(), escape::line(message));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(message: &str) -> Display {
        Display {
            bar: None,
            message: message.into(),
            position: 0,
            length: 1000,
            begun: Instant::now(),
            suffix: String::new(),
            printed: Instant::now(),
            last_text: String::new(),
        }
    }

    #[test]
    fn share_follows_the_message_once_it_is_known() {
        let mut display = display("reading shop.orders");
        assert_eq!(describe(&display), "reading shop.orders");
        display.position = 405;
        assert_eq!(describe(&display), "reading shop.orders · 40 % done");
        display.suffix = "about 3 min left".into();
        assert_eq!(describe(&display), "reading shop.orders · 40 % done, about 3 min left");
    }

    #[test]
    fn a_step_without_news_says_how_long_it_takes() {
        let mut display = display("starting mariadb");
        display.begun = Instant::now().checked_sub(Duration::from_secs(30)).unwrap();
        assert_eq!(next_text(&mut display), "starting mariadb");
        assert_eq!(next_text(&mut display), "starting mariadb, for 30 s");
        display.position = 10;
        assert_eq!(next_text(&mut display), "starting mariadb · 1 % done");
    }

    #[test]
    fn time_left_follows_the_pace_until_now() {
        let seconds = Duration::from_secs;
        assert_eq!(estimate_time_left(seconds(30), 250, 1000), Some(seconds(90)));
        assert_eq!(estimate_time_left(seconds(30), 1000, 1000), Some(seconds(0)));
        assert_eq!(estimate_time_left(seconds(1), 250, 1000), None);
        assert_eq!(estimate_time_left(seconds(30), 10, 1000), None);
        assert_eq!(describe_time_left(seconds(89)), "about 89 s left");
    }
}
