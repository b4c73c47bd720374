//! Tables in CSV and Parquet files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use facts::{Column, Facts, Index, IndexKind, IndexPart, RowFormat, Table};
use mysql_collation::{Charset, Flavour};

use super::build_facts;
use crate::Error;
use crate::model::{Example, Reading};
use crate::row::{Field, Fields, MAX_SHOWN_CHARACTERS};
use crate::text::{self, ConversionError};

/// A file that contains one table, and properties that the file doesn't contain.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// For Parquet also a folder of files.
    pub path: PathBuf,
    /// Collation of the text columns.
    pub from: String,
    /// Unique keys, as lists of columns.
    pub keys: Vec<Vec<String>>,
}

pub struct FileColumn {
    pub name: String,
    /// Type as in `information_schema`: `varchar` for text.
    pub data_type: &'static str,
}

impl TableFile {
    /// Describes the file as a table with these columns. `kind` is the name of its schema: `csv` or
    /// `parquet`.
    pub(super) fn facts(&self, kind: &str, flavour: Flavour, columns: &[FileColumn]) -> Result<Facts, Error> {
        let table = Table {
            schema: kind.into(),
            name: self.path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            engine: Some("InnoDB".into()),
            columns: columns.iter().enumerate().map(|(at, column)| self.column(at, column)).collect(),
            indexes: self.indexes(columns)?,
            row_format: RowFormat::Dynamic,
            ..Table::default()
        };
        Ok(build_facts(flavour, vec![table]))
    }

    fn column(&self, at: usize, column: &FileColumn) -> Column {
        let is_text = column.data_type == "varchar";
        let charset = self.from.split('_').next().unwrap_or_default();
        Column {
            name: column.name.clone(),
            position: at as u32 + 1,
            data_type: column.data_type.into(),
            column_type: if is_text { "varchar(255)" } else { column.data_type }.into(),
            charset: is_text.then(|| charset.to_owned()),
            collation: is_text.then(|| self.from.clone()),
            characters: is_text.then_some(255),
            nullable: true,
            ..Column::default()
        }
    }

    fn indexes(&self, columns: &[FileColumn]) -> Result<Vec<Index>, Error> {
        let index = |(at, key): (usize, &Vec<String>)| {
            if let Some(unknown) = key.iter().find(|name| !columns.iter().any(|column| column.name == **name)) {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                return Err(self.content_error(format!("it has no column {unknown}; it has {}", names.join(", "))));
            }
            let parts =
                key.iter().map(|name| IndexPart { column: Some(name.clone()), ..IndexPart::default() }).collect();
            Ok(Index { name: format!("key {}", at + 1), unique: true, kind: IndexKind::Btree, invisible: false, parts })
        };
        self.keys.iter().enumerate().map(index).collect()
    }

    pub(super) fn content_error(&self, problem: impl Display) -> Error {
        Error::Content { path: self.path.clone(), problem: problem.to_string() }
    }
}

/// Maximum number of lacking values of a column that are kept.
const MAX_LACKING: usize = 100;

/// Converts the values of a row, which are UTF-8, to the character sets of their columns.
/// Ill-formed values stay as they are. Values that a character set lacks become NULL, and are
/// counted.
pub(super) fn convert_row(values: &[Option<&[u8]>], fields: &Fields, reading: &mut Reading) -> Vec<Option<Vec<u8>>> {
    let mut convert = |(value, field): (&Option<&[u8]>, &Field)| {
        let value = (*value)?;
        let Some(charset) = field.charset else { return Some(value.to_vec()) };
        match text::convert(value, Charset::Utf8mb4, charset) {
            Ok(converted) => Some(converted.into_owned()),
            Err(ConversionError::IllFormedByte(_)) => Some(value.to_vec()),
            Err(error @ ConversionError::UnsupportedCharacter(_)) => {
                let lacking = reading.lacking.entry(field.name.clone()).or_default();
                lacking.count += 1;
                if lacking.examples.len() < MAX_LACKING {
                    let display = |field: usize| display_utf8(values[field]);
                    lacking.examples.push(Example {
                        key: fields.key.iter().map(|&field| display(field)).collect(),
                        values: vec![display_utf8(Some(value))],
                        note: Some(error.to_string()),
                    });
                }
                None
            }
        }
    };
    values.iter().zip(&fields.columns).map(&mut convert).collect()
}

fn display_utf8(value: Option<&[u8]>) -> String {
    value.map_or_else(|| "NULL".into(), |value| text::display_text(value, Charset::Utf8mb4, MAX_SHOWN_CHARACTERS))
}

/// Returns the time of the last write, UTC. Empty if the time is unknown.
pub fn modification_time(path: &Path) -> String {
    let time = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let stamp = time.and_then(|time| jiff::Timestamp::try_from(time).ok());
    stamp.map_or_else(String::new, |stamp| stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
