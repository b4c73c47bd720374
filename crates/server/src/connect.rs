//! Control connections, and plain sentences for what goes wrong on them.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use mysql::{ClientIdentity, Conn, DriverError, OptsBuilder, SslOpts};
use mysql_common::proto::codec::error::PacketCodecError;

use crate::endpoint::{Address, Endpoint, TlsMode};
use crate::{Error, interrupt};

/// How long a host may take to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a statement whose work grows with the data, such as DROP DATABASE, may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// Where the crate looks for the server's RSA key before it would ask the server for it: where there cannot be one.
const NO_KEY: &str = "/dev/null/no-server-public-key";
/// How often a waiter looks at the interrupt flag.
const POLL: Duration = Duration::from_millis(50);

/// What a login over plaintext asks for that the account's plugin does not do without.
pub const NEEDS_PRIVACY: &str = "the account's password would have to cross under a key that the server, or whoever stands in between, sends. Use \
     --ssl-mode REQUIRED (or VERIFY_IDENTITY), or --get-server-public-key to take any key, as in MySQL's clients.";

/// No connection: to which server, and why.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to {server}: {reason}")]
pub struct ConnectError {
    /// `user@address`.
    pub server: String,
    /// Why, and what to do.
    pub reason: String,
    /// Whether the server answered, and did not take the account or its password.
    pub is_denied: bool,
}

const ACCESS_DENIED: u16 = 1045;
const ACCESS_DENIED_NO_PASSWORD: u16 = 1698;

/// Opens a connection for statements of control, not of load. Each must be answered within the endpoint's time-out.
pub(crate) fn connect(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, Some(endpoint.timeout))
}

/// Opens a connection for statements that may take minutes.
pub(crate) fn connect_patient(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, Some(PATIENCE))
}

/// Opens a connection whose statements may take any time: whoever uses it watches the server by other means.
pub(crate) fn connect_unlimited(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, None)
}

/// Opens a connection for statements each of which is answered within `limit`.
pub(crate) fn connect_within(endpoint: &Endpoint, limit: Duration) -> Result<Conn, Error> {
    connect_for(endpoint, Some(limit))
}

fn connect_for(endpoint: &Endpoint, statement: Option<Duration>) -> Result<Conn, Error> {
    let failed = |reason, is_denied| Error::Connect(ConnectError { server: endpoint.to_string(), reason, is_denied });
    let fail = |reason| failed(reason, false);
    let tls = &endpoint.tls;
    for path in [&tls.ca, &tls.cert, &tls.key].into_iter().flatten() {
        File::open(path).map_err(|error| fail(format!("cannot read {}: {error}", path.display())))?;
    }
    let outcome = within(endpoint.timeout, options(endpoint, statement)).map_err(|error| fail(error.to_string()))?;
    interrupt::check()?;
    outcome
        .unwrap_or(Err(DriverError::ConnectTimeout.into()))
        .map_err(|error| failed(explain(&error, endpoint), is_denied(&error)))
}

fn is_denied(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(refusal) if matches!(refusal.code, ACCESS_DENIED | ACCESS_DENIED_NO_PASSWORD))
}

/// Connects on a thread of its own: a host that accepts and then says nothing would hold us for as long as a statement may
/// take, and a signal would not be noticed. `None` when the time is up or a signal has come.
fn within(limit: Duration, options: OptsBuilder) -> io::Result<Option<mysql::Result<Conn>>> {
    let (sender, outcome) = channel();
    // Whoever gave up does not take the connection any more, and it is closed.
    thread::Builder::new().name("connect".into()).spawn(move || drop(sender.send(Conn::new(options))))?;
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline && !interrupt::interrupted() {
        match outcome.recv_timeout(POLL) {
            Ok(outcome) => return Ok(Some(outcome)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(None)
}

fn options(endpoint: &Endpoint, statement: Option<Duration>) -> OptsBuilder {
    let no_key = endpoint.is_plaintext() && !endpoint.get_server_public_key;
    let builder = OptsBuilder::new()
        .user(Some(&endpoint.user))
        .pass(Some(endpoint.password.reveal()).filter(|password| !password.is_empty()))
        // The crate would otherwise leave TCP for a socket that the server names, and ask for the packet size.
        .prefer_socket(false)
        .max_allowed_packet(Some(64 << 20))
        .tcp_connect_timeout(Some(CONNECT_TIMEOUT.min(endpoint.timeout)))
        .read_timeout(statement)
        .write_timeout(Some(endpoint.timeout))
        .tcp_nodelay(true)
        .server_key_path(no_key.then(|| NO_KEY.into()))
        .ssl_opts(tls(endpoint));
    match &endpoint.address {
        Address::Socket(path) => builder.socket(Some(path.to_string_lossy())),
        Address::Tcp { host, port } => builder.ip_or_hostname(Some(host)).tcp_port(*port),
    }
}

fn tls(endpoint: &Endpoint) -> Option<SslOpts> {
    let tls = &endpoint.tls;
    if tls.mode == TlsMode::Disabled {
        return None;
    }
    let identity = match (&tls.cert, &tls.key) {
        (Some(cert), Some(key)) => Some(ClientIdentity::new(cert.clone(), key.clone())),
        _ => None,
    };
    let options = SslOpts::default().with_root_cert_path(tls.ca.clone()).with_client_identity(identity);
    Some(match tls.mode {
        TlsMode::Disabled | TlsMode::VerifyIdentity => options,
        TlsMode::VerifyCa => options.with_danger_skip_domain_validation(true),
        TlsMode::Required => options.with_danger_skip_domain_validation(true).with_danger_accept_invalid_certs(true),
    })
}

/// One sentence for why there is no connection, and what to do.
fn explain(error: &mysql::Error, endpoint: &Endpoint) -> String {
    match error {
        mysql::Error::MySqlError(refusal) => match refusal.code {
            ACCESS_DENIED | ACCESS_DENIED_NO_PASSWORD => format!(
                "{} (error {}). Give the account by --user and --password, or in the [client] group of ~/.my.cnf.",
                refusal.message, refusal.code
            ),
            1040 | 1203 => format!("{} (error {}). Raise max_connections there.", refusal.message, refusal.code),
            _ => describe(error),
        },
        error if is_timeout(error) => unreachable(io::ErrorKind::TimedOut, "", &endpoint.address),
        mysql::Error::DriverError(DriverError::CouldNotConnect(Some((_, text, kind)))) => {
            unreachable(*kind, text, &endpoint.address)
        }
        mysql::Error::DriverError(DriverError::ConnectTimeout) => {
            unreachable(io::ErrorKind::TimedOut, "", &endpoint.address)
        }
        mysql::Error::DriverError(DriverError::TlsNotSupported) => {
            "the server does not offer TLS; --ssl-mode DISABLED connects without, in clear text.".into()
        }
        mysql::Error::DriverError(DriverError::UnknownAuthPlugin(plugin)) => format!(
            "the account logs in by {plugin}, which weigh does not speak. Use one of mysql_native_password, caching_sha2_password or MariaDB's \
             ed25519 (ALTER USER … IDENTIFIED WITH …)."
        ),
        mysql::Error::TlsError(error) => tls_failure(&error.to_string()),
        mysql::Error::IoError(error) if is_tls(&error.to_string(), endpoint) => tls_failure(&error.to_string()),
        mysql::Error::CodecError(error) if is_tls(&error.to_string(), endpoint) => tls_failure(&error.to_string()),
        mysql::Error::CodecError(error) => {
            format!("it broke off before the login was done ({error}). Does a MySQL or MariaDB server listen there?")
        }
        mysql::Error::IoError(error) if error.kind() == io::ErrorKind::NotADirectory => NEEDS_PRIVACY.into(),
        mysql::Error::IoError(error) => unreachable(error.kind(), &error.to_string(), &endpoint.address),
        _ => describe(error),
    }
}

fn unreachable(kind: io::ErrorKind, text: &str, address: &Address) -> String {
    let check = match address {
        Address::Socket(_) => "Is the server running, and is --socket right?",
        Address::Tcp { .. } => {
            "Is the server running, are --host and --port right, and does no firewall stand between?"
        }
    };
    match (kind, address) {
        (io::ErrorKind::NotFound, Address::Socket(path)) => no_socket(path),
        (io::ErrorKind::ConnectionRefused, _) => format!("nothing listens there. {check}"),
        (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
            format!("no answer in time. {check}")
        }
        (io::ErrorKind::PermissionDenied, Address::Socket(_)) => {
            "this user may not open the socket. Run weigh as a user who may, or connect by --host and --port.".into()
        }
        _ if text.contains("lookup") || text.contains("resolve") => {
            "the host name is unknown. Check its spelling and the name service.".into()
        }
        _ => format!("{text}. {check}"),
    }
}

fn no_socket(path: &Path) -> String {
    format!("there is no socket {}. Is the server running? Name its socket by --socket, or its --host.", path.display())
}

/// The TLS library's errors come wrapped in others; their words tell them.
fn is_tls(text: &str, endpoint: &Endpoint) -> bool {
    let words = ["certificate", "fatal alert", "peer is incompatible", "peer misbehaved", "corrupt message"];
    endpoint.tls.mode != TlsMode::Disabled && words.iter().any(|word| text.contains(word))
}

fn tls_failure(text: &str) -> String {
    format!(
        "TLS failed ({text}). Name the certificate authority by --ssl-ca; --ssl-mode VERIFY_CA accepts another host \
         name, REQUIRED any certificate, DISABLED clear text."
    )
}

/// An error of the driver, in the server's own words where it has any.
pub fn describe(error: &mysql::Error) -> String {
    match error {
        mysql::Error::MySqlError(error) => format!("{} (error {})", error.message, error.code),
        error if is_timeout(error) => "no answer in time; where a statement takes so long, raise --timeout".into(),
        mysql::Error::IoError(error) => format!("the connection broke ({error})"),
        mysql::Error::DriverError(error) => error.to_string(),
        mysql::Error::TlsError(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// Whether a read or a write took longer than its connection allows, which system calls call "would block".
pub(crate) fn is_timeout(error: &mysql::Error) -> bool {
    let error = match error {
        mysql::Error::IoError(error) | mysql::Error::CodecError(PacketCodecError::Io(error)) => error,
        _ => return false,
    };
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
