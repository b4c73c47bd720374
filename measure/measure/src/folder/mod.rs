//! The run folder: `run.json`, and `samples.jsonl` with one line per block, written when the block
//! ends.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use files::Access;

use crate::model::{Block, Run};

mod reading;
mod resuming;

pub use reading::read_run;
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
/// and the directories that were created for it are deleted, unless `keeps_empty` is set.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    samples: File,
    access: Access,
    /// Directories created for the run folder, innermost first.
    created: Vec<PathBuf>,
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
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |source| RunFolderError::Create { path, source }
        };
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let created = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let mode = if access == Access::OwnerOnly { 0o700 } else { 0o777 };
        DirBuilder::new().recursive(true).mode(mode).create(path).map_err(fail(path))?;
        if path.join(RUN_FILE).exists() {
            return Err(RunFolderError::AlreadyHasRun(path.to_owned()));
        }
        let file = path.join(SAMPLES_FILE);
        let mode = if access == Access::OwnerOnly { 0o600 } else { 0o666 };
        let samples = match OpenOptions::new().read(true).append(true).create_new(true).mode(mode).open(&file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => files::open_existing(&file),
            created => created,
        };
        let samples = samples.map_err(fail(&file))?;
        // An empty file, left by a process that was killed right at the start, is reused.
        let is_free = resuming::lock_samples(&samples, path).is_ok() && !path.join(RUN_FILE).exists();
        if !is_free || samples.metadata().map_err(fail(&file))?.len() > 0 {
            return Err(RunFolderError::AlreadyHasRun(path.to_owned()));
        }
        let path = path.to_owned();
        Ok(Self { path, samples, access, created, counted_blocks: 0, keeps_empty: false, unfinished: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes or replaces `run.json` atomically.
    pub fn write_run(&self, run: &Run) -> Result<(), RunFolderError> {
        let path = self.path.join(RUN_FILE);
        let mut text = serde_json::to_string_pretty(run).expect("a run is plain data");
        text.push('\n');
        files::replace(&path, self.access, |file| file.write_all(text.as_bytes()))
            .map_err(|source| RunFolderError::Write { path, source })
    }

    /// Appends a block in one write.
    pub fn append(&mut self, block: &Block) -> Result<(), RunFolderError> {
        let mut line = serde_json::to_vec(block).expect("a block is plain data");
        line.push(b'\n');
        let written = self.refuse_removed().and_then(|()| self.samples.write_all(&line));
        written.map_err(|source| RunFolderError::Write { path: self.path.join(SAMPLES_FILE), source })?;
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

impl Drop for RunFolder {
    fn drop(&mut self) {
        if self.counted_blocks > 0 || self.keeps_empty {
            return;
        }
        // Removal fails for files that do not exist and for directories with other content.
        for name in [RUN_FILE, SAMPLES_FILE] {
            let _ = fs::remove_file(self.path.join(name));
        }
        for folder in &self.created {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
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
