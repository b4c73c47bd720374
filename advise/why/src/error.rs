/// Errors of a diagnosis. A statement that the server refuses because of collations is a finding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of the server crate, or a signal.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error(transparent)]
    Rehearsal(#[from] rehearsal::Error),
    #[error("cannot {what} on {server}: {}", server::describe_driver_error(source))]
    Driver {
        /// Attempted task; completes "cannot …".
        what: &'static str,
        /// Label of the server.
        server: String,
        source: mysql::Error,
    },
    /// A statement that cannot be judged: the server refuses it for a reason other than collations.
    /// Also a failure to keep or restore tables of the private copy.
    #[error("{place}: {message}")]
    Statement { place: String, message: String },
    #[error("{place}: {reason}: convert the script (iconv -f latin1 -t utf-8), or begin it with SET NAMES latin1")]
    Script { place: String, reason: &'static str },
    #[error("cannot read {name}: {source}")]
    TooMany { name: String, source: std::io::Error },
    #[error("cannot read the dump {place}: {message}")]
    Dump { place: String, message: String },
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
