//! A run's folder: `run.json`, and `samples.jsonl` with a line a block, flushed as it is measured.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::model::{Block, FORMAT, Run};

const RUN: &str = "run.json";
const SAMPLES: &str = "samples.jsonl";

/// What can go wrong with a run's folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder holds another run.
    #[error("{} already holds a run; give another folder with --out", .0.display())]
    Taken(PathBuf),
    /// A file can't be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file can't be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{}, line {line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A run's folder that is being written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    samples: File,
}

impl Folder {
    /// Makes the folder; it must not hold a run yet.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|source| FolderError::Write { path: path.to_owned(), source })?;
        let file = path.join(SAMPLES);
        let samples = OpenOptions::new().append(true).create_new(true).open(&file).map_err(|source| {
            if source.kind() == io::ErrorKind::AlreadyExists {
                FolderError::Taken(path.to_owned())
            } else {
                FolderError::Write { path: file, source }
            }
        })?;
        Ok(Self { path: path.to_owned(), samples })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes or replaces `run.json`, whole or not at all.
    pub fn write_run(&self, run: &Run) -> Result<(), FolderError> {
        let path = self.path.join(RUN);
        let unfinished = self.path.join(".run.json.new");
        let mut text = serde_json::to_string_pretty(run).expect("a run is plain data");
        text.push('\n');
        fs::write(&unfinished, text)
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|source| FolderError::Write { path, source })
    }

    /// Appends a block in one write.
    pub fn append(&mut self, block: &Block) -> Result<(), FolderError> {
        let mut line = serde_json::to_vec(block).expect("a block is plain data");
        line.push(b'\n');
        self.samples.write_all(&line).map_err(|source| FolderError::Write { path: self.path.join(SAMPLES), source })
    }
}

/// Reads a run back. A last line that was cut off in the middle, as a crash leaves it, is passed over.
pub fn read(path: &Path) -> Result<(Run, Vec<Block>), FolderError> {
    let run = read_run(&path.join(RUN))?;
    let blocks = read_samples(&path.join(SAMPLES))?;
    Ok((run, blocks))
}

fn read_run(path: &Path) -> Result<Run, FolderError> {
    let text = read_text(path)?;
    let malformed = |line, reason: String| FolderError::Malformed { path: path.to_owned(), line, reason };
    let run: Run = serde_json::from_str(&text).map_err(|error| malformed(error.line(), error.to_string()))?;
    if run.format != FORMAT {
        return Err(malformed(1, format!("the format is {}, this version reads {FORMAT}", run.format)));
    }
    Ok(run)
}

fn read_samples(path: &Path) -> Result<Vec<Block>, FolderError> {
    let text = read_text(path)?;
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| FolderError::Malformed {
                path: path.to_owned(),
                line: index + 1,
                reason: error.to_string(),
            })
        })
        .collect()
}

fn read_text(path: &Path) -> Result<String, FolderError> {
    fs::read_to_string(path).map_err(|source| FolderError::Read { path: path.to_owned(), source })
}
