use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::record::{HEADER_BYTES, Record, header, lengths};

const WRITE_BYTES: usize = 1 << 18;

/// An unnamed file of consecutive runs.
pub(crate) struct Spill {
    file: Arc<File>,
    folder: PathBuf,
    /// Byte range of each run.
    pub runs: Vec<Range<u64>>,
}

impl Spill {
    pub fn create(folder: &Path) -> Result<Self, Error> {
        let create = || {
            let file = tempfile::tempfile_in(folder)?;
            // Without this, the mode would depend on the umask. The file is still empty.
            file.set_permissions(Permissions::from_mode(0o600))?;
            Ok(file)
        };
        let file = create().map_err(io_error("create", folder))?;
        Ok(Self { file: Arc::new(file), folder: folder.to_owned(), runs: Vec::new() })
    }

    /// Returns the spill file, created if missing.
    pub fn get_or_create<'s>(spill: &'s mut Option<Self>, folder: &Path) -> Result<&'s mut Self, Error> {
        Ok(match spill {
            Some(spill) => spill,
            none => none.insert(Self::create(folder)?),
        })
    }

    /// Returns the byte offset at which the next run begins.
    fn end(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Appends a run. `write` is called with a function that appends one record.
    pub fn append<E: From<Error>>(
        &mut self,
        write: impl FnOnce(&mut dyn FnMut(Record<'_>) -> Result<(), Error>) -> Result<(), E>,
    ) -> Result<(), E> {
        let begin = self.end();
        let mut out = BufWriter::with_capacity(WRITE_BYTES, OffsetWriter { file: &self.file, at: begin });
        let failed = io_error("write", &self.folder);
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
        self.runs.push(begin..end);
        Ok(())
    }

    /// Returns a reader for each of these runs. A read buffer has `memory` bytes, or the size of a
    /// larger record.
    pub fn readers(&self, runs: Range<usize>, memory: usize) -> Vec<RunReader> {
        let reader = |rest: &Range<u64>| RunReader {
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

pub(crate) fn io_error(what: &'static str, folder: &Path) -> impl Fn(io::Error) -> Error + use<> {
    let folder = folder.to_owned();
    move |source| Error { what, folder: folder.clone(), source }
}

/// Returns the error for a key or value of 4 GiB or more.
pub(crate) fn too_long(folder: &Path) -> Error {
    io_error("write", folder)(io::Error::new(io::ErrorKind::InvalidInput, "a key or value has 4 GiB or more"))
}

/// Writer at a byte offset of a file. Each write advances the offset.
struct OffsetWriter<'f> {
    file: &'f File,
    at: u64,
}

impl Write for OffsetWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write_at(bytes, self.at)?;
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) struct RunReader {
    file: Arc<File>,
    folder: PathBuf,
    /// Byte range of the run that is still to be read from the file.
    rest: Range<u64>,
    block: Vec<u8>,
    at: usize,
    memory: usize,
}

impl RunReader {
    /// Advances to the first or next record. Returns false at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if !self.block.is_empty() {
            let (key, value) = self.lengths();
            self.at += HEADER_BYTES + key + value;
        }
        if !self.fill(HEADER_BYTES)? {
            return Ok(false);
        }
        let (key, value) = self.lengths();
        self.fill(HEADER_BYTES + key + value)
    }

    pub fn record(&self) -> Record<'_> {
        Record::at(&self.block, self.at)
    }

    fn lengths(&self) -> (usize, usize) {
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&self.block[self.at..self.at + HEADER_BYTES]);
        lengths(header)
    }

    /// Reads until `block` holds at least `wanted` bytes from `at` on. Returns false if the run has
    /// fewer bytes left.
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
        read.map_err(io_error("read", &self.folder))?;
        self.rest.start += more as u64;
        Ok(true)
    }
}
