//! Limits of the total cost of a stranger's statements: time, and a private server's disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Limits of all statements of a connection together, which grow with the statements' length.
///
/// A few bytes can be much work: `DO SLEEP(31536000)`, `INSERT INTO t SELECT * FROM t` again and
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadLimits {
    /// Time of the statements, not counting what the client does between them.
    pub time: Duration,
    /// Bytes of statements that add a second.
    pub bytes_per_second: u64,
    /// Growth of the server's folder.
    pub disk_bytes: u64,
    /// Growth that a byte of the statements adds.
    pub disk_factor: u64,
}

impl Default for LoadLimits {
    /// Small definitions load at 10 KB/s on a slow disk.
    fn default() -> Self {
        Self { time: Duration::from_secs(300), bytes_per_second: 2 << 10, disk_bytes: 1 << 30, disk_factor: 64 }
    }
}

/// Interval in milliseconds at which the folder is measured.
const DISK_INTERVAL: u64 = 1000;

/// Limits of a connection, and what it has used of them.
pub(crate) struct Load {
    limits: LoadLimits,
    /// Folder of a private server, and its size at first.
    folder: Option<(PathBuf, u64)>,
    /// Bytes of statements.
    bytes: AtomicU64,
    /// Milliseconds that finished statements took.
    spent: AtomicU64,
    /// When the folder was last measured.
    measured: AtomicU64,
}

impl Load {
    pub fn new(limits: LoadLimits, folder: Option<&Path>) -> Self {
        let folder = folder.map(|folder| (folder.to_owned(), folder_bytes(folder)));
        let zero = AtomicU64::default;
        Self { limits, folder, bytes: zero(), spent: zero(), measured: zero() }
    }

    pub fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    pub fn add_time(&self, milliseconds: u64) {
        self.spent.fetch_add(milliseconds, Ordering::AcqRel);
    }

    /// Milliseconds that finished statements took.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Acquire)
    }

    /// Describes the limit that is exceeded. `spent` is the time of all statements, with the
    /// running one, `now` that of a clock, both in milliseconds.
    pub fn excess(&self, spent: u64, now: u64) -> Option<String> {
        let bytes = self.bytes.load(Ordering::Acquire);
        let limit = self.limits.time.saturating_add(Duration::from_secs(bytes / self.limits.bytes_per_second.max(1)));
        if u128::from(spent) > limit.as_millis() {
            let seconds = limit.as_secs_f64();
            return Some(format!("its statements took more than {seconds} s, the limit for {bytes} bytes of them"));
        }
        let (folder, first) = self.folder.as_ref()?;
        if now.saturating_sub(self.measured.load(Ordering::Acquire)) < DISK_INTERVAL {
            return None;
        }
        self.measured.store(now, Ordering::Release);
        let limit = self.limits.disk_bytes.saturating_add(bytes.saturating_mul(self.limits.disk_factor));
        (folder_bytes(folder).saturating_sub(*first) > limit).then(|| {
            let mebibytes = limit >> 20;
            format!("its statements filled more than {mebibytes} MiB of the disk, the limit for {bytes} bytes of them")
        })
    }
}

/// Returns the bytes that the files of a folder have on the disk. Links are not followed.
fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
        Ok(metadata) => metadata.blocks() * 512,
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}
