/// A statement or a command of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Line number at which the statement or command begins, from 1. Comment lines of a slow query
    /// log precede it.
    pub line: u64,
    pub event: Event,
    /// Default schema; `None` if it isn't known, or none was selected.
    pub schema: Option<String>,
    /// Duration in seconds, if the log has it.
    pub seconds: Option<f64>,
    /// Number of calls that the entry represents: `Log_slow_rate_limit` in a slow log of Percona
    /// Server, which then logs one of so many calls; otherwise 1.
    pub calls: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A statement without its delimiter, as the log or script has its bytes.
    Statement(Vec<u8>),
    /// A statement that the source truncated, or that is longer than
    /// [`MAX_STATEMENT_BYTES`](crate::MAX_STATEMENT_BYTES).
    Truncated,
    /// A protocol command that is not a statement: `Prepare`, `Quit`, `Init DB`.
    Command(String),
}

impl Entry {
    pub(crate) fn new(line: u64, event: Event, schema: Option<String>) -> Self {
        Self { line, event, schema, seconds: None, calls: 1 }
    }
}
