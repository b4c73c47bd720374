//! What can end a measurement.

use measure::PlanError;

/// An error that ended it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for can't be measured on these servers.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A server failed, or refused, or a signal came.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A server answered nothing where there is always an answer.
    #[error("{label} answered nothing to: {query}")]
    NoAnswer {
        /// The server.
        label: String,
        /// What it was asked.
        query: String,
    },
    /// The thread whose CPU time is the measure can't be seen any more.
    #[error("{label}: the thread of our connection is gone, or does not come to rest")]
    ThreadGone {
        /// The server.
        label: String,
    },
    /// The process that times the engine is gone, or silent.
    #[error("the process that times the engine could not {what}: {source}")]
    Engine {
        /// What it could not do.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing is left to measure.
    #[error(
        "nothing to measure: none of these collations can hold such text, or no such text differs so; \
         leave out --collation, --text or --difference"
    )]
    Nothing,
}
