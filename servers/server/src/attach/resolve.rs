//! Merging the sources of login options into one endpoint.

use std::env;
use std::path::{Path, PathBuf};

use super::login::{ClientOptions, Login};
use super::option_file;
use crate::Error;
use crate::connect::{Address, DEFAULT_TIMEOUT, Endpoint, Secret, Tls, TlsMode};

/// Sockets of packaged servers. The first that exists is used.
const DEFAULT_SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock", "/run/mysql/mysql.sock"];

impl Login {
    /// Merges `named` (a URL, a DSN or nothing), the command line, the option files and the
    /// environment, in this order of precedence.
    pub(crate) fn resolve_endpoint(&self, named: &ClientOptions) -> Result<Endpoint, Error> {
        let mut ambient = option_file::read_client_options(self)?.or(read_environment());
        if self.withholds_password {
            ambient.password = None;
        }
        let typed = named.ssl_mode.or(self.options.ssl_mode).filter(|mode| *mode != TlsMode::Disabled);
        let endpoint = resolve(named, &self.options, ambient);
        match (typed, &endpoint.address) {
            // MySQL's clients use TLS there, too; the driver does not.
            (Some(_), Address::Socket(socket)) => Err(Error::TlsOnSocket { socket: socket.clone() }),
            _ => Ok(endpoint),
        }
    }
}

fn read_environment() -> ClientOptions {
    let text = |name| env::var(name).ok().filter(|value| !value.is_empty());
    ClientOptions {
        host: text("MYSQL_HOST"),
        port: text("MYSQL_TCP_PORT").and_then(|port| port.parse().ok()),
        password: text("MYSQL_PWD").map(Secret::new),
        socket: text("MYSQL_UNIX_PORT").map(PathBuf::from),
        ..ClientOptions::default()
    }
}

fn resolve(named: &ClientOptions, command_line: &ClientOptions, ambient: ClientOptions) -> Endpoint {
    let mut command_line = command_line.clone();
    if named.host.is_some() || named.socket.is_some() {
        // Host and socket come from one source. A socket from the command line belongs to another
        // server.
        command_line.host = None;
        command_line.socket = None;
    }
    let explicit = named.clone().or(command_line);
    let address = choose_address(&explicit, &ambient);
    let all = explicit.or(ambient);
    let mut tls = Tls::default_for(&address);
    if matches!(address, Address::Tcp { .. }) {
        // Without a mode, a given authority requires verification, also on this machine.
        let verify = all.ssl_ca.as_ref().map(|_| TlsMode::VerifyIdentity);
        tls.if_needed &= all.ssl_mode.is_none() && verify.is_none();
        tls.mode = all.ssl_mode.or(verify).unwrap_or(tls.mode);
    }
    (tls.ca, tls.cert, tls.key) = (all.ssl_ca, all.ssl_cert, all.ssl_key);
    Endpoint {
        address,
        user: all.user.unwrap_or_else(current_user),
        password: all.password.unwrap_or_default(),
        tls,
        timeout: DEFAULT_TIMEOUT,
        get_server_public_key: false,
    }
}

fn choose_address(explicit: &ClientOptions, ambient: &ClientOptions) -> Address {
    let is_local = |host: &Option<String>| host.as_deref().is_none_or(|host| host == "localhost");
    if let (Some(socket), true) = (&explicit.socket, is_local(&explicit.host)) {
        return Address::Socket(socket.clone());
    }
    let host = explicit.host.clone().or_else(|| ambient.host.clone());
    if let (false, Some(host)) = (is_local(&host), &host) {
        let port = explicit.port.or(ambient.port).unwrap_or(3306);
        return Address::Tcp { host: host.clone(), port };
    }
    // Unlike MySQL's clients, an explicit port overrides the socket of `localhost`.
    if let Some(port) = explicit.port {
        return Address::Tcp { host: "localhost".into(), port };
    }
    Address::Socket(ambient.socket.clone().unwrap_or_else(default_socket))
}

fn default_socket() -> PathBuf {
    let mut candidates = DEFAULT_SOCKETS.iter().map(Path::new);
    candidates.find(|path| path.exists()).unwrap_or(Path::new(DEFAULT_SOCKETS[0])).to_owned()
}

fn current_user() -> String {
    if rustix::process::geteuid().is_root() {
        return "root".into();
    }
    ["USER", "LOGNAME"].iter().find_map(|name| env::var(name).ok()).unwrap_or_else(|| "root".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(host: &str) -> ClientOptions {
        ClientOptions { host: Some(host.into()), ..Default::default() }
    }

    fn socket(path: &str) -> ClientOptions {
        ClientOptions { socket: Some(path.into()), ..Default::default() }
    }

    fn port(port: u16) -> ClientOptions {
        ClientOptions { port: Some(port), ..Default::default() }
    }

    fn none() -> ClientOptions {
        ClientOptions::default()
    }

    fn address(named: ClientOptions, command_line: ClientOptions, ambient: ClientOptions) -> String {
        resolve(&named, &command_line, ambient).address.to_string()
    }

    #[test]
    fn typed_tls_is_refused_on_a_socket() {
        let resolve = |named: ClientOptions, mode| {
            let options = ClientOptions { ssl_mode: mode, ..none() };
            Login { options, no_defaults: true, ..Login::default() }.resolve_endpoint(&named)
        };
        let refused = resolve(socket("/f"), Some(TlsMode::Required)).unwrap_err().to_string();
        assert!(refused.contains("--ssl-mode") && refused.contains("/f"), "{refused}");
        let in_url = ClientOptions { ssl_mode: Some(TlsMode::VerifyCa), ..socket("/f") };
        assert!(resolve(in_url, None).is_err());
        assert!(resolve(socket("/f"), Some(TlsMode::Disabled)).is_ok() && resolve(socket("/f"), None).is_ok());
        assert!(resolve(host("db.example"), Some(TlsMode::Required)).is_ok());
    }

    #[test]
    fn chooses_address_like_mysql_clients() {
        assert_eq!(address(none(), none(), socket("/f")), "/f");
        assert_eq!(address(host("localhost"), none(), socket("/f")), "/f");
        assert_eq!(address(none(), none(), host("db").or(socket("/f"))), "db:3306");
        assert_eq!(address(none(), none(), host("localhost").or(port(3307)).or(socket("/f"))), "/f");
        assert_eq!(address(none(), host("db"), port(3307).or(socket("/f"))), "db:3307");
        assert_eq!(address(none(), port(3308), host("db").or(port(3307))), "db:3308");
    }

    #[test]
    fn explicit_socket_or_port_overrides_the_default() {
        assert_eq!(address(none(), socket("/s"), host("db")), "/s");
        assert_eq!(address(host("localhost").or(port(3307)), none(), socket("/f")), "localhost:3307");
        assert_eq!(address(none(), port(3307), socket("/f")), "localhost:3307");
        assert_eq!(address(host("127.0.0.1"), none(), socket("/f")), "127.0.0.1:3306");
    }

    #[test]
    fn address_of_named_server_is_not_merged() {
        assert_eq!(address(host("db1"), socket("/s"), none()), "db1:3306");
        assert_eq!(address(socket("/s1"), host("db2"), none()), "/s1");
        assert_eq!(address(host("db1"), port(3310), none()), "db1:3310");
    }

    #[test]
    fn merges_user_and_password() {
        let named = ClientOptions { user: Some("a".into()), ..host("db") };
        let command_line = ClientOptions { password: Some(Secret::new("b")), user: Some("z".into()), ..none() };
        let endpoint = resolve(&named, &command_line, ClientOptions { password: Some(Secret::new("c")), ..none() });
        assert_eq!((endpoint.user.as_str(), endpoint.password.reveal()), ("a", "b"));
    }

    #[test]
    fn verifies_tls_for_remote_hosts_and_given_authorities() {
        let ca = ClientOptions { ssl_ca: Some("/ca.pem".into()), ..none() };
        assert_eq!(resolve(&host("db"), &none(), none()).tls.mode, TlsMode::VerifyIdentity);
        assert_eq!(resolve(&host("127.0.0.1"), &none(), none()).tls.mode, TlsMode::Disabled);
        assert_eq!(resolve(&host("127.0.0.1"), &ca, none()).tls.mode, TlsMode::VerifyIdentity);
        let disabled = ClientOptions { ssl_mode: Some(TlsMode::Disabled), ..none() };
        assert!(resolve(&host("127.0.0.1"), &none(), none()).tls.if_needed);
        assert!(!resolve(&host("127.0.0.1"), &disabled, none()).tls.if_needed);
        assert!(!resolve(&host("db"), &none(), none()).tls.if_needed);
        assert_eq!(resolve(&socket("/s"), &ca, none()).tls.mode, TlsMode::Disabled);
        let required = ClientOptions { ssl_mode: Some(TlsMode::Required), ..none() };
        assert_eq!(resolve(&host("db"), &required, none()).tls.mode, TlsMode::Required);
    }
}
