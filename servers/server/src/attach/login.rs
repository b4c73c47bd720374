//! Options for reaching and logging in to a running server.

use std::fmt;
use std::path::PathBuf;

use crate::connect::{Secret, TlsMode};

/// Options of MySQL's and MariaDB's clients from one source, such as the environment.
/// [`or`](Self::or) merges sources.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClientOptions {
    /// `--host`. `localhost` means the Unix socket, unless the command line, a URL or a DSN gives a
    /// port and no socket.
    pub host: Option<String>,
    pub port: Option<u16>,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub socket: Option<PathBuf>,
    /// Default schema, from a URL or DSN.
    pub database: Option<String>,
    pub ssl_mode: Option<TlsMode>,
    pub ssl_ca: Option<PathBuf>,
    pub ssl_cert: Option<PathBuf>,
    pub ssl_key: Option<PathBuf>,
}

/// Login to attached servers: options of the command line, and the option files to read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Login {
    /// Options of the command line. They override option files and the environment; a URL or DSN
    /// overrides them.
    pub options: ClientOptions,
    /// `--defaults-file`: the only option file.
    pub defaults_file: Option<PathBuf>,
    /// `--defaults-extra-file`: read after the global option files.
    pub defaults_extra_file: Option<PathBuf>,
    /// `--no-defaults`: read no option file.
    pub no_defaults: bool,
    /// Whether passwords from the environment and from option files aren't sent, because the user
    /// hasn't typed the server's name.
    pub withholds_password: bool,
}

impl ClientOptions {
    /// Returns `self` with missing values filled from `lower`.
    pub(super) fn or(self, lower: Self) -> Self {
        Self {
            host: self.host.or(lower.host),
            port: self.port.or(lower.port),
            user: self.user.or(lower.user),
            password: self.password.or(lower.password),
            socket: self.socket.or(lower.socket),
            database: self.database.or(lower.database),
            ssl_mode: self.ssl_mode.or(lower.ssl_mode),
            ssl_ca: self.ssl_ca.or(lower.ssl_ca),
            ssl_cert: self.ssl_cert.or(lower.ssl_cert),
            ssl_key: self.ssl_key.or(lower.ssl_key),
        }
    }
}

impl fmt::Display for ClientOptions {
    /// Formats a URL without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mysql://")?;
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        match self.host.as_deref() {
            Some(host) if host.contains(':') => write!(f, "[{host}]")?,
            host => f.write_str(host.unwrap_or("localhost"))?,
        }
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        if let Some(database) = &self.database {
            write!(f, "/{database}")?;
        }
        match &self.socket {
            Some(socket) => write!(f, "?socket={}", socket.display()),
            None => Ok(()),
        }
    }
}
