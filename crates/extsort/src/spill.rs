//! The file that runs are spilled to.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::run::{HEADER, Record, header, lengths};

/// How much is written at a time, in bytes.
const WRITE: usize = 1 << 18;

/// A file without a name that holds runs, one behind the other.
pub(crate) struct Spill {
    file: Arc<File>,
    folder: PathBuf,
    /// Where each run lies.
    pub runs: Vec<Range<u64>>,
}

impl Spill {
    pub fn create(folder: &Path) -> Result<Self, Error> {
        let create = || {
            let file = tempfile::tempfile_in(folder)?;
            // Nothing is in it yet; without a name it would otherwise have what the umask leaves.
            file.set_permissions(Permissions::from_mode(0o600))?;
            Ok(file)
        };
        let file = create().map_err(failed("create", folder))?;
        Ok(Self { file: Arc::new(file), folder: folder.to_owned(), runs: Vec::new() })
    }

    /// The one that is there, or a new one.
    pub fn of<'s>(spill: &'s mut Option<Self>, folder: &Path) -> Result<&'s mut Self, Error> {
        Ok(match spill {
            Some(spill) => spill,
            none => none.insert(Self::create(folder)?),
        })
    }

    /// Where the next run begins.
    fn end(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Appends a run. `write` gets a function that appends one record.
    pub fn append<E: From<Error>>(
        &mut self,
        write: impl FnOnce(&mut dyn FnMut(Record<'_>) -> Result<(), Error>) -> Result<(), E>,
    ) -> Result<(), E> {
        let begin = self.end();
        let mut out = BufWriter::with_capacity(WRITE, At { file: &self.file, at: begin });
        let failed = failed("write", &self.folder);
        write(&mut |record| {
            if record.key.len().max(record.value.len()) > u32::MAX as usize {
                return Err(too_long(&self.folder));
            }
            let head = header(record.key, record.value);
            [&head[..], record.key, record.value]
                .into_iter()
                .try_for_each(|bytes| out.write_all(bytes))
                .map_err(&failed)
        })?;
        let end = out.flush().map(|()| out.get_ref().at).map_err(&failed)?;
        // What was flushed must not be written again when the writer goes.
        drop(out.into_parts());
        self.runs.push(begin..end);
        Ok(())
    }

    /// A reader of each of these runs, with so many bytes of memory each.
    pub fn readers(&self, runs: Range<usize>, memory: usize) -> Vec<Reader> {
        let reader = |rest: &Range<u64>| Reader {
            file: Arc::clone(&self.file),
            folder: self.folder.clone(),
            rest: rest.clone(),
            block: Vec::new(),
            at: 0,
            memory,
        };
        self.runs[runs].iter().map(reader).collect()
    }
}

pub(crate) fn failed(what: &'static str, folder: &Path) -> impl Fn(io::Error) -> Error + use<> {
    let folder = folder.to_owned();
    move |source| Error { what, folder: folder.clone(), source }
}

/// The error of a record whose lengths have no room in front of it.
pub(crate) fn too_long(folder: &Path) -> Error {
    failed("write", folder)(io::Error::new(io::ErrorKind::InvalidInput, "a record is longer than 4 GiB"))
}

/// Writes from a place on.
struct At<'f> {
    file: &'f File,
    at: u64,
}

impl Write for At<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write_at(bytes, self.at)?;
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a run record by record.
pub(crate) struct Reader {
    file: Arc<File>,
    folder: PathBuf,
    /// What of the run has not been read from the file yet.
    rest: Range<u64>,
    block: Vec<u8>,
    at: usize,
    memory: usize,
}

impl Reader {
    /// Steps to the first record, or the next one; false at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if !self.block.is_empty() {
            let (key, value) = self.lengths();
            self.at += HEADER + key + value;
        }
        if !self.fill(HEADER)? {
            return Ok(false);
        }
        let (key, value) = self.lengths();
        self.fill(HEADER + key + value)
    }

    /// The record that was stepped to.
    pub fn record(&self) -> Record<'_> {
        Record::at(&self.block, self.at)
    }

    fn lengths(&self) -> (usize, usize) {
        let mut header = [0; HEADER];
        header.copy_from_slice(&self.block[self.at..self.at + HEADER]);
        lengths(header)
    }

    /// Makes at least so many bytes available; false where the run has ended.
    fn fill(&mut self, wanted: usize) -> Result<bool, Error> {
        let held = self.block.len() - self.at;
        if held >= wanted {
            return Ok(true);
        }
        let left = (self.rest.end - self.rest.start) as usize;
        if held + left < wanted {
            return Ok(false);
        }
        self.block.drain(..self.at);
        self.at = 0;
        let more = left.min((self.memory.max(wanted)).saturating_sub(held));
        self.block.resize(held + more, 0);
        let read = self.file.read_exact_at(&mut self.block[held..], self.rest.start);
        read.map_err(failed("read", &self.folder))?;
        self.rest.start += more as u64;
        Ok(true)
    }
}
