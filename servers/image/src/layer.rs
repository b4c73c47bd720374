//! Unpacking tar archives: a layer over the layers below it (image-spec, `layer.md`), or an archive
//! of server binaries.
//!
//! An archive is untrusted. Four rules keep it inside the root:
//! - [`resolve_in_root`] finds the folder of every entry, so that links resolve as after `chroot`.
//! - Files are always created. An existing file is removed, never opened.
//! - Links are rewritten for the host: an absolute target becomes relative, and a target outside
//!   the root is an error. Folders are never moved, so a link stays valid.
//! - Of an entry's attributes, only the executable bit is kept: owners and set-user-id bits are
//!   ignored. Devices and named pipes are not created.

use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Entry, EntryType};

use crate::Error;
use crate::monitor::{self, Monitor};
use crate::root_path::resolve_in_root;

/// Prefix of a file name that hides a file of lower layers: `.wh.NAME` hides `NAME`.
const WHITEOUT: &[u8] = b".wh.";
/// File name that hides all files of lower layers in its folder.
const OPAQUE_WHITEOUT: &[u8] = b".wh..wh..opq";

/// Maximum unpacked size of a layer or archive in bytes, against decompression bombs. Images of
/// servers are smaller.
const MAX_BYTES: u64 = 32 << 30;

/// Maximum number of entries of a layer or archive, plus folders created for entries. Images of
/// servers have some ten thousand.
const MAX_ENTRIES: u64 = 1_000_000;

/// Maximum number of parts of a path. Images of servers have some 20.
const MAX_DEPTH: usize = 64;

/// Maximum bytes of the paths of a layer that are remembered for its whiteouts.
const MAX_PATH_BYTES: usize = 256 << 20;

/// Maximum bytes after the end of a layer's archive. `tar` pads to 10 KiB.
const MAX_TRAILING_BYTES: u64 = 1 << 20;

/// Bytes that are unpacked at once. Between them, a signal ends the work.
const CHUNK_BYTES: usize = 1 << 18;

/// Maximum bytes from the content of one entry to that of the next: headers, a long name, padding.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Kind of an archive, with its name for messages.
#[derive(Clone, Copy)]
pub(crate) enum ArchiveKind<'a> {
    /// A layer with this digest, or file name if it has none. Whiteouts hide files of lower layers.
    Layer(&'a str),
    /// An archive of server binaries with this name. Whiteouts are ordinary files.
    Archive(&'a str),
}

impl ArchiveKind<'_> {
    fn noun(self) -> &'static str {
        if matches!(self, Self::Layer(_)) { "image" } else { "archive" }
    }
}

impl fmt::Display for ArchiveKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layer(digest) => write!(f, "the layer {digest}"),
            Self::Archive(name) => write!(f, "the archive {name}"),
        }
    }
}

/// Unpacks an archive over the content of `root`.
pub(crate) fn apply(root: &Path, kind: ArchiveKind, archive: impl Read, monitor: &dyn Monitor) -> Result<(), Error> {
    let mut unpacker = Unpacker {
        root,
        kind,
        monitor,
        added: HashSet::new(),
        added_bytes: 0,
        remaining_bytes: MAX_BYTES,
        remaining_entries: Cell::new(MAX_ENTRIES),
    };
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::StorageFull => Error::Io { what: "unpack into", path: root.to_owned(), source },
        _ => archive_error(kind, &source),
    };
    let remaining = Cell::new(MAX_HEADER_BYTES);
    let mut archive = Archive::new(LimitedReader { inner: archive, remaining: &remaining });
    for entry in archive.entries().map_err(unreadable)? {
        monitor::check(monitor)?;
        let entry = entry.map_err(unreadable)?;
        unpacker.count_entry()?;
        // The content of files is counted by the unpacker.
        remaining.set(u64::MAX);
        unpacker.unpack(entry)?;
        remaining.set(MAX_HEADER_BYTES);
    }
    Ok(())
}

/// Reads the bytes after the end of a layer's archive. Fails if there are more than
/// [`MAX_TRAILING_BYTES`]: a few compressed bytes could expand to days of work.
pub(crate) fn skip_padding(kind: ArchiveKind, archive: &mut impl Read, monitor: &dyn Monitor) -> Result<(), Error> {
    let mut rest = archive.take(MAX_TRAILING_BYTES + 1);
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        monitor::check(monitor)?;
        if rest.read(&mut buffer).map_err(|error| archive_error(kind, &error))? == 0 {
            break;
        }
    }
    if rest.limit() > 0 {
        return Ok(());
    }
    let what = format!("has more than {} MiB after its end", MAX_TRAILING_BYTES >> 20);
    Err(Error::Hostile { archive: kind.to_string(), what, noun: kind.noun() })
}

/// A reader that fails beyond a number of bytes, which its owner sets anew: the library reads the
/// names of entries into memory, however long they are.
struct LimitedReader<'a, R> {
    inner: R,
    remaining: &'a Cell<u64>,
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.remaining.get().checked_sub(read as u64) {
            Some(remaining) => self.remaining.set(remaining),
            None => return Err(io::Error::other("the header or name of an entry is longer than 1 MiB")),
        }
        Ok(read)
    }
}

fn archive_error(kind: ArchiveKind, source: &io::Error) -> Error {
    Error::Malformed { what: kind.to_string(), expected: "tar archive", reason: source.to_string() }
}

struct Unpacker<'a> {
    root: &'a Path,
    kind: ArchiveKind<'a>,
    monitor: &'a dyn Monitor,
    /// Paths of this layer's entries and of their folders. Whiteouts hide only files of lower
    /// layers. Empty for an archive, which has no whiteouts.
    added: HashSet<PathBuf>,
    /// Bytes of the paths in `added`.
    added_bytes: usize,
    remaining_bytes: u64,
    /// Entries, and folders for them, that may still be created.
    remaining_entries: Cell<u64>,
}

impl Unpacker<'_> {
    fn unpack(&mut self, mut entry: Entry<impl Read>) -> Result<(), Error> {
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            return Ok(());
        }
        let path = PathBuf::from(OsStr::from_bytes(&entry.path_bytes()));
        let path = self.path_inside_root(&path, "holds the path")?;
        let Some(name) = path.file_name() else { return Ok(()) };
        let folder = self.create_parent(&path)?;
        let hidden = name.as_bytes().strip_prefix(WHITEOUT);
        if let (Some(hidden), ArchiveKind::Layer(_)) = (hidden, self.kind) {
            return self.apply_whiteout(&folder, name, hidden, &path);
        }
        let target = folder.join(name);
        match kind {
            EntryType::Directory => self.add_folder(&target)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => self.add_file(&target, &mut entry)?,
            EntryType::Symlink => {
                let link_target = self.link_target(&entry, &path)?;
                self.add_symlink(&target, &path, &link_target)?;
            }
            EntryType::Link => {
                let link_target = self.link_target(&entry, &path)?;
                self.add_hard_link(&target, &path, &link_target)?;
            }
            // Base images contain /dev/null and similar. A server uses the host's.
            EntryType::Char | EntryType::Block | EntryType::Fifo if path.starts_with("dev") => return Ok(()),
            EntryType::Char | EntryType::Block => {
                return Err(self.hostile_error(format!("holds the device file {}", path.display())));
            }
            EntryType::Fifo => return Err(self.hostile_error(format!("holds the named pipe {}", path.display()))),
            _ => {
                return Err(self.hostile_error(format!("holds {}, whose type is not allowed", path.display())));
            }
        }
        if matches!(self.kind, ArchiveKind::Layer(_)) { self.remember(&target) } else { Ok(()) }
    }

    /// Adds a path to those of this layer. A layer need not have entries for its folders, so these
    /// count as added, too.
    fn remember(&mut self, target: &Path) -> Result<(), Error> {
        for path in target.ancestors().take_while(|path| *path != self.root) {
            if self.added.contains(path) {
                break;
            }
            self.added_bytes += path.as_os_str().len();
            if self.added_bytes > MAX_PATH_BYTES {
                return Err(self.hostile_error(format!("has paths of more than {} MiB", MAX_PATH_BYTES >> 20)));
            }
            self.added.insert(path.to_owned());
        }
        Ok(())
    }

    /// Counts an entry, or a folder that is created for one.
    fn count_entry(&self) -> Result<(), Error> {
        let remaining = self.remaining_entries.get().checked_sub(1);
        let too_many = || self.hostile_error(format!("has more than {MAX_ENTRIES} entries and folders"));
        self.remaining_entries.set(remaining.ok_or_else(too_many)?);
        Ok(())
    }

    /// Fails for a path, relative to the root, of too many parts. `what` precedes it in messages.
    fn check_depth(&self, path: &Path, what: &str) -> Result<(), Error> {
        if path.components().count() <= MAX_DEPTH {
            return Ok(());
        }
        let begin: PathBuf = path.components().take(3).collect();
        Err(self.hostile_error(format!("{what} {}/…, which has more than {MAX_DEPTH} parts", begin.display())))
    }

    /// Returns the path relative to the root, without `/` and `.`. Fails for a path with `..`, and
    /// for one of too many parts.
    fn path_inside_root(&self, path: &Path, what: &str) -> Result<PathBuf, Error> {
        if path.components().any(|component| component == Component::ParentDir) {
            return Err(self.hostile_error(format!(
                "{what} {}, which leaves the {}",
                path.display(),
                self.kind.noun()
            )));
        }
        let path: PathBuf = path.components().filter(|component| matches!(component, Component::Normal(_))).collect();
        self.check_depth(&path, what)?;
        Ok(path)
    }

    /// Returns the folder of an entry, created if it does not exist.
    fn create_parent(&self, path: &Path) -> Result<PathBuf, Error> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let folder =
            resolve_in_root(self.root, parent).map_err(Error::io("find the folder of", self.root.join(path)))?;
        // Links can lead deeper than the path has parts.
        self.check_depth(folder.strip_prefix(self.root).unwrap_or(&folder), "holds a link to")?;
        self.create_folders(&folder)?;
        Ok(folder)
    }

    /// Creates the missing folders from the root to `folder`.
    fn create_folders(&self, folder: &Path) -> Result<(), Error> {
        if folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent().filter(|_| folder != self.root) {
            self.create_folders(parent)?;
        }
        self.count_entry()?;
        create_folder(folder)
    }

    /// Removes the files of lower layers that a whiteout hides.
    fn apply_whiteout(&self, folder: &Path, name: &OsStr, hidden: &[u8], path: &Path) -> Result<(), Error> {
        if name.as_bytes() == OPAQUE_WHITEOUT {
            let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
            return entries
                .flatten()
                .map(|entry| entry.path())
                .try_for_each(|path| self.remove_from_lower_layers(&path));
        }
        if matches!(hidden, b"" | b"." | b"..") {
            return Err(
                self.hostile_error(format!("holds {}, a whiteout that would remove its own folder", path.display()))
            );
        }
        self.remove_from_lower_layers(&folder.join(OsStr::from_bytes(hidden)))
    }

    fn remove_from_lower_layers(&self, path: &Path) -> Result<(), Error> {
        if !self.added.contains(path) {
            return remove(path);
        }
        if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(());
        }
        // The folder is also in this layer, so only files of lower layers are removed.
        let entries = fs::read_dir(path).map_err(Error::io("read", path))?;
        entries.flatten().try_for_each(|entry| self.remove_from_lower_layers(&entry.path()))
    }

    fn add_folder(&self, target: &Path) -> Result<(), Error> {
        if fs::symlink_metadata(target).is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(());
        }
        remove(target)?;
        create_folder(target)
    }

    fn add_file(&mut self, target: &Path, entry: &mut Entry<impl Read>) -> Result<(), Error> {
        let size = entry.size();
        self.remaining_bytes = self
            .remaining_bytes
            .checked_sub(size)
            .ok_or_else(|| self.hostile_error(format!("unpacks to more than {} GiB", MAX_BYTES >> 30)))?;
        let is_program = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        remove(target)?;
        let mode = if is_program { 0o755 } else { 0o644 };
        let file = OpenOptions::new().write(true).create_new(true).open(target);
        let mut file = file.map_err(Error::io("create", target))?;
        file.set_permissions(Permissions::from_mode(mode)).map_err(Error::io("set the mode of", target))?;
        let copied = self.copy(entry, &mut file, target)?;
        if copied < size {
            return Err(archive_error(self.kind, &io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
        Ok(())
    }

    /// Copies the content of a file. Chunks of zeros become holes, which take no space on the disk:
    /// a small archive can hold gigabytes of them.
    fn copy(&self, entry: &mut impl Read, file: &mut File, target: &Path) -> Result<u64, Error> {
        let mut buffer = vec![0; CHUNK_BYTES];
        let mut copied = 0;
        let mut write = |chunk: &[u8]| -> io::Result<()> {
            if chunk.iter().all(|byte| *byte == 0) {
                file.seek(SeekFrom::Current(chunk.len() as i64))?;
                return Ok(());
            }
            file.write_all(chunk)
        };
        loop {
            monitor::check(self.monitor)?;
            let length = entry.read(&mut buffer).map_err(Error::io("unpack", target))?;
            if length == 0 {
                break;
            }
            write(&buffer[..length]).map_err(Error::io("unpack", target))?;
            copied += length as u64;
        }
        file.set_len(copied).map_err(Error::io("unpack", target))?;
        Ok(copied)
    }

    fn link_target(&self, entry: &Entry<impl Read>, path: &Path) -> Result<PathBuf, Error> {
        let target = entry.link_name_bytes().filter(|target| !target.is_empty());
        let none = || self.hostile_error(format!("holds the link {} without a target", path.display()));
        Ok(PathBuf::from(OsStr::from_bytes(&target.ok_or_else(none)?)))
    }

    /// Creates a link with a relative target, so that it resolves below the root on the host, too.
    fn add_symlink(&self, link: &Path, path: &Path, link_target: &Path) -> Result<(), Error> {
        let folder = link.parent().and_then(|folder| folder.strip_prefix(self.root).ok()).unwrap_or(Path::new(""));
        let depth = folder.components().count();
        let Some(text) = rewrite_link_target(depth, link_target) else {
            return Err(self.hostile_error(format!(
                "links {} to {}, which leaves the {}",
                path.display(),
                link_target.display(),
                self.kind.noun()
            )));
        };
        remove(link)?;
        symlink(text, link).map_err(Error::io("create", link))
    }

    fn add_hard_link(&self, link: &Path, path: &Path, link_target: &Path) -> Result<(), Error> {
        let link_target = self.path_inside_root(link_target, &format!("links {} to", path.display()))?;
        let original = link_target.file_name().map(|name| Ok::<_, Error>(self.create_parent(&link_target)?.join(name)));
        let original = original.unwrap_or_else(|| Ok(self.root.to_owned()))?;
        let metadata = fs::symlink_metadata(&original).map_err(Error::io("link to", &original))?;
        if metadata.is_symlink() {
            // The original's target is relative to another folder, so it is rewritten.
            let text = fs::read_link(&original).map_err(Error::io("read", &original))?;
            let folder = original.parent().and_then(|folder| folder.strip_prefix(self.root).ok());
            let target = Path::new("/").join(folder.unwrap_or(Path::new(""))).join(text);
            return self.add_symlink(link, path, &target);
        }
        if !metadata.is_file() {
            return Err(self.hostile_error(format!(
                "links {} to {}, which is not a file",
                path.display(),
                link_target.display()
            )));
        }
        if original == link {
            return Ok(());
        }
        remove(link)?;
        fs::hard_link(&original, link).map_err(Error::io("create", link))
    }

    fn hostile_error(&self, what: String) -> Error {
        Error::Hostile { archive: self.kind.to_string(), what, noun: self.kind.noun() }
    }
}

/// Converts a link target in the image to a relative target on the host, for a link `depth` folders
/// below the root: `/usr/lib` becomes `../../usr/lib` at depth 2. `None` if the target is above the
/// root. `a/..` is removed, even if `a` is a link, so that `..` occurs only at the beginning.
fn rewrite_link_target(depth: usize, target: &Path) -> Option<PathBuf> {
    let (mut up, mut down) = if target.is_absolute() { (depth, PathBuf::new()) } else { (0, PathBuf::new()) };
    for component in target.components() {
        match component {
            Component::Normal(name) => down.push(name),
            Component::ParentDir if down.pop() => {}
            Component::ParentDir => up += 1,
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    if up > depth {
        return None;
    }
    let text: PathBuf = std::iter::repeat_n(Path::new(".."), up).chain([down.as_path()]).collect();
    Some(if text.as_os_str().is_empty() { ".".into() } else { text })
}

/// Creates a folder with mode 0755, regardless of the umask: a server may run as another account.
fn create_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir(folder).map_err(Error::io("create", folder))?;
    fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(Error::io("set the mode of", folder))
}

/// Removes a file, link or folder. Does not follow links.
fn remove(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => files::remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    removed.map_err(Error::io("remove", path))
}

#[cfg(test)]
mod tests;
