//! Temporary folders of private instances, and removal of folders whose owner was killed.
//!
//! ```text
//! weigh-XXXXXXXX    this process's; the server's account may enter, not write
//! ├─ owner.lock, server.json, my.cnf, bootstrap.sql, error.log
//! ├─ mysqld.sock    moved here from run/ when the server listens
//! ├─ control/       names of the server's pipes that a tool opens: see `Companion`
//! └─ data/, tmp/, run/    the server's
//! ```

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use fetch::disk;
use lifecycle::{Account, ProcessIdentity};

use super::account::{give, owner_id};
use super::arguments::RUNTIME_SOCKET;
use crate::Error;

const PREFIX: &str = "weigh-";

/// Number of random letters and digits that follow the prefix.
const RANDOM_LETTERS: usize = 8;

/// Maximum size of [`SERVER_FILE`], which has some 40 bytes.
const MAX_RECORD_BYTES: u64 = 1 << 16;

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
        Self::create_in(&parent()?, account)
    }

    fn create_in(base: &Path, account: Option<&Account>) -> Result<Self, Error> {
        remove_orphans(base);
        disk::check_free_space(base, MIN_FREE_MEBIBYTES, "a private instance")?;
        let dir = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(RANDOM_LETTERS)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(base)
            .map_err(Error::io("create a folder in", base))?;
        // Locked before it is renamed, so that another process never finds it unlocked.
        let temporary = dir.path().join("owner.new");
        let lock = files::create_new(&temporary).map_err(Error::io("create", &temporary))?;
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
        if metadata.file_type().is_socket() && metadata.uid() == owner_id(account) {
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

/// Returns the parent of the instances' folders: `TMPDIR`, or `/tmp` if a socket's path would be
/// too long. Fails if another user could replace an instance's folder in it.
pub(super) fn parent() -> Result<PathBuf, Error> {
    let base = files::temporary_folder().map_err(Error::io("use", std::env::temp_dir()))?;
    let longest = base.join("weigh-12345678/run/mysqld.sock.lock");
    if longest.as_os_str().len() <= MAX_SOCKET_PATH_BYTES {
        return Ok(base);
    }
    files::check_sticky(Path::new("/tmp")).map_err(Error::io("use", "/tmp"))
}

/// Fails unless `folder` is an instance's folder of this user and `server` is recorded in it: a
/// record elsewhere could name any folder and process.
pub(super) fn check_recorded(folder: &Path, server: ProcessIdentity) -> io::Result<()> {
    let refuse = |reason| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let random = name.strip_prefix(PREFIX).unwrap_or_default();
    if random.len() != RANDOM_LETTERS || !random.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return refuse("it is not named as a server's folder is");
    }
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it is not a folder of this user");
    }
    match read_server(folder) {
        Some(recorded) if recorded == server => Ok(()),
        Some(_) => refuse("the record of its server names another process"),
        None => refuse("it has no record of its server (server.json); end the process and remove the folder by hand"),
    }
}

/// True if the server that runs in `folder` is this process, by its arguments.
pub(super) fn is_server_of(folder: &Path, server: ProcessIdentity) -> bool {
    server.arguments().contains(&format!("--datadir={}", folder.join("data").display()))
}

fn read_server(folder: &Path) -> Option<ProcessIdentity> {
    let bytes = files::read_small_unlinked(&folder.join(SERVER_FILE), MAX_RECORD_BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
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
    if let Some(server) = read_server(folder).filter(|server| is_server_of(folder, *server)) {
        server.kill_and_wait();
    }
    end_processes_of_owner(folder);
    // Fails if another process removes the folder at the same time. The next start tries again.
    let _ = remove_with_lock_last(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_instance_are_created_not_opened() {
        let folder = InstanceFolder::create(None).unwrap();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(SERVER_FILE)).unwrap();
        let process = ProcessIdentity { pid: 1, start: 0 };
        folder.record_server(process).unwrap_err();
        assert_eq!(fs::read(elsewhere.path()).unwrap(), b"");
        fs::write(elsewhere.path(), serde_json::to_vec(&process).unwrap()).unwrap();
        assert_eq!(read_server(folder.path()), None);
    }

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
