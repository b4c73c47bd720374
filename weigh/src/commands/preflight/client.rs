//! The command that opens the server's command-line client on the server that was read.

use std::path::{Path, PathBuf};

use fetch::{Tool, find_host_certificates, find_on_path};
use server::{Address, Endpoint, Flavour, Login, Server, Spec, TlsMode};

/// Returns the words of the command, without a password: the client prompts for one that was typed.
/// Empty for a private server.
pub fn words(server: &Server, spec: &Spec, login: &Login) -> Vec<String> {
    if !spec.is_running() {
        return Vec::new();
    }
    let is_typed =
        login.options.password.is_some() || matches!(spec, Spec::Attach(options) if options.password.is_some());
    let client = Client::find(server.flavour());
    let mut words = vec![client.name];
    words.extend(option_file_words(login));
    words.extend(login_words(server.endpoint(), client.flavour));
    if is_typed && !server.endpoint().password.reveal().is_empty() {
        words.push("--password".to_owned());
    }
    words
}

struct Client {
    /// Name on the PATH, or path.
    name: String,
    /// Decides which options on TLS it knows.
    flavour: Flavour,
}

impl Client {
    /// Returns the client on the PATH that suits the flavour best, otherwise the one in the cache
    /// folder. If there is none, the flavour's own.
    fn find(flavour: Flavour) -> Self {
        let names = match flavour {
            Flavour::MySql => ["mysql", "mariadb"],
            Flavour::MariaDb => ["mariadb", "mysql"],
        };
        let on_path = names.into_iter().find_map(|name| Some((name.to_owned(), find_on_path(name)?)));
        let cached = || Tool::Client.find().map(|path| (path.display().to_string(), path));
        let (name, path) = on_path.or_else(cached).unwrap_or_else(|| (names[0].to_owned(), PathBuf::from(names[0])));
        // Debian's `mysql` is a link to MariaDB's client.
        let target = path.canonicalize().unwrap_or(path);
        let is_mariadb = target.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mariadb"));
        Self { name, flavour: if is_mariadb { Flavour::MariaDb } else { Flavour::MySql } }
    }
}

/// Returns the option on option files, which clients accept as their first argument only.
fn option_file_words(login: &Login) -> Vec<String> {
    let with_path = |option: &str, path: &Path| vec![format!("{option}={}", path.display())];
    match (login.no_defaults, &login.defaults_file, &login.defaults_extra_file) {
        (true, ..) => vec!["--no-defaults".to_owned()],
        (_, Some(path), _) => with_path("--defaults-file", path),
        (_, None, Some(path)) => with_path("--defaults-extra-file", path),
        _ => Vec::new(),
    }
}

fn login_words(endpoint: &Endpoint, client: Flavour) -> Vec<String> {
    let mut words = match &endpoint.address {
        Address::Socket(path) => vec![format!("--socket={}", path.display())],
        Address::Tcp { host, port } => {
            let mut words = vec![format!("--host={host}"), format!("--port={port}")];
            if host == "localhost" {
                words.push("--protocol=TCP".to_owned());
            }
            words.extend(tls_words(endpoint, client));
            words
        }
    };
    words.push(format!("--user={}", endpoint.user));
    words
}

fn tls_words(endpoint: &Endpoint, client: Flavour) -> Vec<String> {
    let tls = &endpoint.tls;
    if tls.if_needed {
        return Vec::new();
    }
    let verifies = matches!(tls.mode, TlsMode::VerifyCa | TlsMode::VerifyIdentity);
    let ca = tls.ca.clone().or_else(|| find_host_certificates().filter(|_| verifies));
    let mut words: Vec<String> = match (client, tls.mode) {
        (Flavour::MariaDb, TlsMode::Disabled) => vec!["--skip-ssl"],
        (Flavour::MariaDb, _) if verifies => vec!["--ssl", "--ssl-verify-server-cert"],
        (Flavour::MariaDb, _) => vec!["--ssl"],
        (Flavour::MySql, TlsMode::Disabled) => vec!["--ssl-mode=DISABLED"],
        (Flavour::MySql, TlsMode::VerifyCa) => vec!["--ssl-mode=VERIFY_CA"],
        (Flavour::MySql, TlsMode::VerifyIdentity) => vec!["--ssl-mode=VERIFY_IDENTITY"],
        (Flavour::MySql, TlsMode::Required) => vec!["--ssl-mode=REQUIRED"],
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    if endpoint.get_server_public_key && client == Flavour::MySql {
        words.push("--get-server-public-key".to_owned());
    }
    let files = [("--ssl-ca", &ca), ("--ssl-cert", &tls.cert), ("--ssl-key", &tls.key)];
    words.extend(files.into_iter().filter_map(|(option, path)| Some(format!("{option}={}", path.as_ref()?.display()))));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::Tls;

    fn endpoint(host: &str, mode: TlsMode) -> Endpoint {
        let address = Address::Tcp { host: host.to_owned(), port: 3307 };
        let tls = Tls { mode, if_needed: false, ..Tls::default_for(&address) };
        Endpoint { address, tls, ..Endpoint::socket("/run/it's/s.sock", "me") }
    }

    #[test]
    fn names_the_address_and_the_account() {
        let socket = Endpoint::socket("/run/it's/s.sock", "me");
        assert_eq!(login_words(&socket, Flavour::MariaDb), ["--socket=/run/it's/s.sock", "--user=me"]);
        let local =
            Endpoint { tls: Tls::default_for(&Address::Socket("".into())), ..endpoint("localhost", TlsMode::Disabled) };
        let local = Endpoint { tls: Tls { if_needed: true, ..local.tls.clone() }, ..local };
        let expected = ["--host=localhost", "--port=3307", "--protocol=TCP", "--user=me"];
        assert_eq!(login_words(&local, Flavour::MySql), expected);
    }

    #[test]
    fn each_client_gets_its_own_options_on_tls() {
        for (mode, mysql, mariadb) in [
            (TlsMode::Disabled, &["--ssl-mode=DISABLED"][..], &["--skip-ssl"][..]),
            (TlsMode::Required, &["--ssl-mode=REQUIRED"], &["--ssl"]),
        ] {
            assert_eq!(tls_words(&endpoint("db", mode), Flavour::MySql), mysql);
            assert_eq!(tls_words(&endpoint("db", mode), Flavour::MariaDb), mariadb);
        }
        let mut verified = endpoint("db", TlsMode::VerifyIdentity);
        verified.tls.ca = Some("/etc/ca.pem".into());
        let expected = ["--ssl-mode=VERIFY_IDENTITY", "--ssl-ca=/etc/ca.pem"];
        assert_eq!(tls_words(&verified, Flavour::MySql), expected);
        let expected = ["--ssl", "--ssl-verify-server-cert", "--ssl-ca=/etc/ca.pem"];
        assert_eq!(tls_words(&verified, Flavour::MariaDb), expected);
    }

    #[test]
    fn option_files_come_as_they_were_named() {
        let login = |login: Login| option_file_words(&login);
        assert_eq!(login(Login::default()), [""; 0]);
        assert_eq!(login(Login { no_defaults: true, ..Login::default() }), ["--no-defaults"]);
        let named = Login { defaults_file: Some("/etc/a b.cnf".into()), ..Login::default() };
        assert_eq!(login(named), ["--defaults-file=/etc/a b.cnf"]);
    }
}
