//! Sorting more lines than memory holds.

use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use extsort::{Options, Sorted, Sorter, Ties};

use super::order::Order;
use crate::offline::{self, WriteError};

/// The lines of all files in order. Files are read to their end before anything is written, so the output may be one of them.
pub fn sorted(order: &Order, files: &[PathBuf], end: u8, memory: usize, folder: PathBuf) -> Result<Sorted> {
    let ties = if order.stable || order.unique { Ties::Arrival } else { Ties::Value };
    let mut sorter = Sorter::new(Options { memory, folder, ties, descending: order.reverse });
    let (mut line, mut key) = (Vec::new(), Vec::new());
    for path in offline::inputs(files) {
        let mut input = offline::open(&path)?;
        loop {
            line.clear();
            if input.read_until(end, &mut line).map_err(|error| offline::unreadable(&path, &error))? == 0 {
                break;
            }
            let text = line.strip_suffix(&[end]).unwrap_or(&line);
            key.clear();
            order.collation.sort_key_into(text, &mut key);
            sorter.push(&key, text).map_err(explained)?;
        }
    }
    sorter.finish().map_err(explained)
}

fn explained(error: extsort::Error) -> anyhow::Error {
    anyhow!("{error}; free some space, or name another folder by --temp-dir")
}

/// Writes the lines; of equal ones only the first where that is asked for.
pub fn write(out: &mut dyn Write, order: &Order, mut sorted: Sorted, end: u8) -> Result<(), WriteError> {
    let mut last: Option<Vec<u8>> = None;
    while let Some(record) = sorted.next().map_err(|error| WriteError::Other(explained(error)))? {
        if order.unique {
            if last.as_deref() == Some(record.key) {
                continue;
            }
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(record.key);
        }
        out.write_all(record.value)?;
        out.write_all(&[end])?;
    }
    Ok(())
}

/// The same into a file.
pub fn write_file(path: &Path, order: &Order, sorted: Sorted, end: u8) -> Result<()> {
    let failed = |error: std::io::Error| anyhow!("cannot write {}: {error}", path.display());
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path).map_err(failed)?);
    match write(&mut out, order, sorted, end) {
        Ok(()) => out.flush().map_err(failed),
        Err(WriteError::Out(error)) => Err(failed(error)),
        Err(WriteError::Other(error)) => Err(error),
    }
}
