//! Values in CSV: typed by their column's head, the same for rows and for samples of parameters.
//!
//! A head is `name`, `name:type` or `name:type[]`. Text is the default. NULL is `\N`; text that begins with a backslash has one more in
//! front. A list is a JSON array.

use sql::Value;

/// A value; `None` is NULL.
pub type Cell = Option<Value>;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text.
    Text,
    /// A whole number.
    Int,
    /// An exact number.
    Decimal,
    /// An approximate number.
    Float,
    /// Bytes as hexadecimal digits.
    Hex,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the table's column, or of the parameter.
    pub name: String,
    /// Type.
    pub kind: Type,
    /// Whether each value is a list, for `IN (:name)`.
    pub is_list: bool,
}

const NULL: &str = "\\N";
const TYPES: [(Type, &str); 5] =
    [(Type::Text, "text"), (Type::Int, "int"), (Type::Decimal, "decimal"), (Type::Float, "float"), (Type::Hex, "hex")];

impl Type {
    /// The type of a value; a list's is that of its members.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Int(_) => Type::Int,
            Value::Decimal(_) => Type::Decimal,
            Value::Float(_) => Type::Float,
            Value::Text(_) => Type::Text,
            Value::Bytes(_) => Type::Hex,
            Value::List(members) => members.first().map_or(Type::Text, Type::of),
        }
    }

    fn name(self) -> &'static str {
        TYPES.iter().find(|(kind, _)| *kind == self).map_or("text", |(_, name)| name)
    }

    fn value(self, text: &str) -> Result<Value, String> {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        match self {
            Type::Text => Ok(Value::Text(text.to_owned())),
            Type::Int => text.parse().map(Value::Int).map_err(|_| format!("`{text}` is no whole number of 64 bits")),
            Type::Decimal if is_number(text) && !text.contains(['e', 'E']) => Ok(Value::Decimal(text.to_owned())),
            Type::Float if is_number(text) => Ok(Value::Float(text.to_owned())),
            Type::Decimal | Type::Float => Err(format!("`{text}` is no number")),
            Type::Hex => {
                hex(text).map(Value::Bytes).ok_or_else(|| format!("`{text}` is no even number of hexadecimal digits"))
            }
        }
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let even = text.len().is_multiple_of(2);
    even.then(|| text.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect())?
}

impl Column {
    /// A column of single values.
    pub fn new(name: &str, kind: Type) -> Self {
        Self { name: name.to_owned(), kind, is_list: false }
    }

    /// Reads a head.
    pub(crate) fn read(head: &str) -> Result<Self, String> {
        let (name, kind) = head.split_once(':').unwrap_or((head, "text"));
        let (kind, is_list) = kind.strip_suffix("[]").map_or((kind, false), |kind| (kind, true));
        let found = TYPES.iter().find(|(_, known)| *known == kind.trim());
        let Some((kind, _)) = found else {
            return Err(format!(
                "`{kind}` is no type of a column; there are text, int, decimal, float and hex, each with [] for a list"
            ));
        };
        Ok(Self { name: name.trim().to_owned(), kind: *kind, is_list })
    }

    /// The head as it is written.
    pub(crate) fn written(&self) -> String {
        let list = if self.is_list { "[]" } else { "" };
        match self.kind {
            Type::Text if !self.is_list => self.name.clone(),
            kind => format!("{}:{}{list}", self.name, kind.name()),
        }
    }

    /// Reads a field.
    pub(crate) fn cell(&self, field: &str) -> Result<Cell, String> {
        if field == NULL {
            return Ok(None);
        }
        if self.is_list {
            return self.list(field).map(Some);
        }
        let text = match self.kind {
            Type::Text => field.strip_prefix('\\').unwrap_or(field),
            _ => field.trim(),
        };
        self.kind.value(text).map(Some)
    }

    fn list(&self, field: &str) -> Result<Value, String> {
        let members: Vec<serde_json::Value> =
            serde_json::from_str(field).map_err(|error| format!("`{field}` is no JSON array: {error}"))?;
        if members.is_empty() {
            return Err("a list has at least one member".to_owned());
        }
        let text = |member: serde_json::Value| match member {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let values = members.into_iter().map(|member| self.kind.value(&text(member)));
        values.collect::<Result<_, _>>().map(Value::List)
    }
}

/// A field as it is written.
pub(crate) fn written(cell: &Cell) -> String {
    match cell {
        None => NULL.to_owned(),
        Some(Value::List(members)) => {
            let member = |value: &Value| match value {
                Value::Int(number) => serde_json::Value::from(*number),
                // As text: JSON's numbers would lose digits.
                other => serde_json::Value::from(plain(other)),
            };
            serde_json::Value::from(members.iter().map(member).collect::<Vec<_>>()).to_string()
        }
        Some(Value::Text(text)) if text.starts_with('\\') => format!("\\{text}"),
        Some(value) => plain(value),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Decimal(text) | Value::Float(text) | Value::Text(text) => text.clone(),
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        Value::List(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heads_are_read_and_written() {
        for head in ["mail", "id:int", "ids:int[]", "names:text[]", "photo:hex"] {
            assert_eq!(Column::read(head).unwrap().written(), head);
        }
        assert_eq!(Column::read(" id : int "), Ok(Column::new("id", Type::Int)));
        assert!(Column::read("id:integer").unwrap_err().contains("no type"));
    }

    #[test]
    fn fields_are_held_to_their_type() {
        let cell = |head: &str, field: &str| Column::read(head).unwrap().cell(field);
        assert_eq!(cell("a:int", "-5"), Ok(Some(Value::Int(-5))));
        assert_eq!(cell("a:int", "\\N"), Ok(None));
        assert!(cell("a:int", "5.0").unwrap_err().contains("whole number"));
        assert!(cell("a:hex", "4").is_err() && cell("a:decimal", "1e3").is_err() && cell("a:float", "x").is_err());
        assert_eq!(cell("a:int[]", "[1, 2]"), Ok(Some(Value::List(vec![Value::Int(1), Value::Int(2)]))));
        assert!(cell("a:int[]", "1, 2").is_err() && cell("a:int[]", "[]").is_err());
        assert_eq!(cell("a", ""), Ok(Some(Value::Text(String::new()))));
    }

    proptest! {
        #[test]
        fn values_come_back(text in ".{0,20}", number: i64, bytes: Vec<u8>, list in prop::collection::vec(".{0,8}", 1..4)) {
            let list = Value::List(list.into_iter().map(Value::Text).collect());
            for value in [Value::Text(text.clone()), Value::Text(format!("\\{text}")), Value::Int(number), Value::Bytes(bytes), list] {
                let column = Column { is_list: matches!(value, Value::List(_)), ..Column::new("a", Type::of(&value)) };
                let cell = Some(value);
                prop_assert_eq!(column.cell(&written(&cell)), Ok(cell));
            }
        }
    }
}
