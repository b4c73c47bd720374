//! The run folder: `run.json`, and `samples.jsonl` with one line per block, written when the block
//! ends.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{Access, HeldFolder};

use crate::model::{Block, Run};

mod reading;
mod resuming;

pub use reading::{check_size, read_run};
pub(crate) use resuming::UnfinishedRun;

const RUN_FILE: &str = "run.json";
const SAMPLES_FILE: &str = "samples.jsonl";

#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    #[error("{} already holds a run; name another folder by --out", .0.display())]
    AlreadyHasRun(PathBuf),

    #[error("cannot make the results folder {}: {source}; name another by --out", path.display())]
    Create {
        /// The folder, or the file in it.
        path: PathBuf,
        source: io::Error,
    },
    /// Another process is measuring the run.
    #[error("the run in {} is still being measured", .0.display())]
    InUse(PathBuf),

    #[error("{} can't be resumed: {reason}", path.display())]
    NotResumable {
        path: PathBuf,
        /// Reason and remedy.
        reason: &'static str,
    },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// `run.json` or a line of `samples.jsonl` cannot be parsed, or has an unknown format, or a
    /// block doesn't fit the run.
    #[error("{}, line {line}: {reason}", path.display())]
    Malformed {
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        reason: String,
    },
    /// The parts of a run are inconsistent.
    #[error("{}: {reason}", path.display())]
    Inconsistent { path: PathBuf, reason: String },
}

/// A run folder open for writing. On drop, if only warm-ups or no blocks were written, its files
/// are deleted, unless `keeps_empty` is set, and with them the directories that were created for
/// it.
#[derive(Debug)]
pub struct RunFolder {
    folder: Arc<HeldFolder>,
    samples: File,
    access: Access,
    /// Number of blocks written, without warm-ups.
    counted_blocks: usize,
    /// Whether to keep the folder even without blocks.
    keeps_empty: bool,
    /// The run in the folder that is to be resumed.
    unfinished: Option<UnfinishedRun>,
}

impl RunFolder {
    /// Creates the folder if it is missing, and an empty `samples.jsonl`, which stays locked. Fails
    /// if the folder holds a run. `access` is for the files, and for the folders that are created.
    pub fn create(path: &Path, access: Access) -> Result<Self, RunFolderError> {
        Self::new(HeldFolder::create(path, access).map_err(create_error(path))?, access)
    }

    /// As [`RunFolder::create`], for a folder in another one.
    pub fn create_in(parent: &HeldFolder, name: &str, access: Access) -> Result<Self, RunFolderError> {
        let path = parent.path().join(name);
        Self::new(parent.create_folder(name, access).map_err(create_error(&path))?, access)
    }

    fn new(folder: HeldFolder, access: Access) -> Result<Self, RunFolderError> {
        let path = folder.path();
        if folder.has(RUN_FILE) {
            return Err(RunFolderError::AlreadyHasRun(path.to_owned()));
        }
        let file = path.join(SAMPLES_FILE);
        let samples = folder.open_to_append(SAMPLES_FILE, access).map_err(create_error(&file))?;
        // An empty file, left by a process that was killed right at the start, is reused.
        let is_free = resuming::lock_samples(&samples, path).is_ok() && !folder.has(RUN_FILE);
        if !is_free || samples.metadata().map_err(create_error(&file))?.len() > 0 {
            return Err(RunFolderError::AlreadyHasRun(path.to_owned()));
        }
        let folder = Arc::new(folder);
        Ok(Self { folder, samples, access, counted_blocks: 0, keeps_empty: false, unfinished: None })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder, for other files that are written into it.
    pub fn folder(&self) -> Arc<HeldFolder> {
        Arc::clone(&self.folder)
    }

    /// Writes or replaces `run.json` atomically.
    pub fn write_run(&self, run: &Run) -> Result<(), RunFolderError> {
        let mut text = serde_json::to_string_pretty(run).expect("a run is plain data");
        text.push('\n');
        self.folder
            .replace(RUN_FILE, self.access, |file| file.write_all(text.as_bytes()))
            .map_err(|source| RunFolderError::Write { path: self.path().join(RUN_FILE), source })
    }

    /// Appends a block in one write.
    pub fn append(&mut self, block: &Block) -> Result<(), RunFolderError> {
        let mut line = serde_json::to_vec(block).expect("a block is plain data");
        line.push(b'\n');
        let written = self.refuse_removed().and_then(|()| self.samples.write_all(&line));
        written.map_err(|source| RunFolderError::Write { path: self.path().join(SAMPLES_FILE), source })?;
        self.counted_blocks += usize::from(!block.warm_up);
        Ok(())
    }

    /// Fails if `samples.jsonl` was removed: the block would go to a file without a name.
    fn refuse_removed(&self) -> io::Result<()> {
        match self.samples.metadata()?.nlink() {
            0 => Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed during the run")),
            _ => Ok(()),
        }
    }

    /// Keeps the folder even without blocks, because it contains other results.
    pub fn keep(&mut self) {
        self.keeps_empty = true;
    }

    /// Number of blocks written, without warm-ups.
    pub fn counted_blocks(&self) -> usize {
        self.counted_blocks
    }
}

fn create_error(path: &Path) -> impl FnOnce(io::Error) -> RunFolderError + use<> {
    let path = path.to_owned();
    move |source| RunFolderError::Create { path, source }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if self.counted_blocks > 0 || self.keeps_empty {
            return;
        }
        for name in [RUN_FILE, SAMPLES_FILE] {
            // Fails for a file that does not exist.
            let _ = self.folder.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::reading::read_samples;
    use super::*;

    #[test]
    fn removes_only_folder_without_samples() {
        let base = std::env::temp_dir().join(format!("weigh-folder-test-{}", std::process::id()));
        // Left by a killed test with the same process id.
        let _ = fs::remove_dir_all(&base);
        fs::create_dir(&base).unwrap();
        let path = base.join("deep/results");
        drop(RunFolder::create(&path, Access::Umask).unwrap());
        assert!(base.exists() && !base.join("deep").exists());

        let mut folder = RunFolder::create(&path, Access::Umask).unwrap();
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
        assert_eq!(read_samples(&path.join(SAMPLES_FILE)).unwrap(), std::slice::from_ref(&block));
        assert!(matches!(RunFolder::create(&path, Access::Umask), Err(RunFolderError::AlreadyHasRun(_))));
        assert_eq!(read_samples(&path.join(SAMPLES_FILE)).unwrap().len(), 1, "what is there stays");

        let mut folder = RunFolder::create(&base.join("gone"), Access::Umask).unwrap();
        fs::remove_dir_all(base.join("gone")).unwrap();
        let error = folder.append(&block).unwrap_err();
        assert!(error.to_string().contains("removed during the run"), "{error}");
        fs::remove_dir_all(base).unwrap();
    }
}
