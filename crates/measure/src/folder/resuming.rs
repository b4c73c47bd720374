//! A folder whose run ended before it was done, opened to go on with it.
//!
//! Who measures holds a lock on `samples.jsonl`, which the kernel takes away however the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::reading::read_checked;
use super::{Folder, FolderError, RUN, SAMPLES};
use crate::model::{Block, Run};

/// A run as its folder holds it.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) run: Run,
    /// All its blocks; those behind the whole replicates are dropped when it is taken up.
    pub(crate) blocks: Vec<Block>,
}

impl Folder {
    /// Opens the folder of a run that ended before it was done. Nothing is changed in it yet, and it stays whatever happens.
    pub fn resume(path: &Path) -> Result<Self, FolderError> {
        let refuse = |reason| Err(FolderError::NotResumable { path: path.to_owned(), reason });
        if !path.join(RUN).exists() {
            return refuse("it holds no run");
        }
        let file = path.join(SAMPLES);
        let opened = OpenOptions::new().read(true).append(true).open(&file);
        let samples = opened.map_err(|source| FolderError::Write { path: file, source })?;
        lock(&samples, path)?;
        let (run, blocks) = read_checked(path)?;
        if run.finished.is_some() && run.failure.is_none() {
            return refuse("its run is done; `weigh report` prints it");
        }
        if run.progress.is_none() {
            return refuse("only runs of `weigh bench` and `weigh run` can be, self-tests not, from this version on");
        }
        let counted = blocks.iter().filter(|block| !block.warm_up).count();
        let begun = Some(Begun { run, blocks });
        Ok(Self { path: path.to_owned(), samples, made: Vec::new(), blocks: counted, kept: true, begun })
    }

    /// The run that is to be resumed.
    pub fn resumed(&self) -> Option<&Run> {
        self.begun.as_ref().map(|begun| &begun.run)
    }

    pub(crate) fn begun(&self) -> Option<&Begun> {
        self.begun.as_ref()
    }

    /// Drops the blocks behind the whole replicates from `samples.jsonl`, with a last line that was cut off, and hands the run over.
    pub(crate) fn take_up(&mut self) -> Result<Option<Begun>, FolderError> {
        let Some(begun) = self.begun.take() else { return Ok(None) };
        let whole = begun.run.progress.map(|progress| progress.replicates);
        // Replicates follow one another, so those that are whole come first.
        let kept: Vec<&Block> = begun.blocks.iter().take_while(|block| block.replicate < whole).collect();
        self.blocks = kept.iter().filter(|block| !block.warm_up).count();
        let path = self.path.join(SAMPLES);
        let cut = length_of(&path, kept.len()).and_then(|length| self.samples.set_len(length));
        cut.map_err(|source| FolderError::Write { path, source })?;
        Ok(Some(begun))
    }
}

/// Bytes of so many lines.
fn length_of(path: &Path, lines: usize) -> io::Result<u64> {
    let bytes = std::fs::read(path)?;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    Ok(lines.checked_sub(1).and_then(|last| ends.into_iter().nth(last)).unwrap_or(0))
}

/// Marks the run as being measured. Where the file system has no locks, nobody is kept out.
pub(super) fn lock(samples: &File, folder: &Path) -> Result<(), FolderError> {
    match samples.try_lock() {
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse(folder.to_owned())),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Whether a process is measuring the run of this folder.
pub(super) fn is_being_measured(folder: &Path) -> bool {
    let Ok(samples) = File::open(folder.join(SAMPLES)) else { return false };
    matches!(samples.try_lock_shared(), Err(TryLockError::WouldBlock))
}
