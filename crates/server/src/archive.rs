//! Servers in archives, the user's own or on a web server: a tarball of a basedir, or what `docker save` or
//! `podman save` has written.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use crate::cache::Cache;
use crate::program::Program;
use crate::spec::Download;
use crate::{Error, Progress, command, disk, images, records};

/// An archive's size times this is what it takes while it is unpacked: binaries shrink to about a quarter.
const GROWTH: u64 = 4;

/// What a server takes at least, in MiB: asked for before a download whose size is not known yet.
const MEBIBYTES_OF_DOWNLOAD: u64 = 512;

/// The server in an archive, unpacked once for every name, size and time of change.
pub(crate) fn local(cache: &Cache, archive: &Path, progress: &dyn Progress) -> Result<Program, Error> {
    let metadata = fs::metadata(archive).map_err(Error::io("read", archive))?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let key = format!("archives/{name}-{}-{}", metadata.len(), modified.unwrap_or_default().as_nanos());
    let folder = cache.folder_or_make(&key, mebibytes_unpacked(metadata.len()), progress, |folder| {
        let archive = std::path::absolute(archive).map_err(Error::io("find", archive))?;
        unpack(&archive, &name, folder, progress)
    })?;
    let program = in_folder(&folder, archive)?;
    records::note(cache, &archive.display().to_string(), &key, &program)?;
    Ok(program)
}

/// The server in an archive on a web server, downloaded and unpacked once for every digest.
pub(crate) fn remote(cache: &Cache, download: &Download, progress: &dyn Progress) -> Result<Program, Error> {
    let Download { url, sha256 } = download;
    let key = format!("downloads/sha256-{sha256}");
    let name = url.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(url);
    let folder = cache.folder_or_make(&key, MEBIBYTES_OF_DOWNLOAD, progress, |folder| {
        progress.step(&format!("downloading {name}"));
        let archive = folder.join("download");
        let mut file = File::create(&archive).map_err(Error::io("create", &archive))?;
        let watch = images::Watched(progress);
        image::download(url, &format!("sha256:{sha256}"), &mut file, &watch)
            .map_err(|error| images::refused(url, error))?;
        let size = file.metadata().map_err(Error::io("read", &archive))?.len();
        disk::check_room(folder, mebibytes_unpacked(size), name)?;
        unpack(&archive, name, folder, progress)?;
        fs::remove_file(&archive).map_err(Error::io("remove", &archive))
    })?;
    let program = in_folder(&folder, Path::new(url))?;
    records::note(cache, &download.to_string(), &key, &program)?;
    Ok(program)
}

fn mebibytes_unpacked(archive_bytes: u64) -> u64 {
    (archive_bytes >> 20) * GROWTH
}

/// Unpacks an archive into `folder`, and an image in it too.
fn unpack(archive: &Path, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    progress.step(&format!("unpacking {name}"));
    let content = folder.join("content");
    fs::create_dir(&content).map_err(Error::io("create", &content))?;
    unpack_tar(archive, &content)?;
    if image::Layout::is_in(&content) {
        images::unpack_layout(&content, name, folder, progress)?;
        fs::remove_dir_all(&content).map_err(Error::io("remove", &content))?;
    }
    in_folder(folder, archive).map(drop)
}

/// The server of an archive that is unpacked in `folder`.
fn in_folder(folder: &Path, archive: &Path) -> Result<Program, Error> {
    if images::is_in(folder) {
        return Program::with_own_loader(folder, None);
    }
    Program::in_basedir(&basedir_below(&folder.join("content"), archive)?)
}

/// Unpacks a tar archive, packed or not. `tar` itself keeps what it unpacks inside the folder.
pub(crate) fn unpack_tar(archive: &Path, folder: &Path) -> Result<(), Error> {
    let mut command = Command::new("tar");
    command.arg("-xf").arg(archive).arg("-C").arg(folder).arg("--no-same-owner");
    command::run(command, &format!("unpack {}", archive.display()), |_| {})
}

/// A tarball holds the basedir itself, or a single folder that is it.
fn basedir_below(folder: &Path, archive: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut candidates: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    candidates.sort();
    candidates.insert(0, folder.to_owned());
    candidates.into_iter().find(|candidate| crate::program::find_in(candidate).is_some()).ok_or_else(|| {
        let reason = "no mysqld or mariadbd in its bin, sbin or usr/sbin folder".into();
        Error::NoServer { path: archive.to_owned(), reason }
    })
}
