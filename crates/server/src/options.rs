//! What a user may ask of a server that `weigh` opens.

use std::path::PathBuf;
use std::time::Duration;

use crate::login::Login;

/// How to start or attach to a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Server settings, `--set name=value`, in the order given. They beat every file.
    pub settings: Vec<(String, String)>,
    /// An option file for private instances; its `[mysqld]`, `[mariadbd]` and `[server]` groups apply.
    pub defaults_file: Option<PathBuf>,
    /// The most client threads that will be connected at a time.
    pub threads: u32,
    /// InnoDB buffer pool in bytes; an eighth of the memory, at most 1 GiB, when absent.
    pub buffer_pool: Option<u64>,
    /// Whether a private instance reads and writes its data past the operating system's page cache: what its buffer pool lacks comes from the disk.
    pub direct_io: bool,
    /// How to log in where a server is attached to.
    pub login: Login,
    /// Whether a server that is attached to over TCP without TLS may be asked for its RSA key, as in MySQL's clients.
    pub get_server_public_key: bool,
    /// The longest that the server may take to answer; [`DEFAULT_TIMEOUT`](crate::DEFAULT_TIMEOUT) when absent.
    pub timeout: Option<Duration>,
}
