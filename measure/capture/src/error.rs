use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server can't be reached or identified, or refuses the connection, or a signal arrived.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error("{server}: cannot {what}: {}{}", server::describe_driver_error(source), remedy(source))]
    Statement {
        server: String,
        /// Action that failed; completes "cannot …".
        what: String,
        source: mysql::Error,
    },
    #[error(transparent)]
    Write(#[from] workload_folder::WriteError),
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A file has unexpected contents.
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    /// Sources of statements that were named.
    #[error(
        "no statement is in {}: is logging on while the application runs (docs/how-to/capture-a-workload.md)?",
        .0.join(" and ")
    )]
    NoStatements(Vec<String>),
    /// A schema, table, definition or setting is missing on the server, or a definition is not
    /// understood.
    #[error("{0}")]
    Missing(String),
}

/// Returns a hint for an account that lacks privileges; empty for other errors.
fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) if refusal.code == 1227 => "; the account needs the privilege that is named",
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1044 | 1045 | 1142 | 1143) => {
            "; the account needs SELECT and SHOW VIEW on the schema, and for --digests and --history SELECT on performance_schema"
        }
        _ => "",
    }
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
