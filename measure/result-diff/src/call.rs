//! Executes a statement, and keeps the parts of its result that are compared.

use mysql::Value;
use mysql::prelude::Queryable;
use server::Conn;
use workload_folder::{Effect, Statement};

use crate::model::ServerMessage;

/// Maximum number of rows kept for examples and the comparison of order. All rows are counted and
/// hashed.
const MAX_KEPT_ROWS: usize = 10_000;

/// Length in bytes from which on no further rows of a call are kept.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// A value as text; `None` for NULL.
pub type Field = Option<Vec<u8>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResult {
    pub columns: Vec<String>,
    pub count: u64,
    /// First rows, up to [`MAX_KEPT_ROWS`] and about [`MAX_KEPT_BYTES`].
    pub rows: Vec<Vec<Field>>,
    /// Hash of all rows, independent of their order.
    pub content_hash: u64,
    pub affected: u64,
    /// Warnings and notes, sorted by number and text.
    pub warnings: Vec<ServerMessage>,
    pub error: Option<ServerMessage>,
}

/// Executes a statement with the values of a sample. Changes are rolled back if the tables are
/// transactional. After a connection error the server rolls back itself.
///
/// # Errors
/// If the connection or the protocol fails. The server's error on the statement is part of the
/// result.
pub fn call_statement(conn: &mut Conn, statement: &Statement, sample: usize) -> mysql::Result<CallResult> {
    let writes = statement.effect == Effect::Writes;
    if writes {
        conn.query_drop("START TRANSACTION")?;
    }
    let mut result = CallResult::default();
    match read_result(conn, &statement.with_values(sample), &mut result) {
        Ok(()) => {}
        Err(mysql::Error::MySqlError(error)) => {
            result.error = Some(ServerMessage { code: error.code, message: error.message });
        }
        Err(failure) => return Err(failure),
    }
    let warnings: Vec<(String, u16, String)> = conn.query("SHOW WARNINGS")?;
    result.warnings = warnings
        .into_iter()
        .filter(|(level, ..)| level != "Error")
        .map(|(_, code, message)| ServerMessage { code, message })
        .collect();
    result.warnings.sort();
    if writes {
        conn.query_drop("ROLLBACK")?;
    }
    Ok(result)
}

fn read_result(conn: &mut Conn, text: &str, result: &mut CallResult) -> mysql::Result<()> {
    let mut set = conn.rows(text)?;
    result.columns = set.column_names();
    result.affected = set.affected_rows();
    let mut kept_bytes = 0;
    for row in set.by_ref() {
        let row: Vec<Field> = row?.unwrap().into_iter().map(convert_field).collect();
        result.count += 1;
        result.content_hash = result.content_hash.wrapping_add(hash_row(&row));
        if result.rows.len() < MAX_KEPT_ROWS && kept_bytes < MAX_KEPT_BYTES {
            kept_bytes += row.iter().flatten().map(Vec::len).sum::<usize>();
            result.rows.push(row);
        }
    }
    Ok(())
}

/// Converts a value of the text protocol, which sends all values except NULL as bytes.
fn convert_field(value: Value) -> Field {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(bytes),
        other => Some(other.as_sql(true).into_bytes()),
    }
}

/// FNV-1a over the fields with their lengths.
fn hash_row(row: &[Field]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    for field in row {
        match field {
            None => add(0xFF),
            Some(bytes) => {
                (bytes.len() as u32).to_le_bytes().into_iter().for_each(&mut add);
                bytes.iter().copied().for_each(&mut add);
            }
        }
    }
    hash
}
