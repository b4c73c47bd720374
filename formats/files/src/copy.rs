//! Copies of folders that an untrusted program filled.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Gid, Mode, OFlags, Uid, fchown, mkdirat, openat, statat};

/// Maximum depth of folders below the one that is copied.
const MAX_DEPTH: u32 = 16;

/// Copies the content of the folder `from` into the existing folder `to`, except files and folders
/// at any depth whose name is in `skipped`. Copies are readable by `owner` only: folders get mode
/// 0700, files 0600. `owner` is a user and group id; `None` is this process's. Fails for links,
/// also hard links, and for everything else but folders and regular files: as root, this process
/// could be made to copy a file that the program may not read.
pub fn copy_tree(from: &Path, to: &Path, owner: Option<u32>, skipped: &[&str]) -> io::Result<()> {
    let from = open_folder(CWD, from)?;
    let to = open_folder(CWD, to)?;
    let owner = owner.map(|id| (Uid::from_raw(id), Gid::from_raw(id)));
    copy_folder(&from, &to, owner, skipped, 0)
}

type Owner = Option<(Uid, Gid)>;

fn copy_folder(from: &OwnedFd, to: &OwnedFd, owner: Owner, skipped: &[&str], depth: u32) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "folders are nested too deeply"));
    }
    for entry in Dir::read_from(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") || skipped.iter().any(|skip| skip.as_bytes() == name.to_bytes()) {
            continue;
        }
        let kind = rustix::fs::FileType::from_raw_mode(statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        if kind == rustix::fs::FileType::Directory {
            mkdirat(to, name, Mode::RWXU)?;
            let (below, copy) = (open_folder(from, name)?, open_folder(to, name)?);
            copy_folder(&below, &copy, owner, skipped, depth + 1)?;
            change_owner(&copy, owner)?;
        } else {
            copy_file(from, to, name, owner)?;
        }
    }
    Ok(())
}

fn copy_file(from: &OwnedFd, to: &OwnedFd, name: &std::ffi::CStr, owner: Owner) -> io::Result<()> {
    let refuse = |what: &str| {
        let text = format!("{} is {what}, which is not copied", name.to_string_lossy());
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    };
    let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut source = match openat(from, name, read, Mode::empty()) {
        Err(rustix::io::Errno::LOOP) => return refuse("a link"),
        opened => File::from(opened?),
    };
    let metadata = source.metadata()?;
    if !metadata.is_file() {
        return refuse("no regular file");
    }
    if metadata.nlink() != 1 {
        return refuse("a file with several names");
    }
    let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut copy = File::from(openat(to, name, write, Mode::RUSR | Mode::WUSR)?);
    io::copy(&mut source, &mut copy)?;
    change_owner(&copy, owner)
}

fn change_owner(file: impl std::os::fd::AsFd, owner: Owner) -> io::Result<()> {
    if let Some((user, group)) = owner {
        fchown(file, Some(user), Some(group))?;
    }
    Ok(())
}

pub(crate) fn open_folder(parent: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn copies_regular_files_and_folders() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(from.path().join("a/b")).unwrap();
        fs::write(from.path().join("a/b/c"), "text").unwrap();
        fs::write(from.path().join("skip"), "").unwrap();
        copy_tree(from.path(), to.path(), None, &["skip"]).unwrap();
        assert_eq!(fs::read_to_string(to.path().join("a/b/c")).unwrap(), "text");
        assert_eq!(fs::metadata(to.path().join("a/b/c")).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(to.path().join("a")).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(!to.path().join("skip").exists());
    }

    /// Exchanges a folder and a link to a folder with a secret, again and again.
    fn exchange(folder: &Path, is_done: &std::sync::atomic::AtomicBool) {
        let (one, other) = (folder.join("below"), folder.join("link"));
        while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
            rustix::fs::renameat_with(CWD, &one, CWD, &other, rustix::fs::RenameFlags::EXCHANGE).unwrap();
        }
    }

    #[test]
    fn exchanged_folders_and_links_are_not_followed() {
        let (from, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(secret.path().join("secret"), "secret").unwrap();
        fs::create_dir(from.path().join("below")).unwrap();
        fs::write(from.path().join("below/own"), "own").unwrap();
        symlink(secret.path(), from.path().join("link")).unwrap();
        let owner = rustix::process::geteuid().is_root().then_some(61_184);
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| exchange(from.path(), &is_done));
            for _ in 0..300 {
                let to = tempfile::tempdir().unwrap();
                // `link` has a name that is skipped, `below` is the folder or the link.
                let _ = copy_tree(from.path(), to.path(), owner, &["link"]);
                assert!(!to.path().join("below/secret").exists());
            }
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let metadata = fs::metadata(secret.path().join("secret")).unwrap();
        assert_eq!(metadata.uid(), rustix::process::geteuid().as_raw());
    }

    #[test]
    fn refuses_links_and_pipes() {
        let secret = tempfile::NamedTempFile::new().unwrap();
        type Prepare = fn(&Path, &Path);
        let prepare: [(&str, Prepare); 4] = [
            ("link", |path, secret| symlink(secret, path).unwrap()),
            ("folder", |path, _| symlink("/etc", path).unwrap()),
            ("hard", |path, secret| fs::hard_link(secret, path).unwrap()),
            ("pipe", |path, _| {
                rustix::fs::mknodat(CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
            }),
        ];
        for (name, prepare) in prepare {
            let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            prepare(&from.path().join(name), secret.path());
            let error = copy_tree(from.path(), to.path(), None, &[]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name}: {error}");
            assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0, "{name}");
        }
    }
}
