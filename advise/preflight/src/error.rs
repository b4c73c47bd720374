use std::path::PathBuf;

use server::error_code::{COLUMNACCESS_DENIED_ERROR, SPECIFIC_ACCESS_DENIED_ERROR, TABLEACCESS_DENIED_ERROR};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of the server crate, or a signal.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error("{0}; free some space, or name another folder by --temp-dir")]
    Sort(#[from] extsort::Error),
    /// Error of a rehearsal, or of reading definitions.
    #[error(transparent)]
    Rehearsal(#[from] rehearsal::Error),
    #[error("cannot {what}: {}{}", server::describe_driver_error(source), remedy(source))]
    Statement {
        /// Attempted task: "read shop.orders". Completes "cannot …".
        what: String,
        source: mysql::Error,
    },
    /// The account has no privilege to read a table.
    #[error("{table} can't be read: {why} ({remedy})")]
    Denied {
        /// `schema.table`.
        table: String,
        /// The server's message.
        why: String,
        /// The missing `GRANT`.
        remedy: String,
    },
    /// The server went away and didn't return in time, or didn't answer in time.
    #[error("{0}")]
    ConnectionLost(String),
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// Attempted task: "open". Completes "cannot …".
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file with unexpected content.
    #[error("{}: {problem}", path.display())]
    Content {
        path: PathBuf,
        /// The problem and its place.
        problem: String,
    },
    /// A request that can't be fulfilled.
    #[error("{0}")]
    Request(String),
}

/// Returns the advice to append to a server's message; empty for most errors.
fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) => match refusal.code {
            TABLEACCESS_DENIED_ERROR | COLUMNACCESS_DENIED_ERROR => ". GRANT SELECT on it to this account",
            SPECIFIC_ACCESS_DENIED_ERROR => ". Grant what it names to this account",
            _ => "",
        },
        _ => "",
    }
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
