//! A file that the user named, and that holds only what `weigh` wrote.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::held::HeldFolder;
use crate::replace::{Access, open_parent};

/// Opens a regular file of this user for reading and appending, or creates it with mode 0600. Fails
/// for links, and for a path that leads through a link of another user.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    let (folder, name) = open_parent(path)?;
    match folder.create_new(name, Access::OwnerOnly) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder.open_existing(name),
        created => created,
    }
}

/// A file to write in a folder that is held open. An existing file is replaced only if it is a
/// regular file of this user that is empty, or begins with a certain text.
#[derive(Debug)]
pub struct OwnFile {
    folder: HeldFolder,
    name: OsString,
    path: PathBuf,
    first: &'static str,
}

impl OwnFile {
    /// Opens the folder of a file. The file need not exist. Fails for a link, a file of others, and
    /// one with content that does not begin with `first`.
    pub fn open(path: &Path, first: &'static str) -> io::Result<Self> {
        let (folder, name) = open_parent(path)?;
        let file = Self { folder, name: name.to_owned(), path: path.to_owned(), first };
        file.check()?;
        Ok(file)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file beside this one and renames it, as [`HeldFolder::replace`] does. Fails as
    /// [`OwnFile::open`] does.
    pub fn replace<E: From<io::Error>>(
        &self,
        access: Access,
        write: impl FnOnce(&mut File) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check()?;
        self.folder.replace(&self.name, access, write)
    }

    /// Opens the file for reading.
    pub fn read(&self) -> io::Result<File> {
        self.folder.open_existing(&self.name)
    }

    fn check(&self) -> io::Result<()> {
        let mut begin = Vec::new();
        match self.read() {
            Ok(file) => drop(file.take(self.first.len() as u64).read_to_end(&mut begin)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if begin.is_empty() || begin == self.first.as_bytes() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists, and weigh did not write it"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{lchown, symlink};

    use super::*;

    #[test]
    fn replaces_own_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let replace = |name: &str| {
            let file = OwnFile::open(&at(name), "-- own")?;
            file.replace(Access::OwnerOnly, |file| file.write_all(b"-- own 2"))
        };
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

    #[test]
    fn the_file_lies_in_the_folder_that_was_opened() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("home/below")).unwrap();
        fs::create_dir(elsewhere.path().join("below")).unwrap();
        let file = OwnFile::open(&at("home/below/plan.sql"), "-- own").unwrap();
        fs::rename(at("home"), at("moved")).unwrap();
        symlink(elsewhere.path(), at("home")).unwrap();
        file.replace(Access::OwnerOnly, |file| file.write_all(b"-- own")).unwrap();
        let mut text = String::new();
        file.read().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), at("moved/below/plan.sql").exists()), ("-- own", true));
        assert_eq!(fs::read_dir(elsewhere.path().join("below")).unwrap().count(), 0);
        if lchown(at("home"), Some(61_000), None).is_err() {
            eprintln!("skipped in part: only root changes owners");
            return;
        }
        for path in ["home/plan.sql", "home/below/plan.sql"] {
            let error = OwnFile::open(&at(path), "-- own").unwrap_err().to_string();
            assert!(error.contains("symbolic link of another user"), "{error}");
        }
    }
}
