//! Unpacking a server from a jar, which is a zip archive.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

use lifecycle::interrupt;
use zip::ZipArchive;
use zip::read::ZipFile;

use super::{ProgressMonitor, Target, install_error};
use crate::Error;

/// Folders of the jar whose files are programs. Jars do not keep the mode of files reliably.
const PROGRAM_FOLDERS: [&str; 2] = ["bin", "scripts"];

/// Unpacks the tarball `name` of the jar into `folder`.
pub(super) fn unpack_tarball(jar: &Path, name: &str, folder: &Path, target: &Target) -> Result<(), Error> {
    let mut archive = open(jar, target)?;
    let tarball = archive.by_name(name).map_err(|error| jar_error(target, &error))?;
    ::image::unpack_archive(tarball, name, folder, &ProgressMonitor(target.progress))
        .map_err(|error| install_error(target.name, error))
}

/// Unpacks the folder `name` of the jar into `folder`, its subfolder `libs` as `lib`.
pub(super) fn unpack_folder(jar: &Path, name: &str, folder: &Path, target: &Target) -> Result<(), Error> {
    let mut archive = open(jar, target)?;
    let count = archive.len();
    for index in 0..count {
        interrupt::check()?;
        target.progress.fraction(index as f64 / count as f64);
        let mut file = archive.by_index(index).map_err(|error| jar_error(target, &error))?;
        let Some(path) = file.enclosed_name() else {
            return Err(jar_error(target, &format!("its entry {index} leaves the jar")));
        };
        let Ok(path) = path.strip_prefix(name) else { continue };
        if !file.is_dir() {
            let path = path.strip_prefix("libs").map_or(path.to_owned(), |rest| Path::new("lib").join(rest));
            unpack_file(&mut file, &path, folder, target)?;
        }
    }
    Ok(())
}

fn unpack_file(file: &mut ZipFile<File>, path: &Path, folder: &Path, target: &Target) -> Result<(), Error> {
    if file.is_symlink() {
        return Err(jar_error(target, &format!("{} is a link", path.display())));
    }
    let unpacked = folder.join(path);
    let parent = unpacked.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    let created = OpenOptions::new().write(true).create_new(true).open(&unpacked);
    let mut created = created.map_err(Error::io("create", &unpacked))?;
    let first = path.components().next();
    let is_program = PROGRAM_FOLDERS.iter().any(|name| first == Some(Component::Normal(name.as_ref())));
    let mode = Permissions::from_mode(if is_program { 0o755 } else { 0o644 });
    created.set_permissions(mode).map_err(Error::io("set the mode of", &unpacked))?;
    // Fails if the checksum of the content differs.
    io::copy(file, &mut created).map(drop).map_err(Error::io("unpack", &unpacked))
}

fn open(jar: &Path, target: &Target) -> Result<ZipArchive<File>, Error> {
    let file = File::open(jar).map_err(Error::io("read", jar))?;
    ZipArchive::new(file).map_err(|error| jar_error(target, &error))
}

fn jar_error(target: &Target, reason: &impl ToString) -> Error {
    Error::Install {
        name: target.name.to_owned(),
        reason: format!("its jar cannot be unpacked: {}", reason.to_string()),
    }
}
