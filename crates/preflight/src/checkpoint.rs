//! What has been read, on disk, so that an interrupted run can go on.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::Error;
use crate::job::TableJob;
use crate::scan::UnitResult;

/// A file of finished groups of tables, a line each, behind a line that says what run they are of. Or nothing.
pub struct Checkpoint {
    path: PathBuf,
    file: Option<Mutex<File>>,
    finished: Vec<UnitResult>,
}

impl Checkpoint {
    /// Remembers nothing.
    pub fn none() -> Self {
        Self { path: PathBuf::new(), file: None, finished: Vec::new() }
    }

    /// Opens or creates a file. It holds values of rows, so only its owner may read it. `run` tells what is checked; a file of another run
    /// is refused.
    pub fn open(path: &Path, run: &str) -> Result<Self, Error> {
        let failed = |what| move |source| Error::File { what, path: path.to_owned(), source };
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(failed("open"))?;
        let mut finished = Vec::new();
        let mut is_new = true;
        let mut whole = 0_u64;
        let mut reader = BufReader::new(&file);
        let mut line = String::new();
        while reader.read_line(&mut line).map_err(failed("read"))? > 0 {
            // A line without an end was being written when the run ended.
            let Some(text) = line.strip_suffix('\n') else { break };
            whole += line.len() as u64;
            if is_new && text != run {
                let problem =
                    "it is of another run: other options or another server. Name another file, or remove it".to_owned();
                return Err(Error::Content { path: path.to_owned(), problem });
            }
            if !is_new {
                finished.push(
                    serde_json::from_str(text)
                        .map_err(|error| Error::Content { path: path.to_owned(), problem: error.to_string() })?,
                );
            }
            is_new = false;
            line.clear();
        }
        drop(reader);
        file.set_len(whole).map_err(failed("write"))?;
        if is_new {
            writeln!(file, "{run}").map_err(failed("write"))?;
        }
        Ok(Self { path: path.to_owned(), file: Some(Mutex::new(file)), finished })
    }

    /// The result of a group of tables that was finished before.
    pub fn finished(&self, unit: &[&TableJob<'_>]) -> Option<UnitResult> {
        let names: Vec<String> = unit.iter().map(|table| table.name()).collect();
        self.finished.iter().find(|result| result.tables == names).cloned()
    }

    /// Writes down a group that is finished.
    pub fn add(&self, result: &UnitResult) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut line = serde_json::to_string(result).unwrap_or_default();
        line.push('\n');
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let failed = |source| Error::File { what: "write", path: self.path.clone(), source };
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
    }
}
