//! Why nothing could be captured.

use std::io;
use std::path::PathBuf;

/// Why nothing could be captured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server can't be reached, or refuses.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A statement on the server failed.
    #[error("{server}: cannot {what}: {source}{}", remedy(source))]
    Statement {
        /// The server.
        server: String,
        /// What was tried.
        what: String,
        /// Why it failed.
        source: mysql::Error,
    },
    /// The folder can't be written.
    #[error(transparent)]
    Write(#[from] replay::WriteError),
    /// A file can't be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file isn't what it should be.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// No such schema or table.
    #[error("{0}")]
    Missing(String),
}

/// What lets an account that was refused go on.
fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1044 | 1045 | 1142 | 1143 | 1227) => {
            "; the account needs SELECT and SHOW VIEW on the schema, and for --digests and --history SELECT on performance_schema"
        }
        _ => "",
    }
}
