//! Room on disks and in memory: asked about before the work, and explained when it runs out in the middle.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, folder};

/// File systems that live in memory (statfs(2)).
const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];

/// What there is for private instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// The folder that their folders are made in.
    pub folder: PathBuf,
    /// Bytes free on its disk.
    pub disk_bytes: u64,
    /// Whether that disk is memory, so that reading from it is not reading from a disk.
    pub in_memory: bool,
    /// Bytes of memory that can be taken without swapping.
    pub memory_bytes: u64,
}

/// What there is now for private instances.
pub fn room() -> Result<Room, Error> {
    let folder = folder::base();
    let failed = |error: rustix::io::Errno| Error::io("look at", &folder)(error.into());
    let disk = rustix::fs::statfs(&folder).map_err(failed)?;
    let in_memory = IN_MEMORY.contains(&(disk.f_type as i64));
    Ok(Room { disk_bytes: free_bytes(&folder)?, in_memory, memory_bytes: free_memory(), folder })
}

fn free_bytes(folder: &Path) -> Result<u64, Error> {
    let disk = rustix::fs::statvfs(folder).map_err(|error| Error::io("look at", folder)(error.into()))?;
    Ok(disk.f_bavail * disk.f_frsize)
}

/// What the kernel says is available, or what the control group still grants. Where neither tells, nothing is refused for it.
fn free_memory() -> u64 {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix(" kB"));
    let available =
        available.and_then(|kibibytes| kibibytes.trim().parse::<u64>().ok()).map_or(u64::MAX, |kib| kib << 10);
    let of_group =
        |name: &str| -> Option<u64> { fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok() };
    let granted = of_group("memory.max").zip(of_group("memory.current"));
    granted.map_or(available, |(most, used)| available.min(most.saturating_sub(used)))
}

/// An error if the disk of `folder` has less than this free.
pub(crate) fn check_room(folder: &Path, mebibytes: u64, what: &str) -> Result<(), Error> {
    let free = free_bytes(folder)? >> 20;
    if free >= mebibytes {
        return Ok(());
    }
    Err(Error::NoRoom { what: what.to_owned(), mebibytes, free, remedy: remedy(folder) })
}

/// What to do when the disk that holds `path` is full.
pub(crate) fn remedy(path: &Path) -> String {
    format!(
        "Free some space on the disk of {}, or set TMPDIR (private instances) or WEIGH_CACHE (installed servers) to a \
         folder on another disk.",
        path.display()
    )
}
