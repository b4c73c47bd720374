//! One layer, put upon those below it (image-spec, `layer.md`).
//!
//! A layer is a stranger's tar archive. What keeps it inside its folder:
//! - The folder of every entry is found as [`inside`] finds it: links lead to where they would if the root were `/`.
//! - A file is always new: what was there is removed, never opened.
//! - A link is written so that the host, too, finds its target inside: an absolute target becomes a relative one, and
//!   one that climbs out is refused. Folders are never moved, so what holds when a link is made holds for good.
//! - Owners, set-user-id bits and other attributes are left behind, devices are not made.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Entry, EntryType};

use crate::Error;
use crate::inside::inside;
use crate::watch::{self, Watch};

const WHITEOUT: &[u8] = b".wh.";
const OPAQUE: &[u8] = b".wh..wh..opq";

/// More than any image of a server; a small layer may unpack to any size.
const MAX_BYTES: u64 = 32 << 30;

/// Puts a layer's archive upon what is in `root`. `digest` is for messages.
pub(crate) fn apply(root: &Path, digest: &str, archive: impl Read, watch: &dyn Watch) -> Result<(), Error> {
    let mut layer = Layer { root, digest, placed: HashSet::new(), room: MAX_BYTES };
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::StorageFull => Error::Io { what: "unpack into", path: root.to_owned(), source },
        _ => layer_is_no_archive(digest, &source),
    };
    let mut archive = Archive::new(archive);
    for entry in archive.entries().map_err(unreadable)? {
        watch::check(watch)?;
        layer.place(entry.map_err(unreadable)?)?;
    }
    Ok(())
}

fn layer_is_no_archive(digest: &str, source: &io::Error) -> Error {
    Error::Malformed { what: format!("the layer {digest}"), expected: "tar archive", reason: source.to_string() }
}

struct Layer<'a> {
    root: &'a Path,
    digest: &'a str,
    /// What this layer has brought: its whiteouts hide only what is below it.
    placed: HashSet<PathBuf>,
    /// Bytes that may still be unpacked.
    room: u64,
}

impl Layer<'_> {
    fn place(&mut self, mut entry: Entry<impl Read>) -> Result<(), Error> {
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            return Ok(());
        }
        let path = PathBuf::from(OsStr::from_bytes(&entry.path_bytes()));
        let path = self.below_root(&path, "holds the path")?;
        let Some(name) = path.file_name() else { return Ok(()) };
        let folder = self.folder(&path)?;
        if let Some(hidden) = name.as_bytes().strip_prefix(WHITEOUT) {
            return self.hide(&folder, name, hidden, &path);
        }
        let target = folder.join(name);
        match kind {
            EntryType::Directory => self.place_folder(&target)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                self.place_file(&target, &mut entry)?
            }
            EntryType::Symlink => {
                let leads_to = self.link_target(&entry, &path)?;
                self.place_symlink(&target, &path, &leads_to)?;
            }
            EntryType::Link => {
                let leads_to = self.link_target(&entry, &path)?;
                self.place_hard_link(&target, &path, &leads_to)?;
            }
            // Base images hold /dev/null and the like; a runtime mounts its own there, and a server has the host's.
            EntryType::Char | EntryType::Block | EntryType::Fifo if path.starts_with("dev") => return Ok(()),
            EntryType::Char | EntryType::Block => {
                return Err(self.hostile(format!("holds the device file {}", path.display())));
            }
            EntryType::Fifo => return Err(self.hostile(format!("holds the named pipe {}", path.display()))),
            _ => return Err(self.hostile(format!("holds {}, of no kind that a layer may hold", path.display()))),
        }
        self.placed.insert(target);
        Ok(())
    }

    /// The path without its root, if it does not climb.
    fn below_root(&self, path: &Path, what: &str) -> Result<PathBuf, Error> {
        if path.components().any(|component| component == Component::ParentDir) {
            return Err(self.hostile(format!("{what} {}, which leaves the image", path.display())));
        }
        Ok(path.components().filter(|component| matches!(component, Component::Normal(_))).collect())
    }

    /// The folder that an entry goes into, made where it is not there yet.
    fn folder(&self, path: &Path) -> Result<PathBuf, Error> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let folder = inside(self.root, parent).map_err(Error::io("find the folder of", self.root.join(path)))?;
        create_folders(self.root, &folder)?;
        Ok(folder)
    }

    /// A whiteout: takes away what lower layers have put there.
    fn hide(&self, folder: &Path, name: &OsStr, hidden: &[u8], path: &Path) -> Result<(), Error> {
        if name.as_bytes() == OPAQUE {
            let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
            return entries.flatten().map(|entry| entry.path()).try_for_each(|path| self.remove_lower(&path));
        }
        if matches!(hidden, b"" | b"." | b"..") {
            return Err(
                self.hostile(format!("holds {}, which would remove a folder that is not its own", path.display()))
            );
        }
        self.remove_lower(&folder.join(OsStr::from_bytes(hidden)))
    }

    fn remove_lower(&self, path: &Path) -> Result<(), Error> {
        if !self.placed.contains(path) {
            return remove(path);
        }
        if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(());
        }
        // The folder is this layer's as well: what it holds of others goes.
        let entries = fs::read_dir(path).map_err(Error::io("read", path))?;
        entries.flatten().try_for_each(|entry| self.remove_lower(&entry.path()))
    }

    fn place_folder(&self, target: &Path) -> Result<(), Error> {
        if fs::symlink_metadata(target).is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(());
        }
        remove(target)?;
        create_folder(target)
    }

    fn place_file(&mut self, target: &Path, entry: &mut Entry<impl Read>) -> Result<(), Error> {
        let size = entry.size();
        self.room = self
            .room
            .checked_sub(size)
            .ok_or_else(|| self.hostile(format!("unpacks to more than {} GiB", MAX_BYTES >> 30)))?;
        let is_program = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        remove(target)?;
        let mode = if is_program { 0o755 } else { 0o644 };
        let file = OpenOptions::new().write(true).create_new(true).open(target);
        let mut file = file.map_err(Error::io("create", target))?;
        file.set_permissions(Permissions::from_mode(mode)).map_err(Error::io("set the mode of", target))?;
        let copied = io::copy(entry, &mut file).map_err(Error::io("unpack", target))?;
        if copied < size {
            return Err(layer_is_no_archive(self.digest, &io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
        Ok(())
    }

    fn link_target(&self, entry: &Entry<impl Read>, path: &Path) -> Result<PathBuf, Error> {
        let target = entry.link_name_bytes().filter(|target| !target.is_empty());
        let none = || self.hostile(format!("holds the link {} to nothing", path.display()));
        Ok(PathBuf::from(OsStr::from_bytes(&target.ok_or_else(none)?)))
    }

    /// Makes a link whose text the host reads as the image means it.
    fn place_symlink(&self, link: &Path, path: &Path, leads_to: &Path) -> Result<(), Error> {
        let folder = link.parent().and_then(|folder| folder.strip_prefix(self.root).ok()).unwrap_or(Path::new(""));
        let depth = folder.components().count();
        let Some(text) = contained(depth, leads_to) else {
            return Err(self.hostile(format!(
                "links {} to {}, which leaves the image",
                path.display(),
                leads_to.display()
            )));
        };
        remove(link)?;
        symlink(text, link).map_err(Error::io("create", link))
    }

    fn place_hard_link(&self, link: &Path, path: &Path, leads_to: &Path) -> Result<(), Error> {
        let leads_to = self.below_root(leads_to, &format!("links {} to", path.display()))?;
        let original = leads_to.file_name().map(|name| Ok::<_, Error>(self.folder(&leads_to)?.join(name)));
        let original = original.unwrap_or_else(|| Ok(self.root.to_owned()))?;
        let metadata = fs::symlink_metadata(&original).map_err(Error::io("link to", &original))?;
        if metadata.is_symlink() {
            // Its text is relative to its own folder, so it is written anew for this one.
            let text = fs::read_link(&original).map_err(Error::io("read", &original))?;
            let folder = original.parent().and_then(|folder| folder.strip_prefix(self.root).ok());
            let meant = Path::new("/").join(folder.unwrap_or(Path::new(""))).join(text);
            return self.place_symlink(link, path, &meant);
        }
        if !metadata.is_file() {
            return Err(self.hostile(format!("links {} to {}, which is no file", path.display(), leads_to.display())));
        }
        if original == link {
            return Ok(());
        }
        remove(link)?;
        fs::hard_link(&original, link).map_err(Error::io("create", link))
    }

    fn hostile(&self, what: String) -> Error {
        Error::Hostile { layer: self.digest.to_owned(), what }
    }
}

/// The text of a link in a folder `depth` below the root that leads, on the host, to where `target` leads in the image.
/// Nothing where it climbs above the root. `a/..` is taken for nothing, also where `a` is a link: none of what is left
/// behind a name climbs, so the text says by itself that it stays inside.
fn contained(depth: usize, target: &Path) -> Option<PathBuf> {
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

/// Makes a folder that everybody may read, whatever the process's umask is: a server may run as another account.
fn create_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir(folder).map_err(Error::io("create", folder))?;
    fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(Error::io("set the mode of", folder))
}

/// Makes the folders from `root` down to `folder` that are not there yet.
fn create_folders(root: &Path, folder: &Path) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|_| folder != root) {
        create_folders(root, parent)?;
    }
    create_folder(folder)
}

/// Removes whatever is there, without following links.
fn remove(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    removed.map_err(Error::io("remove", path))
}

#[cfg(test)]
mod tests;
