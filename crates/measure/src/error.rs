//! What can end a run.

use crate::buffer_pool::BufferPoolError;
use crate::folder::FolderError;
use crate::plan::PlanError;

/// An error that ended a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for can't be measured on these servers.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The buffer pools asked for can't be had.
    #[error(transparent)]
    BufferPool(#[from] BufferPoolError),
    /// The run's folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A server failed, or refused.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The load failed.
    #[error(transparent)]
    Load(#[from] drive::Error),
    /// The tables failed.
    #[error(transparent)]
    Tables(#[from] drive::TablesError),
    /// A side of a workload's folder can't be made.
    #[error(transparent)]
    Side(#[from] parity::Error),
    /// A script's tables don't follow their schema's collation.
    #[error(
        "{script} prepares no text column with its schema's default collation ({columns}): take CHARACTER SET and COLLATE out of its CREATE TABLE"
    )]
    ScriptHasCollations {
        /// The script.
        script: String,
        /// Columns, with the collations that they have.
        columns: String,
    },
    /// A server answers nothing any more, or not in time: which, and what can be told of why.
    #[error("{0}")]
    ServerSilent(String),
    /// A private server died while it was measured: which, and what its log says.
    #[error("{0}")]
    ServerDied(String),
    /// Nothing is left to compare.
    #[error(
        "{server} can hold {text} text under none of the collations; see the notes, or name others with --collation"
    )]
    NothingToMeasure {
        /// The server's name.
        server: String,
        /// The text.
        text: String,
    },
    /// A signal came.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Whether a connection broke, and not because a statement was wrong.
    pub(crate) fn is_lost_connection(&self) -> bool {
        matches!(self, Error::Load(error) if error.is_broken_connection())
    }
}
