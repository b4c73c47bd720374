//! A Parquet file as a table, or a folder of Parquet files, as Spark and others write them.

use std::time::Instant;

use facts::Facts;
use mysql_collation::Flavour;
use parquetfile::{Column, Kind, Table, Value};

use super::dump::own;
use super::table_file::{FileColumn, TableFile, modified};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{EachRow, RowSource};
use crate::row::{Field, Fields};

/// A Parquet file, or a folder of them. Columns of strings are text; nested columns are left out.
#[derive(Clone, Debug)]
pub struct ParquetRows(pub TableFile);

impl ParquetRows {
    /// The file as a table of facts; of a folder, as its first file has it.
    pub fn facts(&self, flavour: Flavour) -> Result<Facts, Error> {
        let columns = Table::at(&self.0.path)?.columns()?;
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
        each: &mut EachRow<'_>,
    ) -> Result<Option<Reading>, Error> {
        let table = Table::at(&self.0.path)?;
        let from = modified(&self.0.path);
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
            server::interrupt::check()?;
            let value = |(value, field): (&Option<Value>, &Field)| Some(own(&bytes(value.as_ref()?), field.charset));
            let values: Vec<Option<Vec<u8>>> = row.iter().zip(&fields.columns).map(value).collect();
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

/// A column by what it holds; `None` for what is nested.
fn file_column(column: &Column) -> Option<FileColumn> {
    let data_type = match column.kind? {
        Kind::Text => "varchar",
        Kind::Bytes => "varbinary",
        Kind::Int | Kind::Decimal | Kind::Time => "bigint",
        Kind::Float => "double",
    };
    Some(FileColumn { name: column.name.clone(), data_type })
}

/// A value as text, or its bytes.
fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Text(text) | Value::Decimal(text) => text.as_bytes().to_vec(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Int(number) => number.to_string().into_bytes(),
        Value::Float(number) => number.to_string().into_bytes(),
    }
}
