//! Opening the folder of an unfinished run in order to resume it.
//!
//! The measuring process holds a file lock on `samples.jsonl`. The kernel releases the lock when
//! the process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use files::HeldFolder;

use super::reading::read_checked;
use super::{RUN_FILE, RunFolder, RunFolderError, SAMPLES_FILE};
use crate::model::{Block, Run};

/// The unfinished run of a folder.
#[derive(Debug)]
pub(crate) struct UnfinishedRun {
    pub(crate) run: Run,
    /// All blocks. Blocks after the complete replicates are dropped when the run is resumed.
    pub(crate) blocks: Vec<Block>,
}

impl RunFolder {
    /// Opens the folder of an unfinished run. Changes nothing yet. The folder is always kept.
    pub fn resume(path: &Path) -> Result<Self, RunFolderError> {
        let refuse = |reason| Err(RunFolderError::NotResumable { path: path.to_owned(), reason });
        if !path.join(RUN_FILE).exists() {
            return refuse("it holds no run");
        }
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| RunFolderError::Write { path, source }
        };
        let folder = HeldFolder::open(path).map_err(failed(path))?;
        let samples = folder.open_existing(SAMPLES_FILE).map_err(failed(&path.join(SAMPLES_FILE)))?;
        lock_samples(&samples, path)?;
        let (run, blocks) = read_checked(path)?;
        if run.finished.is_some() && run.failure.is_none() {
            return refuse("its run is done; `weigh report` prints it");
        }
        if run.progress.is_none() {
            return refuse("only runs of `weigh bench` and `weigh run` can be, self-tests not, from this version on");
        }
        check_times(&run, &blocks).map_err(|reason| RunFolderError::Inconsistent { path: path.to_owned(), reason })?;
        let counted = blocks.iter().filter(|block| !block.warm_up).count();
        let access = run.access();
        let unfinished = Some(UnfinishedRun { run, blocks });
        Ok(Self { folder: Arc::new(folder), samples, access, counted_blocks: counted, keeps_empty: true, unfinished })
    }

    pub fn unfinished_run(&self) -> Option<&Run> {
        self.unfinished.as_ref().map(|begun| &begun.run)
    }

    pub(crate) fn unfinished(&self) -> Option<&UnfinishedRun> {
        self.unfinished.as_ref()
    }

    /// Truncates `samples.jsonl` after the complete replicates and returns the run. `None` if the
    /// folder was not opened to resume a run.
    pub(crate) fn start_resuming(&mut self) -> Result<Option<UnfinishedRun>, RunFolderError> {
        let Some(begun) = self.unfinished.take() else { return Ok(None) };
        let whole = begun.run.progress.map(|progress| progress.replicates);
        // Replicates are stored in order, so the complete ones come first.
        let kept: Vec<&Block> = begun.blocks.iter().take_while(|block| block.replicate < whole).collect();
        self.counted_blocks = kept.iter().filter(|block| !block.warm_up).count();
        let path = self.path().join(SAMPLES_FILE);
        let cut = count_bytes_of_lines(&path, kept.len()).and_then(|length| self.samples.set_len(length));
        cut.map_err(|source| RunFolderError::Write { path, source })?;
        Ok(Some(begun))
    }
}

/// Checks the times that resuming adds to its own: of loading, and of each block.
fn check_times(run: &Run, blocks: &[Block]) -> Result<(), String> {
    let progress = run.progress.iter().flat_map(|progress| [progress.load_s, progress.renewal_s]);
    for seconds in progress.chain(blocks.iter().map(|block| block.at_s)) {
        Duration::try_from_secs_f64(seconds).map_err(|error| format!("{seconds} s: {error}"))?;
    }
    Ok(())
}

/// Returns the length in bytes of the first `lines` lines.
fn count_bytes_of_lines(path: &Path, lines: usize) -> io::Result<u64> {
    let bytes = bounded::read_large_regular_file(path)?;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    Ok(lines.checked_sub(1).and_then(|last| ends.into_iter().nth(last)).unwrap_or(0))
}

/// Locks the samples file. On file systems without locks this has no effect.
pub(super) fn lock_samples(samples: &File, folder: &Path) -> Result<(), RunFolderError> {
    match samples.try_lock() {
        Err(TryLockError::WouldBlock) => Err(RunFolderError::InUse(folder.to_owned())),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Whether a process is measuring the run in this folder.
pub(super) fn is_being_measured(folder: &Path) -> bool {
    let Ok(samples) = File::open(folder.join(SAMPLES_FILE)) else { return false };
    matches!(samples.try_lock_shared(), Err(TryLockError::WouldBlock))
}
