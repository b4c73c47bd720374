//! Parquet files as tables.

use std::time::Instant;

use facts::Facts;
use mysql_collation::Flavour;
use parquetfile::{Column, ColumnKind, Table, Value};

use super::table_file::{FileColumn, TableFile, convert_row, modification_time};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{RowSource, RowVisitor};
use crate::row::Fields;

/// A Parquet file, or a folder of files as Spark writes them. Strings are text; nested columns are
/// left out.
#[derive(Clone, Debug)]
pub struct ParquetRows(pub TableFile);

impl ParquetRows {
    /// Describes the file as a table. A folder has the columns of its first file.
    pub fn facts(&self, flavour: Flavour) -> Result<Facts, Error> {
        let columns = Table::from_path(&self.0.path)?.columns()?;
        let columns: Vec<FileColumn> = columns.iter().filter_map(file_column).collect();
        self.0.facts("parquet", flavour, &columns)
    }
}

impl RowSource for ParquetRows {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        table.table.columns.first().map(|column| vec![column.name.clone()]).unwrap_or_default()
    }

    fn read(
        &mut self,
        _table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<Reading>, Error> {
        let table = Table::from_path(&self.0.path)?;
        let from = modification_time(&self.0.path);
        let mut reading = Reading {
            how: "from files".into(),
            chunks: table.files().len() as u64,
            to: from.clone(),
            from,
            ..Reading::default()
        };
        let begin = Instant::now();
        let mut rows = table.rows(fields.columns.iter().map(|field| field.name.as_str()));
        let mut row = Vec::new();
        while rows.read(&mut row)? {
            lifecycle::interrupt::check()?;
            let values: Vec<Option<Vec<u8>>> = row.iter().map(|value| value.as_ref().map(value_bytes)).collect();
            let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
            let values = convert_row(&values, fields, &mut reading);
            reading.bytes += values.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
            reading.rows += 1;
            each(&values)?;
        }
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

impl From<parquetfile::Error> for Error {
    fn from(error: parquetfile::Error) -> Self {
        let parquetfile::Error { path, row, problem } = error;
        let problem = row.map_or(problem.clone(), |row| format!("row {row}: {problem}"));
        Error::Content { path, problem }
    }
}

/// Returns the column with a type of the servers. `None` for nested columns.
fn file_column(column: &Column) -> Option<FileColumn> {
    let data_type = match column.kind? {
        ColumnKind::Text => "varchar",
        ColumnKind::Bytes => "varbinary",
        ColumnKind::Int | ColumnKind::Decimal | ColumnKind::Time => "bigint",
        ColumnKind::Float => "double",
    };
    Some(FileColumn { name: column.name.clone(), data_type })
}

/// Returns text and bytes as they are, and numbers as decimal text.
fn value_bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Text(text) | Value::Decimal(text) => text.as_bytes().to_vec(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Int(number) => number.to_string().into_bytes(),
        Value::Float(number) => number.to_string().into_bytes(),
    }
}
