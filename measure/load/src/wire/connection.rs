//! A connection of the load: text queries and prepared statements.

use server::Endpoint;
use workload::Value;

use super::charset::Encoder;
use super::handshake::{self, HandshakeOptions, NegotiatedFeatures};
use super::packets::{Wire, put_lenenc, server_error, take_lenenc};
use super::stream::ConnectionCutter;
use crate::error::WireError;

const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;
const TYPE_LONG: u8 = 0x03;
const TYPE_DOUBLE: u8 = 0x05;
const TYPE_NULL: u8 = 0x06;
const TYPE_LONGLONG: u8 = 0x08;
const TYPE_NEWDECIMAL: u8 = 0xF6;
const TYPE_BLOB: u8 = 0xFC;
const TYPE_STRING: u8 = 0xFE;

/// Maximum bytes of a result whose rows are kept. The largest is the session's status, some 50 kB.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// Maximum number of columns or parameters: servers count them in 16 bits.
const MAX_COLUMNS: u64 = 1 << 16;

/// A statement prepared on one connection.
pub(crate) struct PreparedStatement {
    id: u32,
    /// Type of each parameter as last sent. NULL before its first value that is not NULL.
    types: Vec<u8>,
    /// Whether the server has the current types from an earlier execution.
    types_sent: bool,
}

impl PreparedStatement {
    /// Updates the parameter types for these values. Clears `types_sent` if one changed.
    #[inline]
    fn update_types(&mut self, values: &[Value<'_>]) {
        for (known, value) in self.types.iter_mut().zip(values) {
            let kind = parameter_type(value, *known);
            if kind != *known {
                (*known, self.types_sent) = (kind, false);
            }
        }
    }
}

pub(crate) struct Connection {
    wire: Wire,
    features: NegotiatedFeatures,
    encoder: Encoder,
}

impl Connection {
    pub(crate) fn open(
        endpoint: &Endpoint,
        schema: &str,
        options: HandshakeOptions,
        encoder: Encoder,
    ) -> Result<Self, WireError> {
        let (wire, features) = handshake::connect(endpoint, schema, options)?;
        Ok(Self { wire, features, encoder })
    }

    pub(crate) fn negotiated_features(&self) -> NegotiatedFeatures {
        self.features
    }

    pub(crate) fn cutter(&self) -> ConnectionCutter {
        self.wire.cutter()
    }

    /// Runs a statement in the text protocol. Returns the number of rows received.
    pub(crate) fn query(&mut self, sql: &str) -> Result<u64, WireError> {
        self.encoder.append(sql, self.wire.command(COM_QUERY));
        self.wire.send()?;
        self.skip_result()
    }

    /// Returns `text` in the connection's character set.
    pub(crate) fn encode(&mut self, text: &str) -> Vec<u8> {
        self.encoder.encode(text).to_vec()
    }

    /// Runs a statement in the text protocol with literals in place of the `?`. `pieces` is the SQL
    /// around the `?`, as [`encode`](Self::encode) returns it.
    pub(crate) fn query_with(&mut self, pieces: &[Vec<u8>], values: &[Value<'_>]) -> Result<u64, WireError> {
        let payload = self.wire.command(COM_QUERY);
        let mut values = values.iter();
        for piece in pieces {
            payload.extend_from_slice(piece);
            match values.next() {
                Some(Value::Int(number)) => {
                    use std::io::Write;
                    write!(payload, "{number}").expect("a vector takes every write");
                }
                Some(Value::Text(text)) => {
                    payload.push(b'\'');
                    self.encoder.append(text, payload);
                    payload.push(b'\'');
                }
                Some(Value::Sql(sql)) => self.encoder.append(sql, payload),
                Some(value) => {
                    return Err(WireError::protocol(format!("{value:?} in a statement that is sent as text")));
                }
                None => {}
            }
        }
        self.wire.send()?;
        self.skip_result()
    }

    /// Runs a query in the text protocol and returns the first row; NULL is `None`. Empty if there
    /// is no row.
    pub(crate) fn query_first_row(&mut self, sql: &str) -> Result<Vec<Option<String>>, WireError> {
        let mut first = None;
        self.query_bounded(sql, |row| {
            first.get_or_insert_with(|| text_fields(row));
        })?;
        Ok(first.unwrap_or_default())
    }

    /// Runs a query in the text protocol and returns its rows; NULL is `None`. Fails if the rows
    /// have more than 4 MiB.
    pub(crate) fn query_rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, WireError> {
        let mut rows = Vec::new();
        self.query_bounded(sql, |row| rows.push(text_fields(row)))?;
        Ok(rows)
    }

    /// Runs a query whose whole result may have [`MAX_KEPT_BYTES`], and may take twice the time-out
    /// of a read.
    fn query_bounded(&mut self, sql: &str, mut keep: impl FnMut(&[u8])) -> Result<(), WireError> {
        self.encoder.append(sql, self.wire.command(COM_QUERY));
        self.wire.send()?;
        let mut remaining = MAX_KEPT_BYTES;
        self.wire.limit_time();
        let result = self.read_result(|row| {
            remaining = remaining.checked_sub(row.len()).ok_or_else(too_large)?;
            keep(row);
            Ok(())
        });
        self.wire.end_time_limit();
        result
    }

    /// Prepares a statement, which may take twice the time-out of a read.
    pub(crate) fn prepare(&mut self, sql: &str) -> Result<PreparedStatement, WireError> {
        self.wire.limit_time();
        let prepared = self.prepare_unlimited(sql);
        self.wire.end_time_limit();
        prepared
    }

    fn prepare_unlimited(&mut self, sql: &str) -> Result<PreparedStatement, WireError> {
        self.encoder.append(sql, self.wire.command(COM_STMT_PREPARE));
        self.wire.send()?;
        let answer = self.wire.read_packet()?;
        let &[0x00, id0, id1, id2, id3, columns0, columns1, parameters0, parameters1, ..] = answer else {
            return Err(unexpected_packet(answer, "the answer to a prepare"));
        };
        let columns = u16::from_le_bytes([columns0, columns1]);
        let parameters = u16::from_le_bytes([parameters0, parameters1]);
        for definitions in [parameters, columns] {
            self.skip_column_definitions(definitions.into())?;
        }
        let types = vec![TYPE_NULL; parameters.into()];
        Ok(PreparedStatement { id: u32::from_le_bytes([id0, id1, id2, id3]), types, types_sent: false })
    }

    /// Executes a prepared statement. Returns the number of rows received.
    #[inline]
    pub(crate) fn execute(
        &mut self,
        statement: &mut PreparedStatement,
        values: &[Value<'_>],
    ) -> Result<u64, WireError> {
        if values.len() != statement.types.len() {
            let (given, wanted) = (values.len(), statement.types.len());
            return Err(WireError::protocol(format!("{given} values for a statement with {wanted} parameters")));
        }
        statement.update_types(values);
        let payload = self.wire.command(COM_STMT_EXECUTE);
        payload.extend_from_slice(&statement.id.to_le_bytes());
        payload.push(0); // no cursor
        payload.extend_from_slice(&1u32.to_le_bytes());
        if !values.is_empty() {
            let nulls = payload.len();
            payload.resize(nulls + values.len().div_ceil(8), 0);
            payload.push(u8::from(!statement.types_sent));
            if !statement.types_sent {
                statement.types.iter().for_each(|kind| payload.extend_from_slice(&[*kind, 0]));
            }
            for (place, value) in values.iter().enumerate() {
                match value {
                    Value::Int(number) if statement.types[place] == TYPE_LONGLONG => {
                        payload.extend_from_slice(&number.to_le_bytes());
                    }
                    Value::Int(number) => payload.extend_from_slice(&(*number as i32).to_le_bytes()),
                    Value::Text(text) | Value::Sql(text) => append_string(payload, text, &mut self.encoder),
                    Value::Null => payload[nulls + place / 8] |= 1 << (place % 8),
                    Value::Double(number) => payload.extend_from_slice(&number.to_le_bytes()),
                    Value::Decimal(number) => append_bytes(payload, number.as_bytes()),
                    Value::Bytes(bytes) => append_bytes(payload, bytes),
                }
            }
        }
        self.wire.send()?;
        let rows = self.skip_result()?;
        statement.types_sent = true;
        Ok(rows)
    }

    #[inline]
    fn skip_result(&mut self) -> Result<u64, WireError> {
        let mut rows = 0;
        self.read_result(|_| {
            rows += 1;
            Ok(())
        })?;
        Ok(rows)
    }

    #[inline]
    fn read_result(&mut self, mut row: impl FnMut(&[u8]) -> Result<(), WireError>) -> Result<(), WireError> {
        let first = self.wire.read_packet()?;
        match first {
            [0x00, ..] => return Ok(()),
            [0xFF, ..] => return Err(server_error(first)),
            _ => {}
        }
        let mut rest = first;
        let Some(columns) = take_lenenc(&mut rest) else {
            return Err(unexpected_packet(first, "the head of a result"));
        };
        let definitions_follow = !self.features.cache_metadata || rest.first() != Some(&0);
        if definitions_follow {
            self.skip_column_definitions(columns)?;
        } else if !self.features.deprecate_eof {
            self.wire.read_packet()?;
        }
        loop {
            let packet = self.wire.read_packet()?;
            match packet {
                // End of the result: an EOF packet, or the OK packet that replaces it. A text row
                // starts with 0xFE only if its first field has 16 MiB or more, which `read_packet`
                // refuses.
                [0xFE, ..] => return Ok(()),
                [0xFF, ..] => return Err(server_error(packet)),
                _ => row(packet)?,
            }
        }
    }

    fn skip_column_definitions(&mut self, count: u64) -> Result<(), WireError> {
        if count > MAX_COLUMNS {
            return Err(WireError::protocol(format!("a result of {count} columns")));
        }
        if count == 0 {
            return Ok(());
        }
        let end_packet = u64::from(!self.features.deprecate_eof);
        for _ in 0..count + end_packet {
            self.wire.read_packet()?;
        }
        Ok(())
    }
}

/// Returns the fields of a text protocol row. Leaves out a truncated last field.
fn text_fields(row: &[u8]) -> Vec<Option<String>> {
    let (mut fields, mut rest) = (Vec::new(), row);
    while !rest.is_empty() {
        if rest[0] == 0xFB {
            rest = &rest[1..];
            fields.push(None);
            continue;
        }
        let length = take_lenenc(&mut rest).and_then(|length| usize::try_from(length).ok());
        let Some((field, after)) = length.and_then(|length| rest.split_at_checked(length)) else { break };
        rest = after;
        fields.push(Some(String::from_utf8_lossy(field).into_owned()));
    }
    fields
}

/// Returns the type to send a value as, given the parameter's previous type. An integer is LONG, as
/// sysbench binds it, until a value needs LONGLONG. NULL keeps the previous type.
#[inline]
fn parameter_type(value: &Value<'_>, before: u8) -> u8 {
    match value {
        Value::Int(number) if before == TYPE_LONGLONG || i32::try_from(*number).is_err() => TYPE_LONGLONG,
        Value::Int(_) => TYPE_LONG,
        Value::Text(_) | Value::Sql(_) => TYPE_STRING,
        Value::Null => before,
        Value::Double(_) => TYPE_DOUBLE,
        Value::Decimal(_) => TYPE_NEWDECIMAL,
        Value::Bytes(_) => TYPE_BLOB,
    }
}

#[inline]
fn append_string(payload: &mut Vec<u8>, text: &str, encoder: &mut Encoder) {
    append_bytes(payload, encoder.encode(text));
}

#[inline]
fn append_bytes(payload: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc(payload, bytes.len());
    payload.extend_from_slice(bytes);
}

fn too_large() -> WireError {
    WireError::protocol(format!("a result of more than {} MiB", MAX_KEPT_BYTES >> 20))
}

fn unexpected_packet(packet: &[u8], what: &str) -> WireError {
    match packet.first() {
        Some(0xFF) => server_error(packet),
        _ => WireError::protocol(what),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread::{self, JoinHandle};
    use std::time::Duration;

    use super::super::stream::Stream;
    use super::*;

    fn packet(payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() as u32).to_le_bytes();
        [&length[..3], &[0], payload].concat()
    }

    /// Returns a connection, and a server that answers the first query by `head`, and then by
    /// `rows` until the connection is closed, after a pause before each.
    fn rogue(timeout: Duration, head: Vec<u8>, rows: Vec<u8>, pause: Duration) -> (Connection, JoinHandle<()>) {
        let (near, mut far) = UnixStream::pair().unwrap();
        let features = NegotiatedFeatures { deprecate_eof: true, cache_metadata: false, tls: false };
        let encoder = Encoder::for_charset("utf8mb4").unwrap();
        let connection = Connection { wire: Wire::new(Stream::from_socket(near, timeout)), features, encoder };
        let server = thread::spawn(move || {
            let _ = far.read(&mut [0; 1024]);
            let _ = far.write_all(&head);
            while !rows.is_empty() && far.write_all(&rows).is_ok() {
                thread::sleep(pause);
            }
        });
        (connection, server)
    }

    fn head() -> Vec<u8> {
        [packet(&[1]), packet(b"definition")].concat()
    }

    #[test]
    fn the_first_row_is_returned() {
        let rows = [packet(&[1, b'a', 0xFB]), packet(&[1, b'b', 0xFB]), packet(&[0xFE])].concat();
        let (mut connection, server) =
            rogue(Duration::from_secs(60), [head(), rows].concat(), Vec::new(), Duration::ZERO);
        assert_eq!(connection.query_first_row("SELECT").unwrap(), [Some("a".to_owned()), None]);
        drop(connection);
        server.join().unwrap();
    }

    #[test]
    fn rows_without_end_are_not_kept() {
        let row = packet(&[&[0xFD, 0, 0, 1][..], &vec![b'x'; 1 << 16]].concat());
        for first_only in [true, false] {
            let (mut connection, server) = rogue(Duration::from_secs(60), head(), row.clone(), Duration::ZERO);
            let error = if first_only {
                connection.query_first_row("SELECT").unwrap_err()
            } else {
                connection.query_rows("SELECT").unwrap_err()
            };
            assert!(error.to_string().contains("more than 4 MiB"), "{error}");
            drop(connection);
            server.join().unwrap();
        }
    }

    /// Each read ends in time, but the result never does: empty rows, or one that comes bytewise.
    #[test]
    fn rows_that_come_slowly_have_a_time_limit() {
        for rows in [packet(&[0]), vec![0xF0, 0xFF, 0x00, 0x00]] {
            let (mut connection, server) = rogue(Duration::from_millis(200), head(), rows, Duration::from_millis(20));
            let error = connection.query_first_row("SELECT").unwrap_err();
            assert!(error.is_timeout(), "{error}");
            drop(connection);
            server.join().unwrap();
        }
    }

    #[test]
    fn impossible_numbers_of_columns_are_refused() {
        let columns = packet(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        // An EOF packet has less than 9 bytes; this is the head of a result.
        let (mut connection, server) = rogue(Duration::from_secs(60), columns, Vec::new(), Duration::ZERO);
        let error = connection.query("SELECT").unwrap_err();
        assert!(error.to_string().contains("18446744073709551615 columns"), "{error}");
        drop(connection);
        server.join().unwrap();
    }
}
