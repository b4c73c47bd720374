//! Addresses of servers and logins to them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Default of `--timeout`, the time limit of replies. A frozen server is then reported within 30 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

/// A password. `Debug` prints `***`; `Display` and `Serialize` are not implemented on purpose.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    pub fn new(password: impl Into<String>) -> Self {
        Self(password.into())
    }

    /// Returns the password. Call only to log in.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Path of a Unix socket.
    Socket(PathBuf),
    Tcp {
        /// Host name or IP address.
        host: String,
        port: u16,
    },
}

impl Address {
    /// True if traffic stays on this machine, so that TLS is not needed.
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

/// Values of `--ssl-mode` of MySQL's clients, without `PREFERRED` (MySQL manual, "Command Options
/// for Encrypted Connections").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// No TLS: the default for a Unix socket and for loopback.
    Disabled,
    /// TLS without verification of the certificate.
    Required,
    /// TLS with verification of the certificate's chain.
    VerifyCa,
    /// TLS with verification of the chain and the host name: the default for other hosts.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    pub mode: TlsMode,
    /// True for TCP on this machine if the user named neither a mode nor an authority. TLS is then
    /// used if the login needs it.
    pub if_needed: bool,
    /// PEM file of certificate authorities. `None`: the Mozilla roots.
    pub ca: Option<PathBuf>,
    /// PEM file of the client's certificate.
    pub cert: Option<PathBuf>,
    /// PEM file of the client's key.
    pub key: Option<PathBuf>,
}

impl Tls {
    /// Returns the default for an address: no TLS on this machine, full verification elsewhere.
    pub fn default_for(address: &Address) -> Self {
        let mode = if address.is_local() { TlsMode::Disabled } else { TlsMode::VerifyIdentity };
        let if_needed = matches!(address, Address::Tcp { .. }) && mode == TlsMode::Disabled;
        Self { mode, if_needed, ca: None, cert: None, key: None }
    }
}

/// Address of a server, and an account on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub address: Address,
    pub user: String,
    /// Empty if the account has no password.
    pub password: Secret,
    pub tls: Tls,
    /// Time limit of connecting and of each write, and of each read by the load. A control
    /// connection waits so long for a reply before it probes the server.
    pub timeout: Duration,
    /// Whether the server may be asked for its RSA key over TCP without TLS. The password is
    /// encrypted with that key. A man in the middle could send a different key.
    pub get_server_public_key: bool,
}

impl Endpoint {
    /// True for TCP without TLS.
    pub(crate) fn is_plaintext(&self) -> bool {
        matches!(self.address, Address::Tcp { .. }) && self.tls.mode == TlsMode::Disabled
    }

    /// Returns the endpoint of an account without a password on a Unix socket, as in private
    /// instances.
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
    fn no_output_contains_the_password() {
        let mut endpoint = Endpoint::socket("/s", "root");
        endpoint.password = Secret::new("hunter2");
        assert!(!format!("{endpoint:?} {endpoint}").contains("hunter2"));
    }

    #[test]
    fn verifies_tls_for_remote_hosts() {
        let remote = Address::Tcp { host: "db.example".into(), port: 3306 };
        assert_eq!(Tls::default_for(&remote).mode, TlsMode::VerifyIdentity);
        let local = Address::Tcp { host: "127.0.0.1".into(), port: 3306 };
        assert_eq!(Tls::default_for(&local).mode, TlsMode::Disabled);
    }
}
