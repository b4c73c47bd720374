//! What can go wrong with a load.

use std::io;

use rustix::io::Errno;
use server::NEEDS_PRIVACY;

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
    /// Connections were lost in the middle of a block, by a server that may well go on: somebody killed them, or what lies in between
    /// dropped them.
    #[error("{server}: {connections} of the load's connections were lost: {source}{}", advice(source))]
    Lost {
        /// The server's name.
        server: String,
        /// How many.
        connections: u32,
        /// What came back on the first of them.
        source: WireError,
    },
    /// The load went on long after the end of its block, though no single statement took too long.
    #[error(
        "{server}: the load's transactions were not done {seconds} s after the end of their block; where they take so long, raise --timeout"
    )]
    Late {
        /// The server's name.
        server: String,
        /// How long they were waited for.
        seconds: f64,
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

impl Error {
    /// Whether connections broke or fell silent, which the server's end would explain.
    pub fn is_broken_connection(&self) -> bool {
        match self {
            Error::Wire { source, .. } => source.is_fatal(),
            Error::Lost { .. } | Error::Late { .. } => true,
            _ => false,
        }
    }

    /// The server that did not answer in time, where that is the error.
    pub fn silent_server(&self) -> Option<&str> {
        match self {
            Error::Wire { server, source, .. } if source.is_timeout() => Some(server),
            Error::Late { server, .. } => Some(server),
            _ => None,
        }
    }
}

/// Errors after which a server closes the connection: shutdown in progress, connection killed (MariaDB, MySQL), inactivity.
const LAST_WORDS: [u16; 4] = [1053, 1927, 3169, 4031];

fn advice(source: &WireError) -> &'static str {
    let WireError::Io(error) = source else { return "" };
    match error.kind() {
        _ if source.is_lost() => "; the server, or the way to it, was lost: see its error log",
        io::ErrorKind::ConnectionRefused => "; the server, or the way to it, was lost: see its error log",
        io::ErrorKind::TimedOut => "; a statement that takes so long needs a higher --timeout",
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
    /// The password would have to cross under a key from nobody knows whom.
    #[error("{NEEDS_PRIVACY}")]
    NeedsPrivacy,
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
        !matches!(self, WireError::Server { .. }) || self.is_lost()
    }

    /// Whether the other end, or what lies in between, ended the connection.
    pub fn is_lost(&self) -> bool {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        match self {
            WireError::Io(error) => {
                matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
            }
            WireError::Server { code, .. } => LAST_WORDS.contains(code),
            WireError::NeedsPrivacy | WireError::Protocol(_) => false,
        }
    }

    /// Whether the other end was silent for too long.
    pub fn is_timeout(&self) -> bool {
        matches!(self, WireError::Io(error) if error.kind() == io::ErrorKind::TimedOut)
    }
}

/// The servers' errors that a load passes over: the transaction is rolled back, counted as failed, and the next one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IgnoredErrors {
    /// All of them.
    All,
    /// Those with these numbers.
    These(Vec<u16>),
}

impl IgnoredErrors {
    /// What `--mysql-ignore-errors` of sysbench is by default (its manual): deadlocks, rows that changed since they were read (Galera),
    /// and lock waits that took too long.
    pub const DEFAULT: [u16; 3] = [1213, 1020, 1205];

    pub(crate) fn has(&self, code: u16) -> bool {
        match self {
            IgnoredErrors::All => true,
            IgnoredErrors::These(codes) => codes.contains(&code),
        }
    }
}

impl Default for IgnoredErrors {
    fn default() -> Self {
        IgnoredErrors::These(Self::DEFAULT.into())
    }
}

impl std::str::FromStr for IgnoredErrors {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(IgnoredErrors::All);
        }
        let code = |word: &str| {
            word.trim()
                .parse()
                .map_err(|_| format!("`{word}` is no error number; write all, or numbers such as 1213,1205"))
        };
        text.split(',').filter(|word| !word.is_empty()).map(code).collect::<Result<_, _>>().map(IgnoredErrors::These)
    }
}
