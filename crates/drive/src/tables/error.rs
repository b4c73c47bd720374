//! What can go wrong with schemas and their rows: on which server, at what, and what to do about it.

use mysql::Error;

/// An error of creating, loading or dropping schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    /// A signal asked the process to end.
    #[error("interrupted while loading")]
    Interrupted,
    /// No connection, or the private server has died.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The server refused a statement, or was lost in the middle of it.
    #[error("{server} cannot {purpose}: {}{}", describe(source), advice(source))]
    Refused {
        /// The server's name.
        server: String,
        /// What the statement was for.
        purpose: String,
        /// What came back.
        source: Error,
    },
    /// A schema without the marker of this run.
    #[error(
        "{server}: schema {schema} carries no marker of this run, so it is left alone; look at it, then drop it by hand"
    )]
    NotOurs {
        /// The server's name.
        server: String,
        /// The schema.
        schema: String,
    },
    /// Schemas that could not be dropped.
    #[error(
        "{server} still has schemas of this run ({schemas}): {reason}\nDrop them by hand: each has a table weigh_marker."
    )]
    LeftBehind {
        /// The server's name.
        server: String,
        /// Their names.
        schemas: String,
        /// Why.
        reason: String,
    },
}

impl TablesError {
    /// Says on which server, and at what, a statement failed.
    pub(super) fn refused(server: &str, purpose: impl Into<String>) -> impl FnOnce(Error) -> Self {
        move |source| TablesError::Refused { server: server.to_owned(), purpose: purpose.into(), source }
    }
}

/// Why a table could not be filled.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Its charset lacks some of the text: no fault, but an answer. In the server's words.
    CannotHold(String),
    /// Anything else.
    Failed(TablesError),
}

impl Refusal {
    /// Tells a charset that is too small from everything else that can befall a statement that writes rows.
    pub fn of(server: &str, purpose: impl Into<String>) -> impl FnOnce(Error) -> Self {
        move |error| match code(&error) {
            // Incorrect string value; data too long (bytes, in a binary column); invalid character string; cannot convert, in MariaDB's
            // and in MySQL's numbering.
            Some(1366 | 1406 | 1300 | 1977 | 3854) => Refusal::CannotHold(describe(&error)),
            _ => Refusal::Failed(TablesError::refused(server, purpose)(error)),
        }
    }
}

impl From<TablesError> for Refusal {
    fn from(error: TablesError) -> Self {
        Refusal::Failed(error)
    }
}

/// The server's number for an error, where the error is the server's.
pub(super) fn code(error: &Error) -> Option<u16> {
    match error {
        Error::MySqlError(error) => Some(error.code),
        _ => None,
    }
}

fn describe(error: &Error) -> String {
    match error {
        Error::MySqlError(error) => format!("{} (error {})", error.message, error.code),
        Error::IoError(error) => format!("the connection broke ({error})"),
        Error::DriverError(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// What to do about an error, as a sentence of its own, or nothing where the server has said it all.
fn advice(error: &Error) -> &'static str {
    let Some(code) = code(error) else {
        return "\nThe server, or the way to it, was lost: see its error log.";
    };
    match code {
        1044 | 1045 | 1142 | 1143 | 1227 | 1370 | 1410 => {
            "\nThe account needs its own schemas: GRANT ALL ON `weigh\\_%`.* TO it, or name another account by --user."
        }
        1290 | 1792 | 1836 | 3100 | 4166 => {
            "\nThe server is read-only: name one that may be written to, such as the primary."
        }
        3 | 28 | 1020..=1021 | 1026 | 1030 | 1114 | 1118 | 1878 => {
            "\nThe server's disk, or its space for tables, seems to be full: free some, or use fewer rows by --table-size."
        }
        1007 => "\nAnother run has taken this name. Start again: a new run takes a new name.",
        1115 | 1273 => "\nPick a collation that this server has by --collations.",
        1205 | 1206 | 1213 => {
            "\nSomething else holds locks there: use a quieter server, or fewer rows by --table-size."
        }
        1053 | 1317 | 1927 | 1158..=1161 => "\nThe server is going down, or somebody ended the connection there.",
        _ => "",
    }
}
