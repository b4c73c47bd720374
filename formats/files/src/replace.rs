//! Atomic replacement of a file: readers never see a part of the new content.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::Mode;

use crate::held::HeldFolder;
use crate::own::open_existing;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Mode 0600.
    OwnerOnly,
    /// The mode that the user's umask gives to new files.
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

/// Writes a file beside `path` and renames it to `path`, as [`HeldFolder::replace`] does.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let name = path.file_name().ok_or(io::Error::from(io::ErrorKind::IsADirectory))?;
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    HeldFolder::follow(folder)?.replace(name, access, write)
}

/// Replaces a file as [`replace`] does, but an existing one only if it is a regular file of this
/// user that is empty or begins with `first`. Links, and files of others, are refused.
pub fn replace_own<E: From<io::Error>>(
    path: &Path,
    access: Access,
    first: &str,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    check_own(path, first)?;
    replace(path, access, write)
}

/// Returns an error if [`replace_own`] would refuse to replace the file.
pub fn check_own(path: &Path, first: &str) -> Result<(), io::Error> {
    let mut begin = Vec::new();
    match open_existing(path) {
        Ok(file) => drop(file.take(first.len() as u64).read_to_end(&mut begin)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if begin.is_empty() || begin == first.as_bytes() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists, and weigh did not write it"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

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
    fn replaces_own_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let replace =
            |name: &str| replace_own(&at(name), Access::OwnerOnly, "-- own", |file| file.write_all(b"-- own 2"));
        for (name, content) in [("own", "-- own 1"), ("empty", "")] {
            fs::write(at(name), content).unwrap();
        }
        for name in ["own", "empty", "new", "new"] {
            replace(name).unwrap();
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "-- own 2", "{name}");
        }
        fs::write(at("foreign"), "-- ow").unwrap();
        symlink("foreign", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for name in ["foreign", "link", "dangling", "pipe"] {
            replace(name).unwrap_err();
        }
        assert_eq!(fs::read_to_string(at("foreign")).unwrap(), "-- ow");
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink() && !at("missing").exists());
    }
}
