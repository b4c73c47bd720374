//! Target and settings of a load.

use server::{Endpoint, Server};

use crate::error::IgnoredErrors;

/// The server and schema of a load.
#[derive(Clone, Debug)]
pub struct Target {
    /// Server name in messages.
    pub server: String,
    pub endpoint: Endpoint,
    /// Server process id. `None` if unknown, for example on another machine.
    pub pid: Option<u32>,
    pub schema: String,
}

impl Target {
    pub fn new(server: &Server, schema: &str) -> Self {
        Self {
            server: server.label().into(),
            endpoint: server.endpoint().clone(),
            pid: server.pid(),
            schema: schema.into(),
        }
    }
}

/// Character set and collation of the load's connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionCharset {
    /// MySQL name of the character set.
    pub charset: String,
    /// Collation of the connection. `None`: the character set's default.
    pub collation: Option<String>,
    /// Collation id in the handshake, which has one byte for it.
    pub handshake_collation: u8,
}

/// How a load runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of connections, each with its own thread.
    pub threads: u32,
    pub protocol: Protocol,
    pub connection: ConnectionCharset,
    /// Statements that each connection runs after connecting, such as `SET SESSION sql_mode = …`.
    pub session: Vec<String>,
    /// Whether to bind each connection's client and server thread to one core: the first connection
    /// to the first core, and so on. In a duet, both sides then share each core, and a disturbance
    /// of a core affects both.
    pub pinned: bool,
    /// Injected extra work: uncounted events per counted event, for example 0.1. Divides throughput
    /// by 1 + `extra_work`, so that the self-test knows the true ratio. Ignored in an open loop.
    pub extra_work: f64,
    /// Events per second of an open loop, over all connections. `None`: a closed loop. Ignored in
    /// turns.
    pub rate: Option<f64>,
    /// Whether to use only protocol features that MySQL and MariaDB share. Switches off MariaDB's
    /// metadata caching.
    pub common_features_only: bool,
    /// Server errors to ignore. Any other error ends the block.
    pub ignored_errors: IgnoredErrors,
    /// Whether to count the pages that the server reads from disk. Only valid if this load is the
    /// only one on its server.
    pub counts_pages_read: bool,
}

impl Settings {
    /// A closed loop of prepared statements, not bound to cores, without extra work.
    pub fn new(threads: u32, connection: ConnectionCharset) -> Self {
        Self {
            threads,
            protocol: Protocol::Prepared,
            connection,
            session: Vec::new(),
            pinned: false,
            extra_work: 0.0,
            rate: None,
            common_features_only: false,
            ignored_errors: IgnoredErrors::default(),
            counts_pages_read: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once, then executed with binary parameters.
    Prepared,
    /// Sent as text with literals, parsed each time.
    Text,
}
