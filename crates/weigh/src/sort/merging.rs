//! `--merge`: files that are in order already.

use std::fs;
use std::io::BufRead;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use extsort::{Input, Merge, Record};
use mysql_collation::Collation;

use super::order::Order;
use crate::offline;

/// The lines of a file, with their keys.
pub struct Lines {
    path: PathBuf,
    input: Box<dyn BufRead>,
    end: u8,
    collation: Collation,
    line: Vec<u8>,
    key: Vec<u8>,
}

impl Input for Lines {
    type Error = Error;

    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        let read = self.input.read_until(self.end, &mut self.line);
        if read.map_err(|error| offline::unreadable(&self.path, &error))? == 0 {
            return Ok(false);
        }
        self.line.pop_if(|last| *last == self.end);
        self.key.clear();
        self.collation.sort_key_into(&self.line, &mut self.key);
        Ok(true)
    }

    fn record(&self) -> Record<'_> {
        Record { key: &self.key, value: &self.line }
    }
}

/// The lines of all files in order. Each is taken to be in order by itself.
pub fn merge(order: &Order, files: &[PathBuf], end: u8) -> Result<Merge<Lines>> {
    let open = |path: PathBuf| {
        let input = offline::open(&path)?;
        Ok(Lines { path, input, end, collation: order.collation, line: Vec::new(), key: Vec::new() })
    };
    let inputs: Result<Vec<Lines>> = offline::inputs(files).into_iter().map(open).collect();
    Ok(Merge::new(inputs?, order.by_key()))
}

/// Refuses an output that is one of the files: it would be emptied before it is read.
pub fn refuse_input(output: &Path, files: &[PathBuf]) -> Result<()> {
    let Ok(of_output) = fs::metadata(output) else { return Ok(()) };
    let is_output = |path: &&PathBuf| {
        fs::metadata(path).is_ok_and(|other| (other.dev(), other.ino()) == (of_output.dev(), of_output.ino()))
    };
    if let Some(path) = files.iter().find(is_output) {
        bail!(
            "--merge writes while it reads, so --output can't be {}, which is read; sort without --merge, or write to another file",
            path.display()
        );
    }
    Ok(())
}
