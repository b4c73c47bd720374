//! One statement per text: a text that a server reads as several is refused.
//!
//! The driver logs in with `CLIENT_MULTI_STATEMENTS`. If the server sees the end of a string
//! elsewhere than weigh does, the rest of the text could then run as further statements.
//! `COM_SET_OPTION` takes the right back. The driver does not offer the command, so it is written
//! to the driver's socket between two of its commands. With TLS that is impossible, and some
//! proxies refuse it: there, [`Conn`](super::Conn) first has the server prepare each text that
//! contains a semicolon, which fails for several statements.

use std::io::{self, Read, Write};

/// `COM_SET_OPTION` with `MYSQL_OPTION_MULTI_STATEMENTS_OFF`, as a packet: four bytes of header, three
/// of payload.
const MULTI_STATEMENTS_OFF: [u8; 7] = [3, 0, 0, 0, 0x1B, 1, 0];
/// First byte of an error packet.
const ERROR: u8 = 0xFF;
/// First bytes of an OK packet and of an EOF packet.
const ACCEPTED: [u8; 2] = [0x00, 0xFE];
/// Maximum length of the answer. An error packet has a message of at most 512 bytes.
const MAX_ANSWER_BYTES: usize = 1 << 10;

/// Forbids several statements per text on a connection without TLS. Returns false if the server
/// refuses the command.
pub(super) fn forbid_multi_statements(socket: &mut (impl Read + Write)) -> io::Result<bool> {
    socket.write_all(&MULTI_STATEMENTS_OFF)?;
    let mut head = [0; 4];
    socket.read_exact(&mut head)?;
    let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "the server's answer is malformed");
    if !(1..=MAX_ANSWER_BYTES).contains(&length) || head[3] != 1 {
        return Err(malformed());
    }
    let mut answer = vec![0; length];
    socket.read_exact(&mut answer)?;
    match answer[0] {
        ERROR => Ok(false),
        first if ACCEPTED.contains(&first) => Ok(true),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what [`forbid_multi_statements`] makes of an answer.
    fn read(answer: &[u8]) -> io::Result<bool> {
        let (mut client, mut server) = std::os::unix::net::UnixStream::pair().unwrap();
        server.write_all(answer).unwrap();
        server.shutdown(std::net::Shutdown::Write).unwrap();
        forbid_multi_statements(&mut client)
    }

    #[test]
    fn answers_are_read_whole() {
        assert!(read(&[5, 0, 0, 1, 0xFE, 0, 0, 2, 0]).unwrap());
        assert!(read(&[7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]).unwrap());
        assert!(!read(&[3, 0, 0, 1, 0xFF, 0x17, 4]).unwrap());
        for answer in
            [&[][..], &[5, 0, 0, 1, 0xFE], &[0, 0, 0, 1], &[1, 0, 0, 2, 0], &[1, 0, 0, 1, 7], &[0xFF, 0xFF, 0xFF, 1, 0]]
        {
            assert!(read(answer).is_err(), "{answer:?}");
        }
    }
}
