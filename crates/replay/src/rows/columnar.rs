//! Rows in Parquet: a file, or a folder of files. Columns have the types that the file says.

use std::path::{Path, PathBuf};

use parquetfile::{Kind, Table};
use sql::Value;

use crate::cell::{Cell, Column, Type};
use crate::fault::Fault;

/// Whether a path is one of Parquet.
pub(super) fn is_it(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

/// The columns; what is nested is a fault.
pub(super) fn head(path: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<Vec<Column>> {
    let columns = match Table::at(path).and_then(|table| table.columns()) {
        Ok(columns) => columns,
        Err(error) => {
            faults.push(Fault::error(file, format!("it can't be read: {}", error.problem)));
            return None;
        }
    };
    let mut found = Vec::new();
    for column in columns {
        let kind = match column.kind {
            Some(Kind::Text | Kind::Time) => Type::Text,
            Some(Kind::Bytes) => Type::Hex,
            Some(Kind::Int) => Type::Int,
            Some(Kind::Decimal) => Type::Decimal,
            Some(Kind::Float) => Type::Float,
            None => {
                let message = format!("{} is nested, or of a type that tables don't have; leave it out", column.name);
                faults.push(Fault::error(file, message));
                continue;
            }
        };
        found.push(Column::new(&column.name, kind));
    }
    Some(found)
}

/// The files that hold the rows.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, parquetfile::Error> {
    Ok(Table::at(path)?.files().to_vec())
}

/// These columns of all rows.
pub(super) fn rows(path: &Path, columns: &[Column]) -> Result<Rows, parquetfile::Error> {
    let rows = Table::at(path)?.rows(columns.iter().map(|column| column.name.as_str()));
    Ok(Rows { path: path.to_owned(), rows, values: Vec::new(), count: 0 })
}

/// The rows, one after the other.
pub(super) struct Rows {
    path: PathBuf,
    rows: parquetfile::Rows,
    values: Vec<Option<parquetfile::Value>>,
    count: u64,
}

impl Rows {
    /// As [`super::RowsReader::read`].
    pub(super) fn read(&mut self, row: &mut Vec<Cell>) -> Result<bool, (u64, String)> {
        self.count += 1;
        let more = self.rows.read(&mut self.values).map_err(|error| {
            // Of a folder, which of its files.
            let name = error.path.strip_prefix(&self.path).ok().filter(|name| !name.as_os_str().is_empty());
            let part = name.map_or_else(String::new, |name| format!("{}: ", name.display()));
            (error.row.unwrap_or(1), part + &error.problem)
        })?;
        for value in self.values.drain(..) {
            row.push(value.map(cell).transpose().map_err(|problem| (self.count, problem))?);
        }
        Ok(more)
    }
}

fn cell(value: parquetfile::Value) -> Result<Value, String> {
    Ok(match value {
        parquetfile::Value::Text(text) => Value::Text(text),
        parquetfile::Value::Bytes(bytes) => Value::Bytes(bytes),
        parquetfile::Value::Int(number) => Value::Int(number),
        parquetfile::Value::Decimal(number) => Value::Decimal(number),
        parquetfile::Value::Float(number) if !number.is_finite() => return Err(format!("`{number}` is no number")),
        // With an exponent, so that it is no exact number to a server.
        parquetfile::Value::Float(number) => Value::Float(format!("{number:e}")),
    })
}
