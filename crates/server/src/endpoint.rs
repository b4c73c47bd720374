//! Where a server listens and how to log in: what every connection, control or load, starts from.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How long a server may take to answer unless `--timeout` says otherwise: short enough that a frozen one is named within 30 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

/// A password. It never shows itself: `Debug` prints `***`, and there is no `Display` and no `Serialize`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a password.
    pub fn new(password: impl Into<String>) -> Self {
        Self(password.into())
    }

    /// The password itself, for the authentication exchange only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The transport to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Socket(PathBuf),
    /// A host and a port over TCP.
    Tcp {
        /// Host name or address.
        host: String,
        /// Port, 3306 unless told otherwise.
        port: u16,
    },
}

impl Address {
    /// Whether traffic stays on this machine, where TLS guards nothing.
    pub fn is_local(&self) -> bool {
        match self {
            Address::Socket(_) => true,
            Address::Tcp { host, .. } => {
                host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Socket(path) => write!(f, "{}", path.display()),
            Address::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// How far TLS goes, in the words of the MySQL client's `--ssl-mode` (MySQL manual, "Command Options for Encrypted Connections").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// No TLS: the default for a Unix socket and for loopback.
    Disabled,
    /// TLS, nothing verified.
    Required,
    /// TLS, the certificate's chain verified.
    VerifyCa,
    /// TLS, chain and host name verified: the default everywhere else.
    VerifyIdentity,
}

impl std::str::FromStr for TlsMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_uppercase().replace('-', "_").as_str() {
            "DISABLED" => Ok(TlsMode::Disabled),
            "REQUIRED" => Ok(TlsMode::Required),
            "VERIFY_CA" => Ok(TlsMode::VerifyCa),
            "VERIFY_IDENTITY" => Ok(TlsMode::VerifyIdentity),
            _ => Err(format!("unknown ssl-mode `{text}`; known: DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY")),
        }
    }
}

/// TLS settings of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// How far verification goes.
    pub mode: TlsMode,
    /// PEM file of certificate authorities; the Mozilla roots when absent.
    pub ca: Option<PathBuf>,
    /// PEM file of the client's certificate.
    pub cert: Option<PathBuf>,
    /// PEM file of the client's key.
    pub key: Option<PathBuf>,
}

impl Tls {
    /// The safe default for an address: off where traffic stays on this machine, fully verified elsewhere.
    pub fn default_for(address: &Address) -> Self {
        let mode = if address.is_local() { TlsMode::Disabled } else { TlsMode::VerifyIdentity };
        Self { mode, ca: None, cert: None, key: None }
    }
}

/// A server's address and the account to use there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it listens.
    pub address: Address,
    /// Account name.
    pub user: String,
    /// Password; empty where the account has none.
    pub password: Secret,
    /// TLS settings.
    pub tls: Tls,
    /// The longest that connecting, and then each read and write, may take.
    pub timeout: Duration,
    /// Whether, over TCP without TLS, the server may be asked for the RSA key that the password crosses under. Whoever stands in between could
    /// answer with a key of his own.
    pub get_server_public_key: bool,
}

impl Endpoint {
    /// Whether others may listen to what crosses: TCP without TLS.
    pub(crate) fn is_plaintext(&self) -> bool {
        matches!(self.address, Address::Tcp { .. }) && self.tls.mode == TlsMode::Disabled
    }

    /// An account without a password on a Unix socket, as a private instance has it.
    pub fn socket(path: impl Into<PathBuf>, user: impl Into<String>) -> Self {
        let address = Address::Socket(path.into());
        let tls = Tls::default_for(&address);
        Self {
            address,
            user: user.into(),
            password: Secret::default(),
            tls,
            timeout: DEFAULT_TIMEOUT,
            get_server_public_key: false,
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_shows_in_no_rendering() {
        let mut endpoint = Endpoint::socket("/s", "root");
        endpoint.password = Secret::new("hunter2");
        assert!(!format!("{endpoint:?} {endpoint}").contains("hunter2"));
    }

    #[test]
    fn tls_is_verified_unless_traffic_stays_here() {
        let remote = Address::Tcp { host: "db.example".into(), port: 3306 };
        assert_eq!(Tls::default_for(&remote).mode, TlsMode::VerifyIdentity);
        let local = Address::Tcp { host: "127.0.0.1".into(), port: 3306 };
        assert_eq!(Tls::default_for(&local).mode, TlsMode::Disabled);
    }
}
