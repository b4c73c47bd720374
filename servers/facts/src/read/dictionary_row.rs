//! Rows of `information_schema` and `SHOW`. The types of their values differ between server
//! versions, and between the text and binary protocols.

use mysql::{Row, Value};

/// Values of a row.
pub(super) struct DictionaryRow(Vec<Value>);

impl From<Row> for DictionaryRow {
    fn from(row: Row) -> Self {
        Self(row.unwrap())
    }
}

impl DictionaryRow {
    pub fn columns(&self) -> usize {
        self.0.len()
    }

    /// Returns a value as text. `None` for NULL.
    pub fn optional_text(&self, index: usize) -> Option<String> {
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

    /// Returns a value as text. Empty for NULL.
    pub fn text(&self, index: usize) -> String {
        self.optional_text(index).unwrap_or_default()
    }

    /// Returns a value as a number. `None` for NULL, negative numbers, and text that is no number.
    pub fn number(&self, index: usize) -> Option<u64> {
        match self.0.get(index)? {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::UInt(number) => Some(*number),
            _ => self.optional_text(index)?.parse().ok(),
        }
    }

    /// True if the value is `YES`, in any case of letters.
    pub fn is_yes(&self, index: usize) -> bool {
        self.optional_text(index).is_some_and(|value| value.eq_ignore_ascii_case("yes"))
    }
}
