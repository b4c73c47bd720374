//! The temporary folder of a private instance, and the sweeping of those that a killed owner left.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::process::Process;
use crate::{Error, disk};

const PREFIX: &str = "weigh-";

/// Locked by the owner for as long as it lives: the kernel lets go of the lock on any death, and a sweeper that gets
/// the lock knows that nobody owns the folder any more.
const OWNER_LOCK: &str = "owner.lock";

/// The server's pid and start time, so that a sweeper kills that process and no other.
const SERVER: &str = "server.json";

/// System tables, redo log and the data of a small benchmark, in MiB.
const MEBIBYTES: u64 = 512;

/// The longest path that a Unix socket can have.
const MAX_SOCKET_PATH: usize = 107;

/// The folder; removed when dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: TempDir,
    /// Held, never read.
    _lock: File,
    is_kept: bool,
}

impl Folder {
    /// Creates it, private to this user, in the system's temporary folder.
    pub fn create() -> Result<Self, Error> {
        let base = base();
        sweep(&base);
        disk::check_room(&base, MEBIBYTES, "a private instance")?;
        let dir = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(8)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(&base)
            .map_err(Error::io("create a folder in", &base))?;
        // Locked before it has its name, so that no sweeper ever finds it unlocked.
        let fresh = dir.path().join("owner.new");
        let lock = File::create(&fresh).map_err(Error::io("create", &fresh))?;
        lock.lock().map_err(Error::io("lock", &fresh))?;
        let path = dir.path().join(OWNER_LOCK);
        fs::rename(&fresh, &path).map_err(Error::io("rename", &fresh))?;
        for name in ["data", "tmp"] {
            let path = dir.path().join(name);
            fs::create_dir(&path).map_err(Error::io("create", &path))?;
        }
        Ok(Self { dir, _lock: lock, is_kept: false })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Notes the server that runs in it, for a sweeper.
    pub fn note_server(&self, process: Process) -> Result<(), Error> {
        let path = self.path().join(SERVER);
        fs::write(&path, serde_json::to_vec(&process).unwrap_or_default()).map_err(Error::io("write", &path))
    }

    /// Gives the folder up to whoever knows its path; nothing removes it any more, no sweeper either.
    pub fn keep(mut self) -> Result<(), Error> {
        let lock = self.path().join(OWNER_LOCK);
        fs::remove_file(&lock).map_err(Error::io("remove", &lock))?;
        // The path is known already.
        self.dir.disable_cleanup(true);
        self.is_kept = true;
        Ok(())
    }

    /// Removes it now, and tells if that fails.
    pub fn remove(self) -> Result<(), Error> {
        clear(self.path()).map_err(Error::io("remove", self.path()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // What stays, a sweeper removes.
            let _ = clear(self.path());
        }
    }
}

/// Removes a folder, the lock last: who is killed in the middle of it leaves a folder that a sweeper still knows.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != OWNER_LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(folder)
}

/// TMPDIR, unless a socket path below it would be too long.
pub(crate) fn base() -> PathBuf {
    let base = env::temp_dir();
    let longest = base.join("weigh-12345678/mysqld.sock.lock");
    if longest.as_os_str().len() <= MAX_SOCKET_PATH { base } else { "/tmp".into() }
}

/// Removes the folders in `base` whose owner was killed before it could, and ends a server that still runs in one.
fn sweep(base: &Path) {
    let us = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_ours = entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == us);
        if is_ours && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            sweep_folder(&entry.path());
        }
    }
}

fn sweep_folder(folder: &Path) {
    // No lock file: still being made, being removed, or given up on purpose.
    let Ok(lock) = File::open(folder.join(OWNER_LOCK)) else { return };
    if lock.try_lock().is_err() {
        return;
    }
    let server: Option<Process> =
        fs::read(folder.join(SERVER)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(server) = server {
        let datadir = format!("--datadir={}", folder.join("data").display());
        if server.arguments().contains(&datadir) {
            server.end();
        }
    }
    // Another user of this machine, or another sweeper, may be quicker; the next sweep tries again.
    let _ = clear(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_owner_keeps_its_folder_and_a_dead_ones_is_swept() {
        let folder = Folder::create().unwrap();
        let base = tempfile::tempdir().unwrap();
        let orphan = base.path().join("weigh-orphan");
        fs::create_dir(&orphan).unwrap();
        fs::write(orphan.join(OWNER_LOCK), "").unwrap();
        let foreign = base.path().join("other");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join(OWNER_LOCK), "").unwrap();
        let unlocked = base.path().join("weigh-being-made");
        fs::create_dir(&unlocked).unwrap();
        sweep(base.path());
        sweep(folder.path().parent().unwrap());
        assert!(!orphan.exists() && foreign.exists() && unlocked.exists() && folder.path().exists());
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let path = folder.path().to_owned();
        folder.remove().unwrap();
        assert!(!path.exists());
    }
}
