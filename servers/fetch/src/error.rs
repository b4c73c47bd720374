//! Errors of installation.

use std::io;
use std::path::{Path, PathBuf};

use lifecycle::Interrupted;

use crate::command::CommandError;
use crate::store::disk;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Path(#[from] PathError),
    /// A command such as apt-get failed.
    #[error("cannot {task}: {source}{remedy}")]
    Command {
        /// Purpose of the command, as a verb phrase: "download the package".
        task: String,
        source: CommandError,
        /// Empty, or a line break and advice.
        remedy: String,
    },
    #[error("not enough disk space for {purpose}: it takes {mebibytes} MiB, and {free} MiB are free.\n{remedy}")]
    DiskSpace { purpose: String, mebibytes: u64, free: u64, remedy: String },
    #[error("cannot install {name}: {reason}")]
    Install {
        /// The server as the user named it, or a noun phrase such as `packages of sid`.
        name: String,
        /// Cause and advice.
        reason: String,
    },
    #[error("cannot install {name} from this machine's packages ({package}): {reason}")]
    Tool {
        name: &'static str,
        /// Debian package.
        package: &'static str,
        reason: String,
    },
    /// A folder or file is not a server that this machine can run.
    #[error("no server at {}: {reason}", path.display())]
    NoServer { path: PathBuf, reason: String },
}

impl Error {
    /// Returns a closure that wraps an I/O error for `map_err`: `Error::io("read", &path)`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| PathError { action, path, source }.into()
    }

    /// Returns the error for installing a basedir, a server on `PATH` or a running server.
    pub fn nothing_to_install(name: &str) -> Self {
        let reason = "it exists already, and is used from where it is".into();
        Self::Install { name: name.to_owned(), reason }
    }
}

/// An operation on a file or folder failed, or was refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}{}", path.display(), disk_remedy(source, path))]
pub struct PathError {
    /// Verb phrase: "create", "look at".
    pub action: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

fn disk_remedy(source: &io::Error, path: &Path) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!("\n{}", disk::remedy(path)),
        _ => String::new(),
    }
}
