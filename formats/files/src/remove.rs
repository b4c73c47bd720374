//! Removal of folders that an untrusted program filled.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::copy::open_folder;

/// Maximum number of times that a folder is listed, besides once per folder that was moved: a
/// program may create files in it meanwhile.
const MAX_PASSES: u64 = 1_000;

/// Maximum number of further listings, one for each folder that was moved.
const MAX_MOVED: u64 = 10_000_000;

/// Maximum depth of folders below one that cannot be moved.
const MAX_FIXED_DEPTH: u32 = 64;

/// Removes a folder with all that is in it, also if its folders are nested deeper than files can be
/// open. Does not follow links. Folders of this user without write permission are made writable.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    remove_from(&open_writable(CWD, folder)?, &[])?;
    fs::remove_dir(folder)
}

/// Removes all that is in a folder, except what lies directly in it under a name in `kept`. Opens
/// few folders at a time: those further down are moved up first. `fs::remove_dir_all` opens one per
/// level. Fails if a program goes on creating files in the folder.
pub fn remove_content(folder: &Path, kept: &[&str]) -> io::Result<()> {
    remove_from(&open_folder(CWD, folder)?, kept)
}

pub(crate) fn remove_from(folder: &OwnedFd, kept: &[&str]) -> io::Result<()> {
    let mut removal = Removal { top: folder, moved: 0 };
    let mut passes = 0;
    // A list may lack folders that were moved meanwhile.
    while passes < MAX_PASSES + removal.moved.min(MAX_MOVED) {
        passes += 1;
        let mut is_empty = true;
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !is_self_or_parent(name) && !kept.iter().any(|kept| kept.as_bytes() == name.to_bytes()) {
                is_empty = false;
                removal.remove(folder, name, 0)?;
            }
        }
        if is_empty {
            return Ok(());
        }
    }
    Err(Errno::NOTEMPTY.into())
}

struct Removal<'f> {
    /// Folder to which deeply nested folders are moved.
    top: &'f OwnedFd,
    /// Number of names that were tried for moved folders.
    moved: u64,
}

impl Removal<'_> {
    /// Removes a file, or a folder after its content. `depth` counts the folders that could not be
    /// moved.
    fn remove(&mut self, parent: &OwnedFd, name: &CStr, depth: u32) -> io::Result<()> {
        if is_removed_at_once(parent, name)? {
            return Ok(());
        }
        let folder = open_writable(parent, name)?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let below = entry.file_name();
            if is_self_or_parent(below) || is_removed_at_once(&folder, below)? {
                continue;
            }
            match self.move_up(&folder, below) {
                // A folder of a lower layer of an overlay file system.
                Err(Errno::XDEV) if depth < MAX_FIXED_DEPTH => self.remove(&folder, below, depth + 1)?,
                moved => moved?,
            }
        }
        Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves a folder to the top, under a name such as `.7` that is free there or an empty
    /// folder's.
    fn move_up(&mut self, parent: &OwnedFd, name: &CStr) -> Result<(), Errno> {
        let mut is_opened = false;
        loop {
            self.moved += 1;
            match renameat(parent, name, self.top, format!(".{}", self.moved)) {
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                // The move changes the folder's entry `..`, so the folder must be writable.
                Err(Errno::ACCESS) if !is_opened => {
                    is_opened = true;
                    open_writable(parent, name)
                        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::ACCESS))?;
                }
                renamed => return renamed,
            }
        }
    }
}

/// Removes what is not a folder, and an empty folder. Returns `false` for another folder.
fn is_removed_at_once(parent: &OwnedFd, name: &CStr) -> io::Result<bool> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => {}
        removed => return Ok(removed.map(|()| true)?),
    }
    match unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        removed => Ok(removed.map(|()| true)?),
    }
}

/// Opens a folder, and lets its owner read and change it. Does not follow links.
fn open_writable<P: Arg>(parent: impl AsFd, name: P) -> io::Result<OwnedFd> {
    // `O_PATH` opens a folder without read permission, too.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat(&parent, name, flags, Mode::empty())?;
    let mode = Mode::from_raw_mode(fstat(&found)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        let path = format!("/proc/self/fd/{}", found.as_raw_fd());
        // Fails for a folder of another user, which may be writable all the same.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    }
    open_folder(&found, c".")
}

fn is_self_or_parent(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::process::Command;
    use std::thread;

    use rustix::fs::mkdirat;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

    use super::*;

    /// Maximum number of open files, which is the usual one.
    const MAX_FILES: u64 = 1024;

    /// Variable that names the folder to a process that runs one of the tests.
    const FOLDER: &str = "WEIGH_TEST_FOLDER";

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

    /// Runs a function in a thread that modes of files bind, also as root.
    fn without_capabilities(function: impl FnOnce() + Send) {
        let run = || {
            let sets = capabilities(None).unwrap();
            let is_exempt = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, CapabilitySets { effective: sets.effective - is_exempt, ..sets }).unwrap();
            function();
        };
        thread::scope(|scope| scope.spawn(run).join().unwrap());
    }

    /// An unpacked image has folders without write permission.
    #[test]
    fn removes_folders_that_are_closed_to_writes() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        for name in ["empty", "a/empty", "a/b/c", "unreadable/d"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        for name in ["a/file", "a/b/file", "a/b/c/file", "unreadable/d/file"] {
            fs::write(top.join(name), "").unwrap();
        }
        let modes = [("empty", 0o555), ("a/empty", 0o555), ("a/b/c", 0o555), ("a/b", 0o555), ("a", 0o555)];
        for (name, mode) in modes.into_iter().chain([("unreadable", 0), ("", 0o555)]) {
            fs::set_permissions(top.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        without_capabilities(|| {
            assert!(fs::write(top.join("file"), "").is_err());
            remove_tree(&top).unwrap();
        });
        assert!(!top.exists());
    }

    /// A rename of a folder of a lower layer fails with EXDEV.
    #[test]
    fn removes_folders_of_a_lower_layer() {
        let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
            let folder = tempfile::tempdir().unwrap();
            for name in ["lower/a/b/c/d", "lower/e", "upper", "work", "merged"] {
                fs::create_dir_all(folder.path().join(name)).unwrap();
            }
            fs::write(folder.path().join("lower/a/b/c/file"), "").unwrap();
            let test = "remove::tests::removes_folders_of_a_lower_layer";
            let script = format!(
                "cd \"$0\" && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged || exit 77; \
                 {FOLDER}=\"$0/merged\" exec \"$1\" --exact {test} --nocapture"
            );
            let mut command = Command::new("unshare");
            command.args(["--mount", "sh", "-c", &script]).arg(folder.path());
            let output = command.arg(std::env::current_exe().unwrap()).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            if matches!(output.status.code(), Some(1 | 77)) && !text.contains("panicked") {
                eprintln!("skipped: this test needs the right to mount an overlay file system: {text}");
                return;
            }
            assert!(output.status.success(), "{text}");
            return;
        };
        assert_eq!(fs::rename(folder.join("a/b"), folder.join("b")).unwrap_err().kind(), io::ErrorKind::CrossesDevices);
        remove_content(&folder, &[]).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
}
