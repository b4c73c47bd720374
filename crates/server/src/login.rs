//! How to reach and log in to a running server: from the command line, option files and the environment.

mod resolve;

use std::fmt;
use std::path::PathBuf;

use crate::endpoint::{Secret, TlsMode};

/// The options that MySQL's and MariaDB's clients share, each given or not. One value per source; sources are merged.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClientOptions {
    /// `--host`; `localhost` means the Unix socket, as in MySQL's clients, unless a port stands beside it.
    pub host: Option<String>,
    /// `--port`.
    pub port: Option<u16>,
    /// `--user`.
    pub user: Option<String>,
    /// `--password`.
    pub password: Option<Secret>,
    /// `--socket`.
    pub socket: Option<PathBuf>,
    /// The default database, from a URL or DSN.
    pub database: Option<String>,
    /// `--ssl-mode`.
    pub ssl_mode: Option<TlsMode>,
    /// `--ssl-ca`.
    pub ssl_ca: Option<PathBuf>,
    /// `--ssl-cert`.
    pub ssl_cert: Option<PathBuf>,
    /// `--ssl-key`.
    pub ssl_key: Option<PathBuf>,
}

/// How to log in to servers that are attached to: the command line's options, and which option files to read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Login {
    /// What the command line says.
    pub options: ClientOptions,
    /// `--defaults-file`: read only this file.
    pub defaults_file: Option<PathBuf>,
    /// `--defaults-extra-file`: read this file after the global ones.
    pub defaults_extra_file: Option<PathBuf>,
    /// `--no-defaults`: read no option file.
    pub no_defaults: bool,
}

impl ClientOptions {
    /// What `self` leaves open is taken from `lower`.
    pub(crate) fn or(self, lower: Self) -> Self {
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
    /// As a URL, without the password.
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
