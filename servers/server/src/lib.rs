//! MySQL and MariaDB servers: starting private ones, attaching to running ones, and reading what is
//! in force on them.
//!
//! [`open`] turns a [`Spec`] (the value of `--server`) into a running [`Server`]. A private server
//! keeps its data in a temporary folder and listens on a Unix socket only. The server and its
//! folder are removed when the [`Server`] is dropped, or when the process ends by a signal or a
//! panic. If the process is killed, the kernel kills the server, and the next start removes the
//! folder.

mod attach;
mod connect;
mod error;
pub mod error_code;
mod in_force;
mod options;
mod private;
mod server;
mod setting;
mod spec;

/// Name of the table that marks a schema as created by a run of `weigh`.
pub const MARKER_TABLE: &str = "weigh_marker";

pub use attach::{ClientOptions, Login};
pub use connect::{
    Address, Conn, ConnectError, DEFAULT_TIMEOUT, Endpoint, LoadLimits, NEEDS_SECURE_TRANSPORT, Rows, Secret, Tls,
    TlsMode, describe_driver_error, is_timeout,
};
pub use error::Error;
// Types in the signatures of `Server` and `open`.
pub use fetch::{Flavour, NoProgress, Progress, Version};
pub use in_force::{
    CharsetCollation, CollationInfo, ConnectionCharsets, Layers, collation_charset, current_charset_name,
    current_collation_name, is_same_collation, read_connection_charsets, read_layers,
};
pub use options::Options;
pub use private::{
    Companion, DetachedInstance, FreeResources, RunUnder, ServerLine, detached, option_name, read_server_lines,
};
pub use server::{Server, open};
pub use setting::{Setting, SettingError, SettingName, SettingNameError};
pub use spec::{Spec, SpecError, install};
