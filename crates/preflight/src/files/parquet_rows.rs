//! A Parquet file as a table, or a folder of Parquet files, as Spark and others write them.

use std::fmt::Display;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use facts::Facts;
use mysql_collation::Flavour;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field as Value;
use parquet::schema::types::{Type, TypePtr};

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
        let files = self.files()?;
        let reader = self.open(&files[0])?;
        let columns: Vec<FileColumn> = columns(&*reader).iter().filter_map(file_column).collect();
        self.0.facts("parquet", flavour, &columns)
    }

    /// The files, by name; those whose names begin with `_` or `.` are notes of the program that wrote the folder.
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.0.path.is_dir() {
            return Ok(vec![self.0.path.clone()]);
        }
        let entries = fs::read_dir(&self.0.path).map_err(|error| self.0.wrong(error))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| self.0.wrong(error))?.path();
            let is_note = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
            if !is_note && path.extension().is_some_and(|extension| extension == "parquet") {
                files.push(path);
            }
        }
        if files.is_empty() {
            return Err(self.0.wrong("there is no .parquet file in it"));
        }
        files.sort();
        Ok(files)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn FileReader>, Error> {
        let file = File::open(path).map_err(|error| wrong(path, error))?;
        Ok(Box::new(SerializedFileReader::new(file).map_err(|error| wrong(path, error))?))
    }

    /// Gives each row of one file; their number and bytes.
    fn read_file(&self, path: &Path, fields: &Fields, each: &mut EachRow<'_>) -> Result<(u64, u64), Error> {
        let reader = self.open(path)?;
        let wanted = projection(&*reader, fields).map_err(|problem| wrong(path, problem))?;
        let names: Vec<String> = wanted.get_fields().iter().map(|column| column.name().to_owned()).collect();
        // A field of a projection stands where the file has it.
        let place = |field: &Field| names.iter().position(|name| *name == field.name).expect("it was found");
        let places: Vec<usize> = fields.columns.iter().map(place).collect();
        let rows = reader.get_row_iter(Some(wanted)).map_err(|error| wrong(path, error))?;
        let (mut count, mut bytes) = (0, 0);
        for row in rows {
            server::interrupt::check()?;
            let row = row.map_err(|error| wrong(path, error))?.into_columns();
            let value = |(place, field): (&usize, &Field)| text(&row[*place].1).map(|text| own(&text, field.charset));
            let values: Vec<Option<Vec<u8>>> = places.iter().zip(&fields.columns).map(value).collect();
            bytes += values.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
            count += 1;
            each(&values)?;
        }
        Ok((count, bytes))
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
        let files = self.files()?;
        let from = modified(&self.0.path);
        let mut reading = Reading {
            how: "from files".into(),
            chunks: files.len() as u64,
            to: from.clone(),
            from,
            ..Reading::default()
        };
        let begin = Instant::now();
        for path in &files {
            let (rows, bytes) = self.read_file(path, fields, each)?;
            reading.rows += rows;
            reading.bytes += bytes;
        }
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

/// What is wrong with a file; that it is the Parquet library that says so is of no use to the reader.
fn wrong(path: &Path, problem: impl Display) -> Error {
    let problem = problem.to_string();
    Error::Content { path: path.into(), problem: problem.trim_start_matches("Parquet error: ").to_owned() }
}

fn columns(reader: &dyn FileReader) -> Vec<TypePtr> {
    reader.metadata().file_metadata().schema().get_fields().to_vec()
}

/// A column by its type; `None` for what is nested.
fn file_column(column: &TypePtr) -> Option<FileColumn> {
    if !column.is_primitive() {
        return None;
    }
    let info = column.get_basic_info();
    let is_text = matches!(info.logical_type_ref(), Some(LogicalType::String | LogicalType::Enum))
        || matches!(info.converted_type(), ConvertedType::UTF8 | ConvertedType::ENUM);
    let data_type = match column.get_physical_type() {
        Physical::BYTE_ARRAY if is_text => "varchar",
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY | Physical::INT96 => "varbinary",
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 => "bigint",
        Physical::FLOAT | Physical::DOUBLE => "double",
    };
    Some(FileColumn { name: column.name().to_owned(), data_type })
}

/// The columns that are read. Err says which one the file lacks.
fn projection(reader: &dyn FileReader, fields: &Fields) -> Result<Type, String> {
    let is_read = |column: &TypePtr| fields.columns.iter().any(|field| field.name == column.name());
    let all = columns(reader);
    if let Some(lacking) = fields.columns.iter().find(|field| !all.iter().any(|column| column.name() == field.name)) {
        return Err(format!("it has no column {}, as the first file of the folder has", lacking.name));
    }
    let wanted: Vec<TypePtr> = all.into_iter().filter(is_read).collect();
    let name = reader.metadata().file_metadata().schema().name();
    Type::group_type_builder(name).with_fields(wanted).build().map_err(|error| error.to_string())
}

/// A value as text, or its bytes; `None` for NULL.
fn text(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => None,
        Value::Str(text) => Some(text.as_bytes().to_vec()),
        Value::Bytes(bytes) => Some(bytes.data().to_vec()),
        other => Some(other.to_string().into_bytes()),
    }
}
