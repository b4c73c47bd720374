//! Errors of a load.

use std::io;

use rustix::io::Errno;
use server::NEEDS_SECURE_TRANSPORT;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation on a connection failed.
    #[error("{server}: {doing} failed: {source}{}", advice(source))]
    Wire { server: String, doing: &'static str, source: WireError },
    /// Connections of a load were lost, but the server may still run. Examples: the connections
    /// were killed, or a proxy dropped them.
    #[error("{server}: {} of the load's connections were lost: {source}{}", connections.iter().sum::<u32>(), advice(source))]
    Lost {
        server: String,
        /// Number of lost connections of each load, in the order of the block's loads.
        connections: Vec<u32>,
        /// The error of the first lost connection.
        source: WireError,
    },
    /// The load was still running when the time-out after its block had passed.
    #[error(
        "{server}: the load's transactions were not done {seconds} s after the end of their block; where they take so long, raise --timeout"
    )]
    Late { server: String, seconds: f64 },
    /// The server stopped replying while a script prepared its tables.
    #[error("{server} did not reply within {seconds} s while the script prepared its tables")]
    Silent { server: String, seconds: f64 },
    /// A signal ended the block.
    #[error("interrupted")]
    Interrupted,
    #[error("{server}: weigh cannot send statements in {charset}; pick another with --connection-charset")]
    UnknownCharset { server: String, charset: String },
    #[error("cannot start sysbench: {0}; install it, or leave out --driver sysbench")]
    NoSysbench(#[source] io::Error),
    /// sysbench cannot generate this load.
    #[error("{server}: sysbench cannot put this load on: {reason}")]
    SysbenchCannot { server: String, reason: String },
    #[error("{server}: sysbench failed: {reason}")]
    Sysbench { server: String, reason: String },
    #[error("a load needs at least one thread")]
    NoThreads,
}

impl Error {
    /// Whether connections broke, timed out or became unusable, which a dead server would explain.
    pub fn is_broken_connection(&self) -> bool {
        match self {
            Error::Wire { source, .. } => source.is_fatal(),
            Error::Lost { .. } | Error::Late { .. } | Error::Silent { .. } => true,
            _ => false,
        }
    }

    /// The server of a statement or a load that timed out. `None` for any other error.
    pub fn silent_server(&self) -> Option<&str> {
        match self {
            Error::Wire { server, source, .. } if source.is_timeout() => Some(server),
            Error::Late { server, .. } | Error::Silent { server, .. } => Some(server),
            _ => None,
        }
    }
}

/// Errors after which a server closes the connection: shutdown in progress (1053), connection
/// killed (1927 in MariaDB, 3169 in MySQL), inactivity (4031).
const CLOSING_ERRORS: [u16; 4] = [1053, 1927, 3169, 4031];

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

/// An error of one connection.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server returned an error packet.
    #[error("error {code} ({state}): {message}")]
    Server {
        /// The server's error number, such as 1213 for a deadlock.
        code: u16,
        /// SQLSTATE, such as `40001`.
        state: String,
        message: String,
    },
    /// The password would have to be sent in clear text or under an unverified RSA key.
    #[error("{NEEDS_SECURE_TRANSPORT}")]
    NeedsPrivacy,
    /// TLS cannot be started with these options, or with this server.
    #[error("{0}")]
    Tls(String),
    /// Any other error, such as a packet that this client does not support.
    #[error("unexpected protocol: {0}")]
    Protocol(String),
}

impl WireError {
    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol(what.into())
    }

    /// Whether the connection is unusable from now on.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, WireError::Server { .. }) || self.is_lost()
    }

    /// Whether the server or the network ended the connection.
    pub fn is_lost(&self) -> bool {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        match self {
            WireError::Io(error) => {
                matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
            }
            WireError::Server { code, .. } => CLOSING_ERRORS.contains(code),
            WireError::NeedsPrivacy | WireError::Tls(_) | WireError::Protocol(_) => false,
        }
    }

    /// Whether the server did not reply in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, WireError::Io(error) if error.kind() == io::ErrorKind::TimedOut)
    }
}

/// Server errors that a load ignores: the transaction is rolled back and counted as failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IgnoredErrors {
    All,
    Codes(Vec<u16>),
}

impl IgnoredErrors {
    /// Default of sysbench's `--mysql-ignore-errors` (sysbench manual): deadlock (1213), record
    /// changed since last read (1020), lock wait timeout (1205).
    pub const DEFAULT: [u16; 3] = [1213, 1020, 1205];

    pub(crate) fn has(&self, code: u16) -> bool {
        match self {
            IgnoredErrors::All => true,
            IgnoredErrors::Codes(codes) => codes.contains(&code),
        }
    }
}

impl Default for IgnoredErrors {
    fn default() -> Self {
        IgnoredErrors::Codes(Self::DEFAULT.into())
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
        text.split(',').filter(|word| !word.is_empty()).map(code).collect::<Result<_, _>>().map(IgnoredErrors::Codes)
    }
}
