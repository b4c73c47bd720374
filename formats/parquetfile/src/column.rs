//! Kinds of columns, by physical and logical type.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::Type;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// Kind of the values; `None` if the column is nested or its type is not supported.
    pub kind: Option<ColumnKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Bytes,
    /// Integers; booleans as 1 and 0. An integer above `i64::MAX` is read as
    /// [`Value::Decimal`](crate::Value::Decimal).
    Int,
    Decimal,
    Float,
    /// Dates, times of day, or both.
    Time,
}

/// Conversion of a value after the Parquet library has read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    Unchanged,
    Utf8,
    /// From nanoseconds since 1970-01-01 00:00:00 UTC.
    TimestampNanos,
    /// From nanoseconds since midnight.
    TimeNanos,
    /// Read by [`Int96Column`](crate::int96::Int96Column).
    Int96,
}

impl Column {
    pub(crate) fn from_type(column: &Type) -> Self {
        Self { name: column.name().to_owned(), kind: classify(column).map(|(kind, _)| kind) }
    }
}

/// Returns a column's kind and conversion. `None` for nested columns, and for types that this
/// function doesn't list: the Parquet library panics on types that it has no value for.
pub(crate) fn classify(column: &Type) -> Option<(ColumnKind, Conversion)> {
    let info = column.get_basic_info();
    if !column.is_primitive() || (info.has_repetition() && info.repetition() == Repetition::REPEATED) {
        return None;
    }
    // The library derives the converted type from the logical type if the file has only the latter.
    let converted = info.converted_type();
    let logical = info.logical_type_ref();
    let nanos = |unit: &TimeUnit| matches!(unit, TimeUnit::NANOS);
    let kind = match column.get_physical_type() {
        Physical::BOOLEAN => ColumnKind::Int,
        Physical::INT32 => match converted {
            ConvertedType::NONE | ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 => {
                ColumnKind::Int
            }
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 => ColumnKind::Int,
            ConvertedType::DATE | ConvertedType::TIME_MILLIS => ColumnKind::Time,
            ConvertedType::DECIMAL => ColumnKind::Decimal,
            _ => return None,
        },
        Physical::INT64 => match (converted, logical) {
            (ConvertedType::NONE, Some(LogicalType::Timestamp(time))) if nanos(&time.unit) => {
                return Some((ColumnKind::Time, Conversion::TimestampNanos));
            }
            (ConvertedType::NONE, Some(LogicalType::Time(time))) if nanos(&time.unit) => {
                return Some((ColumnKind::Time, Conversion::TimeNanos));
            }
            (ConvertedType::NONE | ConvertedType::INT_64 | ConvertedType::UINT_64, _) => ColumnKind::Int,
            (ConvertedType::TIME_MICROS | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) => {
                ColumnKind::Time
            }
            (ConvertedType::DECIMAL, _) => ColumnKind::Decimal,
            _ => return None,
        },
        Physical::INT96 => return Some((ColumnKind::Time, Conversion::Int96)),
        Physical::FLOAT | Physical::DOUBLE => ColumnKind::Float,
        Physical::BYTE_ARRAY => match (converted, logical) {
            (ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON, _) => ColumnKind::Text,
            (ConvertedType::NONE, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)) => {
                return Some((ColumnKind::Text, Conversion::Utf8));
            }
            (ConvertedType::NONE | ConvertedType::BSON, _) => ColumnKind::Bytes,
            (ConvertedType::DECIMAL, _) => ColumnKind::Decimal,
            _ => return None,
        },
        Physical::FIXED_LEN_BYTE_ARRAY => match (converted, logical) {
            (ConvertedType::NONE, Some(LogicalType::Float16)) => ColumnKind::Float,
            (ConvertedType::NONE, _) => ColumnKind::Bytes,
            (ConvertedType::DECIMAL, _) => ColumnKind::Decimal,
            _ => return None,
        },
    };
    Some((kind, Conversion::Unchanged))
}
