//! Free disk space and memory for private instances.

use std::fs;
use std::path::PathBuf;

use fetch::disk;

use super::folder;
use crate::Error;

/// File system types that keep their data in memory, as in statfs(2): tmpfs and ramfs.
const MEMORY_FILE_SYSTEMS: [i64; 2] = [0x0102_1994, 0x8584_58f6];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeResources {
    /// Parent of the instances' folders.
    pub folder: PathBuf,
    /// Free bytes on the disk of `folder`.
    pub disk_bytes: u64,
    /// Whether `folder` is in memory (tmpfs or ramfs), so that reads do not reach a disk.
    pub in_memory: bool,
    /// Bytes of memory that are available without swapping. `u64::MAX` if unknown.
    pub memory_bytes: u64,
}

impl FreeResources {
    pub fn read() -> Result<Self, Error> {
        let folder = folder::parent()?;
        let statfs_error = |error: rustix::io::Errno| Error::io("look at", &folder)(error.into());
        let disk = rustix::fs::statfs(&folder).map_err(statfs_error)?;
        let in_memory = MEMORY_FILE_SYSTEMS.contains(&(disk.f_type as i64));
        Ok(Self { disk_bytes: disk::free_bytes(&folder)?, in_memory, memory_bytes: free_memory(), folder })
    }
}

/// Returns the smaller of the kernel's available memory and the rest of the control group's limit.
fn free_memory() -> u64 {
    let available = read_meminfo("MemAvailable").unwrap_or(u64::MAX);
    let group = read_memory_control("memory.max").zip(read_memory_control("memory.current"));
    group.map_or(available, |(limit, used)| available.min(limit.saturating_sub(used)))
}

/// Returns this machine's memory in bytes, or the control group's limit if that is smaller. `None`
/// if unknown.
pub(super) fn total_memory() -> Option<u64> {
    let total = read_meminfo("MemTotal");
    read_memory_control("memory.max").into_iter().chain(total).min()
}

/// Reads a field of `/proc/meminfo` in bytes.
fn read_meminfo(field: &str) -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let value = meminfo.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')?.strip_suffix(" kB"));
    value?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// Reads a file of the control group in bytes. `None` without a limit, whose text is `max`.
fn read_memory_control(name: &str) -> Option<u64> {
    fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
}
