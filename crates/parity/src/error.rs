//! Why two sides can't be held against each other.

/// Why two sides can't be held against each other.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server can't be reached, or refuses.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// A schema can't be made or dropped.
    #[error(transparent)]
    Tables(#[from] drive::TablesError),
    /// The workload's rows can't be read.
    #[error("{file}:{line}: {problem}")]
    Rows {
        /// The file.
        file: String,
        /// Its line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
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
    /// The server lacks the collation.
    #[error("{server} has no collation {collation}")]
    NoCollation {
        /// The server.
        server: String,
        /// The collation.
        collation: String,
    },
}

fn remedy(error: &mysql::Error) -> &'static str {
    match error {
        mysql::Error::MySqlError(refusal) if refusal.code == 1062 => {
            "; `weigh preflight` names the rows that collide, and why"
        }
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1071 | 1118) => {
            "; `weigh preflight` names what is too long"
        }
        mysql::Error::MySqlError(refusal) if matches!(refusal.code, 1366 | 3854 | 1406) => {
            "; `weigh preflight` names the values that the new character set cannot hold"
        }
        _ => "",
    }
}
