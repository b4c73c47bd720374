//! Free disk space.

use std::path::Path;

use crate::Error;

/// Returns the free bytes on the disk of `folder`, without the part that is reserved for root.
pub fn free_bytes(folder: &Path) -> Result<u64, Error> {
    let disk = rustix::fs::statvfs(folder).map_err(|error| Error::io("look at", folder)(error.into()))?;
    Ok(disk.f_bavail * disk.f_frsize)
}

/// Fails if the disk of `folder` has fewer than `mebibytes` MiB free. `purpose` is a noun phrase
/// for the error message: "a private instance".
pub fn check_free_space(folder: &Path, mebibytes: u64, purpose: &str) -> Result<(), Error> {
    let free = free_bytes(folder)? >> 20;
    if free >= mebibytes {
        return Ok(());
    }
    Err(Error::DiskSpace { purpose: purpose.to_owned(), mebibytes, free, remedy: remedy(folder) })
}

/// Advice for a full disk that holds `path`.
pub fn remedy(path: &Path) -> String {
    format!(
        "Free some space on the disk of {}, or set TMPDIR (private instances) or WEIGH_CACHE (installed servers) to a \
         folder on another disk.",
        path.display()
    )
}
