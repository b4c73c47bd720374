//! Errors that end a count.

use std::path::{Path, PathBuf};
use std::time::Duration;

use load::TablesError;
use measure::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request does not fit the servers, for example because no server has a named collation.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A server failed or refused a statement, or a signal arrived.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// Rows could not be loaded.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// Rows of a workload folder could not be loaded.
    #[error(transparent)]
    Fill(Box<result_diff::Error>),
    /// A tool could not be installed.
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    /// The server is not started by `weigh`.
    #[error(
        "{server} runs already, and instructions are counted on private servers only; name one that weigh starts, such as --server mysql@sid"
    )]
    NotPrivate { server: String },
    /// The package of valgrind lacks vgdb.
    #[error("cannot control valgrind: there is no vgdb next to {}; install Debian's package valgrind", .valgrind.display())]
    NoVgdb { valgrind: PathBuf },
    /// The server does not start or run under valgrind.
    #[error("{server} does not start under valgrind: {reason}")]
    Unsupported { server: String, reason: String },
    /// The connection's thread is not found among the server's.
    #[error(
        "cannot tell which thread of {server} serves the connection: no thread's instructions double when a statement's work doubles; run weigh count again"
    )]
    NoThread { server: String },
    /// Valgrind finds no memory for the server.
    #[error("{server} under valgrind needs more memory than it can have; free some, or raise the limit (ulimit -v)")]
    Memory { server: String },
    /// A statement takes longer than the limit.
    #[error(
        "{what} on {server} did not end within {} s under valgrind, which is about 50 times slower; leave it out, or raise --statement-time", .limit.as_secs_f64()
    )]
    Slow { server: String, what: String, limit: Duration },
    /// A command to the running valgrind failed.
    #[error("cannot {what} in valgrind, which runs {server}: {reason}")]
    Control { server: String, what: &'static str, reason: String },
    /// A file of valgrind could not be read.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io { what: &'static str, path: PathBuf, source: std::io::Error },
    /// A file of callgrind is not in the known format.
    #[error("{}: line {line} is not in callgrind's format", .path.display())]
    Dump { path: PathBuf, line: usize },
    /// No cell is left to count.
    #[error(
        "nothing to count: no collation can hold the text, or the servers refuse every statement; leave out --collation or --text"
    )]
    Nothing,
}

/// Messages of valgrind and of servers on missing memory. Error 11 of `pthread_create` is a thread
/// without memory for its stack: MySQL 5.6.
const MEMORY_MESSAGES: [&str; 3] = ["Valgrind cannot continue", "Cannot allocate memory", "pthread_create returned 11"];

impl Error {
    /// Replaces an error whose text has a message on missing memory, for example from the server's
    /// log, by [`Error::Memory`].
    pub(crate) fn name_memory(self, server: &str) -> Self {
        let text = self.to_string();
        let is_out_of_memory = MEMORY_MESSAGES.iter().any(|message| text.contains(message));
        if is_out_of_memory { Self::Memory { server: server.to_owned() } } else { self }
    }

    /// Replaces a timeout by [`Error::Slow`], which names the statements.
    pub(crate) fn name_slow(self, server: &str, what: &str, limit: Duration) -> Self {
        match self {
            Error::Server(server::Error::Statement { source, .. }) if server::is_timeout(&source) => {
                Error::Slow { server: server.to_owned(), what: what.to_owned(), limit }
            }
            error => error,
        }
    }

    /// Returns the server's error number and message if the server refused a statement.
    pub(crate) fn refusal(&self) -> Option<String> {
        match self {
            Error::Server(server::Error::Statement { source: mysql::Error::MySqlError(error), .. }) => {
                Some(format!("error {}: {}", error.code, error.message))
            }
            _ => None,
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}

impl From<result_diff::Error> for Error {
    fn from(error: result_diff::Error) -> Self {
        Self::Fill(Box::new(error))
    }
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
