//! Errors that end a measurement.

use measure::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request does not fit the servers, for example because no server has a named collation.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A server failed or refused a statement, or a signal arrived.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A server returned no row for a query that always has one.
    #[error("{label} returned nothing for: {query}")]
    NoAnswer { label: String, query: String },
    /// The server's thread of the connection has ended or does not become idle, so its CPU time is
    /// unknown.
    #[error("{label}: the thread of our connection has ended, or does not become idle")]
    ThreadGone { label: String },
    /// The engine's process did not start, has ended, timed out, or sent an unreadable reply.
    #[error("the process that times the engine could not {what}: {source}")]
    Engine {
        /// The failed action: `start`, `be asked` or `answer`.
        what: &'static str,
        source: std::io::Error,
    },
    /// No pair is left to measure: no text has the difference, or no charset can hold the texts.
    #[error(
        "nothing to measure: the collations cannot hold the text, or the text cannot differ in this way; \
         leave out --collation, --text or --difference"
    )]
    Nothing,
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
