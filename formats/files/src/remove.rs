//! Removal of folders that an untrusted program filled.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, renameat, unlinkat};
use rustix::io::Errno;

use crate::copy::open_folder;

/// Removes a folder with all that is in it, however deep its folders are nested. Does not follow
/// links.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    remove_content(folder, &[])?;
    fs::remove_dir(folder)
}

/// Removes all that is in a folder, except what has a name in `kept`. Opens two folders at a time:
/// those further down are moved up first. `fs::remove_dir_all` opens one per level.
pub fn remove_content(folder: &Path, kept: &[&str]) -> io::Result<()> {
    let folder = open_folder(CWD, folder)?;
    let mut moved = 0;
    loop {
        let mut is_empty = true;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !is_self_or_parent(name) && !kept.iter().any(|kept| kept.as_bytes() == name.to_bytes()) {
                is_empty = false;
                remove_entry(&folder, name, &mut moved)?;
            }
        }
        // The list may lack folders that were moved meanwhile.
        if is_empty {
            return Ok(());
        }
    }
}

/// Removes a file, or a folder after its content. Folders in it are moved to `top`.
fn remove_entry(top: &OwnedFd, name: &CStr, moved: &mut u64) -> io::Result<()> {
    if is_removed_as_file(top, name)? {
        return Ok(());
    }
    let folder = open_folder(top, name)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let below = entry.file_name();
        if !is_self_or_parent(below) && !is_removed_as_file(&folder, below)? {
            move_up(&folder, below, top, moved)?;
        }
    }
    Ok(unlinkat(top, name, AtFlags::REMOVEDIR)?)
}

/// Removes what is not a folder. Returns `false` for a folder.
fn is_removed_as_file(parent: &OwnedFd, name: &CStr) -> io::Result<bool> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => Ok(false),
        removed => Ok(removed.map(|()| true)?),
    }
}

/// Moves a folder to `top`, under a number that is free there or an empty folder's.
fn move_up(parent: &OwnedFd, name: &CStr, top: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    loop {
        *moved += 1;
        match renameat(parent, name, top, format!(".{moved}")) {
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            renamed => return Ok(renamed?),
        }
    }
}

fn is_self_or_parent(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{Mode, mkdirat};
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::*;

    /// Maximum number of open files, which is the usual one.
    const MAX_FILES: u64 = 1024;

    #[test]
    fn removes_deep_folders_and_follows_no_link() {
        let maximum = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(MAX_FILES), maximum }).unwrap();
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| folder.path().join(name);
        fs::write(other.path().join("file"), "").unwrap();
        for name in ["a/b/c", "a/e/f", ".1/g", ".3"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["kept", "file", "a/file", "a/b/file", ".1/g/file", ".2"] {
            fs::write(at(name), "").unwrap();
        }
        symlink(other.path(), at("link")).unwrap();
        symlink(other.path(), at("a/b/link")).unwrap();
        fs::create_dir(at("deep")).unwrap();
        let mut level = open_folder(CWD, at("deep")).unwrap();
        for _ in 0..2 * MAX_FILES {
            mkdirat(&level, "d", Mode::RWXU).unwrap();
            level = open_folder(&level, "d").unwrap();
        }
        remove_content(folder.path(), &["kept"]).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["kept"]);
        assert!(other.path().join("file").exists());
        remove_tree(folder.path()).unwrap();
        assert!(!folder.path().exists());
        assert_eq!(remove_tree(folder.path()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
