//! Input files, with `-` as standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

const STDIN: &str = "-";

pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| read_error(path, &error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Reads a line with its end, as `BufRead::read_until` does. Fails if it is longer than
/// [`bounded::max_item_bytes`].
pub fn read_line(input: &mut dyn BufRead, end: u8, line: &mut Vec<u8>) -> io::Result<usize> {
    let limit = bounded::max_item_bytes();
    let read = input.take(limit as u64 + 1).read_until(end, line)?;
    if read > limit && line.last() != Some(&end) { Err(bounded::too_long("a line", limit)) } else { Ok(read) }
}

pub fn read_error(path: &Path, error: &io::Error) -> anyhow::Error {
    let name = if path == Path::new(STDIN) { "standard input".into() } else { path.display().to_string() };
    anyhow!("cannot read {name}: {error}")
}

/// Returns the named files, by default standard input.
pub fn paths_or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from(STDIN)] } else { files.to_vec() }
}
