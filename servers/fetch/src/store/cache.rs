//! The user's cache folder. Each installed folder in it is complete or absent, also when several
//! processes write at once.

use std::env;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lifecycle::interrupt;

use super::disk;
use crate::{Error, Progress};

/// Interval at which a waiting process tries to get a lock.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The user's cache folder. Its content can be installed again, except the records of detached
/// instances.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Chooses the first of `$WEIGH_CACHE`, `$XDG_CACHE_HOME/weigh`, `/var/cache/weigh` (for root
    /// only) and `~/.cache/weigh`, and creates nothing. Empty variables and a relative
    /// `$XDG_CACHE_HOME` are ignored. Root's home is not used: a server started by root runs as
    /// another account, which cannot enter that folder.
    pub fn for_user() -> Result<Self, Error> {
        let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let root = folder("WEIGH_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("weigh")))
            .or_else(|| rustix::process::geteuid().is_root().then(|| PathBuf::from("/var/cache/weigh")))
            .or_else(|| home().map(|path| path.join(".cache/weigh")))
            .ok_or_else(|| Error::Install {
                name: "a server".into(),
                reason: "there is no home folder; set WEIGH_CACHE to a folder for installed servers".into(),
            })?;
        Self::at(&root).map_err(Error::io("use the cache", &root))
    }

    /// Fails if a user other than this one and root could put files into the cache, or has put some
    /// there: this user would run programs of others. The path of the cache becomes absolute: its
    /// programs run with other working directories.
    fn at(root: &Path) -> io::Result<Self> {
        let advise = |error: io::Error| {
            io::Error::new(error.kind(), format!("{error}; name a folder of your own by WEIGH_CACHE"))
        };
        let root = files::check_private(root).map_err(advise)?;
        // Others cannot enter a folder of mode 0700.
        let is_reachable = fs::metadata(&root).is_ok_and(|metadata| metadata.mode() & 0o011 != 0);
        for entry in entries(&root) {
            let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
            let mut below = entries(&entry).chain([entry]).filter(|path| !is_lock(path));
            below.try_for_each(|path| check_entry(&root, &path, is_reachable)).map_err(advise)?;
        }
        Ok(Self { root })
    }

    /// Returns the path of the folder for `key`, such as `servers/mysql@5.6`. The folder may not
    /// exist.
    pub fn folder(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// Returns the folder of `key`, filled by `fill` if it does not exist. `fill` works in a
    /// temporary folder next to it, which is renamed at the end. Other processes wait meanwhile.
    /// Fails before `fill` if fewer than `mebibytes` MiB are free.
    pub fn folder_or_create<E: From<Error>>(
        &self,
        key: &str,
        mebibytes: u64,
        progress: &dyn Progress,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let folder = self.folder(key);
        if folder.is_dir() {
            return Ok(folder);
        }
        let parent = folder.parent().unwrap_or(&self.root);
        self.create_folders(parent)?;
        let _lock = self.lock(key, progress)?;
        if folder.is_dir() {
            return Ok(folder);
        }
        let partial = PartialFolder(path_with_suffix(&folder, ".partial"));
        partial.remove()?;
        disk::check_free_space(parent, mebibytes, key.rsplit('/').next().unwrap_or(key))?;
        fs::create_dir(&partial.0).map_err(Error::io("create", &partial.0))?;
        restrict(&partial.0)?;
        fill(&partial.0)?;
        fs::rename(&partial.0, &folder).map_err(Error::io("rename", &partial.0))?;
        Ok(folder)
    }

    /// Creates a folder of the cache and its parents, to which only this user may write.
    pub fn create_folders(&self, folder: &Path) -> Result<(), Error> {
        if folder.is_dir() {
            return Ok(());
        }
        let created = DirBuilder::new().recursive(true).mode(folder_mode()).create(folder);
        created.map_err(Error::io("create", folder))?;
        files::check_private(&self.root).map_err(Error::io("use the cache", &self.root))?;
        folder.ancestors().take_while(|path| path.starts_with(&self.root)).try_for_each(restrict)
    }

    /// Waits for the lock of `key`. Dropping the returned file releases the lock, and so does the
    /// end of this process.
    pub fn lock(&self, key: &str, progress: &dyn Progress) -> Result<File, Error> {
        let path = path_with_suffix(&self.folder(key), ".lock");
        if let Some(parent) = path.parent() {
            self.create_folders(parent)?;
        }
        let file = File::create(&path).map_err(Error::io("create", &path))?;
        let mut waiting = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", path)(source)),
                Err(TryLockError::WouldBlock) => {
                    if !waiting {
                        progress.step(&format!("waiting for another weigh that is at work on {key}"));
                        waiting = true;
                    }
                    interrupt::check()?;
                    thread::sleep(POLL_INTERVAL);
                }
            }
        }
    }
}

/// Lists what lies in a folder. Empty if that is no folder, or a link to one.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder)).into_iter().flatten();
    entries.flatten().flatten().map(|entry| entry.path())
}

/// Fails if another user owns or may change a file or folder of the cache.
fn check_entry(root: &Path, path: &Path, is_reachable: bool) -> io::Result<()> {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    match files::check_entry(path, &name, is_reachable) {
        // Another process has just renamed or removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        checked => checked,
    }
}

/// Lets only this user write to a folder, regardless of the umask. The accounts of servers that
/// root starts may read it.
fn restrict(folder: &Path) -> Result<(), Error> {
    fs::set_permissions(folder, fs::Permissions::from_mode(folder_mode())).map_err(Error::io("set the mode of", folder))
}

fn folder_mode() -> u32 {
    if rustix::process::geteuid().is_root() { 0o755 } else { 0o700 }
}

/// A folder that is being filled. Removed when dropped, unless it was renamed.
struct PartialFolder(PathBuf);

impl PartialFolder {
    fn remove(&self) -> Result<(), Error> {
        match files::remove_tree(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &self.0)(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for PartialFolder {
    fn drop(&mut self) {
        // If the removal fails, the next process that creates the folder removes the rest.
        let _ = self.remove();
    }
}

fn path_with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(suffix);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoProgress;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn cache(root: &Path) -> Cache {
        Cache { root: root.to_owned() }
    }

    #[test]
    fn concurrent_requests_fill_the_folder_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let fills = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let fill = |partial: &Path| -> Result<(), Error> {
                        fills.fetch_add(1, Ordering::SeqCst);
                        fs::write(partial.join("first"), "").unwrap();
                        thread::sleep(Duration::from_millis(50));
                        fs::write(partial.join("last"), "").unwrap();
                        Ok(())
                    };
                    let filled =
                        cache(&folder.path().join("cache")).folder_or_create("servers/x@y", 0, &NoProgress, fill);
                    assert!(filled.unwrap().join("last").exists());
                });
            }
        });
        assert_eq!(fills.into_inner(), 1);
    }

    /// Runs a test of this file with a umask of 0.
    #[test]
    fn a_cache_can_be_created_with_any_umask() {
        let test = "store::cache::tests::concurrent_requests_fill_the_folder_once";
        let script = "umask 0 && exec \"$0\" --exact \"$1\"";
        let program = env::current_exe().unwrap();
        let output = std::process::Command::new("sh").args(["-c", script]).arg(program).arg(test).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }

    #[test]
    fn folders_that_others_can_write_to_are_no_caches() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("cache");
        fs::create_dir(&root).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = || Cache::at(&root).err().map(|error| error.to_string()).unwrap_or_default();
        set(&root, 0o755);
        assert_eq!(refused(), "");
        for mode in [0o777, 0o1777] {
            set(&root, mode);
            assert!(refused().contains("anyone may write"), "{mode:o}");
        }
        set(&root, 0o755);
        let server = root.join("servers/mysql@sid");
        fs::create_dir_all(&server).unwrap();
        fs::write(root.join("instances.lock"), "").unwrap();
        assert_eq!(refused(), "");
        set(&server, 0o777);
        assert!(refused().contains("anyone may write to servers/mysql@sid"), "{}", refused());
        set(&root, 0o700);
        assert_eq!(refused(), "", "others cannot enter it");
        set(&root, 0o755);
        set(&server, 0o755);
        if rustix::process::geteuid().is_root() {
            let give = |path: &Path, user, group| std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
            set(&root, 0o775);
            assert_eq!(refused(), "", "root's own group");
            give(&root, 0, 61_000);
            assert!(refused().contains("group of users (id 61000) may write"), "{}", refused());
            set(&root, 0o755);
            assert_eq!(refused(), "");
            give(&server, 61_000, 0);
            assert!(refused().contains("servers/mysql@sid belongs to another user"), "{}", refused());
            give(&server, 0, 0);
            give(&root, 61_000, 0);
            assert!(refused().contains("another user"));
        }
    }

    #[test]
    fn failed_or_killed_attempt_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        fs::create_dir_all(folder.path().join("a.partial/rest")).unwrap();
        let fail = |_: &Path| -> Result<(), Error> { Err(lifecycle::Interrupted.into()) };
        let failed = cache.folder_or_create("a", 0, &NoProgress, fail);
        assert!(failed.is_err() && !cache.folder("a").exists() && !folder.path().join("a.partial").exists());
        let filled = cache.folder_or_create("a", 0, &NoProgress, |_| Ok::<_, Error>(())).unwrap();
        assert_eq!(fs::read_dir(filled).unwrap().count(), 0);
    }

    #[test]
    fn full_disk_is_reported_before_filling() {
        let folder = tempfile::tempdir().unwrap();
        let fill = |_: &Path| -> Result<(), Error> { panic!() };
        let error = cache(folder.path()).folder_or_create("a", 1 << 40, &NoProgress, fill).unwrap_err();
        assert!(error.to_string().contains("WEIGH_CACHE"), "{error}");
    }
}
