//! Results of finished tables on disk, so that an interrupted run can be resumed.

use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::Error;
use crate::job::TableJob;
use crate::scan::ScanResult;

/// Results that are kept for a resumed run.
///
/// The file's first line identifies the run. Each further line is a [`ScanResult`] as JSON.
pub struct Checkpoint {
    path: PathBuf,
    file: Option<Mutex<File>>,
    results: Vec<ScanResult>,
}

impl Checkpoint {
    /// Returns a checkpoint that stores nothing.
    pub fn disabled() -> Self {
        Self { path: PathBuf::new(), file: None, results: Vec::new() }
    }

    /// Opens or creates a file, with mode 0600 because the file contains values of rows. `run`
    /// identifies the server and the options. A file is changed only if it is empty, or begins with
    /// the line `run`.
    ///
    /// # Errors
    ///
    /// If the file belongs to another run, or is a link, or can't be read or written.
    pub fn open(path: &Path, run: &str) -> Result<Self, Error> {
        let failed = |what| move |source| Error::File { what, path: path.to_owned(), source };
        let mut file = files::open_or_create(path).map_err(failed("open"))?;
        let (results, complete_bytes) = read_results(&file, path, run)?;
        file.set_permissions(Permissions::from_mode(0o600)).map_err(failed("set the mode of"))?;
        match complete_bytes {
            0 => writeln!(file, "{run}").map_err(failed("write"))?,
            bytes => file.set_len(bytes).map_err(failed("write"))?,
        }
        file.seek(SeekFrom::End(0)).map_err(failed("write"))?;
        Ok(Self { path: path.to_owned(), file: Some(Mutex::new(file)), results })
    }

    /// Returns the stored result of these tables. `None` if they have to be read.
    pub fn find_result(&self, tables: &[&TableJob<'_>]) -> Option<ScanResult> {
        let names: Vec<String> = tables.iter().map(|table| table.name()).collect();
        self.results.iter().find(|result| result.tables == names).cloned()
    }

    /// Appends a result to the file.
    pub fn add(&self, result: &ScanResult) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut line = serde_json::to_string(result).unwrap_or_default();
        line.push('\n');
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let failed = |source| Error::File { what: "write", path: self.path.clone(), source };
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
    }
}

/// Reads the results of `run`, and the length of the complete lines. 0 for an empty file.
fn read_results(file: &File, path: &Path, run: &str) -> Result<(Vec<ScanResult>, u64), Error> {
    let problem = |problem: String| Error::Content { path: path.to_owned(), problem };
    let failed = |source| Error::File { what: "read", path: path.to_owned(), source };
    let foreign = || {
        let text = "it is of another run (other options or another server) or no file of weigh. Name another file, or \
                    remove it";
        problem(text.to_owned())
    };
    let mut reader = BufReader::new(file);
    let mut head = vec![0; run.len() + 1];
    let length = read_up_to(&mut reader, &mut head).map_err(failed)?;
    if length == 0 {
        return Ok((Vec::new(), 0));
    }
    if head[..length] != *format!("{run}\n").as_bytes() {
        return Err(foreign());
    }
    let mut results = Vec::new();
    let mut complete_bytes = length as u64;
    let mut line = String::new();
    while reader.read_line(&mut line).map_err(failed)? > 0 {
        // The last line of an interrupted run may be incomplete. It is dropped.
        let Some(text) = line.strip_suffix('\n') else { break };
        complete_bytes += line.len() as u64;
        results.push(serde_json::from_str(text).map_err(|error| problem(error.to_string()))?);
        line.clear();
    }
    Ok((results, complete_bytes))
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..])? {
            0 => break,
            count => length += count,
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn changes_only_its_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        for (name, text) in [("line", "one line"), ("lines", "a\nb"), ("start", "the r"), ("other", "the runs\n")] {
            fs::write(at(name), text).unwrap();
            let error = Checkpoint::open(&at(name), "the run").err().unwrap().to_string();
            assert!(error.contains("another run") && fs::read_to_string(at(name)).unwrap() == text, "{name}: {error}");
        }
        symlink("line", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            assert!(Checkpoint::open(&at(name), "the run").err().unwrap().to_string().contains("symbolic link"));
        }
        fs::write(at("empty"), "").unwrap();
        fs::set_permissions(at("empty"), Permissions::from_mode(0o644)).unwrap();
        for name in ["empty", "new", "new"] {
            Checkpoint::open(&at(name), "the run").unwrap();
            assert_eq!((fs::read_to_string(at(name)).unwrap().as_str(), mode(name)), ("the run\n", 0o600));
        }
        fs::write(at("torn"), "the run\n{\"tab").unwrap();
        Checkpoint::open(&at("torn"), "the run").unwrap();
        assert_eq!(fs::read_to_string(at("torn")).unwrap(), "the run\n");
    }
}
