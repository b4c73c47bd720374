//! Connections to servers: addresses, control connections, and detection of silent servers.

mod connection;
mod control;
mod endpoint;
mod load_limits;
pub(crate) mod probe;
mod session;
mod single_statement;
mod watch;

pub use connection::{Conn, Rows};
pub use control::{ConnectError, NEEDS_SECURE_TRANSPORT, describe_driver_error, is_timeout};
pub(crate) use control::{connect, connect_patiently, connect_unlimited, connect_with_limit, log_in};
pub use endpoint::{Address, DEFAULT_TIMEOUT, Endpoint, Secret, Tls, TlsMode};
pub(crate) use load_limits::Load;
pub use load_limits::LoadLimits;
