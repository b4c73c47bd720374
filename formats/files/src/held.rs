//! Folders that are kept open. Another user who owns a folder above them and renames them, or puts
//! links in their place, does not change where files are created.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::copy::open_folder;
use crate::own::{check_existing, check_regular, read_at_most};
use crate::remove::remove_from;
use crate::replace::Access;
use crate::shared::is_trusted_owner;

/// Maximum number of links that a path leads through, as in the kernel.
const MAX_LINKS: u32 = 40;

/// Maximum number of names that are tried for a temporary file.
const MAX_NAMES: u32 = 1_000;

/// A folder for results, kept open. Files are created in the folder that was opened, even if its
/// path leads elsewhere by then. On drop, folders that were created for it are removed if they are
/// empty.
#[derive(Debug)]
pub struct HeldFolder {
    folder: OwnedFd,
    path: PathBuf,
    /// Parent and name of each folder that was created, innermost first.
    created: Vec<(OwnedFd, OsString)>,
    /// Whether to keep the created folders even if they are empty.
    keeps_empty: AtomicBool,
}

impl HeldFolder {
    /// Opens a folder. Fails if the path leads through a symbolic link of another user, except
    /// root.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(open_named(path)?, path.to_owned(), Vec::new()))
    }

    fn new(folder: OwnedFd, path: PathBuf, created: Vec<(OwnedFd, OsString)>) -> Self {
        Self { folder, path, created, keeps_empty: AtomicBool::new(false) }
    }

    /// Opens a folder, and creates it and its parents if they are missing. Fails if the path leads
    /// through a symbolic link of another user, except root.
    pub fn create(path: &Path, access: Access) -> io::Result<Self> {
        let (mut folder, missing) = open_existing_part(path)?;
        let mut created = Vec::new();
        for name in missing {
            let (below, is_new) = create_folder_in(&folder, &name, access)?;
            let parent = std::mem::replace(&mut folder, below);
            if is_new {
                created.insert(0, (parent, name));
            }
        }
        Ok(Self::new(folder, path.to_owned(), created))
    }

    /// Opens a subfolder, and creates it if it is missing. Follows no link.
    pub fn create_folder(&self, name: &str, access: Access) -> io::Result<Self> {
        let (folder, is_new) = create_folder_in(&self.folder, OsStr::new(name), access)?;
        let parent = if is_new { Some((self.folder.try_clone()?, name.into())) } else { None };
        Ok(Self::new(folder, self.path.join(name), Vec::from_iter(parent)))
    }

    /// Returns the path as it was given, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the folder has a file, folder or link of this name.
    pub fn has(&self, name: &str) -> bool {
        statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Returns `true` if the folder has no file, folder or link.
    pub fn is_empty(&self) -> io::Result<bool> {
        for entry in Dir::read_from(open_folder(&self.folder, c".")?)? {
            if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads a regular file of at most `max_bytes`. Follows no link.
    pub fn read_small(&self, name: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.folder, name, flags, Mode::empty())?;
        read_at_most(check_regular(file.into())?, max_bytes)
    }

    /// Creates a file. Fails if the name exists, also as a link.
    pub fn create_new(&self, name: impl Arg, access: Access) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.folder, name, flags, access.file_mode())?.into())
    }

    /// Opens a file for reading and appending. Creates a missing one, and opens an existing one as
    /// [`open_existing`](crate::open_existing) does.
    pub fn open_to_append(&self, name: &str, access: Access) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC;
        match openat(&self.folder, name, flags | OFlags::CREATE | OFlags::EXCL, access.file_mode()) {
            Err(Errno::EXIST) => self.open_existing(name),
            created => Ok(created?.into()),
        }
    }

    /// Opens a file as [`open_existing`](crate::open_existing) does.
    pub fn open_existing(&self, name: impl Arg) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC;
        let special = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        check_existing(openat(&self.folder, name, flags | special, Mode::empty()).map(File::from).map_err(Into::into))
    }

    /// Writes a temporary file in the same folder and renames it to `name`. Readers see the old
    /// content or the new one, and a link is replaced, not followed. If `write` fails, the old file
    /// stays as it was.
    pub fn replace<E: From<io::Error>>(
        &self,
        name: impl Arg,
        access: Access,
        write: impl FnOnce(&mut File) -> Result<(), E>,
    ) -> Result<(), E> {
        let (temporary, mut file) = self.create_temporary(access)?;
        let written = write(&mut file).and_then(|()| {
            renameat(&self.folder, &temporary, &self.folder, name).map_err(|error| io::Error::from(error).into())
        });
        if written.is_err() {
            let _ = self.remove(&temporary);
        }
        written
    }

    fn create_temporary(&self, access: Access) -> io::Result<(String, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        for _ in 0..MAX_NAMES {
            let name = format!(".weigh-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            match self.create_new(&name, access) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return Ok((name, created?)),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.folder, name, AtFlags::empty())?)
    }

    /// Removes all that is in the folder, and the folders that were created for it.
    pub fn remove_all(&self) -> io::Result<()> {
        remove_from(&open_folder(&self.folder, c".")?, &[])?;
        self.remove_created();
        Ok(())
    }

    /// Keeps the folders that were created, also if they are empty on drop.
    pub fn keep_empty(&self) {
        self.keeps_empty.store(true, Ordering::Relaxed);
    }

    fn remove_created(&self) {
        for (parent, name) in &self.created {
            // Fails for a folder with files.
            let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
        }
    }
}

impl Drop for HeldFolder {
    fn drop(&mut self) {
        if !self.keeps_empty.load(Ordering::Relaxed) {
            self.remove_created();
        }
    }
}

/// Flags that open a folder by which others are reached.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens the longest part of the path that exists. Also returns the names of the rest.
fn open_existing_part(path: &Path) -> io::Result<(OwnedFd, Vec<OsString>)> {
    let mut missing = Vec::new();
    let mut ancestor = path;
    loop {
        match open_named(ancestor) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return Ok((opened?, missing)),
        }
        let (Some(name), Some(parent)) = (ancestor.file_name(), ancestor.parent()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        missing.insert(0, name.to_owned());
        ancestor = parent;
    }
}

/// Opens a folder. An empty path is the current folder. Follows links in any part of the path only
/// if they belong to this user or root.
fn open_named(path: &Path) -> io::Result<OwnedFd> {
    let mut folder = open_start(path)?;
    let mut pending: Vec<OsString> = names(path);
    let (mut seen, mut links) = (PathBuf::new(), 0);
    while let Some(name) = pending.pop() {
        let found = openat(&folder, &name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        seen.push(&name);
        let stat = fstat(&found)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => folder = found,
            FileType::Symlink if !is_trusted_owner(stat.st_uid) => {
                let text = format!("{} is a symbolic link of another user (id {})", seen.display(), stat.st_uid);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            FileType::Symlink if links < MAX_LINKS => {
                links += 1;
                let target = PathBuf::from(OsString::from_vec(readlinkat(&found, c"", Vec::new())?.into_bytes()));
                if target.is_absolute() {
                    folder = open_start(&target)?;
                }
                pending.extend(names(&target));
            }
            FileType::Symlink => return Err(Errno::LOOP.into()),
            _ => return Err(Errno::NOTDIR.into()),
        }
    }
    Ok(folder)
}

fn open_start(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, if path.is_absolute() { c"/" } else { c"." }, FOLDER, Mode::empty())?)
}

/// Returns the names of a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().rev().filter(is_name).map(|part| part.as_os_str().to_owned()).collect()
}

/// Opens a folder, which is created if it is missing. Also returns whether it was. Follows no link.
fn create_folder_in(parent: &OwnedFd, name: &OsStr, access: Access) -> io::Result<(OwnedFd, bool)> {
    let is_new = match mkdirat(parent, name, access.folder_mode()) {
        Err(Errno::EXIST) => false,
        created => created.map(|()| true)?,
    };
    Ok((openat(parent, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?, is_new))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    use super::*;

    fn write(folder: &HeldFolder, name: &str) -> io::Result<()> {
        folder.replace(name, Access::OwnerOnly, |file| file.write_all(b"rows"))
    }

    #[test]
    fn files_lie_in_the_folder_that_was_opened() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| place.path().join(name);
        let folder = HeldFolder::create(&at("results/time"), Access::OwnerOnly).unwrap();
        assert_eq!(fs::metadata(at("results")).unwrap().permissions().mode() & 0o777, 0o700);
        // The owner of `place` exchanges the folder.
        fs::rename(at("results"), at("moved")).unwrap();
        symlink(elsewhere.path(), at("results")).unwrap();
        fs::create_dir(elsewhere.path().join("time")).unwrap();
        write(&folder, "run.json").unwrap();
        folder.open_to_append("samples.jsonl", Access::Umask).unwrap().write_all(b"1").unwrap();
        write(&folder.create_folder("profile", Access::OwnerOnly).unwrap(), "a.svg").unwrap();
        for name in ["run.json", "samples.jsonl", "profile/a.svg"] {
            assert!(at("moved/time").join(name).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(elsewhere.path().join("time")).unwrap().count(), 0);
        assert_eq!(fs::metadata(at("moved/time/run.json")).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn links_below_are_not_followed() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = HeldFolder::create(place.path(), Access::Umask).unwrap();
        fs::write(elsewhere.path().join("file"), "old").unwrap();
        symlink(elsewhere.path(), place.path().join("profile")).unwrap();
        for name in ["run.json", "samples.jsonl"] {
            symlink(elsewhere.path().join("file"), place.path().join(name)).unwrap();
        }
        assert!(folder.create_folder("profile", Access::Umask).is_err() && folder.has("profile"));
        let error = folder.open_to_append("samples.jsonl", Access::Umask).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        write(&folder, "run.json").unwrap();
        assert_eq!(fs::read_to_string(elsewhere.path().join("file")).unwrap(), "old");
        assert!(place.path().join("run.json").symlink_metadata().unwrap().is_file());
    }

    #[test]
    fn a_link_of_another_user_is_refused() {
        let (place, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = place.path().join("weigh-results");
        symlink(target.path(), &link).unwrap();
        write(&HeldFolder::create(&link.join("time"), Access::Umask).unwrap(), "file").unwrap();
        assert!(target.path().join("time/file").exists());
        if lchown(&link, Some(61_000), None).is_err() {
            eprintln!("skipped in part: only root changes owners");
            return;
        }
        fs::create_dir(target.path().join("below")).unwrap();
        let below = link.join("below");
        for path in [below.join("other"), below, link.join("other"), link.join(""), link.join("."), link] {
            let error = HeldFolder::create(&path, Access::Umask).unwrap_err().to_string();
            assert!(error.contains("symbolic link of another user (id 61000)"), "{error}");
        }
        assert_eq!(fs::read_dir(target.path()).unwrap().count(), 2);
    }

    #[test]
    fn own_links_are_followed_like_the_kernel_does() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("a/b/c")).unwrap();
        symlink("b/../b/c", at("a/down")).unwrap();
        symlink(at("a"), at("absolute")).unwrap();
        symlink("loop", at("loop")).unwrap();
        for path in ["a/down", "absolute/down", "absolute/down/../c", "./a//b/c/."] {
            write(&HeldFolder::open(&at(path)).unwrap(), "file").unwrap();
            fs::remove_file(at("a/b/c/file")).unwrap();
        }
        for (path, error) in [("loop", Errno::LOOP), ("none/x", Errno::NOENT), ("a/down/file", Errno::NOTDIR)] {
            fs::write(at("a/b/c/file"), "").unwrap();
            let found = HeldFolder::open(&at(path)).unwrap_err();
            assert_eq!(found.raw_os_error(), Some(error.raw_os_error()), "{path}");
        }
    }

    #[test]
    fn empty_folders_are_removed_again() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("there")).unwrap();
        for path in ["a/b/c", "there", "there/x"] {
            drop(HeldFolder::create(&at(path), Access::Umask).unwrap());
        }
        assert!(!at("a").exists() && at("there").exists() && !at("there/x").exists());
        write(&HeldFolder::create(&at("a/b"), Access::Umask).unwrap(), "file").unwrap();
        assert!(at("a/b/file").exists());
        fs::write(at("file"), "").unwrap();
        assert!(HeldFolder::create(&at("file/x"), Access::Umask).is_err());
        HeldFolder::create(&at("kept"), Access::Umask).unwrap().keep_empty();
        assert!(at("kept").exists());
    }

    #[test]
    fn content_is_removed_where_it_lies() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| place.path().join(name);
        let folder = HeldFolder::create(&at("results/time"), Access::OwnerOnly).unwrap();
        assert!(folder.is_empty().unwrap());
        write(&folder, "file").unwrap();
        write(&folder.create_folder("below", Access::OwnerOnly).unwrap(), "file").unwrap();
        assert!(!folder.is_empty().unwrap() && folder.create_new("file", Access::Umask).is_err());
        fs::rename(at("results"), at("moved")).unwrap();
        symlink(elsewhere.path(), at("results")).unwrap();
        fs::create_dir(elsewhere.path().join("time")).unwrap();
        fs::write(elsewhere.path().join("time/file"), "precious").unwrap();
        folder.remove_all().unwrap();
        assert!(!at("moved/time").exists() && elsewhere.path().join("time/file").exists());
    }

    #[test]
    fn small_files_are_read_without_links() {
        let place = tempfile::tempdir().unwrap();
        let folder = HeldFolder::open(place.path()).unwrap();
        write(&folder, "file").unwrap();
        symlink("file", place.path().join("link")).unwrap();
        assert_eq!(folder.read_small("file", 4).unwrap(), b"rows");
        assert!(folder.read_small("file", 3).is_err() && folder.read_small("link", 4).is_err());
        assert_eq!(folder.read_small("none", 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
