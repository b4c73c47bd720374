/// Errors of an upgrade's rehearsal. A statement that a server refuses is a finding, not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of the server crate, or a signal.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error(transparent)]
    Rehearsal(#[from] rehearsal::Error),
    #[error(transparent)]
    Why(#[from] why::Error),
    #[error("cannot {what} on {server}: {}", server::describe_driver_error(source))]
    Driver {
        /// Attempted task; completes "cannot …".
        what: &'static str,
        /// Label of the server.
        server: String,
        source: mysql::Error,
    },
    /// The old server made nothing of the dumps.
    #[error("{dumps} creates no table, view or program on {server}: {reason}")]
    EmptyDump { dumps: String, server: String, reason: String },
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: std::io::Error },
    #[error("cannot write {name}: {source}")]
    Write { name: String, source: std::io::Error },
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
