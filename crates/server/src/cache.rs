//! The user's cache folder: what is put there is complete or absent, also when several of us run at once.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::{Error, Progress, disk, interrupt};

/// How often a waiter looks whether it is its turn.
const POLL: Duration = Duration::from_millis(100);

/// A folder for what can be made again.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$WEIGH_CACHE`, else `$XDG_CACHE_HOME/weigh`, else `~/.cache/weigh`; root's is `/var/cache/weigh`, because a server that root
    /// starts runs as another account, which cannot enter root's home.
    pub fn of_user() -> Result<Self, Error> {
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
        // Programs run from here with other current folders.
        let root = std::path::absolute(&root).map_err(Error::io("find", &root))?;
        Ok(Self { root })
    }

    /// The folder of `key`, such as `servers/mysql@5.6`; it may not be there yet.
    pub fn folder(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// The folder of `key`, made by `make` if it is not there yet. `make` works in a folder beside it, which becomes the
    /// folder in one step when all is done. One process makes, the others wait.
    pub fn folder_or_make(
        &self,
        key: &str,
        mebibytes: u64,
        progress: &dyn Progress,
        make: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<PathBuf, Error> {
        let folder = self.folder(key);
        if folder.is_dir() {
            return Ok(folder);
        }
        let parent = folder.parent().unwrap_or(&self.root);
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        let _lock = self.lock(key, progress)?;
        if folder.is_dir() {
            return Ok(folder);
        }
        let partial = Partial(path_with_suffix(&folder, ".partial"));
        partial.remove()?;
        disk::check_room(parent, mebibytes, key.rsplit('/').next().unwrap_or(key))?;
        fs::create_dir(&partial.0).map_err(Error::io("create", &partial.0))?;
        make(&partial.0)?;
        fs::rename(&partial.0, &folder).map_err(Error::io("rename", &partial.0))?;
        Ok(folder)
    }

    /// Takes the lock of `key`, which the kernel gives back when we die.
    pub fn lock(&self, key: &str, progress: &dyn Progress) -> Result<File, Error> {
        let path = path_with_suffix(&self.folder(key), ".lock");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        let file = File::create(&path).map_err(Error::io("create", &path))?;
        let mut waiting = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(source)) => return Err(Error::Io { what: "lock", path, source }),
                Err(TryLockError::WouldBlock) => {
                    if !waiting {
                        progress.step(&format!("waiting for another weigh that is at work on {key}"));
                        waiting = true;
                    }
                    interrupt::check()?;
                    thread::sleep(POLL);
                }
            }
        }
    }
}

/// A folder in the making; removed unless it has been renamed.
struct Partial(PathBuf);

impl Partial {
    fn remove(&self) -> Result<(), Error> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &self.0)(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // What stays is removed by the next one who makes this folder.
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
    fn many_ask_and_one_makes() {
        let folder = tempfile::tempdir().unwrap();
        let made = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let got = cache(folder.path()).folder_or_make("servers/x@y", 0, &NoProgress, |partial| {
                        made.fetch_add(1, Ordering::SeqCst);
                        fs::write(partial.join("half"), "").unwrap();
                        thread::sleep(Duration::from_millis(50));
                        fs::write(partial.join("whole"), "").unwrap();
                        Ok(())
                    });
                    assert!(got.unwrap().join("whole").exists());
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_failed_or_killed_attempt_leaves_nothing_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        fs::create_dir_all(folder.path().join("a.partial/left")).unwrap();
        let failed = cache.folder_or_make("a", 0, &NoProgress, |_| Err(Error::Interrupted));
        assert!(failed.is_err() && !cache.folder("a").exists() && !folder.path().join("a.partial").exists());
        let made = cache.folder_or_make("a", 0, &NoProgress, |_| Ok(())).unwrap();
        assert_eq!(fs::read_dir(made).unwrap().count(), 0);
    }

    #[test]
    fn a_full_disk_is_told_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let error = cache(folder.path()).folder_or_make("a", 1 << 40, &NoProgress, |_| panic!()).unwrap_err();
        assert!(error.to_string().contains("WEIGH_CACHE"), "{error}");
    }
}
