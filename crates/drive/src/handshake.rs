//! Connecting: the greeting, TLS, authentication. The load has its own client for the sake of its hot path; the packets and
//! the authentication plugins come from `mysql_common`, the library below the `mysql` crate.

use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::crypto;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;
use server::{Endpoint, TlsMode};

use crate::error::WireError;
use crate::stream::Stream;
use crate::wire::{Wire, server_error};

const MAX_PACKET: u32 = 64 * 1024 * 1024;
/// Where the response carries the client's collation: after the capabilities and the largest packet, four bytes each.
const COLLATION_OFFSET: usize = 8;

/// What was agreed on while connecting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// Results end with an OK packet, not an EOF packet.
    pub deprecate_eof: bool,
    /// MariaDB leaves out column definitions that it has sent before.
    pub cache_metadata: bool,
    /// The connection is encrypted.
    pub tls: bool,
}

/// How a connection presents itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manners {
    /// The collation's id; the server takes `character_set_client`, `_connection` and `_results` from it.
    pub(crate) collation: u8,
    /// Whether MariaDB may leave out column definitions that it has sent before, which MySQL has no such way of.
    pub(crate) cache_metadata: bool,
}

struct Login<'a> {
    endpoint: &'a Endpoint,
    wire: Wire,
    plugin: AuthPlugin<'static>,
    nonce: Vec<u8>,
}

/// Connects to `endpoint` and logs in to `schema`.
pub(crate) fn connect(endpoint: &Endpoint, schema: &str, manners: Manners) -> Result<(Wire, Agreed), WireError> {
    let collation = manners.collation;
    let stream = Stream::connect(&endpoint.address, endpoint.timeout)?;
    stream.wait_for_greeting()?;
    let mut wire = Wire::new(stream);
    let greeting = read_greeting(&mut wire)?;

    let mut capabilities = wanted() & greeting.capabilities();
    let secure = endpoint.tls.mode != TlsMode::Disabled && !matches!(endpoint.address, server::Address::Socket(_));
    if secure {
        capabilities.insert(CapabilityFlags::CLIENT_SSL);
        if !greeting.capabilities().contains(CapabilityFlags::CLIENT_SSL) {
            return Err(WireError::protocol("the server has no TLS; --ssl-mode=DISABLED connects without"));
        }
        SslRequest::new(capabilities, MAX_PACKET, collation).serialize(wire.continuation());
        wire.send()?;
        wire = wire.upgrade(|stream| stream.secure(&endpoint.address, &endpoint.tls))?;
    }
    // MariaDB speaks its extended capabilities to those who do not claim to be MySQL's own old client (CLIENT_LONG_PASSWORD).
    let wanted = if manners.cache_metadata {
        MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA
    } else {
        MariadbCapabilities::empty()
    };
    let extended = greeting.mariadb_ext_capabilities() & wanted;
    let agreed = Agreed {
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
    Ok((login.wire, agreed))
}

fn read_greeting(wire: &mut Wire) -> Result<HandshakePacket<'static>, WireError> {
    let payload = wire.packet()?;
    if payload.first() == Some(&0xFF) {
        return Err(server_error(payload));
    }
    let greeting = ParseBuf(payload).parse::<HandshakePacket<'_>>(())?;
    match greeting.protocol_version() {
        10 => Ok(greeting.into_owned()),
        other => Err(WireError::protocol(format!("protocol version {other}"))),
    }
}

fn wanted() -> CapabilityFlags {
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
        loop {
            let payload = self.wire.packet()?;
            match payload {
                [0x00, ..] => return Ok(()),
                [0xFF, ..] => return Err(server_error(payload)),
                [0xFE, ..] => {
                    let request = ParseBuf(payload).parse::<AuthSwitchRequest<'_>>(())?.into_owned();
                    self.switch(&request)?;
                }
                // caching_sha2_password: 3, the cached proof was right; 4, the password itself is needed.
                [0x01, 0x03] => {}
                [0x01, 0x04] => self.full_sha2()?,
                _ => return Err(WireError::protocol(format!("an answer of plugin {:?}", self.plugin))),
            }
        }
    }

    fn switch(&mut self, request: &AuthSwitchRequest<'static>) -> Result<(), WireError> {
        self.plugin = request.auth_plugin().into_owned();
        self.nonce = without_end(request.plugin_data()).to_vec();
        if self.plugin == AuthPlugin::Ed25519 {
            // It comes without an end, and its own last byte was taken for one where that is 0.
            self.nonce.resize(ED25519_NONCE, 0);
        }
        let proof = match &self.plugin {
            AuthPlugin::CachingSha2Password | AuthPlugin::MysqlNativePassword | AuthPlugin::Ed25519 => {
                self.plugin.gen_data(Some(self.endpoint.password.reveal()), &self.nonce)
            }
            // The server looks up who is at the other end of the socket by itself.
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

    /// Sends the password itself: in the clear where nobody listens, else under the server's RSA key.
    fn full_sha2(&mut self) -> Result<(), WireError> {
        let mut password = self.endpoint.password.reveal().as_bytes().to_vec();
        password.push(0);
        if !self.wire.is_private() && !self.endpoint.get_server_public_key {
            return Err(WireError::NeedsPrivacy);
        }
        if !self.wire.is_private() {
            self.wire.continuation().push(0x02);
            self.wire.send()?;
            let key = self.wire.packet()?.get(1..).unwrap_or_default();
            for (byte, nonce) in password.iter_mut().zip(self.nonce.iter().cycle()) {
                *byte ^= nonce;
            }
            password = crypto::encrypt(&password, key);
        }
        self.wire.continuation().extend_from_slice(&password);
        Ok(self.wire.send()?)
    }
}

/// The length of the nonce of MariaDB's ed25519.
const ED25519_NONCE: usize = 32;

/// A nonce has 20 bytes, MariaDB's ed25519's 32; most servers end it with a 0, which may just as well be a byte of it.
fn without_end(nonce: &[u8]) -> &[u8] {
    match nonce {
        [nonce @ .., 0] if matches!(nonce.len(), 20 | 32) => nonce,
        nonce => nonce,
    }
}
