#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server can't be reached or read, or a signal arrived.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A schema can't be created or dropped.
    #[error(transparent)]
    Tables(#[from] load::TablesError),
    #[error("{file}:{line}: {problem}")]
    Rows {
        file: String,
        /// Line, from 1; row number of a Parquet file.
        line: u64,
        problem: String,
    },
    #[error("{server}: cannot {what}: {}{}", message(source), remedy(source))]
    Statement {
        server: String,
        /// Action that failed; completes "cannot …".
        what: String,
        source: mysql::Error,
    },
    #[error("{server} has no collation {collation}")]
    NoCollation { server: String, collation: String },
}

impl Error {
    /// True if rows become equal under a unique key.
    pub(crate) fn is_collision(&self) -> bool {
        let Self::Statement { source: mysql::Error::MySqlError(refusal), .. } = self else { return false };
        refusal.code == server::error_code::DUP_ENTRY
    }
}

/// Writes `error 1062, Duplicate entry 'x' for key 'y'`, without the driver's own words.
fn message(error: &mysql::Error) -> String {
    match error {
        mysql::Error::MySqlError(refusal) => format!("error {}, {}", refusal.code, refusal.message),
        other => other.to_string(),
    }
}

fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) if refusal.code == 1062 => {
            ": rows with these values become equal; `weigh preflight` names them, and why. --without-colliding-rows leaves such rows out on all sides (workload compare, bench, profile)"
        }
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1071 | 1118) => {
            "; `weigh preflight` names what is too long"
        }
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1005 | 1215 | 1822 | 3780) => {
            ": the columns of a foreign key would differ in collation. --convert=all converts both"
        }
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1366 | 3854 | 1406) => {
            "; `weigh preflight` names the values that the new character set cannot hold"
        }
        _ => "",
    }
}

impl From<lifecycle::Interrupted> for Error {
    fn from(interrupted: lifecycle::Interrupted) -> Self {
        Self::Server(interrupted.into())
    }
}
