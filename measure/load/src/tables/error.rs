//! Errors of creating, loading and dropping schemas, with advice for the user.

use mysql::Error;
use server::describe_driver_error as describe;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    #[error("interrupted while loading")]
    Interrupted,
    /// The server cannot be reached or does not reply, or a private server has died.
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error("cannot start a thread: {0}")]
    NoThread(#[source] std::io::Error),
    /// The server refused a statement, or the connection was lost.
    #[error("{server} cannot {purpose}: {}{}", describe(source), advice(source))]
    Refused {
        server: String,
        /// Purpose of the statement, such as `write rows into w.sbtest1`.
        purpose: String,
        source: Error,
    },
    /// The schema has no marker of this run.
    #[error(
        "{server}: schema {schema} carries no marker of this run, so it is left alone; look at it, then drop it by hand"
    )]
    NotOurs { server: String, schema: String },
    /// Schemas could not be dropped.
    #[error(
        "{server} still has schemas of this run ({schemas}): {reason}\nOnce the cause is gone, `weigh servers clean` drops those with a table weigh_marker."
    )]
    LeftBehind {
        server: String,
        /// Schema names, separated by commas.
        schemas: String,
        reason: String,
    },
}

impl TablesError {
    /// Converts a driver error to [`TablesError::Refused`].
    pub(super) fn refused(server: &str, purpose: impl Into<String>) -> impl FnOnce(Error) -> Self {
        move |source| TablesError::Refused { server: server.to_owned(), purpose: purpose.into(), source }
    }

    /// Whether the connection broke, or the server is shutting down (1053).
    pub(super) fn is_lost_connection(&self) -> bool {
        match self {
            TablesError::Refused { source, .. } => matches!(server_error_code(source), None | Some(1053)),
            _ => false,
        }
    }
}

/// Why a character set cannot hold the text.
#[derive(Debug)]
pub(super) enum CannotHold {
    /// The server refused a row with this message.
    Refused(String),
    /// The server accepted the rows, but they read back differently.
    Altered { table: String, sent: u64, found: u64 },
}

impl CannotHold {
    /// Returns the reason as a sentence.
    pub fn describe(&self, charset: &str) -> String {
        match self {
            CannotHold::Refused(answer) => match find_refused_character(answer) {
                Some(character) => format!("{charset} has no {character} (U+{:04X}): {answer}", u32::from(character)),
                None => format!("{charset} cannot hold this text: {answer}"),
            },
            CannotHold::Altered { table, sent, found } => {
                format!(
                    "{charset} cannot hold this text: of {sent} rows of {table}, {found} came back, not all of them unaltered"
                )
            }
        }
    }
}

/// Returns the first character of the value in a message such as `Incorrect string value:
/// '\xD0\xB7...' for column …`. `None` for other messages and for bytes that are not UTF-8.
fn find_refused_character(answer: &str) -> Option<char> {
    let mut rest = answer.split_once("string value: '")?.1;
    let mut bytes = Vec::new();
    while let Some(digits) = rest.strip_prefix("\\x")
        && let Some(Ok(byte)) = digits.get(..2).map(|digits| u8::from_str_radix(digits, 16))
    {
        bytes.push(byte);
        rest = &digits[2..];
    }
    String::from_utf8_lossy(&bytes).chars().next().filter(|character| *character != char::REPLACEMENT_CHARACTER)
}

/// Why a table could not be filled.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The character set cannot hold the text: an expected outcome, not a failure.
    CannotHold(CannotHold),
    Failed(TablesError),
}

impl Refusal {
    /// Distinguishes a character set that is too small from other errors of a statement that writes
    /// rows.
    pub fn from_error(server: &str, purpose: impl Into<String>) -> impl FnOnce(Error) -> Self {
        move |error| match server_error_code(&error) {
            // Incorrect string value (1366); data too long, counted in bytes in a binary column
            // (1406); invalid character string (1300); cannot convert (MariaDB 1977, MySQL 3854).
            Some(1366 | 1406 | 1300 | 1977 | 3854) => Refusal::CannotHold(CannotHold::Refused(describe(&error))),
            _ => Refusal::Failed(TablesError::refused(server, purpose)(error)),
        }
    }
}

impl From<TablesError> for Refusal {
    fn from(error: TablesError) -> Self {
        Refusal::Failed(error)
    }
}

/// The server's error number. `None` for an error of the driver.
pub(super) fn server_error_code(error: &Error) -> Option<u16> {
    match error {
        Error::MySqlError(error) => Some(error.code),
        _ => None,
    }
}

/// Advice for an error as a separate line. Empty if the server's message is enough.
fn advice(error: &Error) -> &'static str {
    let Some(code) = server_error_code(error) else {
        return "\nThe server, or the way to it, was lost: see its error log.";
    };
    match code {
        1227 => "\nThe account needs the privilege that the server names, or name another account by --user.",
        1044 | 1045 | 1142 | 1143 => {
            "\nThe account needs its own schemas: GRANT ALL ON `weigh\\_%`.* TO it, or name another account by --user."
        }
        1290 | 1792 | 1836 => "\nThe server is read-only: name one that may be written to, such as the primary.",
        3 | 28 | 1021 | 1026 | 1030 | 1114 | 1878 => {
            "\nThe server's disk, or its space for tables, seems to be full: free some, or use fewer rows by --table-size."
        }
        1007 => "\nAnother run has taken this name. Start again: a new run takes a new name.",
        1115 | 1253 | 1273 => "\nPick a collation that this server has by --collations.",
        1205 | 1206 | 1213 => {
            "\nSomething else holds locks there: use a quieter server, or fewer rows by --table-size."
        }
        1053 | 1317 | 1927 | 1158..=1161 => "\nThe server is going down, or somebody ended the connection there.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use mysql::{DriverError, MySqlError};

    use super::*;

    fn answer(code: u16, message: &str) -> Error {
        Error::MySqlError(MySqlError { state: "HY000".into(), code, message: message.into() })
    }

    fn sentence(code: u16, message: &str) -> Option<String> {
        match Refusal::from_error("s", "write rows")(answer(code, message)) {
            Refusal::CannotHold(why) => Some(why.describe("latin1")),
            Refusal::Failed(_) => None,
        }
    }

    #[test]
    fn distinguishes_a_small_charset_from_a_failure_and_names_the_character() {
        let mariadb = r"Incorrect string value: '\xD0\xB7\xD0\xB5\xD1\x80...' for column `w`.`sbtest1`.`c` at row 1";
        assert!(sentence(1366, mariadb).unwrap().starts_with("latin1 has no з (U+0437): Incorrect string value"));
        let cut = r"Incorrect string value: '\xF0\x9F\x8E\x82 H...' for column 'c' at row 1";
        assert!(sentence(1366, cut).unwrap().starts_with("latin1 has no 🎂 (U+1F382)"));
        let long = "Data too long for column 'c' at row 1";
        assert_eq!(sentence(1406, long).unwrap(), format!("latin1 cannot hold this text: {long} (error 1406)"));
        assert_eq!(sentence(1114, "The table 'sbtest1' is full"), None);
    }

    #[test]
    fn message_names_server_purpose_reason_and_advice() {
        let message = |error| TablesError::refused("mariadb", "write rows into w.sbtest1")(error).to_string();
        assert_eq!(
            message(answer(1114, "The table 'sbtest1' is full")),
            "mariadb cannot write rows into w.sbtest1: The table 'sbtest1' is full (error 1114)\n\
             The server's disk, or its space for tables, seems to be full: free some, or use fewer rows by --table-size."
        );
        assert!(message(answer(1290, "--read-only")).ends_with("such as the primary."));
        let missing = message(answer(1227, "Access denied; you need the SYSTEM_VARIABLES_ADMIN privilege"));
        assert!(missing.contains("the privilege that the server names") && !missing.contains("GRANT ALL"), "{missing}");
        assert!(message(Error::DriverError(DriverError::ConnectTimeout)).contains("was lost"));
    }
}
