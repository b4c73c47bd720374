//! A row of the data dictionary, whose types differ from version to version and from protocol to protocol.

use mysql::{Row, Value};

/// The values of a row.
pub(super) struct Cells(Vec<Value>);

impl From<Row> for Cells {
    fn from(row: Row) -> Self {
        Self(row.unwrap())
    }
}

impl Cells {
    /// A value as text; `None` for NULL.
    pub fn opt(&self, index: usize) -> Option<String> {
        match self.0.get(index)? {
            Value::NULL => None,
            Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Value::Int(number) => Some(number.to_string()),
            Value::UInt(number) => Some(number.to_string()),
            Value::Float(number) => Some(number.to_string()),
            Value::Double(number) => Some(number.to_string()),
            other => Some(other.as_sql(true)),
        }
    }

    /// A value as text; empty for NULL.
    pub fn text(&self, index: usize) -> String {
        self.opt(index).unwrap_or_default()
    }

    /// A value as a number; `None` for NULL and for what is none.
    pub fn number(&self, index: usize) -> Option<u64> {
        match self.0.get(index)? {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::UInt(number) => Some(*number),
            _ => self.opt(index)?.parse().ok(),
        }
    }

    /// Whether the value is `YES`.
    pub fn yes(&self, index: usize) -> bool {
        self.opt(index).is_some_and(|value| value.eq_ignore_ascii_case("yes"))
    }
}
