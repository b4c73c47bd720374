//! What a log tells of one statement.

/// A statement or a command, as a log tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Line at which it begins, from 1.
    pub line: u64,
    /// What was done.
    pub event: Event,
    /// Schema that was in use; `None` where the log doesn't say, or none was.
    pub schema: Option<String>,
    /// How long it took, in seconds, where the log says.
    pub seconds: Option<f64>,
    /// How many statements it stands for: Percona Server can log one in so many (`log_slow_rate_limit`).
    pub stands_for: u64,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A statement, in the bytes of its session's character set, without the semicolon.
    Statement(Vec<u8>),
    /// A statement of which the source has only the beginning, or that is longer than [`LONGEST_STATEMENT`](crate::LONGEST_STATEMENT).
    Cut,
    /// A command of the protocol that is no statement: `Prepare`, `Quit`, `Init DB`.
    Command(String),
}

impl Entry {
    pub(crate) fn new(line: u64, event: Event, schema: Option<String>) -> Self {
        Self { line, event, schema, seconds: None, stands_for: 1 }
    }
}
