//! What a side answers to a call.

use mysql::prelude::Queryable;
use mysql::{Conn, Value};
use replay::{Effect, Statement};

use crate::model::Message;

/// Rows that are kept to be shown; all are counted and told apart.
const KEPT: usize = 10_000;

/// A value as text, or NULL.
pub type Field = Option<Vec<u8>>;

/// What a side answers to a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// How many rows.
    pub count: u64,
    /// The first rows.
    pub rows: Vec<Vec<Field>>,
    /// The same for the same rows in any order.
    pub content: u64,
    /// Rows that were changed.
    pub affected: u64,
    /// Warnings and notes, sorted.
    pub warnings: Vec<Message>,
    /// The error that it ended with.
    pub error: Option<Message>,
}

/// Calls a statement with a sample's values. What it changes is rolled back.
///
/// # Errors
/// If the connection is lost; an error of the server's is an answer.
pub fn call(conn: &mut Conn, statement: &Statement, sample: usize) -> mysql::Result<Answer> {
    let writes = statement.effect == Effect::Writes;
    if writes {
        conn.query_drop("START TRANSACTION")?;
    }
    let mut answer = Answer::default();
    match read(conn, &statement.with_values(sample), &mut answer) {
        Ok(()) => {}
        Err(mysql::Error::MySqlError(error)) => {
            answer.error = Some(Message { code: error.code, message: error.message });
        }
        Err(lost) => return Err(lost),
    }
    let warnings: Vec<(String, u16, String)> = conn.query("SHOW WARNINGS")?;
    answer.warnings = warnings
        .into_iter()
        .filter(|(level, ..)| level != "Error")
        .map(|(_, code, message)| Message { code, message })
        .collect();
    answer.warnings.sort();
    if writes {
        conn.query_drop("ROLLBACK")?;
    }
    Ok(answer)
}

fn read(conn: &mut Conn, text: &str, answer: &mut Answer) -> mysql::Result<()> {
    let mut result = conn.query_iter(text)?;
    answer.columns = result.columns().as_ref().iter().map(|column| column.name_str().into_owned()).collect();
    answer.affected = result.affected_rows();
    for row in result.by_ref() {
        let row: Vec<Field> = row?.unwrap().into_iter().map(field).collect();
        answer.count += 1;
        answer.content = answer.content.wrapping_add(hash(&row));
        if answer.rows.len() < KEPT {
            answer.rows.push(row);
        }
    }
    Ok(())
}

/// Values of the text protocol are bytes.
fn field(value: Value) -> Field {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(bytes),
        other => Some(other.as_sql(true).into_bytes()),
    }
}

/// FNV-1a over the fields, each with its length.
fn hash(row: &[Field]) -> u64 {
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
