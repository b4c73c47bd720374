//! Errors of this crate.

use std::io;
use std::path::PathBuf;

use fetch::PathError;
use lifecycle::Interrupted;

use crate::attach::OptionFileError;
use crate::connect::{ConnectError, describe_driver_error};
use crate::spec::SpecError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A signal asked the process to end.
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    OptionFile(#[from] OptionFileError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server program cannot be found or installed.
    #[error(transparent)]
    Fetch(fetch::Error),
    #[error(transparent)]
    Path(#[from] PathError),
    /// The user set a variable that `weigh` sets in private instances.
    #[error("--set {name}: weigh sets this itself in a private instance; attach to a running server to choose it")]
    OwnedSetting { name: String },
    #[error(
        "--ssl-mode asks for TLS, which weigh does not use on the Unix socket {}: its data stay on this machine. Leave \
         the option out, or connect over TCP, as by --host=127.0.0.1",
        socket.display()
    )]
    TlsOnSocket { socket: PathBuf },
    #[error("{label} did not start: {reason}")]
    Start {
        label: String,
        /// Messages of the server, and advice.
        reason: String,
    },
    /// A server that runs and does not reply, or whose disk is full.
    #[error("{label} does not answer: {reason}")]
    Silent {
        label: String,
        /// State of the process or connection, and advice.
        reason: String,
    },
    /// A private instance ended while in use.
    #[error("{0}")]
    Died(String),
    #[error("{label} cannot {what}: {}", describe_driver_error(source))]
    Statement {
        label: String,
        /// Purpose of the statement, as a verb phrase: "list its collations".
        what: &'static str,
        source: mysql::Error,
    },
    /// An instance of `weigh servers start` is missing or has ended, or cannot be started because
    /// its spec names a running server.
    #[error("{0}")]
    DetachedInstance(String),
    #[error("{label} has no schema {schema}, or the account {account} may not see it; it sees {}", visible.join(", "))]
    MissingSchema {
        label: String,
        schema: String,
        account: String,
        /// Schemas that the account sees.
        visible: Vec<String>,
    },
}

impl Error {
    /// Returns a closure that wraps an I/O error for `map_err`: `Error::io("read", &path)`.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| PathError { action, path, source }.into()
    }
}

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl From<fetch::Error> for Error {
    fn from(error: fetch::Error) -> Self {
        match error {
            fetch::Error::Interrupted(_) => Self::Interrupted,
            fetch::Error::Path(error) => Self::Path(error),
            error => Self::Fetch(error),
        }
    }
}
