use std::path::{Path, PathBuf};
use std::{fs, vec};

use parquet::file::reader::FileReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::{Type, TypePtr};

use crate::Error;
use crate::column::{self, Conversion};
use crate::int96::Int96Column;
use crate::page_limits::max_expanded_bytes;
use crate::table::open_file;
use crate::value::{Value, convert_field};

/// Reader of a table's rows, file by file.
pub struct Rows {
    files: vec::IntoIter<PathBuf>,
    /// Names of the columns to read.
    names: Vec<String>,
    file: Option<OpenFile>,
}

struct OpenFile {
    path: PathBuf,
    rows: RowIter<'static>,
    /// For each name, the field index in the rows that are read, and the conversion.
    places: Vec<(usize, Conversion)>,
    /// For each name, the reader of its values if they are INT96.
    timestamps: Vec<Option<Int96Column>>,
    count: u64,
    /// Bytes of values that were read.
    expanded_bytes: u64,
    max_expanded_bytes: u64,
}

impl Rows {
    pub(crate) fn new(files: Vec<PathBuf>, names: Vec<String>) -> Self {
        Self { files: files.into_iter(), names, file: None }
    }

    /// Replaces `row` with the values of the next row, in the order of the names. NULL is `None`.
    /// Returns `false` at the end.
    ///
    /// # Errors
    /// If a file can't be read, expands to too many bytes or lacks a column, or if a column is
    /// nested or has a type or value that isn't supported.
    pub fn read(&mut self, row: &mut Vec<Option<Value>>) -> Result<bool, Error> {
        row.clear();
        loop {
            let Some(file) = &mut self.file else {
                let Some(path) = self.files.next() else { return Ok(false) };
                self.file = Some(Error::contain(&path, || OpenFile::new(&path, &self.names))?);
                continue;
            };
            let path = file.path.clone();
            if Error::contain(&path, || file.read(row))? {
                return Ok(true);
            }
            self.file = None;
        }
    }
}

impl OpenFile {
    fn new(path: &Path, names: &[String]) -> Result<Self, Error> {
        let reader = open_file(path)?;
        let schema = reader.metadata().file_metadata().schema();
        let mut wanted: Vec<TypePtr> = Vec::new();
        for field in schema.get_fields().iter().filter(|field| names.iter().any(|name| name == field.name())) {
            wanted.push(field.clone());
        }
        // The rows that are read have the fields of `wanted`, in this order.
        let place = |name: &String| {
            let place = wanted.iter().position(|field| field.name() == name);
            let place = place.ok_or_else(|| format!("there is no column {name}"))?;
            let (_, conversion) = column::classify(&wanted[place])
                .ok_or_else(|| format!("column {name} is nested or has a type that tables don't have"))?;
            Ok((place, conversion))
        };
        let places = names.iter().map(place).collect::<Result<Vec<_>, String>>();
        let places = places.map_err(|error| Error::new(path, error))?;
        let timestamps = places.iter().zip(names).map(|((_, conversion), name)| {
            (*conversion == Conversion::Int96).then(|| Int96Column::open(path, name)).transpose()
        });
        let timestamps = timestamps.collect::<Result<_, Error>>()?;
        let projection = Type::group_type_builder(schema.name()).with_fields(wanted).build();
        let rows =
            projection.and_then(|projection| RowIter::from_file_into(Box::new(reader)).project(Some(projection)));
        let rows = rows.map_err(|error| Error::new(path, error))?;
        let file_bytes = fs::metadata(path).map_err(|error| Error::new(path, error))?.len();
        let max_expanded_bytes = max_expanded_bytes(file_bytes);
        Ok(Self { path: path.to_owned(), rows, places, timestamps, count: 0, expanded_bytes: 0, max_expanded_bytes })
    }

    fn read(&mut self, row: &mut Vec<Option<Value>>) -> Result<bool, Error> {
        let Some(read) = self.rows.next() else { return Ok(false) };
        self.count += 1;
        let at = |error: Error| Error { row: Some(self.count), ..error };
        let fields = read.map_err(|error| at(Error::new(&self.path, error)))?.into_columns();
        for ((place, conversion), timestamp) in self.places.iter().zip(&mut self.timestamps) {
            let (name, field) = &fields[*place];
            let value = match timestamp {
                Some(column) => column.read(),
                None => convert_field(field, *conversion),
            };
            let value = value.map_err(|problem| at(Error::new(&self.path, format!("{name}: {problem}"))))?;
            self.expanded_bytes += value.as_ref().map_or(1, Value::byte_length);
            row.push(value);
        }
        if self.expanded_bytes > self.max_expanded_bytes {
            let problem = format!(
                "the values so far take {} bytes, more than the {} that a file of this size may have",
                self.expanded_bytes, self.max_expanded_bytes
            );
            return Err(at(Error::new(&self.path, problem)));
        }
        Ok(true)
    }
}
