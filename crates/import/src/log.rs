//! The text of a log, run by run.

use measure::{LogFigures, LogInterval};

use crate::figure::{leading, whole};
use crate::interval;

/// Thirty years, in seconds: what is longer is no time that anything took.
const LONGEST_S: f64 = 1e9;

/// One run of sysbench.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// sysbench's version, such as `1.0.20`, where it says.
    pub version: Option<String>,
    /// Connections.
    pub threads: u32,
    /// Transactions.
    pub transactions: u64,
    /// Statements of all kinds.
    pub queries: u64,
    /// Errors that it passed over.
    pub errors: u64,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// All other figures, and the intervals.
    pub figures: LogFigures,
}

/// What is wrong with a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// What was expected there, and what was found.
    pub reason: String,
}

/// What a text gives: the runs that are whole, and what is wrong with the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The runs, in their order.
    pub logs: Vec<Log>,
    /// The faults, in theirs.
    pub faults: Vec<Fault>,
}

/// Reads all runs of a log's text, of sysbench 0.5 or 1.0.
pub fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut open: Option<Draft> = None;
    let mut last = 1;
    for (index, line) in text.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if !line.is_empty() {
            last = number;
        }
        if let Some(version) = banner(line) {
            close(open.take(), number, &mut parsed);
            open = Some(Draft { version: Some(version.into()), ..Draft::new(number) });
        } else if line == "Running the test with following options:" && open.as_ref().is_none_or(|run| run.has_options)
        {
            // A log whose banner went elsewhere.
            close(open.take(), number, &mut parsed);
            open = Some(Draft { has_options: true, ..Draft::new(number) });
        } else if let Some(run) = &mut open
            && let Err(reason) = run.take(line)
        {
            parsed.faults.push(Fault { line: number, reason });
        }
    }
    if open.is_none() && parsed.logs.is_empty() && parsed.faults.is_empty() {
        let reason = "expected a log of sysbench, which begins with `sysbench 1.0…` or `Running the test with following options:`";
        parsed.faults.push(Fault { line: 1, reason: reason.into() });
    }
    close(open, last, &mut parsed);
    parsed
}

/// The version of a first line: `sysbench 1.0.20 (using …)`, `sysbench 0.5:  multi-threaded system evaluation benchmark`.
fn banner(line: &str) -> Option<&str> {
    let version = line.strip_prefix("sysbench ")?.split_whitespace().next()?.trim_end_matches(':');
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// Takes a run that ends before this line, or says what it lacks.
fn close(run: Option<Draft>, line: usize, parsed: &mut Parsed) {
    let Some(run) = run else { return };
    let begun = run.line;
    match run.finish() {
        Ok(log) => parsed.logs.push(log),
        Err(Missing::AlreadyTold) => {}
        Err(Missing::Expected(what)) => {
            let reason = format!("the log that begins on line {begun} ends here; expected {what}");
            parsed.faults.push(Fault { line, reason });
        }
    }
}

/// Why a run can't be taken.
enum Missing {
    /// Its fault is known already.
    AlreadyTold,
    Expected(&'static str),
}

/// A run that is being read.
#[derive(Default)]
struct Draft {
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
    /// Whether one of its totals could not be read.
    is_broken: bool,
}

impl Draft {
    fn new(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// Takes a line; what it can't make anything of is none of its business.
    fn take(&mut self, line: &str) -> Result<(), String> {
        if self.is_broken {
            return Ok(());
        }
        if line == "Running the test with following options:" {
            self.has_options = true;
        } else if line.starts_with("FATAL:") {
            self.is_broken = true;
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
        whole(value).ok_or_else(|| self.broken("a whole number", name, value))
    }

    fn number(&mut self, name: &str, value: &str) -> Result<f64, String> {
        leading(value).ok_or_else(|| self.broken("a number", name, value))
    }

    fn broken(&mut self, what: &str, name: &str, value: &str) -> String {
        self.is_broken = true;
        format!("expected {what} behind `{name}:`, found `{value}`")
    }

    fn finish(self) -> Result<Log, Missing> {
        if self.is_broken {
            return Err(Missing::AlreadyTold);
        }
        let threads = self.threads.filter(|&threads| threads > 0).ok_or(Missing::Expected("`Number of threads:`"))?;
        let queries = self
            .queries
            .ok_or(Missing::Expected("`queries performed:` and its `total:`, as a test of a database ends with"))?;
        let transactions = self.transactions.ok_or(Missing::Expected("`transactions:`"))?;
        let seconds = self
            .seconds
            .filter(|&seconds| seconds > 0.0 && seconds <= LONGEST_S)
            .ok_or(Missing::Expected("`total time:`"))?;
        let figures = LogFigures { intervals: self.intervals, ..self.figures };
        let (line, version, errors) = (self.line, self.version, self.errors);
        Ok(Log { line, version, threads, transactions, queries, errors, seconds, figures })
    }
}

/// The percentile of `95th percentile` (1.0) and `approx.  95 percentile` (0.5).
fn percentile(name: &str) -> Option<f64> {
    let rest = name.strip_suffix("percentile")?.trim();
    leading(rest.strip_prefix("approx.").unwrap_or(rest))
}

#[cfg(test)]
mod tests;
