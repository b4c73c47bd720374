use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::Error;
use crate::column::Column;
use crate::page_limits::check_pages;
use crate::rows::Rows;

/// A table: one file, or the files of a folder, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    files: Vec<PathBuf>,
}

impl Table {
    /// Creates a table from a file, or from the `.parquet` files of a folder, sorted by name. Files
    /// whose names begin with `_` or `.` are ignored: programs such as Spark keep metadata in them.
    pub fn from_path(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            return Ok(Self { files: vec![path.to_owned()] });
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(path).map_err(|error| Error::new(path, error))? {
            let file = entry.map_err(|error| Error::new(path, error))?.path();
            let is_metadata = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
            if !is_metadata && file.extension().is_some_and(|extension| extension == "parquet") {
                files.push(file);
            }
        }
        if files.is_empty() {
            return Err(Error::new(path, "the folder has no .parquet file"));
        }
        files.sort();
        Ok(Self { files })
    }

    /// Returns the files, at least one.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the columns of the first file.
    pub fn columns(&self) -> Result<Vec<Column>, Error> {
        let reader = open_file(&self.files[0])?;
        Error::contain(&self.files[0], || {
            let fields = reader.metadata().file_metadata().schema().get_fields();
            Ok(fields.iter().map(|field| Column::from_type(field)).collect())
        })
    }

    pub fn rows<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Rows {
        Rows::new(self.files.clone(), names.into_iter().map(str::to_owned).collect())
    }
}

pub(crate) fn open_file(path: &Path) -> Result<SerializedFileReader<File>, Error> {
    let file = files::open_regular(path).map_err(|error| Error::new(path, error))?;
    Error::contain(path, || {
        let pages = file.try_clone().map_err(|error| Error::new(path, error))?;
        let reader = SerializedFileReader::new(file).map_err(|error| Error::new(path, error))?;
        check_pages(&pages, reader.metadata()).map_err(|problem| Error::new(path, problem))?;
        Ok(reader)
    })
}
