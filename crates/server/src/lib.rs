//! Find, install, start, stop and attach to MySQL and MariaDB servers.

mod endpoint;

pub use endpoint::{Address, Endpoint, Secret, Tls, TlsMode};
