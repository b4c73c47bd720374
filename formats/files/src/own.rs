//! Opening files by name, with the checks that each purpose needs.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

/// Creates a file that only this user may read and write, mode 0600. Fails if the name exists, also
/// as a link.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a regular file of this user for reading and appending. Fails for a link, a file with other
/// names (hard links), a pipe or a device, and for a file of another user.
pub fn open_existing(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    check_existing(OpenOptions::new().read(true).append(true).custom_flags(flags.bits() as i32).open(path))
}

/// Checks a file that was opened without following a link.
pub(crate) fn check_existing(opened: io::Result<File>) -> io::Result<File> {
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => refuse("it is a symbolic link"),
        _ => error,
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(refuse("it is not a regular file"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refuse("it belongs to another user"));
    }
    if metadata.nlink() != 1 {
        return Err(refuse("it has another name, too (a hard link)"));
    }
    Ok(file)
}

/// Opens a regular file for reading, also one that others put into a folder or named in a file.
/// Fails for pipes and devices without waiting for them. Follows links.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_with(path, OFlags::empty())
}

fn open_regular_with(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    check_regular(file)
}

pub(crate) fn check_regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(refuse("it is not a regular file")) }
}

/// Reads a regular file of at most `max_bytes`, as [`open_regular`] opens it. A larger one is an
/// error.
pub fn read_small(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_regular(path)?, max_bytes)
}

/// Reads a file as [`read_small`] does, but fails for a link. For folders that an untrusted program
/// writes to.
pub fn read_small_unlinked(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_regular_with(path, OFlags::NOFOLLOW)?, max_bytes)
}

/// Reads a file as [`read_small`] does, but fails for a link that leads out of `folder`. For
/// folders of a stranger, who could link to a file that this user may read.
pub fn read_small_below(folder: &Path, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (folder, path) = (folder.canonicalize()?, path.canonicalize()?);
    let name = path.strip_prefix(&folder).map_err(|_| refuse("a link leads out of its folder"))?;
    // A link that came meanwhile is refused.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let file = match openat2(File::open(&folder)?, name, flags, Mode::empty(), resolve) {
        // Before Linux 5.6, and in containers that refuse unknown calls.
        Err(Errno::NOSYS | Errno::PERM) => open_regular_with(&path, OFlags::NOFOLLOW)?,
        opened => check_regular(opened?.into())?,
    };
    read_at_most(file, max_bytes)
}

pub(crate) fn read_at_most(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes")));
    }
    Ok(bytes)
}

fn refuse(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn opens_only_own_regular_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        create_new(&at("file")).unwrap();
        assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o600);
        open_existing(&at("file")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        fs::hard_link(at("file"), at("hard")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for (name, reason) in [("link", "symbolic link"), ("file", "hard link"), ("pipe", "not a regular file")] {
            let error = open_existing(&at(name)).unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
        for name in ["file", "link", "dangling", "pipe"] {
            assert_eq!(create_new(&at(name)).unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{name}");
        }
        assert!(!at("missing").exists());
    }

    #[test]
    fn reads_below_a_folder_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::write(folder.join("a/file"), "own").unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        symlink(folder.join("a"), folder.join("b")).unwrap();
        symlink("../secret", folder.join("out")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        let read = |name: &str| read_small_below(&folder, &folder.join(name), 9);
        assert_eq!(read("a/file").unwrap(), b"own");
        assert_eq!(read("b/file").unwrap(), b"own");
        for name in ["out", "up/secret", "../secret"] {
            assert!(read(name).unwrap_err().to_string().contains("leads out"), "{name}");
        }
        assert!(read("a").is_err());
    }

    #[test]
    fn small_reads_neither_wait_nor_grow() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(read_small(&pipe, 32).is_err());
        assert!(read_small(Path::new("/dev/zero"), 32).is_err());
        let file = folder.path().join("file");
        fs::write(&file, "1234567890").unwrap();
        assert_eq!(read_small(&file, 10).unwrap(), b"1234567890");
        assert_eq!(read_small(&file, 9).unwrap_err().to_string(), "it has more than 9 bytes");
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        assert_eq!(read_small(&link, 10).unwrap(), b"1234567890");
        assert!(read_small_unlinked(&link, 10).is_err() && read_small_unlinked(&pipe, 10).is_err());
        assert_eq!(read_small_unlinked(&file, 10).unwrap(), b"1234567890");
        assert!(read_small_unlinked(&file, 9).is_err());
    }
}
