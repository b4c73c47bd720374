/// Errors of a rehearsal. Statements that the server refuses are results, see
/// [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of the server crate, or a signal.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error("cannot {what} on {server}: {}", server::describe_driver_error(source))]
    Statement {
        /// Attempted task: "list the tables". Completes "cannot …".
        what: String,
        /// Label of the server.
        server: String,
        source: mysql::Error,
    },
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}

/// Returns the server's error number and message. For an error of the driver, such as a lost
/// connection, its message and the number 0.
pub fn refusal(error: &mysql::Error) -> (u16, String) {
    match error {
        mysql::Error::MySqlError(refusal) => (refusal.code, refusal.message.clone()),
        other => (0, other.to_string()),
    }
}
