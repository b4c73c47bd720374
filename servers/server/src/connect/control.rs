//! Control connections, and messages for their errors.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lifecycle::interrupt;
use mysql::prelude::Queryable;
use mysql::{ClientIdentity, DriverError, OptsBuilder, SslOpts};
use mysql_common::proto::codec::error::PacketCodecError;

use super::connection::{self, Conn};
use super::{Address, Endpoint, TlsMode};
use crate::Error;
use crate::error_code::{
    ACCESS_DENIED_ERROR, ACCESS_DENIED_NO_PASSWORD_ERROR, CON_COUNT_ERROR, SECURE_TRANSPORT_REQUIRED,
    TOO_MANY_USER_CONNECTIONS,
};

/// Maximum time until a TCP connection is accepted.
const MAX_TCP_CONNECT_TIME: Duration = Duration::from_secs(10);
/// Time limit of the reply that shows whether a silent server lives.
const MAX_PROBE_TIME: Duration = Duration::from_secs(5);
/// Time limit of statements whose work grows with the data, such as `DROP DATABASE`.
const PATIENT_TIMEOUT: Duration = Duration::from_secs(600);
/// Impossible path of a server's RSA key. The driver reads the key there instead of requesting it
/// from the server, and fails with ENOTDIR.
const IMPOSSIBLE_KEY_PATH: &str = "/dev/null/no-server-public-key";
/// Interval at which a waiting thread checks for a signal.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Message for an account whose plugin encrypts the password with the server's RSA key, on a
/// connection without TLS.
pub const NEEDS_SECURE_TRANSPORT: &str = "the password would be encrypted with a key from the network, which a man in the middle could replace. Use \
     --ssl-mode REQUIRED (or VERIFY_IDENTITY), or --get-server-public-key to accept any key, as in MySQL's clients.";

/// A connection failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to {server}: {reason}")]
pub struct ConnectError {
    /// `user@address`.
    pub server: String,
    /// Cause and advice.
    pub reason: String,
    /// Whether the server refused the account or its password.
    pub is_denied: bool,
    /// Whether the login would go on with TLS.
    pub needs_tls: bool,
}

/// Opens a control connection for statements whose work does not grow with the data. A reply may
/// take twice the endpoint's timeout, if the server answers on another connection meanwhile.
pub(crate) fn connect(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, Some(2 * endpoint.timeout))
}

/// Opens a control connection for statements that may take up to 10 minutes.
pub(crate) fn connect_patiently(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, Some(PATIENT_TIMEOUT))
}

/// Opens a control connection without a time limit. The caller monitors the server by other means.
pub(crate) fn connect_unlimited(endpoint: &Endpoint) -> Result<Conn, Error> {
    connect_for(endpoint, None)
}

/// Opens a control connection on which a statement with all its rows may take `limit`.
pub(crate) fn connect_with_limit(endpoint: &Endpoint, limit: Duration) -> Result<Conn, Error> {
    connect_for(endpoint, Some(limit))
}

fn connect_for(endpoint: &Endpoint, statement_limit: Option<Duration>) -> Result<Conn, Error> {
    let mut conn = log_in(endpoint, statement_limit)?;
    conn.prepare_session().map_err(|error| {
        let reason = format!("it cannot set up a session: {}", describe_driver_error(&error));
        Error::Connect(ConnectError { server: endpoint.to_string(), reason, is_denied: false, needs_tls: false })
    })?;
    Ok(conn)
}

/// Logs in, and leaves the session as the server gives it to every client.
pub(crate) fn log_in(endpoint: &Endpoint, statement_limit: Option<Duration>) -> Result<Conn, Error> {
    let failed = |reason, is_denied, needs_tls| {
        Error::Connect(ConnectError { server: endpoint.to_string(), reason, is_denied, needs_tls })
    };
    let fail = |reason| failed(reason, false, false);
    let tls = &endpoint.tls;
    for path in [&tls.ca, &tls.cert, &tls.key].into_iter().flatten() {
        File::open(path).map_err(|error| fail(format!("cannot read {}: {error}", path.display())))?;
    }
    let outcome = connect_on_thread(endpoint.timeout, driver_options(endpoint, statement_limit))
        .map_err(|error| fail(error.to_string()))?;
    interrupt::check()?;
    let inner = outcome
        .unwrap_or(Err(DriverError::ConnectTimeout.into()))
        .map_err(|error| failed(explain(&error, endpoint), is_denied(&error), needs_tls(&error)))?;
    let mut conn =
        Conn::new(inner, endpoint, statement_limit).map_err(|error| fail(format!("cannot watch it: {error}")))?;
    conn.forbid_several(tls.mode != TlsMode::Disabled)
        .map_err(|error| fail(format!("it cannot set up a session: {}", describe_driver_error(&error))))?;
    Ok(conn)
}

/// True if the server accepts a new connection and answers `SELECT 1`, each within 5 s or a shorter
/// timeout, or refuses the connection with an error of its own.
pub(super) fn answers(endpoint: &Endpoint) -> bool {
    let limit = endpoint.timeout.min(MAX_PROBE_TIME);
    let outcome = connect_on_thread(limit, driver_options(endpoint, Some(limit)));
    match outcome.ok().flatten() {
        Some(Ok(mut conn)) => lifecycle::contain(|| conn.query_drop("SELECT 1").is_ok()).unwrap_or(false),
        Some(Err(mysql::Error::MySqlError(_))) => true,
        _ => false,
    }
}

fn is_denied(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(refusal) if matches!(refusal.code, ACCESS_DENIED_ERROR | ACCESS_DENIED_NO_PASSWORD_ERROR))
}

/// True if the password would need the server's RSA key, or the server takes TLS only.
fn needs_tls(error: &mysql::Error) -> bool {
    match error {
        mysql::Error::MySqlError(refusal) => refusal.code == SECURE_TRANSPORT_REQUIRED,
        mysql::Error::IoError(error) => error.kind() == io::ErrorKind::NotADirectory,
        _ => false,
    }
}

/// Connects on a new thread. A host that accepts and then sends nothing would otherwise block the
/// caller for the time limit of a statement, and signals would be ignored meanwhile. `None` after
/// `limit` or a signal.
fn connect_on_thread(limit: Duration, options: OptsBuilder) -> io::Result<Option<mysql::Result<mysql::Conn>>> {
    let (sender, outcome) = channel();
    // If the caller has given up, `send` fails and the connection is closed.
    thread::Builder::new().name("connect".into()).spawn(move || drop(sender.send(connection::open(options))))?;
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline && !interrupt::is_pending() {
        match outcome.recv_timeout(POLL_INTERVAL) {
            Ok(outcome) => return Ok(Some(outcome)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(None)
}

fn driver_options(endpoint: &Endpoint, statement_limit: Option<Duration>) -> OptsBuilder {
    let refuses_key = endpoint.is_plaintext() && !endpoint.get_server_public_key;
    let builder = OptsBuilder::new()
        .user(Some(&endpoint.user))
        .pass(Some(endpoint.password.reveal()).filter(|password| !password.is_empty()))
        // By default the driver switches from TCP to the server's socket, and queries the packet
        // size.
        .prefer_socket(false)
        .max_allowed_packet(Some(64 << 20))
        .tcp_connect_timeout(Some(MAX_TCP_CONNECT_TIME.min(endpoint.timeout)))
        .read_timeout(statement_limit)
        .write_timeout(Some(endpoint.timeout))
        .tcp_nodelay(true)
        .server_key_path(refuses_key.then(|| IMPOSSIBLE_KEY_PATH.into()))
        .ssl_opts(tls_options(endpoint));
    match &endpoint.address {
        Address::Socket(path) => builder.socket(Some(path.to_string_lossy())),
        Address::Tcp { host, port } => builder.ip_or_hostname(Some(host)).tcp_port(*port),
    }
}

fn tls_options(endpoint: &Endpoint) -> Option<SslOpts> {
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

/// Describes a failed connection, with advice.
fn explain(error: &mysql::Error, endpoint: &Endpoint) -> String {
    match error {
        mysql::Error::MySqlError(refusal) => match refusal.code {
            ACCESS_DENIED_ERROR | ACCESS_DENIED_NO_PASSWORD_ERROR => format!(
                "{} (error {}). Give the account by --user and --password, or in the [client] group of ~/.my.cnf.",
                refusal.message, refusal.code
            ),
            CON_COUNT_ERROR | TOO_MANY_USER_CONNECTIONS => {
                format!(
                    "{} (error {}). Raise max_connections or max_user_connections there.",
                    refusal.message, refusal.code
                )
            }
            _ => describe_driver_error(error),
        },
        error if is_timeout(error) => describe_unreachable(io::ErrorKind::TimedOut, "", &endpoint.address),
        mysql::Error::DriverError(DriverError::CouldNotConnect(Some((_, text, kind)))) => {
            describe_unreachable(*kind, text, &endpoint.address)
        }
        mysql::Error::DriverError(DriverError::ConnectTimeout) => {
            describe_unreachable(io::ErrorKind::TimedOut, "", &endpoint.address)
        }
        mysql::Error::DriverError(DriverError::TlsNotSupported) => {
            "the server does not offer TLS; --ssl-mode DISABLED connects without, in clear text.".into()
        }
        mysql::Error::DriverError(DriverError::UnknownAuthPlugin(plugin)) => format!(
            "the account logs in by {plugin}, which weigh does not support. Use one of mysql_native_password, caching_sha2_password or MariaDB's \
             ed25519 (ALTER USER … IDENTIFIED WITH …)."
        ),
        mysql::Error::TlsError(error) => describe_tls_error(&error.to_string()),
        mysql::Error::IoError(error) if is_tls_error(&error.to_string(), endpoint) => {
            describe_tls_error(&error.to_string())
        }
        mysql::Error::CodecError(error) if is_tls_error(&error.to_string(), endpoint) => {
            describe_tls_error(&error.to_string())
        }
        mysql::Error::CodecError(error) => {
            format!(
                "the connection broke before the login was complete ({error}). Does a MySQL or MariaDB server listen there?"
            )
        }
        mysql::Error::IoError(error) if error.kind() == io::ErrorKind::NotADirectory => NEEDS_SECURE_TRANSPORT.into(),
        mysql::Error::IoError(error) => describe_unreachable(error.kind(), &error.to_string(), &endpoint.address),
        _ => describe_driver_error(error),
    }
}

fn describe_unreachable(kind: io::ErrorKind, text: &str, address: &Address) -> String {
    let check = match address {
        Address::Socket(_) => "Is the server running, and is --socket right?",
        Address::Tcp { .. } => {
            "Is the server running, are --host and --port right, and does no firewall block the way?"
        }
    };
    match (kind, address) {
        (io::ErrorKind::NotFound, Address::Socket(path)) => describe_missing_socket(path),
        (io::ErrorKind::ConnectionRefused, _) => format!("nothing listens there. {check}"),
        (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
            format!("no answer in time. {check}")
        }
        (io::ErrorKind::PermissionDenied, Address::Socket(_)) => {
            "this user may not open the socket. Run weigh as another user, or connect by --host and --port.".into()
        }
        _ if text.contains("lookup") || text.contains("resolve") => {
            "the host name is unknown. Check its spelling and the name service.".into()
        }
        _ => format!("{text}. {check}"),
    }
}

fn describe_missing_socket(path: &Path) -> String {
    format!("there is no socket {}. Is the server running? Name its socket by --socket, or its --host.", path.display())
}

/// True for errors of the TLS library. The driver wraps them in I/O errors; only the text
/// distinguishes them.
fn is_tls_error(text: &str, endpoint: &Endpoint) -> bool {
    let words = ["certificate", "fatal alert", "peer is incompatible", "peer misbehaved", "corrupt message"];
    endpoint.tls.mode != TlsMode::Disabled && words.iter().any(|word| text.contains(word))
}

fn describe_tls_error(text: &str) -> String {
    format!(
        "TLS failed ({text}). Name the certificate authority by --ssl-ca; --ssl-mode VERIFY_CA accepts another host \
         name, REQUIRED any certificate, DISABLED clear text."
    )
}

/// Describes an error of the driver. A server error is quoted with its code.
pub fn describe_driver_error(error: &mysql::Error) -> String {
    match error {
        mysql::Error::MySqlError(error) => format!("{} (error {})", error.message, error.code),
        error if is_timeout(error) => "no answer in time; raise --timeout if statements need longer".into(),
        mysql::Error::IoError(error) | mysql::Error::CodecError(PacketCodecError::Io(error)) => {
            let is_own = error.kind() == io::ErrorKind::QuotaExceeded;
            if is_own { error.to_string() } else { format!("the connection broke ({error})") }
        }
        mysql::Error::DriverError(error) => error.to_string(),
        mysql::Error::TlsError(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// True for the timeout of a read or write. The operating system reports it as `EWOULDBLOCK`.
pub fn is_timeout(error: &mysql::Error) -> bool {
    let error = match error {
        mysql::Error::IoError(error) | mysql::Error::CodecError(PacketCodecError::Io(error)) => error,
        _ => return false,
    };
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
