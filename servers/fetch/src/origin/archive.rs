//! Servers in archives, local or on a web server: a tarball of a basedir, or the output of
//! `docker save` or `podman save`.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Download, image as container_image};
use crate::program;
use crate::store::{Cache, disk, records};
use crate::{Error, Program, Progress};

/// Assumed ratio of the unpacked size to the size of an archive. Binaries are compressed to about a
/// quarter.
const UNPACKED_RATIO: u64 = 4;

/// Minimum free space for a server in MiB. Checked before a download of unknown size.
const MIN_DOWNLOAD_MEBIBYTES: u64 = 512;

/// Maximum size of a downloaded archive. MySQL's with debug information have 1 to 4 GiB.
const MAX_DOWNLOAD_BYTES: u64 = 8 << 30;

/// Returns the server in a local archive, unpacked once until the file is changed or replaced.
pub(crate) fn open_local(cache: &Cache, archive: &Path, progress: &dyn Progress) -> Result<Program, Error> {
    let metadata = fs::metadata(archive).map_err(Error::io("read", archive))?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let key = cache_key(&name, &metadata);
    let folder = cache.folder_or_create(&key, unpacked_mebibytes(metadata.len()), progress, |folder| {
        let absolute = std::path::absolute(archive).map_err(Error::io("find", archive))?;
        unpack(&absolute, &name, folder, progress)?;
        find_program(folder, archive).map(drop)
    })?;
    let program = find_program(&folder, archive)?;
    records::write(cache, &archive.display().to_string(), &key, &program)?;
    Ok(program)
}

/// Returns a key that no other archive has at the time. An archive's maker chooses its name, size
/// and modification time, but not its inode and time of change.
fn cache_key(name: &str, metadata: &Metadata) -> String {
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.len());
    // Colons and semicolons separate the folders of a library path.
    let name = name.replace([':', ';'], "-");
    format!("archives/{name}-{size}-{device:x}-{inode:x}-{:x}{:08x}", metadata.ctime(), metadata.ctime_nsec())
}

/// Returns the server in an archive on a web server, downloaded and unpacked once for each digest.
pub(crate) fn open_download(cache: &Cache, download: &Download, progress: &dyn Progress) -> Result<Program, Error> {
    let Download { url, sha256 } = download;
    let key = format!("downloads/sha256-{sha256}");
    let name = url.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(url);
    let folder = cache.folder_or_create(&key, MIN_DOWNLOAD_MEBIBYTES, progress, |folder| {
        progress.step(&format!("downloading {name}"));
        let archive = folder.join("download");
        let mut file = File::create(&archive).map_err(Error::io("create", &archive))?;
        let monitor = container_image::ProgressMonitor(progress);
        ::image::download(url, &format!("sha256:{sha256}"), MAX_DOWNLOAD_BYTES, &mut file, &monitor)
            .map_err(|error| container_image::install_error(url, error))?;
        let size = file.metadata().map_err(Error::io("read", &archive))?.len();
        disk::check_free_space(folder, unpacked_mebibytes(size), name)?;
        unpack(&archive, name, folder, progress)?;
        find_program(folder, Path::new(url))?;
        fs::remove_file(&archive).map_err(Error::io("remove", &archive))
    })?;
    let program = find_program(&folder, Path::new(url))?;
    records::write(cache, &download.to_string(), &key, &program)?;
    Ok(program)
}

fn unpacked_mebibytes(archive_bytes: u64) -> u64 {
    (archive_bytes >> 20) * UNPACKED_RATIO
}

/// Unpacks an archive into `folder`. If the archive contains a container image, unpacks that, too.
fn unpack(archive: &Path, name: &str, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    progress.step(&format!("unpacking {name}"));
    let content = folder.join("content");
    unpack_tar(archive, &content, progress)?;
    if ::image::Layout::exists_in(&content) {
        container_image::unpack_layout(&content, name, folder, progress)?;
        fs::remove_dir_all(&content).map_err(Error::io("remove", &content))?;
    }
    Ok(())
}

/// Finds the server of an archive that was unpacked into `folder`. Errors name `archive`: a path or
/// a URL.
fn find_program(folder: &Path, archive: &Path) -> Result<Program, Error> {
    if container_image::has_unpacked_image(folder) {
        return container_image::find_program(folder, &archive.display().to_string());
    }
    Program::in_basedir(&find_basedir(&folder.join("content"), archive)?)
}

/// Unpacks a tar archive into `folder` by the rules of an image's layer: nothing outside the
/// folder, no device, no set-user-id program.
pub(crate) fn unpack_tar(archive: &Path, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let file = File::open(archive).map_err(Error::io("read", archive))?;
    ::image::unpack_archive(file, &name, folder, &container_image::ProgressMonitor(progress)).map_err(|error| {
        match container_image::install_error(&name, error) {
            Error::Install { name, reason } => Error::Install { name, reason: format!("cannot unpack it: {reason}") },
            error => error,
        }
    })
}

/// Finds the basedir of an unpacked tarball: `folder` itself or one of its subfolders.
fn find_basedir(folder: &Path, archive: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut candidates: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    candidates.sort();
    candidates.insert(0, folder.to_owned());
    candidates.into_iter().find(|candidate| program::find_in(candidate).is_some()).ok_or_else(|| {
        let reason = "no mysqld or mariadbd in bin, sbin, libexec or another usual folder".into();
        Error::NoServer { path: archive.to_owned(), reason }
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn archives_of_equal_name_size_and_time_differ() {
        let place = tempfile::tempdir().unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let make = |path: &Path, text: &str| {
            fs::write(path, text).unwrap();
            File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
            let metadata = fs::metadata(path).unwrap();
            assert_eq!((metadata.len(), metadata.modified().unwrap()), (3, time));
            cache_key("mysql.tar", &metadata)
        };
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        let key = make(&one, "aaa");
        assert_eq!(cache_key("mysql.tar", &fs::metadata(&one).unwrap()), key);
        assert_ne!(make(&other, "bbb"), key);
        // The kernel's clock for files has ticks of some milliseconds.
        std::thread::sleep(Duration::from_millis(20));
        assert_ne!(make(&one, "ccc"), key, "the file was changed");
    }
}
