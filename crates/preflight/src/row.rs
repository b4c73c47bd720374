//! A row as checks see it: values as they were read, and converted to each target's character set.

use std::borrow::Cow;

use mysql_collation::Charset;

use crate::job::TableJob;
use crate::text::{self, NotHeld};

/// What is read of a table, in this order: the key that rows are named by, then all else that a check looks at.
#[derive(Clone, Debug)]
pub struct Fields {
    /// Columns, each once.
    pub columns: Vec<Field>,
    /// Indexes into `columns`: the key that names a row; empty where the table has none.
    pub key: Vec<usize>,
}

/// A column that is read.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The character set that its values come in; `None` for what is no text.
    pub charset: Option<Charset>,
    /// Whether the server has to convert it to utf8mb4, as the library lacks its character set.
    pub converted_by_server: bool,
    /// Which conversion of the table it is.
    pub conversion: Option<usize>,
    /// Where it belongs to the key that names a row, and holds bytes: shown in hexadecimal.
    pub is_binary: bool,
}

impl Fields {
    /// What to read of a table. `others` are unconverted columns that a check looks at.
    pub fn new(job: &TableJob<'_>, key: &[String], others: &[String]) -> Self {
        let mut columns: Vec<Field> = Vec::new();
        let mut place = |name: &str| {
            if let Some(at) = columns.iter().position(|field| field.name == name) {
                return at;
            }
            let column = job.table.column(name);
            let conversion = job.conversions.iter().position(|conversion| conversion.column.name == name);
            let own = column.and_then(|column| column.charset.as_deref());
            let charset = own.map(|name| Charset::by_name(name).unwrap_or(Charset::Utf8mb4));
            let data_type = column.map_or("", |column| column.data_type.as_str());
            columns.push(Field {
                name: name.to_owned(),
                charset,
                converted_by_server: own.is_some_and(|name| Charset::by_name(name).is_none()),
                conversion,
                is_binary: data_type.contains("binary") || data_type.contains("blob") || data_type == "bit",
            });
            columns.len() - 1
        };
        let key = key.iter().map(|name| place(name)).collect();
        for conversion in &job.conversions {
            place(&conversion.column.name);
        }
        others.iter().for_each(|name| {
            place(name);
        });
        Self { columns, key }
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|field| field.name.eq_ignore_ascii_case(name))
    }
}

/// A row.
pub struct Row<'r> {
    /// What its values are.
    pub fields: &'r Fields,
    /// The values; `None` for NULL.
    pub values: &'r [Option<Vec<u8>>],
    /// By target, then by field: the value in the target's character set, where the field is converted.
    converted: Vec<Vec<Option<Converted<'r>>>>,
}

/// A value in another character set, or what it lacks.
type Converted<'r> = Result<Cow<'r, [u8]>, NotHeld>;

impl<'r> Row<'r> {
    /// Converts the values of a row.
    pub fn new(job: &TableJob<'_>, fields: &'r Fields, values: &'r [Option<Vec<u8>>]) -> Self {
        let targets = job.conversions.first().map_or(0, |conversion| conversion.to.len());
        let convert = |target: usize, (field, value): (&Field, &'r Option<Vec<u8>>)| {
            let conversion = job.conversions.get(field.conversion?)?;
            let to = conversion.to[target].charset()?;
            Some(text::convert(value.as_deref()?, conversion.read_charset(), to))
        };
        let of_target = |target| fields.columns.iter().zip(values).map(|pair| convert(target, pair)).collect();
        Self { fields, values, converted: (0..targets).map(of_target).collect() }
    }

    /// A value as it was read.
    pub fn value(&self, field: usize) -> Option<&'r [u8]> {
        self.values.get(field)?.as_deref()
    }

    /// A value in a target's character set; `None` for NULL, and where the library lacks the character set.
    pub fn converted(&self, target: usize, field: usize) -> Option<Result<&[u8], NotHeld>> {
        Some(self.converted.get(target)?.get(field)?.as_ref()?.as_deref().map_err(|lacking| *lacking))
    }

    /// A value as Unicode text; `None` for NULL, for what is no text, and for ill-formed bytes.
    pub fn text(&self, field: usize) -> Option<Cow<'r, str>> {
        let utf8 = text::convert(self.value(field)?, self.fields.columns[field].charset?, Charset::Utf8mb4).ok()?;
        match utf8 {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    /// A value for people to read.
    pub fn shown(&self, field: usize) -> String {
        shown(&self.fields.columns[field], self.value(field))
    }

    /// The key that names the row.
    pub fn key(&self) -> Vec<String> {
        self.fields.key.iter().map(|&field| self.shown(field)).collect()
    }

    /// Key and some values, for carrying through a sort: see [`decode`].
    pub fn encode(&self, fields: &[usize], into: &mut Vec<u8>) {
        into.clear();
        for &field in self.fields.key.iter().chain(fields) {
            put(self.value(field), into);
        }
    }
}

/// How many characters of a value are shown.
const SHOWN: usize = 120;

/// A value for people to read.
pub fn shown(field: &Field, value: Option<&[u8]>) -> String {
    match (value, field.charset) {
        (None, _) => "NULL".into(),
        (Some(value), Some(charset)) => text::shown(value, charset, SHOWN),
        (Some(value), None) if field.is_binary => {
            format!("0x{}", value.iter().take(SHOWN).map(|byte| format!("{byte:02X}")).collect::<String>())
        }
        (Some(value), None) => text::shown(value, Charset::Latin1, SHOWN),
    }
}

/// Appends a value that may be NULL, so that [`take`] finds its end.
pub fn put(value: Option<&[u8]>, into: &mut Vec<u8>) {
    let length = value.map_or(u32::MAX, |value| value.len() as u32);
    into.extend(length.to_le_bytes());
    into.extend_from_slice(value.unwrap_or_default());
}

/// Takes one value off the front.
pub fn take<'b>(bytes: &mut &'b [u8]) -> Option<Option<&'b [u8]>> {
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

/// The values that [`Row::encode`] wrote.
pub fn decode(mut bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut values = Vec::new();
    while let Some(value) = take(&mut bytes) {
        values.push(value.map(<[u8]>::to_vec));
    }
    values
}
