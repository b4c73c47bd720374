//! A run's folder: `run.json`, and `samples.jsonl` with a line a block, flushed as it is measured.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::model::{Block, Run};

mod reading;
mod resuming;

pub use reading::read;
pub(crate) use resuming::Begun;

const RUN: &str = "run.json";
const SAMPLES: &str = "samples.jsonl";
/// `run.json` while it is being written.
const UNFINISHED: &str = ".run.json.new";

/// What can go wrong with a run's folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder holds another run.
    #[error("{} already holds a run; name another folder by --out", .0.display())]
    Taken(PathBuf),
    /// The folder can't be made.
    #[error("cannot make the results folder {}: {source}; name another by --out", path.display())]
    Create {
        /// The folder, or the file in it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process is measuring the run.
    #[error("the run in {} is still being measured", .0.display())]
    InUse(PathBuf),
    /// There is nothing to resume.
    #[error("{} can't be resumed: {reason}", path.display())]
    NotResumable {
        /// The folder.
        path: PathBuf,
        /// Why, and what to do.
        reason: &'static str,
    },
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
    /// The parts of a run do not go together.
    #[error("{}: {reason}", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A run's folder that is being written. One in which nothing was measured is taken away again when this is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    samples: File,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    /// Counted blocks.
    blocks: usize,
    /// Whether it stays without blocks too.
    kept: bool,
    /// The run that it holds already, to be resumed.
    begun: Option<Begun>,
}

impl Folder {
    /// Makes the folder; it must not hold a run yet.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |source| FolderError::Create { path, source }
        };
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        fs::create_dir_all(path).map_err(fail(path))?;
        if path.join(RUN).exists() {
            return Err(FolderError::Taken(path.to_owned()));
        }
        let file = path.join(SAMPLES);
        let samples = OpenOptions::new().append(true).create(true).open(&file).map_err(fail(&file))?;
        // An empty one is of a process that was killed at its very start.
        let is_free = resuming::lock(&samples, path).is_ok() && !path.join(RUN).exists();
        if !is_free || samples.metadata().map_err(fail(&file))?.len() > 0 {
            return Err(FolderError::Taken(path.to_owned()));
        }
        Ok(Self { path: path.to_owned(), samples, made, blocks: 0, kept: false, begun: None })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes or replaces `run.json`, whole or not at all.
    pub fn write_run(&self, run: &Run) -> Result<(), FolderError> {
        let path = self.path.join(RUN);
        let unfinished = self.path.join(UNFINISHED);
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
        let written = self.samples.write_all(&line);
        written.map_err(|source| FolderError::Write { path: self.path.join(SAMPLES), source })?;
        self.blocks += usize::from(!block.warm_up);
        Ok(())
    }

    /// Lets it stay also where no block was measured, because something else lies in it.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// Blocks that it holds, warm-ups not counted.
    pub fn blocks(&self) -> usize {
        self.blocks
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.blocks > 0 || self.kept {
            return;
        }
        // Whatever cannot be removed was never there, or holds what is not ours.
        for name in [RUN, UNFINISHED, SAMPLES] {
            let _ = fs::remove_file(self.path.join(name));
        }
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reading::read_samples;
    use super::*;

    #[test]
    fn a_folder_without_samples_goes_and_takes_no_other_with_it() {
        let base = std::env::temp_dir().join(format!("weigh-folder-test-{}", std::process::id()));
        fs::create_dir(&base).unwrap();
        let path = base.join("deep/results");
        drop(Folder::create(&path).unwrap());
        assert!(base.exists() && !base.join("deep").exists());

        let mut folder = Folder::create(&path).unwrap();
        let block = Block {
            condition: 0,
            pair: None,
            replicate: None,
            round: 0,
            warm_up: false,
            at_s: 0.0,
            seconds: 1.0,
            stolen: Some(0.25),
            sides: Vec::new(),
        };
        folder.append(&block).unwrap();
        drop(folder);
        assert_eq!(read_samples(&path.join(SAMPLES)).unwrap(), [block]);
        assert!(matches!(Folder::create(&path), Err(FolderError::Taken(_))));
        assert_eq!(read_samples(&path.join(SAMPLES)).unwrap().len(), 1, "what is there stays");
        fs::remove_dir_all(base).unwrap();
    }
}
