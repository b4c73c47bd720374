//! Options for opening servers.

use std::path::PathBuf;
use std::time::Duration;

use crate::Setting;
use crate::attach::Login;
use crate::private::RunUnder;

/// How to start or attach to a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Server settings in the order given. They override every option file.
    pub settings: Vec<Setting>,
    /// Option file for private instances: the server's groups, such as `[mysqld]`.
    pub defaults_file: Option<PathBuf>,
    /// Options of `defaults_file` that are left out, as [`option_name`](crate::option_name) returns
    /// them.
    pub left_out: Vec<String>,
    /// Number of client connections that the load opens. `max_connections` of a private instance is
    /// at least 50 higher, unless the user sets it.
    pub threads: u32,
    /// InnoDB buffer pool in bytes. `None`: an eighth of the memory, from 128 MiB to 1 GiB.
    pub buffer_pool: Option<u64>,
    /// Whether a private instance bypasses the operating system's page cache (`O_DIRECT`). Pages
    /// that are not in the buffer pool are then read from disk.
    pub direct_io: bool,
    /// Program that runs private instances, such as valgrind. `None`: they run by themselves.
    pub run_under: Option<RunUnder>,
    /// TCP ports that a private instance may connect to, as a replica in tests. Private instances
    /// listen on sockets only.
    pub ports: Vec<u16>,
    pub login: Login,
    /// Whether an attached server may be asked for its RSA key over TCP without TLS, as with the
    /// option of this name of MySQL's clients.
    pub get_server_public_key: bool,
    /// Maximum time until a reply. `None`: [`DEFAULT_TIMEOUT`](crate::DEFAULT_TIMEOUT).
    pub timeout: Option<Duration>,
}
