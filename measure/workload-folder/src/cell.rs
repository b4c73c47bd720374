//! Values in CSV files of rows and samples. The column's head has their type.
//!
//! A head is `name`, `name:type` or `name:type[]`; the type is text by default. NULL is `\N`. A
//! backslash precedes text that begins with a backslash. A list is a JSON array.

use sql::Value;

/// A value; `None` is NULL.
pub type Cell = Option<Value>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellType {
    Text,
    /// A signed integer of 64 bits.
    Int,
    Decimal,
    Float,
    /// Bytes as hexadecimal digits.
    Hex,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of a table's column, or of a parameter.
    pub name: String,
    pub kind: CellType,
    /// True if each value is a list, for `IN (:name)`.
    pub is_list: bool,
}

const NULL_FIELD: &str = "\\N";
const TYPE_NAMES: [(CellType, &str); 5] = [
    (CellType::Text, "text"),
    (CellType::Int, "int"),
    (CellType::Decimal, "decimal"),
    (CellType::Float, "float"),
    (CellType::Hex, "hex"),
];

impl CellType {
    /// Returns the type of a value. A list has the type of its first member.
    pub fn from_value(value: &Value) -> Self {
        match value {
            Value::Int(_) => CellType::Int,
            Value::Decimal(_) => CellType::Decimal,
            Value::Float(_) => CellType::Float,
            Value::Text(_) => CellType::Text,
            Value::Bytes(_) => CellType::Hex,
            Value::List(members) => members.first().map_or(CellType::Text, CellType::from_value),
        }
    }

    fn name(self) -> &'static str {
        TYPE_NAMES.iter().find(|(kind, _)| *kind == self).map_or("text", |(_, name)| name)
    }

    fn parse_value(self, text: &str) -> Result<Value, String> {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        match self {
            CellType::Text => Ok(Value::Text(text.to_owned())),
            CellType::Int => text.parse().map(Value::Int).map_err(|_| format!("`{text}` is not an integer of 64 bits")),
            CellType::Decimal if is_number(text) && !text.contains(['e', 'E']) => Ok(Value::Decimal(text.to_owned())),
            CellType::Float if is_number(text) => Ok(Value::Float(text.to_owned())),
            CellType::Decimal | CellType::Float => Err(format!("`{text}` is not a number")),
            CellType::Hex => parse_hex(text)
                .map(Value::Bytes)
                .ok_or_else(|| format!("`{text}` is not an even number of hexadecimal digits")),
        }
    }
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let even = text.len().is_multiple_of(2);
    even.then(|| text.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect())?
}

impl Column {
    /// Creates a column of single values.
    pub fn new(name: &str, kind: CellType) -> Self {
        Self { name: name.to_owned(), kind, is_list: false }
    }

    /// Parses a head: `id`, `id:int`, `ids:int[]`.
    pub(crate) fn parse_head(head: &str) -> Result<Self, String> {
        // A name may hold a colon itself.
        let (name, kind) = head.rsplit_once(':').unwrap_or((head, "text"));
        let (kind, is_list) = kind.strip_suffix("[]").map_or((kind, false), |kind| (kind, true));
        let found = TYPE_NAMES.iter().find(|(_, known)| *known == kind.trim());
        let Some((kind, _)) = found else {
            return Err(format!(
                "unknown column type `{kind}`; the types are text, int, decimal, float and hex, with [] for a list"
            ));
        };
        Ok(Self { name: name.trim().to_owned(), kind: *kind, is_list })
    }

    pub(crate) fn to_head(&self) -> String {
        let list = if self.is_list { "[]" } else { "" };
        match self.kind {
            CellType::Text if !self.is_list && !self.name.contains(':') => self.name.clone(),
            kind => format!("{}:{}{list}", self.name, kind.name()),
        }
    }

    pub(crate) fn parse_cell(&self, field: &str) -> Result<Cell, String> {
        if field == NULL_FIELD {
            return Ok(None);
        }
        if self.is_list {
            return self.parse_list(field).map(Some);
        }
        let text = match self.kind {
            CellType::Text => field.strip_prefix('\\').unwrap_or(field),
            _ => field.trim(),
        };
        self.kind.parse_value(text).map(Some)
    }

    fn parse_list(&self, field: &str) -> Result<Value, String> {
        let members: Vec<serde_json::Value> =
            serde_json::from_str(field).map_err(|error| format!("`{field}` is not a JSON array: {error}"))?;
        if members.is_empty() {
            return Err("a list needs at least one member".to_owned());
        }
        let text = |member: serde_json::Value| match member {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let values = members.into_iter().map(|member| self.kind.parse_value(&text(member)));
        values.collect::<Result<_, _>>().map(Value::List)
    }
}

pub(crate) fn format_cell(cell: &Cell) -> String {
    match cell {
        None => NULL_FIELD.to_owned(),
        Some(Value::List(members)) => {
            let member = |value: &Value| match value {
                Value::Int(number) => serde_json::Value::from(*number),
                // As a string, since JSON numbers would lose digits.
                other => serde_json::Value::from(format_scalar(other)),
            };
            serde_json::Value::from(members.iter().map(member).collect::<Vec<_>>()).to_string()
        }
        Some(Value::Text(text)) if text.starts_with('\\') => format!("\\{text}"),
        Some(value) => format_scalar(value),
    }
}

fn format_scalar(value: &Value) -> String {
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
    fn parses_and_formats_heads() {
        for head in ["mail", "id:int", "ids:int[]", "names:text[]", "photo:hex", "a:b:text", "a:b:int"] {
            assert_eq!(Column::parse_head(head).unwrap().to_head(), head);
        }
        assert_eq!(Column::parse_head(" id : int "), Ok(Column::new("id", CellType::Int)));
        assert!(Column::parse_head("id:integer").unwrap_err().contains("unknown column type"));
    }

    #[test]
    fn checks_fields_by_type() {
        let cell = |head: &str, field: &str| Column::parse_head(head).unwrap().parse_cell(field);
        assert_eq!(cell("a:int", "-5"), Ok(Some(Value::Int(-5))));
        assert_eq!(cell("a:int", "\\N"), Ok(None));
        assert!(cell("a:int", "5.0").unwrap_err().contains("not an integer"));
        assert!(cell("a:hex", "4").is_err() && cell("a:decimal", "1e3").is_err() && cell("a:float", "x").is_err());
        assert_eq!(cell("a:int[]", "[1, 2]"), Ok(Some(Value::List(vec![Value::Int(1), Value::Int(2)]))));
        assert!(cell("a:int[]", "1, 2").is_err() && cell("a:int[]", "[]").is_err());
        assert_eq!(cell("a", ""), Ok(Some(Value::Text(String::new()))));
    }

    proptest! {
        #[test]
        fn parses_what_it_formats(text in ".{0,20}", number: i64, bytes: Vec<u8>, list in prop::collection::vec(".{0,8}", 1..4)) {
            let list = Value::List(list.into_iter().map(Value::Text).collect());
            for value in [Value::Text(text.clone()), Value::Text(format!("\\{text}")), Value::Int(number), Value::Bytes(bytes), list] {
                let column = Column { is_list: matches!(value, Value::List(_)), ..Column::new("a", CellType::from_value(&value)) };
                let cell = Some(value);
                prop_assert_eq!(column.parse_cell(&format_cell(&cell)), Ok(cell));
            }
        }
    }
}
