//! Rows in Parquet: a file, or a folder of files. Column types are the file's.

use std::path::{Path, PathBuf};

use parquetfile::{ColumnKind, Table};
use sql::Value;

use crate::cell::{Cell, CellType, Column};
use crate::fault::Fault;

pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

/// Reads the columns. Nested columns and types that tables don't have are faults. `None` if the
/// file can't be read.
pub(super) fn read_columns(path: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<Vec<Column>> {
    let columns = match Table::from_path(path).and_then(|table| table.columns()) {
        Ok(columns) => columns,
        Err(error) => {
            faults.push(Fault::error(file, format!("can't be read: {}", error.problem)));
            return None;
        }
    };
    let mut found = Vec::new();
    for column in columns {
        let kind = match column.kind {
            Some(ColumnKind::Text | ColumnKind::Time) => CellType::Text,
            Some(ColumnKind::Bytes) => CellType::Hex,
            Some(ColumnKind::Int) => CellType::Int,
            Some(ColumnKind::Decimal) => CellType::Decimal,
            Some(ColumnKind::Float) => CellType::Float,
            None => {
                let message = format!("{} is nested or has a type that tables don't have; leave it out", column.name);
                faults.push(Fault::error(file, message));
                continue;
            }
        };
        found.push(Column::new(&column.name, kind));
    }
    Some(found)
}

/// Returns the files that hold the rows.
pub(super) fn list_files(path: &Path) -> Result<Vec<PathBuf>, parquetfile::Error> {
    Ok(Table::from_path(path)?.files().to_vec())
}

pub(super) fn open_rows(path: &Path, columns: &[Column]) -> Result<ParquetRows, parquetfile::Error> {
    let rows = Table::from_path(path)?.rows(columns.iter().map(|column| column.name.as_str()));
    Ok(ParquetRows { path: path.to_owned(), rows, values: Vec::new(), count: 0 })
}

pub(super) struct ParquetRows {
    path: PathBuf,
    rows: parquetfile::Rows,
    values: Vec<Option<parquetfile::Value>>,
    count: u64,
}

impl ParquetRows {
    /// Reads a row as [`super::RowsReader::read`] does.
    pub(super) fn read(&mut self, row: &mut Vec<Cell>) -> Result<bool, (u64, String)> {
        self.count += 1;
        let more = self.rows.read(&mut self.values).map_err(|error| {
            // For a folder, the message names the file.
            let name = error.path.strip_prefix(&self.path).ok().filter(|name| !name.as_os_str().is_empty());
            let part = name.map_or_else(String::new, |name| format!("{}: ", name.display()));
            (error.row.unwrap_or(1), part + &error.problem)
        })?;
        for value in self.values.drain(..) {
            row.push(value.map(convert_value).transpose().map_err(|problem| (self.count, problem))?);
        }
        Ok(more)
    }
}

fn convert_value(value: parquetfile::Value) -> Result<Value, String> {
    Ok(match value {
        parquetfile::Value::Text(text) => Value::Text(text),
        parquetfile::Value::Bytes(bytes) => Value::Bytes(bytes),
        parquetfile::Value::Int(number) => Value::Int(number),
        parquetfile::Value::Decimal(number) => Value::Decimal(number),
        parquetfile::Value::Float(number) if !number.is_finite() => return Err(format!("`{number}` is not a number")),
        // With an exponent, which makes the literal an approximate number.
        parquetfile::Value::Float(number) => Value::Float(format!("{number:e}")),
    })
}
