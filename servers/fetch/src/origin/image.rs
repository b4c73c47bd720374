//! Servers in container images: pulled by name, or read from a folder, which is an OCI layout or
//! the content of a `docker save` archive.
//!
//! The cache keeps an image under its digest, so that several names of one image share it. A record
//! says which image a name meant when it was installed. A start of an installed name uses the
//! record and needs no network.

use std::path::{Path, PathBuf};

use ::image::{Layout, Monitor, Name, Remote};
use lifecycle::{Interrupted, interrupt};

use crate::install::Manifest;
use crate::program;
use crate::store::{Cache, disk, records};
use crate::{Error, Program, Progress};

/// Assumed ratio of the disk space during unpacking to the size of the download: 3 for the files,
/// up to 1 for the compressed layer that is being unpacked, and 1 in reserve.
const UNPACKED_RATIO: u64 = 5;

/// Subfolder of a cache folder that contains the unpacked image.
const ROOT: &str = "root";

/// True if a folder of the cache contains an unpacked image.
pub(crate) fn has_unpacked_image(folder: &Path) -> bool {
    folder.join(ROOT).is_dir()
}

/// Returns the server in the image `name`, pulled first if it is not installed.
pub(crate) fn open(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Program, Error> {
    let given = name.to_string();
    let installed =
        records::find_key(cache, &given).map(|key| cache.folder(&key)).filter(|folder| has_unpacked_image(folder));
    match installed {
        Some(folder) => Program::with_bundled_loader(&folder, Some(&given)),
        None => pull(cache, name, progress),
    }
}

/// Pulls the image that `name` means now, unless it is installed.
pub(crate) fn install(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Manifest, Error> {
    pull(cache, name, progress)?;
    records::find_manifest(cache, &name.to_string())
}

fn pull(cache: &Cache, name: &Name, progress: &dyn Progress) -> Result<Program, Error> {
    let given = name.to_string();
    let pull_error = |error| install_error(&given, error);
    progress.step(&format!("asking {} for {name}", name.registry()));
    let remote = Remote::find(name).map_err(pull_error)?;
    let key = cache_key(remote.digest());
    let mebibytes = remote.unpacked_bytes(UNPACKED_RATIO) >> 20;
    let folder = cache.folder_or_create(&key, mebibytes, progress, |folder| {
        remote.unpack(&folder.join(ROOT), folder, &ProgressMonitor(progress)).map_err(pull_error)?;
        find_program(folder, &given).map(drop)
    })?;
    let program = Program::with_bundled_loader(&folder, Some(&given))?;
    records::write(cache, &given, &key, &program)?;
    Ok(program)
}

/// Returns the server in the image of a folder, unpacked once for each digest.
pub(crate) fn open_layout(cache: &Cache, path: &Path, progress: &dyn Progress) -> Result<Program, Error> {
    let name = path.display().to_string();
    let layout = Layout::open(path).map_err(|error| install_error(&name, error))?;
    let key = cache_key(layout.digest());
    let mebibytes = layout.unpacked_bytes(UNPACKED_RATIO) >> 20;
    let folder = cache.folder_or_create(&key, mebibytes, progress, |folder| {
        unpack(&layout, &name, folder, progress)?;
        find_program(folder, &name).map(drop)
    })?;
    let program = Program::with_bundled_loader(&folder, None)?;
    records::write(cache, &name, &key, &program)?;
    Ok(program)
}

/// Unpacks the image of the folder `content` into a folder of the cache.
pub(crate) fn unpack_layout(content: &Path, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let layout = Layout::open(content).map_err(|error| install_error(name, error))?;
    disk::check_free_space(folder, layout.unpacked_bytes(UNPACKED_RATIO) >> 20, name)?;
    unpack(&layout, name, folder, progress)
}

fn unpack(layout: &Layout, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    layout.unpack(&folder.join(ROOT), name, &ProgressMonitor(progress)).map_err(|error| install_error(name, error))
}

/// Returns the cache key of an image. The digest's colon is replaced: colons separate the folders
/// of a library path.
fn cache_key(digest: &str) -> String {
    format!("images/{}", digest.replace(':', "-"))
}

/// Finds the server of an unpacked image. Fails if the image contains no server that runs on this
/// machine.
pub(crate) fn find_program(folder: &Path, name: &str) -> Result<Program, Error> {
    Program::with_bundled_loader(folder, None).map_err(|error| match error {
        Error::NoServer { .. } if program::find_in(&folder.join(ROOT)).is_none() => {
            let reason = "the image has no mysqld or mariadbd in a folder of programs, such as /usr/sbin";
            Error::NoServer { path: PathBuf::from(name), reason: reason.into() }
        }
        error => error,
    })
}

/// Converts an error of the `image` crate, and adds advice.
pub(crate) fn install_error(name: &str, error: ::image::Error) -> Error {
    let remedy = match &error {
        ::image::Error::Interrupted => return Interrupted.into(),
        ::image::Error::Io { path, source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
            disk::remedy(path)
        }
        error if error.is_network() => {
            "Check the network and the proxy settings. A server that is installed already needs no network.".into()
        }
        _ => String::new(),
    };
    let reason = [error.to_string(), remedy].join("\n").trim_end().to_owned();
    Error::Install { name: name.to_owned(), reason }
}

/// Forwards the `image` crate's progress to a [`Progress`], and reports pending signals to that
/// crate.
pub(crate) struct ProgressMonitor<'a>(pub &'a dyn Progress);

impl Monitor for ProgressMonitor<'_> {
    fn step(&self, description: &str) {
        self.0.step(description);
    }

    fn fraction(&self, done: f64) {
        self.0.fraction(done);
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_pending()
    }
}
