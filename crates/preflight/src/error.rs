//! What can go wrong. Messages say what was tried, on what, and what to do next.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server, or a signal.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A sort could not be written to disk.
    #[error("{0}; free some space, or name another folder by --temp-dir")]
    Sort(#[from] extsort::Error),
    /// A statement failed.
    #[error("cannot {what}: {source}{}", remedy(source))]
    Statement {
        /// What was tried.
        what: String,
        /// The server's answer.
        source: mysql::Error,
    },
    /// The account may not read a table.
    #[error("{table} can't be read: {why} ({remedy})")]
    Denied {
        /// `schema.table`.
        table: String,
        /// The server's answer.
        why: String,
        /// The grant that is missing.
        remedy: String,
    },
    /// The server went away and didn't come back.
    #[error("{0}")]
    Gone(String),
    /// A file.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// A verb.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that holds something else than it should.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// What was asked for can't be done.
    #[error("{0}")]
    Request(String),
}

/// What to do about a refusal.
fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) => match refusal.code {
            1142 | 1143 => ". GRANT SELECT on it to this account",
            1227 => ". Grant what it names to this account",
            _ => "",
        },
        _ => "",
    }
}
