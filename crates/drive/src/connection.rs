//! One connection of the load: plain queries, and prepared statements whose types are sent once.

use server::Endpoint;
use workload::Value;

use crate::charset::Encoder;
use crate::error::WireError;
use crate::handshake::{self, Agreed, Manners};
use crate::stream::Cut;
use crate::wire::{Wire, put_lenenc, server_error, take_lenenc};

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

/// A statement that the server has prepared for one connection.
pub(crate) struct Prepared {
    id: u32,
    /// The type of each parameter as it was sent last; NULL's until there was a value.
    types: Vec<u8>,
    /// The server remembers the types of the last execution that sent them.
    types_known: bool,
}

impl Prepared {
    /// Takes down the types that these values are sent as, and whether the server must be told.
    #[inline]
    fn settle_types(&mut self, values: &[Value<'_>]) {
        for (known, value) in self.types.iter_mut().zip(values) {
            let kind = type_of(value, *known);
            if kind != *known {
                (*known, self.types_known) = (kind, false);
            }
        }
    }
}

pub(crate) struct Connection {
    wire: Wire,
    agreed: Agreed,
    encoder: Encoder,
}

impl Connection {
    pub(crate) fn open(
        endpoint: &Endpoint,
        schema: &str,
        manners: Manners,
        encoder: Encoder,
    ) -> Result<Self, WireError> {
        let (wire, agreed) = handshake::connect(endpoint, schema, manners)?;
        Ok(Self { wire, agreed, encoder })
    }

    /// What was agreed on while connecting.
    pub(crate) fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// What ends this connection from another thread.
    pub(crate) fn cut(&self) -> Cut {
        self.wire.cut()
    }

    /// Runs a statement in the text protocol and returns how many rows it sent.
    pub(crate) fn query(&mut self, sql: &str) -> Result<u64, WireError> {
        self.wire.command(COM_QUERY).extend_from_slice(sql.as_bytes());
        self.wire.send()?;
        self.skip_result()
    }

    /// Runs a statement in the text protocol whose `?` are replaced by literals; `pieces` is its SQL between them.
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

    /// Runs a query in the text protocol and returns the fields of its first row, NULL as `None`.
    pub(crate) fn first_row(&mut self, sql: &str) -> Result<Vec<Option<String>>, WireError> {
        Ok(self.rows(sql)?.into_iter().next().unwrap_or_default())
    }

    /// Runs a query in the text protocol and returns its rows, NULL as `None`.
    pub(crate) fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, WireError> {
        self.wire.command(COM_QUERY).extend_from_slice(sql.as_bytes());
        self.wire.send()?;
        let mut rows = Vec::new();
        self.walk_result(|row| rows.push(text_fields(row)))?;
        Ok(rows)
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Prepared, WireError> {
        self.encoder.append(sql, self.wire.command(COM_STMT_PREPARE));
        self.wire.send()?;
        let answer = self.wire.packet()?;
        let &[0x00, id0, id1, id2, id3, columns0, columns1, parameters0, parameters1, ..] = answer else {
            return Err(unexpected(answer, "the answer to a prepare"));
        };
        let columns = usize::from(u16::from_le_bytes([columns0, columns1]));
        let parameters = usize::from(u16::from_le_bytes([parameters0, parameters1]));
        for definitions in [parameters, columns] {
            self.skip_definitions(definitions)?;
        }
        let types = vec![TYPE_NULL; parameters];
        Ok(Prepared { id: u32::from_le_bytes([id0, id1, id2, id3]), types, types_known: false })
    }

    /// Executes a prepared statement and returns how many rows it sent.
    #[inline]
    pub(crate) fn execute(&mut self, statement: &mut Prepared, values: &[Value<'_>]) -> Result<u64, WireError> {
        if values.len() != statement.types.len() {
            let (given, wanted) = (values.len(), statement.types.len());
            return Err(WireError::protocol(format!("{given} values for a statement with {wanted} parameters")));
        }
        statement.settle_types(values);
        let payload = self.wire.command(COM_STMT_EXECUTE);
        payload.extend_from_slice(&statement.id.to_le_bytes());
        payload.push(0); // no cursor
        payload.extend_from_slice(&1u32.to_le_bytes());
        if !values.is_empty() {
            let nulls = payload.len();
            payload.resize(nulls + values.len().div_ceil(8), 0);
            payload.push(u8::from(!statement.types_known));
            if !statement.types_known {
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
        statement.types_known = true;
        Ok(rows)
    }

    #[inline]
    fn skip_result(&mut self) -> Result<u64, WireError> {
        let mut rows = 0;
        self.walk_result(|_| rows += 1)?;
        Ok(rows)
    }

    #[inline]
    fn walk_result(&mut self, mut row: impl FnMut(&[u8])) -> Result<(), WireError> {
        let first = self.wire.packet()?;
        match first {
            [0x00, ..] => return Ok(()),
            [0xFF, ..] => return Err(server_error(first)),
            _ => {}
        }
        let mut rest = first;
        let Some(columns) = take_lenenc(&mut rest) else { return Err(unexpected(first, "the head of a result")) };
        let definitions_follow = !self.agreed.cache_metadata || rest.first() != Some(&0);
        if definitions_follow {
            self.skip_definitions(columns as usize)?;
        } else if !self.agreed.deprecate_eof {
            self.wire.packet()?;
        }
        loop {
            let packet = self.wire.packet()?;
            match packet {
                // A row of the text protocol may begin with 0xFE only when its first field has 16 MiB or more,
                // which `packet` refuses: so this ends the result, as an EOF packet or as the OK packet in its place.
                [0xFE, ..] => return Ok(()),
                [0xFF, ..] => return Err(server_error(packet)),
                _ => row(packet),
            }
        }
    }

    fn skip_definitions(&mut self, count: usize) -> Result<(), WireError> {
        if count == 0 {
            return Ok(());
        }
        let end_packet = usize::from(!self.agreed.deprecate_eof);
        for _ in 0..count + end_packet {
            self.wire.packet()?;
        }
        Ok(())
    }
}

/// The fields of a row of the text protocol; those that it cuts short are left out.
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

/// The type that a value is sent as, where its parameter had this one before. An integer is a LONG, which is what sysbench binds, until one
/// does not fit; NULL is of any type.
#[inline]
fn type_of(value: &Value<'_>, before: u8) -> u8 {
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

fn unexpected(packet: &[u8], what: &str) -> WireError {
    match packet.first() {
        Some(0xFF) => server_error(packet),
        _ => WireError::protocol(what),
    }
}
