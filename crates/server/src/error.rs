//! What can go wrong between the user's words and a running server. Every message says what was tried, on which
//! server, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

use crate::command::CommandError;
use crate::connect::ConnectError;
use crate::disk;
use crate::optionfile::OptionFileError;
use crate::spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A signal asked the process to end.
    #[error("interrupted")]
    Interrupted,
    /// `--server` names nothing we know.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An option file could not be read.
    #[error(transparent)]
    OptionFile(#[from] OptionFileError),
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A helper command failed.
    #[error("cannot {what}: {source}{remedy}")]
    Helper {
        /// What it was run for.
        what: String,
        /// How it failed.
        source: CommandError,
        /// What to do, on a line of its own or empty.
        remedy: String,
    },
    /// The operating system refused something.
    #[error("cannot {what} {}: {source}{}", path.display(), disk_remedy(source, path))]
    Io {
        /// A verb: "create", "read".
        what: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
    /// A disk has too little left.
    #[error("no room for {what}: it takes {mebibytes} MiB, and {free} MiB are free.\n{remedy}")]
    NoRoom {
        /// What for.
        what: String,
        /// What it takes.
        mebibytes: u64,
        /// What there is.
        free: u64,
        /// What to do.
        remedy: String,
    },
    /// A server cannot be installed here.
    #[error("cannot install {name}: {reason}")]
    Install {
        /// The catalogue name.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A tool is not here and cannot be had.
    #[error("{name} cannot be had from this machine's packages ({package}): {reason}")]
    Tool {
        /// The program.
        name: &'static str,
        /// Its Debian package.
        package: &'static str,
        /// What was tried, and how it failed.
        reason: String,
    },
    /// A folder or program is not a server that we can run.
    #[error("no server at {}: {reason}", path.display())]
    NoServer {
        /// Where we looked.
        path: PathBuf,
        /// What was missing, and what to do.
        reason: String,
    },
    /// A setting that belongs to `weigh` in a private instance.
    #[error("--set {name}: weigh decides this for a private instance; attach to a server of your own to choose it")]
    OwnedSetting {
        /// The setting.
        name: String,
    },
    /// A private instance refused to start.
    #[error("{label} did not start: {reason}")]
    Start {
        /// The server.
        label: String,
        /// What it said, and what to do.
        reason: String,
    },
    /// A server that answers nothing any more, and what can be told of why.
    #[error("{label} does not answer: {reason}")]
    Silent {
        /// The server.
        label: String,
        /// What was seen, and what to do.
        reason: String,
    },
    /// A private instance died while in use.
    #[error("{0}")]
    Died(String),
    /// A statement failed.
    #[error("{label} cannot {what}: {}", crate::connect::describe(source))]
    Statement {
        /// The server.
        label: String,
        /// What was asked of it.
        what: &'static str,
        /// Its answer.
        source: mysql::Error,
    },
    /// A started instance that is unknown, or something about it.
    #[error("{0}")]
    Started(String),
}

impl Error {
    /// Wraps an I/O error with what was done to which path.
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }
}

fn disk_remedy(source: &io::Error, path: &Path) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!("\n{}", disk::remedy(path)),
        _ => String::new(),
    }
}
