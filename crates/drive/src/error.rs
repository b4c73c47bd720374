//! What can go wrong with a load.

use crate::wire::WireError;

/// An error of the load: which server, what was being done, and what came back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The wire failed or the server refused.
    #[error("{server}: {doing} failed: {source}")]
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
    NoSysbench(#[source] std::io::Error),
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
