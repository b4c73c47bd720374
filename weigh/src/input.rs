//! Input files, with `-` as standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
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

pub fn read_error(path: &Path, error: &io::Error) -> anyhow::Error {
    let name = if path == Path::new(STDIN) { "standard input".into() } else { path.display().to_string() };
    anyhow!("cannot read {name}: {error}")
}

/// Returns the named files, by default standard input.
pub fn paths_or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from(STDIN)] } else { files.to_vec() }
}
