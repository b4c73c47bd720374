//! The MySQL client/server protocol: stream, packets, handshake, statements.

mod charset;
mod connection;
mod handshake;
mod packets;
mod stream;

pub(crate) use charset::Encoder;
pub use charset::charset_can_encode;
pub(crate) use connection::{Connection, PreparedStatement};
pub(crate) use handshake::HandshakeOptions;
pub use handshake::NegotiatedFeatures;
pub(crate) use stream::ConnectionCutter;
