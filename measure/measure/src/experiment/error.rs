//! Errors that end a run.

use crate::folder::RunFolderError;
use crate::plan::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be measured on these servers.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Reading or writing the run folder failed.
    #[error(transparent)]
    RunFolder(#[from] RunFolderError),
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error(transparent)]
    Load(#[from] load::Error),
    /// Creating or loading schemas failed.
    #[error(transparent)]
    Tables(#[from] load::TablesError),
    /// A side of a workload folder could not be filled.
    #[error(transparent)]
    Side(#[from] result_diff::Error),
    /// The tables that a script prepares do not use their schema's default collation.
    #[error(
        "{script} prepares no text column with its schema's default collation ({columns}): take CHARACTER SET and COLLATE out of its CREATE TABLE"
    )]
    ScriptHasCollations {
        script: String,
        /// Columns with their collations.
        columns: String,
    },
    /// A server does not reply within the time-out. The text names the server and the likely
    /// reason.
    #[error("{0}")]
    ServerSilent(String),
    /// A private server died during the run. The text names the server and quotes its log.
    #[error("{0}")]
    ServerDied(String),
    /// A signal ended the run.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Whether a connection broke, as opposed to a failed statement.
    pub(crate) fn is_lost_connection(&self) -> bool {
        matches!(self, Error::Load(error) if error.is_broken_connection())
    }
}
