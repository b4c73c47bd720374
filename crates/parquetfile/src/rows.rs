//! The rows of a table, one after the other.

use std::path::{Path, PathBuf};
use std::vec;

use parquet::file::reader::FileReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::{Type, TypePtr};

use crate::Error;
use crate::column::{self, Meaning};
use crate::table::open;
use crate::value::{Value, value};

/// The rows of a table, file after file.
pub struct Rows {
    files: vec::IntoIter<PathBuf>,
    /// The columns that are read.
    names: Vec<String>,
    file: Option<Open>,
}

/// The file in hand.
struct Open {
    path: PathBuf,
    rows: RowIter<'static>,
    /// For each of the names, where the file's rows have it and how it is read.
    places: Vec<(usize, Meaning)>,
    /// Rows so far.
    count: u64,
}

impl Rows {
    pub(crate) fn new(files: Vec<PathBuf>, names: Vec<String>) -> Self {
        Self { files: files.into_iter(), names, file: None }
    }

    /// The next row's values, in the order of the names, with `None` for NULL; `false` at the end.
    ///
    /// # Errors
    /// If a file can't be read, or lacks a column.
    pub fn read(&mut self, row: &mut Vec<Option<Value>>) -> Result<bool, Error> {
        row.clear();
        loop {
            let Some(file) = &mut self.file else {
                let Some(path) = self.files.next() else { return Ok(false) };
                self.file = Some(Open::new(&path, &self.names)?);
                continue;
            };
            if file.read(row)? {
                return Ok(true);
            }
            self.file = None;
        }
    }
}

impl Open {
    fn new(path: &Path, names: &[String]) -> Result<Self, Error> {
        let reader = open(path)?;
        let schema = reader.metadata().file_metadata().schema();
        let mut wanted: Vec<TypePtr> = Vec::new();
        for field in schema.get_fields().iter().filter(|field| names.iter().any(|name| name == field.name())) {
            wanted.push(field.clone());
        }
        // A field of a projection stands where the file has it.
        let place = |name: &String| {
            let place = wanted.iter().position(|field| field.name() == name);
            let place = place.ok_or_else(|| format!("it has no column {name}, as the first file of the folder has"))?;
            let (_, meaning) = column::read(&wanted[place])
                .ok_or_else(|| format!("its column {name} is nested, or of a type that tables don't have"))?;
            Ok((place, meaning))
        };
        let places = names.iter().map(place).collect::<Result<_, String>>().map_err(|error| Error::new(path, error))?;
        let projection = Type::group_type_builder(schema.name()).with_fields(wanted).build();
        let rows =
            projection.and_then(|projection| RowIter::from_file_into(Box::new(reader)).project(Some(projection)));
        let rows = rows.map_err(|error| Error::new(path, error))?;
        Ok(Self { path: path.to_owned(), rows, places, count: 0 })
    }

    fn read(&mut self, row: &mut Vec<Option<Value>>) -> Result<bool, Error> {
        let Some(read) = self.rows.next() else { return Ok(false) };
        self.count += 1;
        let at = |error: Error| Error { row: Some(self.count), ..error };
        let fields = read.map_err(|error| at(Error::new(&self.path, error)))?.into_columns();
        for (place, meaning) in &self.places {
            let (name, field) = &fields[*place];
            let value = value(field, *meaning);
            row.push(value.map_err(|problem| at(Error::new(&self.path, format!("{name}: {problem}"))))?);
        }
        Ok(true)
    }
}
