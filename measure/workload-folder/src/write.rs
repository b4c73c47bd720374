//! Writing of workload folders. Files can hold personal data, so only their owner can read them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{Access, HeldFolder};

use crate::cell::{Cell, Column, format_cell};
use crate::header::StatementHeader;
use crate::manifest::Manifest;
use crate::read::{MANIFEST, STATEMENTS};
use crate::{rows, schema};

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{} exists and is not empty; name another folder", .0.display())]
    NotEmpty(PathBuf),
    /// A file or folder can't be created or written.
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A workload folder that is being written. Dropping it before [`FolderWriter::finish`] removes
/// what was written, and the folder unless it existed before. All files lie in the folder that was
/// opened first, wherever its path leads by then.
#[derive(Debug)]
pub struct FolderWriter {
    rows: Arc<HeldFolder>,
    statements: Arc<HeldFolder>,
    root: HeldFolder,
    finished: bool,
}

impl FolderWriter {
    /// Creates the folder. It may exist if it is empty.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let fail = |source| WriteError::Io { path: path.to_owned(), source };
        let root = HeldFolder::create(path, Access::OwnerOnly).map_err(fail)?;
        if !root.is_empty().map_err(fail)? {
            return Err(WriteError::NotEmpty(path.to_owned()));
        }
        let create = |name: &str| {
            let created = root.create_folder(name, Access::OwnerOnly);
            created.map(Arc::new).map_err(|error| file_error(&root, name, error))
        };
        let (rows, statements) = (create(rows::FOLDER)?, create(STATEMENTS)?);
        Ok(Self { rows, statements, root, finished: false })
    }

    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), WriteError> {
        let text =
            toml::to_string(manifest).map_err(|error| file_error(&self.root, MANIFEST, io::Error::other(error)))?;
        write_text(&self.root, MANIFEST, &text)
    }

    pub fn write_schema(&self, text: &str) -> Result<(), WriteError> {
        write_text(&self.root, schema::FILE, text)
    }

    /// Creates the file of a table's rows, `orders.csv`. Special characters are encoded:
    /// `a%2Fb.csv`.
    pub fn create_rows(&self, table: &str, columns: Vec<Column>) -> Result<RowsWriter, WriteError> {
        RowsWriter::create(&self.rows, format!("{}.csv", escape::file_name(table)), &columns)
    }

    /// Writes a statement class, and its samples if it has parameters.
    pub fn write_statement(
        &self,
        name: &str,
        header: &StatementHeader,
        text: &str,
        columns: &[Column],
        samples: &[Vec<Cell>],
    ) -> Result<(), WriteError> {
        let name = escape::file_name(name);
        let file = format!("{name}.sql");
        let header = header.to_lines().map_err(|error| file_error(&self.statements, &file, io::Error::other(error)))?;
        write_text(&self.statements, &file, &format!("{header}{text}\n"))?;
        if columns.is_empty() {
            return Ok(());
        }
        let mut writer = RowsWriter::create(&self.statements, format!("{name}.csv"), columns)?;
        samples.iter().try_for_each(|sample| writer.write(sample))?;
        writer.finish()
    }

    /// Keeps the folder and returns its path.
    pub fn finish(mut self) -> PathBuf {
        self.finished = true;
        self.rows.keep_empty();
        self.statements.keep_empty();
        self.root.path().to_owned()
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // An incomplete workload is useless, and can hold personal data.
        for folder in [&self.rows, &self.statements] {
            let _ = folder.remove_all();
        }
        for file in [MANIFEST, schema::FILE] {
            let _ = self.root.remove(file);
        }
    }
}

/// Writes a file that only its owner can read.
fn write_text(folder: &HeldFolder, name: &str, text: &str) -> Result<(), WriteError> {
    folder
        .create_new(name, Access::OwnerOnly)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| file_error(folder, name, error))
}

fn file_error(folder: &HeldFolder, name: &str, source: io::Error) -> WriteError {
    WriteError::Io { path: folder.path().join(name), source }
}

/// Writer of rows or samples as CSV.
pub struct RowsWriter {
    folder: Arc<HeldFolder>,
    file: String,
    /// `None` while the file is closed.
    writer: Option<csv::Writer<BufWriter<File>>>,
    pub rows: u64,
}

impl RowsWriter {
    fn create(folder: &Arc<HeldFolder>, file: String, columns: &[Column]) -> Result<Self, WriteError> {
        let fail = |error| file_error(folder, &file, error);
        let created = folder.create_new(&file, Access::OwnerOnly).map_err(fail)?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(created));
        writer.write_record(columns.iter().map(Column::to_head)).map_err(|error| fail(error.into()))?;
        Ok(Self { folder: Arc::clone(folder), file, writer: Some(writer), rows: 0 })
    }

    pub fn write(&mut self, row: &[Cell]) -> Result<(), WriteError> {
        let fail = |error| file_error(&self.folder, &self.file, error);
        let writer = match &mut self.writer {
            Some(writer) => writer,
            closed => {
                let file = self.folder.open_existing(&*self.file).map_err(fail)?;
                closed.insert(csv::Writer::from_writer(BufWriter::new(file)))
            }
        };
        writer.write_record(row.iter().map(format_cell)).map_err(|error| fail(error.into()))?;
        self.rows += 1;
        Ok(())
    }

    /// Closes the file until the next row: a process may have few files open at once.
    pub fn close(&mut self) -> Result<(), WriteError> {
        let flushed = self.writer.take().map_or(Ok(()), |mut writer| writer.flush());
        flushed.map_err(|error| file_error(&self.folder, &self.file, error))
    }

    pub fn finish(mut self) -> Result<(), WriteError> {
        self.close()
    }
}
