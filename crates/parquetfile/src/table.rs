//! Where a table is: a file, or a folder of them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::Error;
use crate::column::Column;
use crate::rows::Rows;

/// A table: a file, or the files of a folder one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    files: Vec<PathBuf>,
}

impl Table {
    /// The table of a file, or of a folder's files with the ending `.parquet`, by name. Those whose names begin with `_` or `.` are notes of the
    /// program that wrote the folder.
    ///
    /// # Errors
    /// If a folder can't be read, or has no such file.
    pub fn at(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            return Ok(Self { files: vec![path.to_owned()] });
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(path).map_err(|error| Error::new(path, error))? {
            let file = entry.map_err(|error| Error::new(path, error))?.path();
            let is_note = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
            if !is_note && file.extension().is_some_and(|extension| extension == "parquet") {
                files.push(file);
            }
        }
        if files.is_empty() {
            return Err(Error::new(path, "there is no .parquet file in it"));
        }
        files.sort();
        Ok(Self { files })
    }

    /// Its files; at least one.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Its columns, as the first file has them.
    ///
    /// # Errors
    /// If that is no Parquet file.
    pub fn columns(&self) -> Result<Vec<Column>, Error> {
        let reader = open(&self.files[0])?;
        let fields = reader.metadata().file_metadata().schema().get_fields();
        Ok(fields.iter().map(|field| Column::of(field)).collect())
    }

    /// Reads these columns of all rows.
    pub fn rows<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Rows {
        Rows::new(self.files.clone(), names.into_iter().map(str::to_owned).collect())
    }
}

pub(crate) fn open(path: &Path) -> Result<SerializedFileReader<File>, Error> {
    let file = File::open(path).map_err(|error| Error::new(path, error))?;
    SerializedFileReader::new(file).map_err(|error| Error::new(path, error))
}
