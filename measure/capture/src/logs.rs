//! Reading of logs into statement classes.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use querylog::{Entry, GeneralLog, Script, SlowLog};
use server::Progress;
use sql::SqlMode;

use crate::classes::Classes;
use crate::error::Error;

#[derive(Clone, Debug)]
pub struct Log {
    pub kind: LogKind,
    /// Path; a `.gz` file is decompressed.
    pub path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    Slow,
    General,
    Script,
}

struct CountingReader<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Number of entries between updates of the progress and checks for signals.
const ENTRIES_PER_CHECK: usize = 4096;

/// Adds the statements of a log to their classes. Statements of a script before its first `USE`
/// belong to `schema`.
pub fn read_log(
    log: &Log,
    schema: &str,
    mode: SqlMode,
    classes: &mut Classes,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let read_error = |source| Error::File { path: log.path.clone(), source };
    let file = File::open(&log.path).map_err(read_error)?;
    let size = file.metadata().map_err(read_error)?.len().max(1);
    let read = Arc::new(AtomicU64::new(0));
    let counted = CountingReader { inner: file, read: Arc::clone(&read) };
    let input = BufReader::with_capacity(1 << 18, files::unpack(&log.path, counted));
    progress.step(&format!("reading {}", log.path.display()));
    let entries: Box<dyn Iterator<Item = io::Result<Entry>>> = match log.kind {
        LogKind::Slow => Box::new(SlowLog::new(input)),
        LogKind::General => Box::new(GeneralLog::new(input)),
        LogKind::Script => {
            let own = |entry: Entry| Entry { schema: entry.schema.or_else(|| Some(schema.to_owned())), ..entry };
            Box::new(Script::new(input, mode).map(move |entry| entry.map(own)))
        }
    };
    for (number, entry) in entries.enumerate() {
        classes.add(&entry.map_err(read_error)?);
        if number % ENTRIES_PER_CHECK == 0 {
            lifecycle::interrupt::check()?;
            progress.fraction(read.load(Ordering::Relaxed) as f64 / size as f64);
        }
    }
    Ok(())
}
