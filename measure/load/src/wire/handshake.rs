//! The handshake: greeting, TLS, authentication. Packets and authentication plugins come from
//! `mysql_common`. The load has its own client to keep the path of a statement short.

use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::crypto;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;
use server::{Endpoint, TlsMode};

use super::packets::{Wire, server_error};
use super::stream::Stream;
use crate::error::WireError;

const MAX_PACKET: u32 = 64 * 1024 * 1024;
/// Maximum number of packets of a server in a login. The longest honest one has five: a switch of
/// the plugin, a request for the password, the RSA key, and the outcome.
const MAX_LOGIN_PACKETS: usize = 16;
/// Offset of the client's collation in the handshake response, after capabilities and maximum
/// packet size (4 bytes each).
const COLLATION_OFFSET: usize = 8;

/// Protocol features that client and server agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegotiatedFeatures {
    /// `CLIENT_DEPRECATE_EOF`: results end with an OK packet instead of an EOF packet.
    pub deprecate_eof: bool,
    /// `MARIADB_CLIENT_CACHE_METADATA`: MariaDB omits column definitions that it has sent before.
    pub cache_metadata: bool,
    pub tls: bool,
}

/// Options of a connection in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandshakeOptions {
    /// Collation id. The server sets `character_set_client`, `_connection` and `_results` from it.
    pub(crate) collation: u8,
    /// Whether to offer `MARIADB_CLIENT_CACHE_METADATA`. MySQL has no such feature.
    pub(crate) cache_metadata: bool,
}

struct Login<'a> {
    endpoint: &'a Endpoint,
    wire: Wire,
    plugin: AuthPlugin<'static>,
    nonce: Vec<u8>,
}

/// Connects to `endpoint` and logs in with `schema` as the default schema. From the greeting on,
/// this takes at most twice the time-out.
pub(crate) fn connect(
    endpoint: &Endpoint,
    schema: &str,
    options: HandshakeOptions,
) -> Result<(Wire, NegotiatedFeatures), WireError> {
    let collation = options.collation;
    let stream = Stream::connect(&endpoint.address, endpoint.timeout)?;
    stream.wait_for_greeting()?;
    let mut wire = Wire::new(stream);
    wire.limit_time();
    let greeting = read_greeting(&mut wire)?;

    let mut capabilities = client_capabilities() & greeting.capabilities();
    let secure = endpoint.tls.mode != TlsMode::Disabled && !matches!(endpoint.address, server::Address::Socket(_));
    if secure {
        capabilities.insert(CapabilityFlags::CLIENT_SSL);
        if !greeting.capabilities().contains(CapabilityFlags::CLIENT_SSL) {
            return Err(WireError::Tls("the server has no TLS; --ssl-mode=DISABLED connects without".into()));
        }
        SslRequest::new(capabilities, MAX_PACKET, collation).serialize(wire.continuation());
        wire.send()?;
        wire = wire.upgrade(|stream| stream.start_tls(&endpoint.address, &endpoint.tls))?;
    }
    // MariaDB uses its extended capabilities only with clients that do not set
    // CLIENT_LONG_PASSWORD, which `client_capabilities` therefore lacks.
    let offered = if options.cache_metadata {
        MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA
    } else {
        MariadbCapabilities::empty()
    };
    let extended = greeting.mariadb_ext_capabilities() & offered;
    let features = NegotiatedFeatures {
        deprecate_eof: capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF),
        cache_metadata: !extended.is_empty(),
        tls: secure,
    };

    let plugin = match greeting.auth_plugin() {
        Some(plugin @ (AuthPlugin::CachingSha2Password | AuthPlugin::Ed25519)) => plugin.into_owned(),
        _ => AuthPlugin::MysqlNativePassword,
    };
    let nonce = greeting.nonce();
    let proof = plugin.gen_data(Some(endpoint.password.reveal()), &nonce).map(|data| data.to_vec());
    let response = HandshakeResponse::new(
        proof,
        greeting.server_version_parsed().unwrap_or((5, 5, 5)),
        Some(endpoint.user.as_bytes()),
        Some(schema.as_bytes()),
        Some(plugin.clone()),
        capabilities,
        None,
        MAX_PACKET,
    )
    .with_mariadb_ext_capabilities(extended);
    let payload = wire.continuation();
    let start = payload.len();
    response.serialize(payload);
    payload[start + COLLATION_OFFSET] = collation;
    wire.send()?;

    let mut login = Login { endpoint, wire, plugin, nonce };
    login.authenticate()?;
    login.wire.end_time_limit();
    Ok((login.wire, features))
}

fn read_greeting(wire: &mut Wire) -> Result<HandshakePacket<'static>, WireError> {
    let payload = wire.read_packet()?;
    if payload.first() == Some(&0xFF) {
        return Err(server_error(payload));
    }
    let greeting = ParseBuf(payload).parse::<HandshakePacket<'_>>(())?;
    match greeting.protocol_version() {
        10 => Ok(greeting.into_owned()),
        other => Err(WireError::protocol(format!("protocol version {other}"))),
    }
}

fn client_capabilities() -> CapabilityFlags {
    CapabilityFlags::CLIENT_PROTOCOL_41
        | CapabilityFlags::CLIENT_SECURE_CONNECTION
        | CapabilityFlags::CLIENT_LONG_FLAG
        | CapabilityFlags::CLIENT_TRANSACTIONS
        | CapabilityFlags::CLIENT_CONNECT_WITH_DB
        | CapabilityFlags::CLIENT_PLUGIN_AUTH
        | CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
        | CapabilityFlags::CLIENT_DEPRECATE_EOF
}

impl Login<'_> {
    fn authenticate(&mut self) -> Result<(), WireError> {
        for _ in 0..MAX_LOGIN_PACKETS {
            let payload = self.wire.read_packet()?;
            match payload {
                [0x00, ..] => return Ok(()),
                [0xFF, ..] => return Err(server_error(payload)),
                [0xFE, ..] => {
                    let request = ParseBuf(payload).parse::<AuthSwitchRequest<'_>>(())?.into_owned();
                    self.switch_plugin(&request)?;
                }
                // caching_sha2_password: 3 = cached proof accepted, 4 = full authentication
                // required.
                [0x01, 0x03] => {}
                [0x01, 0x04] => self.send_password()?,
                _ => return Err(WireError::protocol(format!("an answer of plugin {:?}", self.plugin))),
            }
        }
        Err(WireError::protocol("a login without an end"))
    }

    fn switch_plugin(&mut self, request: &AuthSwitchRequest<'static>) -> Result<(), WireError> {
        self.plugin = request.auth_plugin().into_owned();
        self.nonce = strip_terminator(request.plugin_data()).to_vec();
        if self.plugin == AuthPlugin::Ed25519 {
            // MariaDB's ed25519 nonce has no terminator. `plugin_data` strips a final 0 byte, which
            // is part of the nonce.
            self.nonce.resize(ED25519_NONCE, 0);
        }
        let proof = match &self.plugin {
            AuthPlugin::CachingSha2Password | AuthPlugin::MysqlNativePassword | AuthPlugin::Ed25519 => {
                self.plugin.gen_data(Some(self.endpoint.password.reveal()), &self.nonce)
            }
            // The server identifies the user by the socket's peer credentials.
            AuthPlugin::Other(name) if matches!(&name[..], b"auth_socket" | b"unix_socket") => None,
            other => {
                let name = String::from_utf8_lossy(other.as_bytes()).into_owned();
                return Err(WireError::protocol(format!("authentication plugin {name} is not supported")));
            }
        };
        let payload = self.wire.continuation();
        if let Some(proof) = proof {
            payload.extend_from_slice(&proof);
        }
        Ok(self.wire.send()?)
    }

    /// Sends the password: in clear text over a private transport, otherwise encrypted with the
    /// server's RSA key. An error if the endpoint does not allow requesting that key.
    fn send_password(&mut self) -> Result<(), WireError> {
        let mut password = self.endpoint.password.reveal().as_bytes().to_vec();
        password.push(0);
        if !self.wire.is_private() && !self.endpoint.get_server_public_key {
            return Err(WireError::NeedsPrivacy);
        }
        if !self.wire.is_private() {
            self.wire.continuation().push(0x02);
            self.wire.send()?;
            let key = self.wire.read_packet()?.get(1..).unwrap_or_default();
            for (byte, nonce) in password.iter_mut().zip(self.nonce.iter().cycle()) {
                *byte ^= nonce;
            }
            password = crypto::encrypt(&password, key);
        }
        self.wire.continuation().extend_from_slice(&password);
        Ok(self.wire.send()?)
    }
}

/// Length of MariaDB's ed25519 nonce, in bytes.
const ED25519_NONCE: usize = 32;

/// Strips a terminating 0 byte from a nonce. A nonce has 20 bytes, 32 with MariaDB's ed25519, and
/// can end in 0 itself.
fn strip_terminator(nonce: &[u8]) -> &[u8] {
    match nonce {
        [nonce @ .., 0] if matches!(nonce.len(), 20 | 32) => nonce,
        nonce => nonce,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    use server::Address;

    use super::*;

    /// Greeting of protocol 10 with the plugin mysql_native_password.
    const GREETING: &[u8] = b"\x0a8.0.0\0\x07\0\0\0AAAAAAAA\0\xff\xf7\x2d\x02\0\xff\xff\x15\
        \0\0\0\0\0\0\0\0\0\0BBBBBBBBBBBB\0mysql_native_password\0";

    fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
        [&[payload.len() as u8, 0, 0, sequence], payload].concat()
    }

    /// Logs in to a server that `serve` plays, with a time-out of 200 ms.
    fn log_in(serve: impl FnOnce(&mut TcpStream) + Send + 'static) -> WireError {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        std::thread::spawn(move || serve(&mut listener.accept().unwrap().0));
        let endpoint = Endpoint { address, timeout: Duration::from_millis(200), ..Endpoint::socket("/unused", "root") };
        let begun = Instant::now();
        let refused = connect(&endpoint, "s", HandshakeOptions { collation: 45, cache_metadata: false }).err();
        assert!(begun.elapsed() < Duration::from_secs(20));
        refused.expect("the server logs nobody in")
    }

    fn greet(client: &mut TcpStream) {
        client.write_all(&packet(0, GREETING)).unwrap();
        let mut header = [0; 4];
        client.read_exact(&mut header).unwrap();
        client.read_exact(&mut vec![0; usize::from(header[0])]).unwrap();
    }

    #[test]
    fn logins_without_an_end_fail() {
        let accepted = log_in(|client| {
            greet(client);
            let answers: Vec<u8> = (2..=255).flat_map(|sequence| packet(sequence, b"\x01\x03")).collect();
            while client.write_all(&answers).is_ok() {}
        });
        assert!(accepted.to_string().contains("login without an end"), "{accepted}");
        let switched = log_in(|client| {
            greet(client);
            let switch = packet(2, b"\xfemysql_native_password\0CCCCCCCCCCCCCCCCCCCC\0");
            while client.write_all(&switch).is_ok() {
                let mut answer = [0; 4];
                if client.read_exact(&mut answer).is_err() {
                    break;
                }
            }
        });
        assert!(switched.to_string().contains("login without an end"), "{switched}");
    }

    #[test]
    fn greetings_of_single_bytes_time_out() {
        let slow = log_in(|client| {
            // A packet of 1 MiB.
            let mut bytes = [0, 0, 0x10, 0].into_iter().chain(std::iter::repeat(b'8'));
            while client.write_all(&[bytes.next().unwrap()]).is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        assert!(slow.is_timeout(), "{slow}");
    }
}
