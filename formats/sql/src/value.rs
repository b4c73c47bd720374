//! Typed values of parameters and rows.

use std::fmt::Write as _;

use crate::quote::{hex_literal, quote_string_in};
use crate::sql_mode::SqlMode;

/// A value of a parameter or of a row. NULL is `Option::None` where it can occur.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Int(i64),
    /// An exact number that [`Value::Int`] can't hold, as written: `2.50`, `18446744073709551615`.
    Decimal(String),
    /// An approximate number, as written: `1e3`.
    Float(String),
    Text(String),
    /// Bytes: `X'41'`, `0x41`.
    Bytes(Vec<u8>),
    /// The members of a list in `IN (…)`, all of one type.
    List(Vec<Value>),
}

impl Value {
    /// Appends the value as a literal. A list becomes its members, separated by `, `.
    pub fn write_literal(&self, mode: SqlMode, out: &mut String) {
        match self {
            Value::Int(number) => drop(write!(out, "{number}")),
            Value::Decimal(number) | Value::Float(number) => out.push_str(number),
            Value::Text(text) => out.push_str(&quote_string_in(text, mode)),
            Value::Bytes(bytes) => out.push_str(&hex_literal(bytes)),
            Value::List(members) => {
                for (at, member) in members.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    member.write_literal(mode, out);
                }
            }
        }
    }

    /// Returns the value as a literal, as [`Value::write_literal`] writes it.
    pub fn to_literal(&self, mode: SqlMode) -> String {
        let mut literal = String::new();
        self.write_literal(mode, &mut literal);
        literal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_literals() {
        let text = Value::Text(r"it's \".to_owned());
        let list = Value::List(vec![Value::Int(-1), text.clone(), Value::Bytes(vec![255])]);
        assert_eq!(list.to_literal(SqlMode::default()), r"-1, 'it''s \\', X'FF'");
        let mode = SqlMode { no_backslash_escapes: true, ..SqlMode::default() };
        assert_eq!(text.to_literal(mode), r"'it''s \'");
    }
}
