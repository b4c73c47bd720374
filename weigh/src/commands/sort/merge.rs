//! `--merge`: merges sorted files.

use std::cell::RefCell;
use std::fs;
use std::io::BufRead;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use extsort::{Merge, MergeInput, Record};
use mysql_collation::Collation;

use super::ill_formed::IllFormedLines;
use super::order::Order;
use crate::input;

/// Lines of a sorted file with their sort keys.
pub struct KeyedLines<'i> {
    path: PathBuf,
    input: Box<dyn BufRead>,
    end: u8,
    collation: Collation,
    line: Vec<u8>,
    /// Number of `line` in its file, counted from 1.
    number: u64,
    key: Vec<u8>,
    ill_formed: &'i RefCell<IllFormedLines>,
}

impl MergeInput for KeyedLines<'_> {
    type Error = Error;

    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        let read = input::read_line(&mut *self.input, self.end, &mut self.line);
        if read.map_err(|error| input::read_error(&self.path, &error))? == 0 {
            return Ok(false);
        }
        self.line.pop_if(|last| *last == self.end);
        self.number += 1;
        self.ill_formed.borrow_mut().add_line(&self.path, self.number, &self.line);
        self.key.clear();
        self.collation.sort_key_into(&self.line, &mut self.key);
        Ok(true)
    }

    fn record(&self) -> Record<'_> {
        Record { key: &self.key, value: &self.line }
    }
}

/// Merges files, each of which must be sorted. Adds ill-formed lines to `ill_formed` as they are
/// read.
pub fn merge_files<'i>(
    order: &Order,
    files: &[PathBuf],
    end: u8,
    ill_formed: &'i RefCell<IllFormedLines>,
) -> Result<Merge<KeyedLines<'i>>> {
    let open = |path: PathBuf| {
        let input = input::open(&path)?;
        let collation = order.collation;
        Ok(KeyedLines { path, input, end, collation, line: Vec::new(), number: 0, key: Vec::new(), ill_formed })
    };
    let inputs: Result<Vec<KeyedLines<'_>>> = input::paths_or_stdin(files).into_iter().map(open).collect();
    Ok(Merge::new(inputs?, order.key_order()))
}

/// Refuses an output that is also an input: the inputs are read while it is written, and a file
/// that is open as `/dev/stdout` would be truncated.
pub fn refuse_output_as_input(output: &Path, files: &[PathBuf]) -> Result<()> {
    let Ok(output_file) = fs::metadata(output) else { return Ok(()) };
    let is_output = |path: &&PathBuf| {
        fs::metadata(path).is_ok_and(|other| (other.dev(), other.ino()) == (output_file.dev(), output_file.ino()))
    };
    if let Some(path) = files.iter().find(is_output) {
        bail!(
            "--merge writes while it reads, so --output can't be {}, which is read; sort without --merge, or write to another file",
            path.display()
        );
    }
    Ok(())
}
