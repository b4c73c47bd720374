//! Packets of the MySQL client/server protocol over one stream. A command of less than 16 MiB is
//! sent in one write; a response is read in place from the input buffer.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::time::Instant;

use super::stream::{ConnectionCutter, Stream, timeout_error};
use crate::error::WireError;

const HEADER_BYTES: usize = 4;
/// Maximum payload of one packet. Longer payloads are split (MySQL manual, "Protocol Basics").
const MAX_PAYLOAD: usize = 0xFF_FFFF;
const INPUT_BUFFER_BYTES: usize = 64 * 1024;

pub(crate) struct Wire {
    stream: Stream,
    input: Vec<u8>,
    unread: Range<usize>,
    output: Vec<u8>,
    sequence: u8,
    /// End of the time in which the current result must be read as a whole.
    deadline: Option<Instant>,
}

impl Wire {
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            stream,
            input: vec![0; INPUT_BUFFER_BYTES],
            unread: 0..0,
            output: Vec::with_capacity(4096),
            sequence: 0,
            deadline: None,
        }
    }

    /// Replaces the stream, as starting TLS does within the handshake.
    pub(crate) fn upgrade(self, secure: impl FnOnce(Stream) -> Result<Stream, WireError>) -> Result<Self, WireError> {
        let mut stream = secure(self.stream)?;
        stream.set_deadline(self.deadline);
        Ok(Self { stream, ..self })
    }

    pub(crate) fn cutter(&self) -> ConnectionCutter {
        self.stream.cutter()
    }

    /// Whether a password may be sent in clear text.
    pub(crate) fn is_private(&self) -> bool {
        self.stream.is_private()
    }

    /// Limits the time of all reads from now on, together, to twice the time-out of one read.
    pub(crate) fn limit_time(&mut self) {
        self.deadline = Some(Instant::now() + 2 * self.stream.timeout());
        self.stream.set_deadline(self.deadline);
    }

    /// Ends the limit of [`limit_time`](Self::limit_time). Each read keeps its time-out.
    pub(crate) fn end_time_limit(&mut self) {
        self.deadline = None;
        self.stream.set_deadline(None);
    }

    /// Starts a command and returns the buffer to append its payload to.
    pub(crate) fn command(&mut self, code: u8) -> &mut Vec<u8> {
        self.sequence = 0;
        let payload = self.continuation();
        payload.push(code);
        payload
    }

    /// Starts a packet within an exchange (the handshake); the sequence number continues.
    pub(crate) fn continuation(&mut self) -> &mut Vec<u8> {
        self.output.clear();
        self.output.extend_from_slice(&[0; HEADER_BYTES]);
        &mut self.output
    }

    /// Sends the packet that `command` or `continuation` started.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        let payload = self.output.len() - HEADER_BYTES;
        if payload < MAX_PAYLOAD {
            let header = header(payload, self.sequence);
            self.output[..HEADER_BYTES].copy_from_slice(&header);
            self.sequence = self.sequence.wrapping_add(1);
            return self.stream.write_all(&self.output);
        }
        self.send_split()
    }

    fn send_split(&mut self) -> io::Result<()> {
        // A payload that is an exact multiple of the maximum ends with an empty packet.
        let mut rest = &self.output[HEADER_BYTES..];
        loop {
            let (packet, after) = rest.split_at(rest.len().min(MAX_PAYLOAD));
            self.stream.write_all(&header(packet.len(), self.sequence))?;
            self.stream.write_all(packet)?;
            self.sequence = self.sequence.wrapping_add(1);
            if packet.len() < MAX_PAYLOAD {
                return Ok(());
            }
            rest = after;
        }
    }

    /// Reads the payload of the next packet.
    #[inline]
    pub(crate) fn read_packet(&mut self) -> Result<&[u8], WireError> {
        self.require(HEADER_BYTES)?;
        let at = self.unread.start;
        let length =
            usize::from(self.input[at]) | usize::from(self.input[at + 1]) << 8 | usize::from(self.input[at + 2]) << 16;
        if length == MAX_PAYLOAD {
            return Err(WireError::protocol("a result row of 16 MiB or more"));
        }
        self.sequence = self.input[at + 3].wrapping_add(1);
        self.require(HEADER_BYTES + length)?;
        let payload = self.unread.start + HEADER_BYTES;
        self.unread.start = payload + length;
        Ok(&self.input[payload..payload + length])
    }

    /// Ensures at least `bytes` unread bytes in the input buffer.
    #[inline]
    fn require(&mut self, bytes: usize) -> io::Result<()> {
        if self.unread.len() >= bytes { Ok(()) } else { self.fill_input(bytes) }
    }

    fn fill_input(&mut self, bytes: usize) -> io::Result<()> {
        self.input.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        if self.input.len() < bytes {
            self.input.resize(bytes.next_power_of_two(), 0);
        }
        while self.unread.len() < bytes {
            if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Err(timeout_error(2 * self.stream.timeout()));
            }
            match self.stream.read(&mut self.input[self.unread.end..]) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection")),
                Ok(count) => self.unread.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    [length as u8, (length >> 8) as u8, (length >> 16) as u8, sequence]
}

/// Converts an error packet to an error.
pub(crate) fn server_error(payload: &[u8]) -> WireError {
    let Some((&[low, high], rest)) = payload.get(1..).and_then(|rest| rest.split_first_chunk()) else {
        return WireError::protocol("an error packet without a code");
    };
    let (state, message) = match rest {
        // An error packet in place of the greeting may lack the SQLSTATE.
        [b'#', state @ ..] if state.len() >= 5 => state.split_at(5),
        message => (&b"HY000"[..], message),
    };
    WireError::Server {
        code: u16::from_le_bytes([low, high]),
        state: String::from_utf8_lossy(state).into_owned(),
        message: String::from_utf8_lossy(message).into_owned(),
    }
}

/// Reads a length-encoded integer and advances the slice. `None` if the bytes are truncated or the
/// first byte is not a length.
pub(crate) fn take_lenenc(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    let width = match first {
        0xFC => 2,
        0xFD => 3,
        0xFE => 8,
        0xFB | 0xFF => return None,
        small => {
            *bytes = rest;
            return Some(small.into());
        }
    };
    let mut wide = [0; 8];
    wide[..width].copy_from_slice(rest.get(..width)?);
    *bytes = &rest[width..];
    Some(u64::from_le_bytes(wide))
}

pub(crate) fn put_lenenc(out: &mut Vec<u8>, value: usize) {
    let bytes = (value as u64).to_le_bytes();
    match value {
        0..0xFB => out.push(bytes[0]),
        0xFB..0x1_0000 => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..0x100_0000 => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    fn pair() -> (Wire, UnixStream) {
        pair_within(Duration::from_secs(600))
    }

    fn pair_within(timeout: Duration) -> (Wire, UnixStream) {
        let (near, far) = UnixStream::pair().unwrap();
        (Wire::new(Stream::from_socket(near, timeout)), far)
    }

    #[test]
    fn length_encoded_integers_round_trip() {
        for value in [0, 250, 251, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, 1 << 40] {
            let mut bytes = Vec::new();
            put_lenenc(&mut bytes, value);
            assert_eq!(take_lenenc(&mut &bytes[..]), Some(value as u64));
            bytes.pop();
            assert!(bytes.is_empty() || take_lenenc(&mut &bytes[..]).is_none(), "{value} cut short");
        }
    }

    #[test]
    fn packets_are_found_however_the_stream_is_cut() {
        let payloads: Vec<Vec<u8>> = [0usize, 1, 5, 70_000, 3].iter().map(|&n| vec![7; n]).collect();
        let mut stream = Vec::new();
        for payload in &payloads {
            stream.extend(header(payload.len(), 0));
            stream.extend(payload);
        }
        for cut in [1, 2, 3, 4, 5, 7, 1000, 65_536, 70_011] {
            let (mut wire, mut far) = pair();
            let bytes = stream.clone();
            let writer = std::thread::spawn(move || {
                for piece in bytes.chunks(cut.max(if cut < 8 { cut * 997 } else { cut })) {
                    far.write_all(piece).unwrap();
                }
            });
            for payload in &payloads {
                assert_eq!(wire.read_packet().unwrap(), payload);
            }
            writer.join().unwrap();
        }
    }

    #[test]
    fn splits_payload_of_16_mib() {
        let (mut wire, mut far) = pair();
        let reader = std::thread::spawn(move || {
            let mut lengths = Vec::new();
            loop {
                let mut head = [0; HEADER_BYTES];
                far.read_exact(&mut head).unwrap();
                let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
                far.read_exact(&mut vec![0; length]).unwrap();
                lengths.push((length, head[3]));
                if length < MAX_PAYLOAD {
                    return lengths;
                }
            }
        });
        wire.command(3).resize(HEADER_BYTES + MAX_PAYLOAD, b'x');
        wire.send().unwrap();
        assert_eq!(reader.join().unwrap(), [(MAX_PAYLOAD, 0), (0, 1)]);
    }

    #[test]
    fn reports_closed_connection() {
        let (mut wire, far) = pair();
        drop(far);
        assert!(wire.read_packet().unwrap_err().to_string().contains("closed the connection"));
    }

    #[test]
    fn times_out_on_a_silent_peer() {
        let (mut wire, far) = pair_within(Duration::from_millis(50));
        let error = wire.read_packet().unwrap_err();
        assert!(error.is_timeout() && error.to_string() == "no answer for 0.05 s", "{error}");
        wire.command(3).resize(HEADER_BYTES + 8 * 1024 * 1024, b'x');
        assert!(WireError::from(wire.send().unwrap_err()).is_timeout());
        drop(far);
    }

    #[test]
    fn connection_can_be_closed_by_another_thread() {
        let (mut wire, _far) = pair();
        let cutter = wire.cutter();
        let waiting = std::thread::spawn(move || wire.read_packet().map(drop));
        cutter.cut();
        assert!(waiting.join().unwrap().unwrap_err().is_lost());
    }

    #[test]
    fn error_packets_are_read_with_and_without_a_state() {
        let with = server_error(b"\xFF\xBD\x04#40001Deadlock found");
        assert!(matches!(&with, WireError::Server { code: 1213, state, .. } if state == "40001"), "{with}");
        let without = server_error(b"\xFF\x10\x04Too many connections");
        assert!(matches!(&without, WireError::Server { code: 1040, message, .. } if message == "Too many connections"));
        assert!(matches!(server_error(b"\xFF"), WireError::Protocol(_)));
    }
}
