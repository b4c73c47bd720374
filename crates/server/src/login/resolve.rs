//! From what was given, and where, to one endpoint.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::endpoint::{Address, DEFAULT_TIMEOUT, Endpoint, Secret, Tls, TlsMode};
use crate::login::{ClientOptions, Login};
use crate::optionfile;

/// Where packages of the servers put their socket; the first that exists is taken.
const DEFAULT_SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock", "/run/mysql/mysql.sock"];

impl Login {
    /// The endpoint that `named` (a URL, a DSN, or nothing) means together with the command line, the option files and
    /// the environment, in this order of precedence.
    pub(crate) fn endpoint(&self, named: &ClientOptions) -> Result<Endpoint, Error> {
        let files = optionfile::client_options(self)?;
        Ok(resolve(named, &self.options, files.or(from_environment())))
    }
}

fn from_environment() -> ClientOptions {
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
        // An address is taken from one source: the socket of another server must not override this one's host.
        command_line.host = None;
        command_line.socket = None;
    }
    let explicit = named.clone().or(command_line);
    let address = address(&explicit, &ambient);
    let all = explicit.or(ambient);
    let mut tls = Tls::default_for(&address);
    if matches!(address, Address::Tcp { .. }) {
        // Who names an authority wants the server verified, also on this machine.
        let verify = all.ssl_ca.as_ref().map(|_| TlsMode::VerifyIdentity);
        tls.mode = all.ssl_mode.or(verify).unwrap_or(tls.mode);
    }
    (tls.ca, tls.cert, tls.key) = (all.ssl_ca, all.ssl_cert, all.ssl_key);
    Endpoint {
        address,
        user: all.user.unwrap_or_else(user_of_this_process),
        password: all.password.unwrap_or_default(),
        tls,
        timeout: DEFAULT_TIMEOUT,
        get_server_public_key: false,
    }
}

fn address(explicit: &ClientOptions, ambient: &ClientOptions) -> Address {
    let is_local = |host: &Option<String>| host.as_deref().is_none_or(|host| host == "localhost");
    if let (Some(socket), true) = (&explicit.socket, is_local(&explicit.host)) {
        return Address::Socket(socket.clone());
    }
    let host = explicit.host.clone().or_else(|| ambient.host.clone());
    if let (false, Some(host)) = (is_local(&host), &host) {
        let port = explicit.port.or(ambient.port).unwrap_or(3306);
        return Address::Tcp { host: host.clone(), port };
    }
    // A port that the user wrote down is meant, though MySQL's own clients ignore it beside `localhost`.
    if let Some(port) = explicit.port {
        return Address::Tcp { host: "localhost".into(), port };
    }
    Address::Socket(ambient.socket.clone().unwrap_or_else(default_socket))
}

fn default_socket() -> PathBuf {
    let mut candidates = DEFAULT_SOCKETS.iter().map(Path::new);
    candidates.find(|path| path.exists()).unwrap_or(Path::new(DEFAULT_SOCKETS[0])).to_owned()
}

fn user_of_this_process() -> String {
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

    fn at(named: ClientOptions, command_line: ClientOptions, ambient: ClientOptions) -> String {
        resolve(&named, &command_line, ambient).address.to_string()
    }

    #[test]
    fn the_address_follows_mysqls_clients() {
        assert_eq!(at(none(), none(), socket("/f")), "/f");
        assert_eq!(at(host("localhost"), none(), socket("/f")), "/f");
        assert_eq!(at(none(), none(), host("db").or(socket("/f"))), "db:3306");
        assert_eq!(at(none(), none(), host("localhost").or(port(3307)).or(socket("/f"))), "/f");
        assert_eq!(at(none(), host("db"), port(3307).or(socket("/f"))), "db:3307");
        assert_eq!(at(none(), port(3308), host("db").or(port(3307))), "db:3308");
    }

    #[test]
    fn an_explicit_socket_or_port_is_meant() {
        assert_eq!(at(none(), socket("/s"), host("db")), "/s");
        assert_eq!(at(host("localhost").or(port(3307)), none(), socket("/f")), "localhost:3307");
        assert_eq!(at(none(), port(3307), socket("/f")), "localhost:3307");
        assert_eq!(at(host("127.0.0.1"), none(), socket("/f")), "127.0.0.1:3306");
    }

    #[test]
    fn a_named_server_keeps_its_address_whole() {
        assert_eq!(at(host("db1"), socket("/s"), none()), "db1:3306");
        assert_eq!(at(socket("/s1"), host("db2"), none()), "/s1");
        assert_eq!(at(host("db1"), port(3310), none()), "db1:3310");
    }

    #[test]
    fn user_and_password_fall_through_the_sources() {
        let named = ClientOptions { user: Some("a".into()), ..host("db") };
        let command_line = ClientOptions { password: Some(Secret::new("b")), user: Some("z".into()), ..none() };
        let endpoint = resolve(&named, &command_line, ClientOptions { password: Some(Secret::new("c")), ..none() });
        assert_eq!((endpoint.user.as_str(), endpoint.password.reveal()), ("a", "b"));
    }

    #[test]
    fn tls_is_verified_where_traffic_leaves_or_an_authority_is_named() {
        let ca = ClientOptions { ssl_ca: Some("/ca.pem".into()), ..none() };
        assert_eq!(resolve(&host("db"), &none(), none()).tls.mode, TlsMode::VerifyIdentity);
        assert_eq!(resolve(&host("127.0.0.1"), &none(), none()).tls.mode, TlsMode::Disabled);
        assert_eq!(resolve(&host("127.0.0.1"), &ca, none()).tls.mode, TlsMode::VerifyIdentity);
        assert_eq!(resolve(&socket("/s"), &ca, none()).tls.mode, TlsMode::Disabled);
        let required = ClientOptions { ssl_mode: Some(TlsMode::Required), ..none() };
        assert_eq!(resolve(&host("db"), &required, none()).tls.mode, TlsMode::Required);
    }
}
