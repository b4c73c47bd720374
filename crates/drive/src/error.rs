//! What can go wrong with a load.

use std::io;

use rustix::io::Errno;

/// An error of the load: which server, what was being done, and what came back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The wire failed or the server refused.
    #[error("{server}: {doing} failed: {source}{}", advice(source))]
    Wire {
        /// The server's name.
        server: String,
        /// What was being done.
        doing: &'static str,
        /// What came back.
        source: WireError,
    },
    /// A charset that this client cannot speak.
    #[error("{server}: a connection cannot speak {charset}; pick another with --connection-charset")]
    UnknownCharset {
        /// The server's name.
        server: String,
        /// The charset.
        charset: String,
    },
    /// sysbench could not be started.
    #[error("cannot start sysbench: {0}; install it, or leave out --driver sysbench")]
    NoSysbench(#[source] io::Error),
    /// sysbench can't do what is asked.
    #[error("{server}: sysbench cannot put this load on: {reason}")]
    SysbenchCannot {
        /// The server's name.
        server: String,
        /// Why.
        reason: String,
    },
    /// sysbench failed.
    #[error("{server}: sysbench failed: {reason}")]
    Sysbench {
        /// The server's name.
        server: String,
        /// Why.
        reason: String,
    },
    /// No thread was asked for.
    #[error("a load needs at least one thread")]
    NoThreads,
}

fn advice(source: &WireError) -> &'static str {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, TimedOut, UnexpectedEof};
    let WireError::Io(error) = source else { return "" };
    match error.kind() {
        TimedOut => "; is it out of connections, files or threads? See its error log",
        BrokenPipe | ConnectionAborted | ConnectionRefused | ConnectionReset | UnexpectedEof => {
            "; the server, or the way to it, was lost: see its error log"
        }
        _ if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            "; use fewer --threads, or raise the limit of open files (ulimit -Hn)"
        }
        _ => "",
    }
}

/// What can go wrong on the wire, before anyone knows which server it was.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The connection broke.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server answered with an error packet.
    #[error("error {code} ({state}): {message}")]
    Server {
        /// The server's error number, such as 1213 for a deadlock.
        code: u16,
        /// Its SQLSTATE.
        state: String,
        /// Its text.
        message: String,
    },
    /// The server sent what the protocol does not allow here, or what this client does not speak.
    #[error("unexpected protocol: {0}")]
    Protocol(String),
}

impl WireError {
    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol(what.into())
    }

    /// Whether the connection is of no further use.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, WireError::Server { .. })
    }
}
