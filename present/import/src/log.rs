//! Splits the text of a log into runs of sysbench.

use measure::{LogFigures, LogInterval};

use crate::figure::{leading_number, whole_number};
use crate::interval;

/// Longest plausible time of a run, in seconds: about 30 years. A longer time is a damaged figure.
const MAX_SECONDS: f64 = 1e9;

/// Maximum number of faults of a log that are listed.
const MAX_FAULTS: usize = 100;

/// One run of sysbench.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedRun {
    /// Line of the log that the run begins on, from 1.
    pub line: usize,
    /// `None` if the log does not contain the version. Example: `1.0.20`.
    pub version: Option<String>,
    pub threads: u32,
    pub transactions: u64,
    /// Statements of all kinds.
    pub queries: u64,
    /// Errors that sysbench ignored: its figure `ignored errors` or `deadlocks`.
    pub errors: u64,
    pub seconds: f64,
    pub figures: LogFigures,
}

/// A line that could not be read, or an incomplete run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Expected text, and the text in its place.
    pub reason: String,
}

/// Result of [`parse`]: complete runs, and faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedLog {
    pub logs: Vec<LoggedRun>,
    pub faults: Vec<Fault>,
}

/// Reads all runs in the text of a log by sysbench 0.5 or 1.0.
pub fn parse(text: &str) -> ParsedLog {
    let mut parsed = ParsedLog::default();
    let mut open: Option<PartialRun> = None;
    let mut last = 1;
    for (index, line) in text.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if !line.is_empty() {
            last = number;
        }
        if let Some(version) = parse_banner(line) {
            finish_run(open.take(), number, &mut parsed);
            open = Some(PartialRun { version: Some(version.into()), ..PartialRun::new(number) });
        } else if line == "Running the test with following options:" && open.as_ref().is_none_or(|run| run.has_options)
        {
            // The banner may be missing, for example if it went to another file.
            finish_run(open.take(), number, &mut parsed);
            open = Some(PartialRun { has_options: true, ..PartialRun::new(number) });
        } else if let Some(run) = &mut open
            && let Err(reason) = run.take(line)
        {
            parsed.add_fault(number, reason);
        }
    }
    if open.is_none() && parsed.logs.is_empty() && parsed.faults.is_empty() {
        let reason = "expected a log of sysbench, which begins with `sysbench 1.0…` or `Running the test with following options:`";
        parsed.add_fault(1, reason.into());
    }
    finish_run(open, last, &mut parsed);
    parsed
}

impl ParsedLog {
    fn add_fault(&mut self, line: usize, reason: String) {
        match self.faults.len() {
            0..MAX_FAULTS => self.faults.push(Fault { line, reason }),
            MAX_FAULTS => self.faults.push(Fault { line, reason: "further faults are not listed".into() }),
            _ => {}
        }
    }
}

/// Returns the version in a first line: 1.0.20 for `sysbench 1.0.20 (using …)`. 0.5 has a colon:
/// `sysbench 0.5:  multi-threaded system evaluation benchmark`.
fn parse_banner(line: &str) -> Option<&str> {
    let version = line.strip_prefix("sysbench ")?.split_whitespace().next()?.trim_end_matches(':');
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// Adds a complete run to `parsed`. For an incomplete run, adds a fault at `line` that names the
/// first missing figure.
fn finish_run(run: Option<PartialRun>, line: usize, parsed: &mut ParsedLog) {
    let Some(run) = run else { return };
    let begun = run.line;
    match run.finish() {
        Ok(log) => parsed.logs.push(log),
        Err(Incomplete::AlreadyReported) => {}
        Err(Incomplete::Expected(what)) => {
            let reason = format!("the log that begins on line {begun} ends here; expected {what}");
            parsed.add_fault(line, reason);
        }
    }
}

/// Reason why a run is incomplete.
enum Incomplete {
    /// The run's fault is in the list already.
    AlreadyReported,
    Expected(&'static str),
}

/// A run whose lines are still being read.
#[derive(Default)]
struct PartialRun {
    line: usize,
    version: Option<String>,
    has_options: bool,
    threads: Option<u32>,
    transactions: Option<u64>,
    queries: Option<u64>,
    errors: u64,
    seconds: Option<f64>,
    figures: LogFigures,
    intervals: Vec<LogInterval>,
    /// True if a figure could not be read, or sysbench failed. Further lines of the run are
    /// ignored.
    is_unreadable: bool,
}

impl PartialRun {
    fn new(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// Reads a line of the run. Lines without a known figure are ignored.
    fn take(&mut self, line: &str) -> Result<(), String> {
        if self.is_unreadable {
            return Ok(());
        }
        if line == "Running the test with following options:" {
            self.has_options = true;
        } else if line.starts_with("FATAL:") {
            self.is_unreadable = true;
            return Err(format!("expected figures, but sysbench failed: {line}"));
        } else if interval::is_interval(line) {
            let parsed = interval::parse(line).map_err(|expected| format!("expected {expected}, found `{line}`"))?;
            self.intervals.push(parsed);
        } else if let Some((name, value)) = line.split_once(':') {
            return self.total(name.trim(), value.trim());
        }
        Ok(())
    }

    fn total(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "Number of threads" => self.threads = Some(self.count(name, value)?.try_into().unwrap_or(u32::MAX)),
            "read" => self.figures.reads = Some(self.count(name, value)?),
            "write" => self.figures.writes = Some(self.count(name, value)?),
            "other" => self.figures.others = Some(self.count(name, value)?),
            "total" => self.queries = Some(self.count(name, value)?),
            "transactions" => self.transactions = Some(self.count(name, value)?),
            "ignored errors" | "deadlocks" => self.errors = self.count(name, value)?,
            "reconnects" => self.figures.reconnects = Some(self.count(name, value)?),
            "total time" => self.seconds = Some(self.number(name, value)?),
            "min" => self.figures.min_ms = Some(self.number(name, value)?),
            "avg" => self.figures.avg_ms = Some(self.number(name, value)?),
            "max" => self.figures.max_ms = Some(self.number(name, value)?),
            _ => {
                if let Some(percentile) = percentile(name) {
                    self.figures.percentile = Some(percentile);
                    self.figures.percentile_ms = Some(self.number(name, value)?);
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, name: &str, value: &str) -> Result<u64, String> {
        whole_number(value).ok_or_else(|| self.mark_unreadable("a whole number", name, value))
    }

    fn number(&mut self, name: &str, value: &str) -> Result<f64, String> {
        leading_number(value).ok_or_else(|| self.mark_unreadable("a number", name, value))
    }

    fn mark_unreadable(&mut self, what: &str, name: &str, value: &str) -> String {
        self.is_unreadable = true;
        format!("expected {what} after `{name}:`, found `{value}`")
    }

    fn finish(self) -> Result<LoggedRun, Incomplete> {
        if self.is_unreadable {
            return Err(Incomplete::AlreadyReported);
        }
        let threads =
            self.threads.filter(|&threads| threads > 0).ok_or(Incomplete::Expected("`Number of threads:`"))?;
        let queries = self
            .queries
            .ok_or(Incomplete::Expected("`queries performed:` and its `total:`, which end a database test"))?;
        let transactions = self.transactions.ok_or(Incomplete::Expected("`transactions:`"))?;
        let seconds = self
            .seconds
            .filter(|&seconds| seconds > 0.0 && seconds <= MAX_SECONDS)
            .ok_or(Incomplete::Expected("`total time:`"))?;
        let figures = LogFigures { intervals: self.intervals, ..self.figures };
        let (line, version, errors) = (self.line, self.version, self.errors);
        Ok(LoggedRun { line, version, threads, transactions, queries, errors, seconds, figures })
    }
}

/// Returns the percentile of `95th percentile` (sysbench 1.0) or `approx.  95 percentile` (0.5).
fn percentile(name: &str) -> Option<f64> {
    let rest = name.strip_suffix("percentile")?.trim();
    leading_number(rest.strip_prefix("approx.").unwrap_or(rest))
}

#[cfg(test)]
mod tests;
