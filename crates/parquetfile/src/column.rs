//! What a column holds, by its physical and its annotated type.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::Type;

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds; absent where that is nested, or nothing that a column of a table holds.
    pub kind: Option<Kind>,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// Whole numbers, and 1 and 0 for true and false.
    Int,
    /// Exact numbers.
    Decimal,
    /// Approximate numbers.
    Float,
    /// Dates, times of day, or both.
    Time,
}

/// How a value is read beyond what the library makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    AsRead,
    /// Bytes that are text.
    Utf8,
    /// Nanoseconds since 1970.
    TimestampNanos,
    /// Nanoseconds since midnight.
    TimeNanos,
}

impl Column {
    pub(crate) fn of(column: &Type) -> Self {
        Self { name: column.name().to_owned(), kind: read(column).map(|(kind, _)| kind) }
    }
}

/// What a column holds and how it is read. What is not named here is not read: the library panics where it has no value for a type.
pub(crate) fn read(column: &Type) -> Option<(Kind, Meaning)> {
    let info = column.get_basic_info();
    if !column.is_primitive() || (info.has_repetition() && info.repetition() == Repetition::REPEATED) {
        return None;
    }
    // The library derives it from the logical type where the file has that alone.
    let converted = info.converted_type();
    let logical = info.logical_type_ref();
    let nanos = |unit: &TimeUnit| matches!(unit, TimeUnit::NANOS);
    let kind = match column.get_physical_type() {
        Physical::BOOLEAN => Kind::Int,
        Physical::INT32 => match converted {
            ConvertedType::NONE | ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 => Kind::Int,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 => Kind::Int,
            ConvertedType::DATE | ConvertedType::TIME_MILLIS => Kind::Time,
            ConvertedType::DECIMAL => Kind::Decimal,
            _ => return None,
        },
        Physical::INT64 => match (converted, logical) {
            (ConvertedType::NONE, Some(LogicalType::Timestamp(time))) if nanos(&time.unit) => {
                return Some((Kind::Time, Meaning::TimestampNanos));
            }
            (ConvertedType::NONE, Some(LogicalType::Time(time))) if nanos(&time.unit) => {
                return Some((Kind::Time, Meaning::TimeNanos));
            }
            (ConvertedType::NONE | ConvertedType::INT_64 | ConvertedType::UINT_64, _) => Kind::Int,
            (ConvertedType::TIME_MICROS | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) => {
                Kind::Time
            }
            (ConvertedType::DECIMAL, _) => Kind::Decimal,
            _ => return None,
        },
        Physical::INT96 => Kind::Time,
        Physical::FLOAT | Physical::DOUBLE => Kind::Float,
        Physical::BYTE_ARRAY => match (converted, logical) {
            (ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON, _) => Kind::Text,
            (ConvertedType::NONE, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)) => {
                return Some((Kind::Text, Meaning::Utf8));
            }
            (ConvertedType::NONE | ConvertedType::BSON, _) => Kind::Bytes,
            (ConvertedType::DECIMAL, _) => Kind::Decimal,
            _ => return None,
        },
        Physical::FIXED_LEN_BYTE_ARRAY => match (converted, logical) {
            (ConvertedType::NONE, Some(LogicalType::Float16)) => Kind::Float,
            (ConvertedType::NONE, _) => Kind::Bytes,
            (ConvertedType::DECIMAL, _) => Kind::Decimal,
            _ => return None,
        },
    };
    Some((kind, Meaning::AsRead))
}
