//! A folder, written. What is in it may be people's data: only its owner can read it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::cell::{Cell, Column, written};
use crate::head::Head;
use crate::manifest::Manifest;
use crate::read::{MANIFEST, STATEMENTS};
use crate::{rows, schema};

/// Why a folder can't be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is something already.
    #[error("{} is there already and not empty; name another folder", .0.display())]
    NotEmpty(PathBuf),
    /// The system refuses.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A folder that is being written. Dropped before [`Folder::finish`], it removes itself.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    finished: bool,
}

impl Folder {
    /// Creates the folder, which must not be there or be empty.
    ///
    /// # Errors
    /// If it holds something, or can't be created.
    pub fn create(root: &Path) -> Result<Self, WriteError> {
        if fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(WriteError::NotEmpty(root.to_owned()));
        }
        for path in [root.to_owned(), root.join(rows::FOLDER), root.join(STATEMENTS)] {
            DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(failed(&path))?;
        }
        Ok(Self { root: root.to_owned(), finished: false })
    }

    /// Writes workload.toml.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn manifest(&self, manifest: &Manifest) -> Result<(), WriteError> {
        let text =
            toml::to_string(manifest).map_err(|error| failed(&self.root.join(MANIFEST))(io::Error::other(error)))?;
        self.text(MANIFEST, &text)
    }

    /// Writes schema.sql.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn schema(&self, text: &str) -> Result<(), WriteError> {
        self.text(schema::FILE, text)
    }

    /// Begins the rows of a table.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rows(&self, table: &str, columns: Vec<Column>) -> Result<RowsWriter, WriteError> {
        let path = self.root.join(rows::FOLDER).join(format!("{table}.csv"));
        RowsWriter::create(path, &columns)
    }

    /// Writes a class of statements, and its samples where it has parameters.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn statement(
        &self,
        name: &str,
        head: &Head,
        text: &str,
        columns: &[Column],
        samples: &[Vec<Cell>],
    ) -> Result<(), WriteError> {
        let path = self.root.join(STATEMENTS).join(format!("{name}.sql"));
        let head = head.written().map_err(|error| failed(&path)(io::Error::other(error)))?;
        self.text(&format!("{STATEMENTS}/{name}.sql"), &format!("{head}{text}\n"))?;
        if columns.is_empty() {
            return Ok(());
        }
        let mut writer = RowsWriter::create(path.with_extension("csv"), columns)?;
        samples.iter().try_for_each(|sample| writer.write(sample))?;
        writer.finish()
    }

    /// Keeps the folder.
    pub fn finish(mut self) -> PathBuf {
        self.finished = true;
        self.root.clone()
    }

    fn text(&self, name: &str, text: &str) -> Result<(), WriteError> {
        let path = self.root.join(name);
        private(&path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed(&path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.finished {
            // Half a workload is of no use, and may hold people's data.
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> WriteError + use<> {
    let path = path.to_owned();
    move |source| WriteError::Io { path: path.clone(), source }
}

/// A new file that only its owner can read.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Rows or samples as CSV.
pub struct RowsWriter {
    path: PathBuf,
    writer: csv::Writer<BufWriter<File>>,
    /// Rows so far.
    pub rows: u64,
}

impl RowsWriter {
    fn create(path: PathBuf, columns: &[Column]) -> Result<Self, WriteError> {
        let file = private(&path).map_err(failed(&path))?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        let heads = columns.iter().map(Column::written);
        writer.write_record(heads).map_err(|error| failed(&path)(error.into()))?;
        Ok(Self { path, writer, rows: 0 })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, row: &[Cell]) -> Result<(), WriteError> {
        self.writer.write_record(row.iter().map(written)).map_err(|error| failed(&self.path)(error.into()))?;
        self.rows += 1;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.writer.flush().map_err(failed(&self.path))
    }
}
