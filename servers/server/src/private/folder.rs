//! Temporary folders of private instances, and removal of folders whose owner was killed.
//!
//! ```text
//! weigh-XXXXXXXX    this process's; the server's account may enter, not write
//! ├─ owner.lock, server.json, my.cnf, bootstrap.sql, error.log
//! ├─ mysqld.sock    moved here from run/ when the server listens
//! └─ data/, tmp/, run/    the server's
//! ```

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use fetch::disk;
use lifecycle::{Account, ProcessIdentity};

use super::account::give;
use super::arguments::RUNTIME_SOCKET;
use crate::Error;

const PREFIX: &str = "weigh-";

/// File that the owner keeps locked. The kernel releases the lock when the owner ends, so a process
/// that gets the lock may remove the folder.
const OWNER_LOCK: &str = "owner.lock";

/// File with the server's [`ProcessIdentity`], for killing the server of a dead owner.
const SERVER_FILE: &str = "server.json";

/// Socket of a ready server.
pub(super) const SOCKET: &str = "mysqld.sock";

/// Folders that the server writes to.
pub(super) const SERVER_FOLDERS: [&str; 3] = ["data", "tmp", "run"];

/// Mode of an instance's folder if the server has an account, which is then the folder's group.
const FOLDER_MODE: u32 = 0o710;

/// Space for system tables, redo log and the data of a small benchmark, in MiB.
const MIN_FREE_MEBIBYTES: u64 = 512;

/// Maximum length of a Unix socket's path on Linux, in bytes.
const MAX_SOCKET_PATH_BYTES: usize = 107;

/// Folder of a private instance. Removed when dropped.
#[derive(Debug)]
pub(super) struct InstanceFolder {
    path: PathBuf,
    /// Keeps the file locked.
    _lock: File,
    is_kept: bool,
}

impl InstanceFolder {
    /// Creates a folder in the system's temporary folder, for a server that runs as `account`.
    /// Removes folders of dead owners first.
    pub fn create(account: Option<&Account>) -> Result<Self, Error> {
        let base = parent();
        refuse_open(&base)?;
        remove_orphans(&base);
        disk::check_free_space(&base, MIN_FREE_MEBIBYTES, "a private instance")?;
        let dir = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(8)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(&base)
            .map_err(Error::io("create a folder in", &base))?;
        // Locked before it is renamed, so that another process never finds it unlocked.
        let temporary = dir.path().join("owner.new");
        let lock = File::create(&temporary).map_err(Error::io("create", &temporary))?;
        lock.lock().map_err(Error::io("lock", &temporary))?;
        let path = dir.path().join(OWNER_LOCK);
        fs::rename(&temporary, &path).map_err(Error::io("rename", &temporary))?;
        for name in SERVER_FOLDERS {
            let path = dir.path().join(name);
            DirBuilder::new().mode(0o700).create(&path).map_err(Error::io("create", &path))?;
            if let Some(account) = account {
                give(&path, account)?;
            }
        }
        if let Some(account) = account {
            chown(dir.path(), None, Some(account.id())).map_err(Error::io("open to the server", dir.path()))?;
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(FOLDER_MODE))
                .map_err(Error::io("open to the server", dir.path()))?;
        }
        Ok(Self { path: dir.keep(), _lock: lock, is_kept: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records the server that runs in the folder.
    pub fn record_server(&self, process: ProcessIdentity) -> Result<(), Error> {
        let path = self.path().join(SERVER_FILE);
        let text = serde_json::to_vec(&process).unwrap_or_default();
        files::create_new(&path).and_then(|mut file| file.write_all(&text)).map_err(Error::io("write", &path))
    }

    /// Moves the socket of the server to where the server can't replace it. `false` if there is no
    /// socket yet. Fails if the server put something else there: a link could lead to another
    /// server of this machine.
    pub fn take_socket(&self, account: Option<&Account>) -> Result<bool, Error> {
        let (from, to) = (self.path().join(RUNTIME_SOCKET), self.path().join(SOCKET));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            renamed => renamed.map_err(Error::io("move", &from))?,
        }
        let metadata = fs::symlink_metadata(&to).map_err(Error::io("look at", &to))?;
        let owner = account.map_or_else(|| rustix::process::geteuid().as_raw(), Account::id);
        if metadata.file_type().is_socket() && metadata.uid() == owner {
            return Ok(true);
        }
        let foreign = io::Error::new(io::ErrorKind::InvalidData, "it is not a socket of the server");
        Err(Error::io("use", &from)(foreign))
    }

    /// Keeps the folder when this process ends. The caller knows its path and removes it.
    pub fn keep(mut self) -> Result<(), Error> {
        let lock = self.path().join(OWNER_LOCK);
        fs::remove_file(&lock).map_err(Error::io("remove", &lock))?;
        self.is_kept = true;
        Ok(())
    }

    /// Removes the folder now and reports errors.
    pub fn remove(self) -> Result<(), Error> {
        remove_with_lock_last(self.path()).map_err(Error::io("remove", self.path()))
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // If this fails, a later start removes the folder.
            let _ = remove_with_lock_last(self.path());
        }
    }
}

/// Kills all processes of the account that owns the server's folders in `folder`.
pub(super) fn end_processes_of_owner(folder: &Path) {
    if let Some(account) = Account::claim_owner(&folder.join("data")) {
        account.end_processes();
    }
}

/// Removes a folder, its lock last. If this process is killed meanwhile, the folder is still
/// recognised as an orphan.
fn remove_with_lock_last(folder: &Path) -> io::Result<()> {
    files::remove_content(folder, &[OWNER_LOCK])?;
    files::remove_tree(folder)
}

/// Refuses a folder in which every user may replace an instance's folder: one that everyone may
/// write to, without the sticky bit.
fn refuse_open(base: &Path) -> Result<(), Error> {
    let mode = fs::metadata(base).map_err(Error::io("look at", base))?.mode();
    if mode & 0o1002 != 0o002 {
        return Ok(());
    }
    let reason = "anyone may replace what lies in it; `chmod +t` prevents that, or name another folder by TMPDIR";
    Err(Error::io("use", base)(io::Error::new(io::ErrorKind::PermissionDenied, reason)))
}

/// Returns the parent of the instances' folders: `TMPDIR`, or `/tmp` if a socket's path would be
/// too long.
pub(super) fn parent() -> PathBuf {
    let base = env::temp_dir();
    let longest = base.join("weigh-12345678/run/mysqld.sock.lock");
    if longest.as_os_str().len() <= MAX_SOCKET_PATH_BYTES { base } else { "/tmp".into() }
}

/// Removes the folders in `base` whose owner was killed, and kills servers that still run in them.
fn remove_orphans(base: &Path) {
    let user = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_own = entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == user);
        if is_own && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            remove_if_orphan(&entry.path());
        }
    }
}

fn remove_if_orphan(folder: &Path) {
    // Without a lock file, the folder is being created or removed, or is kept on purpose.
    let Ok(lock) = File::open(folder.join(OWNER_LOCK)) else { return };
    if lock.try_lock().is_err() {
        return;
    }
    let server: Option<ProcessIdentity> =
        fs::read(folder.join(SERVER_FILE)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(server) = server {
        let datadir = format!("--datadir={}", folder.join("data").display());
        if server.arguments().contains(&datadir) {
            server.kill_and_wait();
        }
    }
    end_processes_of_owner(folder);
    // Fails if another process removes the folder at the same time. The next start tries again.
    let _ = remove_with_lock_last(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_folders_of_dead_owners() {
        let folder = InstanceFolder::create(None).unwrap();
        let base = tempfile::tempdir().unwrap();
        let orphan = base.path().join("weigh-orphan");
        fs::create_dir(&orphan).unwrap();
        fs::write(orphan.join(OWNER_LOCK), "").unwrap();
        let foreign = base.path().join("other");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join(OWNER_LOCK), "").unwrap();
        let unlocked = base.path().join("weigh-being-made");
        fs::create_dir(&unlocked).unwrap();
        remove_orphans(base.path());
        remove_orphans(folder.path().parent().unwrap());
        assert!(!orphan.exists() && foreign.exists() && unlocked.exists() && folder.path().exists());
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let path = folder.path().to_owned();
        folder.remove().unwrap();
        assert!(!path.exists());
    }
}
