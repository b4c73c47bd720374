//! Servers in container images: pulled by name, or read from an OCI layout, and run as the catalogue's are.
//!
//! An image lies in the cache under its digest, so that two names of one image share it; a record says which image a
//! name led to when it was installed. A start goes by the record and needs no network.

use std::path::{Path, PathBuf};

use image::{Layout, Name, Remote, Watch};

use crate::cache::Cache;
use crate::install::Manifest;
use crate::program::Program;
use crate::{Error, Progress, disk, interrupt, records};

/// Layers are kept while they are unpacked, and shrink to about a third: what an image takes, by its bytes to download.
const GROWTH: u64 = 5;

/// The folder of an unpacked image, below that of its digest.
const ROOT: &str = "root";

/// Whether a folder of the cache holds an unpacked image.
pub(crate) fn is_in(folder: &Path) -> bool {
    folder.join(ROOT).is_dir()
}

/// The server in the image of this name, pulled first if it is not there yet.
pub(crate) fn by_name(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Program, Error> {
    let typed = name.to_string();
    let installed = records::key(cache, &typed).map(|key| cache.folder(&key)).filter(|folder| is_in(folder));
    match installed {
        Some(folder) => Program::with_own_loader(&folder, Some(&typed)),
        None => pull(cache, name, progress),
    }
}

/// Pulls the image that a name leads to now, unless it is there.
pub(crate) fn install(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Manifest, Error> {
    pull(cache, name, progress)?;
    let typed = name.to_string();
    records::find(cache, &typed).ok_or_else(|| Error::Install { name: typed, reason: records::UNREADABLE.into() })
}

fn pull(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Program, Error> {
    let typed = name.to_string();
    let refused = |error| refused(&typed, error);
    progress.step(&format!("asking {} for {name}", name.registry()));
    let remote = Remote::find(name).map_err(refused)?;
    let key = key(remote.digest());
    let mebibytes = (remote.bytes() >> 20) * GROWTH;
    let folder = cache.folder_or_make(&key, mebibytes, progress, |folder| {
        remote.unpack(&folder.join(ROOT), folder, &Watched(progress)).map_err(refused)?;
        // Whether it runs at all is known now, not at the first benchmark.
        Program::with_own_loader(folder, None).map(drop).map_err(|error| not_a_server(&typed, error))
    })?;
    let program = Program::with_own_loader(&folder, Some(&typed))?;
    records::note(cache, &typed, &key, &program)?;
    Ok(program)
}

/// The server in the image of an OCI layout, unpacked once for every digest.
pub(crate) fn layout(cache: &Cache, path: &Path, progress: &dyn Progress) -> Result<Program, Error> {
    let name = path.display().to_string();
    let layout = Layout::open(path).map_err(|error| refused(&name, error))?;
    let key = key(layout.digest());
    let mebibytes = (layout.bytes() >> 20) * GROWTH;
    let folder = cache.folder_or_make(&key, mebibytes, progress, |folder| {
        unpack(&layout, &name, folder, progress)?;
        Program::with_own_loader(folder, None).map(drop).map_err(|error| not_a_server(&name, error))
    })?;
    let program = Program::with_own_loader(&folder, None)?;
    records::note(cache, &name, &key, &program)?;
    Ok(program)
}

/// Unpacks the image of the layout in `content` into a folder of the cache.
pub(crate) fn unpack_layout(content: &Path, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let layout = Layout::open(content).map_err(|error| refused(name, error))?;
    unpack(&layout, name, folder, progress)
}

fn unpack(layout: &Layout, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    layout.unpack(&folder.join(ROOT), name, &Watched(progress)).map_err(|error| refused(name, error))
}

/// A digest's colon would part the folders of a library path.
fn key(digest: &str) -> String {
    format!("images/{}", digest.replace(':', "-"))
}

fn not_a_server(name: &str, error: Error) -> Error {
    match error {
        Error::NoServer { .. } => {
            let reason = "the image holds no mysqld or mariadbd where servers' images have it";
            Error::NoServer { path: PathBuf::from(name), reason: reason.into() }
        }
        error => error,
    }
}

/// What went wrong with an image or a download, and what to do.
pub(crate) fn refused(name: &str, error: image::Error) -> Error {
    let remedy = match &error {
        image::Error::Interrupted => return Error::Interrupted,
        image::Error::Io { path, source, .. } if source.kind() == std::io::ErrorKind::StorageFull => disk::remedy(path),
        error if error.is_network() => {
            "Check the network and the proxy settings. A server that is installed already needs no network.".into()
        }
        _ => String::new(),
    };
    let reason = [error.to_string(), remedy].join("\n").trim_end().to_owned();
    Error::Install { name: name.to_owned(), reason }
}

/// Hands on what an image tells of its progress.
pub(crate) struct Watched<'a>(pub &'a dyn Progress);

impl Watch for Watched<'_> {
    fn step(&self, what: &str) {
        self.0.step(what);
    }

    fn fraction(&self, done: f64) {
        self.0.fraction(done);
    }

    fn is_interrupted(&self) -> bool {
        interrupt::check().is_err()
    }
}
