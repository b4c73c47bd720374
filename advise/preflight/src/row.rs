//! Rows as the checks see them: the values read, and the values converted to each target's
//! character set.

use std::borrow::Cow;

use mysql_collation::Charset;

use crate::job::TableJob;
use crate::text::{self, ConversionError};

/// Columns that are read of a table: the key, then the converted columns, then further columns.
#[derive(Clone, Debug)]
pub struct Fields {
    /// Columns without duplicates.
    pub columns: Vec<Field>,
    /// Indexes into `columns` of the key that identifies a row. Empty if the table has no key.
    pub key: Vec<usize>,
    /// Index into `columns` of [`TableJob::row_end`]. `None` if only current rows are read.
    pub row_end: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    /// Character set of the values. `None` if the column is not text.
    pub charset: Option<Charset>,
    /// True if the server converts the values to utf8mb4, because `mysql-collation` lacks their
    /// character set.
    pub is_converted_by_server: bool,
    /// Index into [`TableJob::conversions`]. `None` if the column is not converted.
    pub conversion: Option<usize>,
    /// True for binary types, whose values are displayed in hexadecimal.
    pub is_binary: bool,
}

impl Fields {
    /// Collects the columns to read. `other_columns` are further columns that checks need.
    pub fn new(job: &TableJob<'_>, key: &[String], other_columns: &[String]) -> Self {
        let mut columns: Vec<Field> = Vec::new();
        let mut position = |name: &str| {
            if let Some(at) = columns.iter().position(|field| field.name == name) {
                return at;
            }
            let column = job.table.column(name);
            let conversion = job.conversions.iter().position(|conversion| conversion.column.name == name);
            let charset_name = column.and_then(|column| column.charset.as_deref());
            let charset = charset_name.map(|name| Charset::by_name(name).unwrap_or(Charset::Utf8mb4));
            let data_type = column.map_or("", |column| column.data_type.as_str());
            columns.push(Field {
                name: name.to_owned(),
                charset,
                is_converted_by_server: charset_name.is_some_and(|name| Charset::by_name(name).is_none()),
                conversion,
                is_binary: data_type.contains("binary") || data_type.contains("blob") || data_type == "bit",
            });
            columns.len() - 1
        };
        let key = key.iter().map(|name| position(name)).collect();
        for conversion in &job.conversions {
            position(&conversion.column.name);
        }
        other_columns.iter().for_each(|name| {
            position(name);
        });
        Self { columns, key, row_end: None }
    }

    /// Adds the column that tells current rows from past ones.
    pub fn with_row_end(mut self, name: Option<&str>) -> Self {
        self.row_end = name.map(|name| {
            self.position(name).unwrap_or_else(|| {
                let name = name.to_owned();
                let field =
                    Field { name, charset: None, is_converted_by_server: false, conversion: None, is_binary: false };
                self.columns.push(field);
                self.columns.len() - 1
            })
        });
        self
    }

    /// Returns the index of a column in [`Fields::columns`]; letter case is ignored.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|field| field.name.eq_ignore_ascii_case(name))
    }
}

pub struct Row<'r> {
    pub fields: &'r Fields,
    /// Values in the order of `fields`. `None` is NULL.
    pub values: &'r [Option<Vec<u8>>],
    /// Converted values by target and field. `None` if the value is NULL or not converted, or if
    /// `mysql-collation` lacks the target's character set.
    converted: Vec<Vec<Option<Converted<'r>>>>,
}

type Converted<'r> = Result<Cow<'r, [u8]>, ConversionError>;

impl<'r> Row<'r> {
    /// Converts the values of a row to the character set of each target.
    pub fn new(job: &TableJob<'_>, fields: &'r Fields, values: &'r [Option<Vec<u8>>]) -> Self {
        let targets = job.conversions.first().map_or(0, |conversion| conversion.targets.len());
        let convert = |target: usize, (field, value): (&Field, &'r Option<Vec<u8>>)| {
            let conversion = job.conversions.get(field.conversion?)?;
            let to = conversion.targets[target].charset()?;
            Some(text::convert(value.as_deref()?, conversion.read_charset(), to))
        };
        let values_of_target = |target| fields.columns.iter().zip(values).map(|pair| convert(target, pair)).collect();
        Self { fields, values, converted: (0..targets).map(values_of_target).collect() }
    }

    /// Returns a value as it was read. `None` is NULL.
    pub fn value(&self, field: usize) -> Option<&'r [u8]> {
        self.values.get(field)?.as_deref()
    }

    /// True for a row of a system-versioned table that was changed or deleted.
    pub fn is_past(&self) -> bool {
        let end = self.fields.row_end.and_then(|field| self.value(field));
        end.is_some_and(|end| !is_open_end(end))
    }

    /// Returns a value in a target's character set.
    ///
    /// `None` if the value is NULL or not converted, or if `mysql-collation` lacks the character
    /// set.
    pub fn converted(&self, target: usize, field: usize) -> Option<Result<&[u8], ConversionError>> {
        Some(self.converted.get(target)?.get(field)?.as_ref()?.as_deref().map_err(|lacking| *lacking))
    }

    /// Returns a value as Unicode text. `None` if the value is NULL, not text, or ill-formed.
    pub fn text(&self, field: usize) -> Option<Cow<'r, str>> {
        let utf8 = text::convert(self.value(field)?, self.fields.columns[field].charset?, Charset::Utf8mb4).ok()?;
        match utf8 {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    pub fn display_value(&self, field: usize) -> String {
        display_value(&self.fields.columns[field], self.value(field))
    }

    /// Returns the values of the key for display.
    pub fn key(&self) -> Vec<String> {
        self.fields.key.iter().map(|&field| self.display_value(field)).collect()
    }

    /// Encodes the values of the key, then those of `fields`. [`decode_values`] decodes them.
    pub fn encode_values(&self, fields: &[usize], into: &mut Vec<u8>) {
        into.clear();
        for &field in self.fields.key.iter().chain(fields) {
            push_value(self.value(field), into);
        }
    }
}

/// True for the end that current rows of a system-versioned table have, in any time zone: the
/// greatest timestamp, which MariaDB 11.5 raised, or the greatest transaction number.
fn is_open_end(end: &[u8]) -> bool {
    end.starts_with(b"2038-01-1") || end.starts_with(b"2106-02-0") || end == b"18446744073709551615"
}

pub const MAX_SHOWN_CHARACTERS: usize = 120;

/// Formats a value for a report: `NULL`, text, or hexadecimal for binary types.
pub fn display_value(field: &Field, value: Option<&[u8]>) -> String {
    match (value, field.charset) {
        (None, _) => "NULL".into(),
        (Some(value), Some(charset)) => text::display_text(value, charset, MAX_SHOWN_CHARACTERS),
        (Some(value), None) if field.is_binary => {
            format!(
                "0x{}",
                value.iter().take(MAX_SHOWN_CHARACTERS).map(|byte| format!("{byte:02X}")).collect::<String>()
            )
        }
        (Some(value), None) => text::display_text(value, Charset::Latin1, MAX_SHOWN_CHARACTERS),
    }
}

/// Appends a value's length as 4 bytes, little-endian, then the value. NULL has the length
/// `u32::MAX`.
pub fn push_value(value: Option<&[u8]>, into: &mut Vec<u8>) {
    let length = value.map_or(u32::MAX, |value| value.len() as u32);
    into.extend(length.to_le_bytes());
    into.extend_from_slice(value.unwrap_or_default());
}

/// Removes the first value. `None` if `bytes` is empty or truncated, `Some(None)` for NULL.
pub fn pop_value<'b>(bytes: &mut &'b [u8]) -> Option<Option<&'b [u8]>> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length);
    if length == u32::MAX {
        *bytes = rest;
        return Some(None);
    }
    let (value, rest) = rest.split_at_checked(length as usize)?;
    *bytes = rest;
    Some(Some(value))
}

/// Decodes the values that [`Row::encode_values`] encoded.
pub fn decode_values(mut bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut values = Vec::new();
    while let Some(value) = pop_value(&mut bytes) {
        values.push(value.map(<[u8]>::to_vec));
    }
    values
}
