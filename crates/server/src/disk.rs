//! Room on disks: asked about before the work, and explained when it runs out in the middle.

use std::path::Path;

use crate::Error;

/// An error if the disk of `folder` has less than this free.
pub(crate) fn check_room(folder: &Path, mebibytes: u64, what: &str) -> Result<(), Error> {
    let disk = rustix::fs::statvfs(folder).map_err(|error| Error::io("look at", folder)(error.into()))?;
    let free = (disk.f_bavail * disk.f_frsize) >> 20;
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
