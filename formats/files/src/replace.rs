//! Atomic replacement of a file: readers never see a part of the new content.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use crate::held::HeldFolder;
use crate::shared::is_trusted_owner;

/// Who may read and write a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Mode 0600, of folders 0700.
    OwnerOnly,
    /// The mode that the user's umask gives to new files and folders.
    Umask,
}

impl Access {
    pub(crate) fn file_mode(self) -> Mode {
        Mode::from_raw_mode(if self == Self::OwnerOnly { 0o600 } else { 0o666 })
    }

    pub(crate) fn folder_mode(self) -> Mode {
        Mode::from_raw_mode(if self == Self::OwnerOnly { 0o700 } else { 0o777 })
    }
}

/// Writes a temporary file in the same folder and renames it to `path`, as [`HeldFolder::replace`]
/// does.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let (folder, name) = open_parent(path)?;
    folder.replace(name, access, write)
}

/// Opens the folder of a file. Also returns the file's name.
pub(crate) fn open_parent(path: &Path) -> io::Result<(HeldFolder, &OsStr)> {
    let name = path.file_name().ok_or(io::Error::from(io::ErrorKind::IsADirectory))?;
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((HeldFolder::open(folder)?, name))
}

/// Writes a file that the user named. Devices, pipes and open files, such as `/dev/stdout`, are
/// written to. A regular file is replaced, and keeps its permissions to read and write, under
/// [`Access::OwnerOnly`] the owner's only. A link to a file is followed if it belongs to this user
/// or root, and replaced otherwise.
pub fn write_named<E: From<io::Error>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    if is_open_file(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return write(&mut File::create(path)?);
    }
    let path = follow_own_link(path);
    let old = fs::symlink_metadata(&path).ok().filter(Metadata::is_file);
    replace(&path, access, |file| {
        if let Some(old) = old {
            let mode = old.permissions().mode() & 0o777 & access.file_mode().bits();
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        write(file)
    })
}

/// True for `/dev/stdout` and other names of files that a process has open, and for all of `/proc`.
fn is_open_file(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|name| path.starts_with(name))
}

fn follow_own_link(path: &Path) -> PathBuf {
    let is_own = |link: &Metadata| link.is_symlink() && is_trusted_owner(link.uid());
    let target = || fs::symlink_metadata(path).ok().filter(is_own).and_then(|_| path.canonicalize().ok());
    target().unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{lchown, symlink};

    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn replaces_a_link_and_keeps_the_file_after_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, Access::OwnerOnly, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert_eq!(fs::symlink_metadata(&link).unwrap().permissions().mode() & 0o7777, 0o600);
        let failed = replace(&link, Access::Umask, |_| Err(io::Error::other("full")));
        let nowhere = replace(&folder.path().join("no/file"), Access::Umask, |_| Ok::<_, io::Error>(()));
        assert!(!nowhere.unwrap_err().to_string().contains("path"));
        assert!(failed.is_err() && fs::read_to_string(&link).unwrap() == "new" && names(folder.path()) == 2);
    }

    #[test]
    fn a_typed_file_keeps_its_permissions_and_own_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| write_named(&at(name), Access::Umask, |file| file.write_all(b"new"));
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        fs::write(at("file"), "a longer text").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o600)).unwrap();
        symlink("file", at("link")).unwrap();
        write("link").unwrap();
        assert!(at("link").is_symlink() && read("file") == "new");
        assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o7777, 0o600);
        write_named(Path::new("/dev/null"), Access::Umask, |file| file.write_all(b"new")).unwrap();
        if lchown(at("link"), Some(61_000), None).is_err() {
            eprintln!("skipped in part: only root changes owners");
            return;
        }
        fs::write(at("file"), "precious").unwrap();
        write("link").unwrap();
        assert!(!at("link").is_symlink() && read("link") == "new" && read("file") == "precious");
    }
}
