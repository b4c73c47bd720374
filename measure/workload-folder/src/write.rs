//! Writing of workload folders. Files can hold personal data, so only their owner can read them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

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
/// what was written, and the folder unless it existed before.
#[derive(Debug)]
pub struct FolderWriter {
    root: PathBuf,
    existed: bool,
    finished: bool,
}

impl FolderWriter {
    /// Creates the folder. It may exist if it is empty.
    pub fn create(root: &Path) -> Result<Self, WriteError> {
        let existed = fs::symlink_metadata(root).is_ok();
        if fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(WriteError::NotEmpty(root.to_owned()));
        }
        let create =
            |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(write_error(path));
        create(root)?;
        let folder = Self { root: root.to_owned(), existed, finished: false };
        create(&root.join(rows::FOLDER))?;
        create(&root.join(STATEMENTS))?;
        Ok(folder)
    }

    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), WriteError> {
        let text = toml::to_string(manifest)
            .map_err(|error| write_error(&self.root.join(MANIFEST))(io::Error::other(error)))?;
        self.write_text(MANIFEST, &text)
    }

    pub fn write_schema(&self, text: &str) -> Result<(), WriteError> {
        self.write_text(schema::FILE, text)
    }

    /// Creates the file of a table's rows, `orders.csv`. Special characters are encoded:
    /// `a%2Fb.csv`.
    pub fn create_rows(&self, table: &str, columns: Vec<Column>) -> Result<RowsWriter, WriteError> {
        let path = self.root.join(rows::FOLDER).join(format!("{}.csv", escape::file_name(table)));
        RowsWriter::create(path, &columns)
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
        let path = self.root.join(STATEMENTS).join(format!("{name}.sql"));
        let header = header.to_lines().map_err(|error| write_error(&path)(io::Error::other(error)))?;
        self.write_text(&format!("{STATEMENTS}/{name}.sql"), &format!("{header}{text}\n"))?;
        if columns.is_empty() {
            return Ok(());
        }
        let mut writer = RowsWriter::create(path.with_extension("csv"), columns)?;
        samples.iter().try_for_each(|sample| writer.write(sample))?;
        writer.finish()
    }

    /// Keeps the folder and returns its path.
    pub fn finish(mut self) -> PathBuf {
        self.finished = true;
        self.root.clone()
    }

    fn write_text(&self, name: &str, text: &str) -> Result<(), WriteError> {
        let path = self.root.join(name);
        create_private_file(&path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(write_error(&path))
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // An incomplete workload is useless, and can hold personal data.
        if !self.existed {
            let _ = fs::remove_dir_all(&self.root);
            return;
        }
        for folder in [rows::FOLDER, STATEMENTS] {
            let _ = fs::remove_dir_all(self.root.join(folder));
        }
        for file in [MANIFEST, schema::FILE] {
            let _ = fs::remove_file(self.root.join(file));
        }
    }
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> WriteError + use<> {
    let path = path.to_owned();
    move |source| WriteError::Io { path: path.clone(), source }
}

/// Creates a file that only its owner can read.
fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn append(path: &Path) -> io::Result<csv::Writer<BufWriter<File>>> {
    let file = OpenOptions::new().append(true).open(path)?;
    Ok(csv::Writer::from_writer(BufWriter::new(file)))
}

/// Writer of rows or samples as CSV.
pub struct RowsWriter {
    path: PathBuf,
    /// `None` while the file is closed.
    writer: Option<csv::Writer<BufWriter<File>>>,
    pub rows: u64,
}

impl RowsWriter {
    fn create(path: PathBuf, columns: &[Column]) -> Result<Self, WriteError> {
        let file = create_private_file(&path).map_err(write_error(&path))?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        let heads = columns.iter().map(Column::to_head);
        writer.write_record(heads).map_err(|error| write_error(&path)(error.into()))?;
        Ok(Self { path, writer: Some(writer), rows: 0 })
    }

    pub fn write(&mut self, row: &[Cell]) -> Result<(), WriteError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            closed => closed.insert(append(&self.path).map_err(write_error(&self.path))?),
        };
        writer.write_record(row.iter().map(format_cell)).map_err(|error| write_error(&self.path)(error.into()))?;
        self.rows += 1;
        Ok(())
    }

    /// Closes the file until the next row: a process may have few files open at once.
    pub fn close(&mut self) -> Result<(), WriteError> {
        self.writer.take().map_or(Ok(()), |mut writer| writer.flush()).map_err(write_error(&self.path))
    }

    pub fn finish(mut self) -> Result<(), WriteError> {
        self.close()
    }
}
