use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use parquet::record::Field;

use crate::column::Conversion;

/// A value other than NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, and dates and times in SQL's format: `2024-02-29`, `12:34:56.789012`,
    /// `2024-02-29 12:34:56.789012`. A timestamp is written as its time in UTC.
    Text(String),
    Bytes(Vec<u8>),
    Int(i64),
    /// An exact number in decimal digits, such as `12.34`, or an integer above `i64::MAX`.
    Decimal(String),
    Float(f64),
}

impl Value {
    pub(crate) fn byte_length(&self) -> u64 {
        match self {
            Value::Text(text) | Value::Decimal(text) => text.len() as u64,
            Value::Bytes(bytes) => bytes.len() as u64,
            Value::Int(_) | Value::Float(_) => 8,
        }
    }
}

/// Converts a field of a row; `None` for NULL.
pub(crate) fn convert_field(field: &Field, conversion: Conversion) -> Result<Option<Value>, String> {
    Ok(Some(match field {
        Field::Null => return Ok(None),
        Field::Bool(value) => Value::Int(i64::from(*value)),
        Field::Byte(number) => Value::Int(i64::from(*number)),
        Field::Short(number) => Value::Int(i64::from(*number)),
        Field::Int(number) => Value::Int(i64::from(*number)),
        Field::UByte(number) => Value::Int(i64::from(*number)),
        Field::UShort(number) => Value::Int(i64::from(*number)),
        Field::UInt(number) => Value::Int(i64::from(*number)),
        Field::ULong(number) => i64::try_from(*number).map_or_else(|_| Value::Decimal(number.to_string()), Value::Int),
        Field::Long(number) => match conversion {
            Conversion::TimestampNanos => {
                Value::Text(format_timestamp(Timestamp::from_nanosecond(i128::from(*number)))?)
            }
            Conversion::TimeNanos => Value::Text(format_time(SignedDuration::from_nanos(*number))),
            _ => Value::Int(*number),
        },
        Field::Float16(number) => Value::Float(f64::from(*number)),
        // Uses the shortest digits of the 4-byte number: 0.1, not 0.10000000149.
        Field::Float(number) => Value::Float(number.to_string().parse().unwrap_or(f64::from(*number))),
        Field::Double(number) => Value::Float(*number),
        Field::Decimal(_) => Value::Decimal(field.to_string().trim_end_matches('.').to_owned()),
        Field::Str(text) => Value::Text(text.clone()),
        Field::Bytes(bytes) if conversion == Conversion::Utf8 => {
            let text = std::str::from_utf8(bytes.data()).map_err(|error| error.to_string())?;
            Value::Text(text.to_owned())
        }
        Field::Bytes(bytes) => Value::Bytes(bytes.data().to_vec()),
        Field::Date(days) => {
            let since = Span::new().try_days(*days);
            let date = since.and_then(|since| Date::constant(1970, 1, 1).checked_add(since));
            Value::Text(date.map_err(|error| error.to_string())?.to_string())
        }
        Field::TimeMillis(millis) => Value::Text(format_time(SignedDuration::from_millis(i64::from(*millis)))),
        Field::TimeMicros(micros) => Value::Text(format_time(SignedDuration::from_micros(*micros))),
        Field::TimestampMillis(millis) => Value::Text(format_timestamp(Timestamp::from_millisecond(*millis))?),
        Field::TimestampMicros(micros) => Value::Text(format_timestamp(Timestamp::from_microsecond(*micros))?),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            return Err("the value is nested".to_owned());
        }
    }))
}

/// Formats with microseconds, the finest unit that MySQL and MariaDB store.
pub(crate) fn format_timestamp(time: Result<Timestamp, jiff::Error>) -> Result<String, String> {
    let time = time.map_err(|error| error.to_string())?;
    Ok(time.to_zoned_datetime(TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S%.6f").to_string())
}

fn format_time(time: SignedDuration) -> String {
    let (seconds, micros) = (time.as_secs(), time.subsec_micros());
    format!("{:02}:{:02}:{:02}.{micros:06}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
