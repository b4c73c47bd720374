//! Records of installed images, archives and downloads, by the name that the user gave.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::Cache;
use crate::install::{Listing, Manifest};
use crate::{Error, Program};

const FOLDER: &str = "installed";

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    name: String,
    title: String,
    /// Key of the server's folder in the cache.
    key: String,
    manifest: Manifest,
}

/// Records that `name` means the server in the folder of `key`.
pub(crate) fn write(cache: &Cache, name: &str, key: &str, program: &Program) -> Result<(), Error> {
    if read_record(&record_path(cache, name)).is_some_and(|record| record.key == key) {
        return Ok(());
    }
    let installed = seconds_since_1970();
    let package = key.rsplit('/').next().unwrap_or(key).replacen("sha256-", "sha256:", 1);
    let origin = match key.split('/').next() {
        Some("images") => "from an image",
        Some("downloads") => "from a download",
        _ => "from an archive",
    };
    let record = Record {
        name: name.to_owned(),
        title: format!("{} {}, {origin}", program.flavour, program.version),
        key: key.to_owned(),
        manifest: Manifest { package, version: program.version.to_string(), installed },
    };
    let path = record_path(cache, name);
    let folder = cache.folder(FOLDER);
    cache.create_folders(&folder)?;
    // Replaced atomically, so that readers see the old record or the new one.
    let temporary = tempfile::NamedTempFile::new_in(&folder).map_err(Error::io("create a file in", &folder))?;
    fs::write(temporary.path(), serde_json::to_vec_pretty(&record).unwrap_or_default())
        .map_err(Error::io("write", &path))?;
    temporary.persist(&path).map(drop).map_err(|error| Error::io("write", &path)(error.error))
}

pub(crate) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the key of the folder that `name` means.
pub(crate) fn find_key(cache: &Cache, name: &str) -> Option<String> {
    read_record(&record_path(cache, name)).map(|record| record.key)
}

/// Returns the manifest of the server that `name` means.
pub(crate) fn find_manifest(cache: &Cache, name: &str) -> Result<Manifest, Error> {
    let unreadable = || Error::Install { name: name.to_owned(), reason: "its record cannot be read; try again".into() };
    read_record(&record_path(cache, name)).map(|record| record.manifest).ok_or_else(unreadable)
}

/// Lists the servers whose folders still exist, by name.
pub(crate) fn list(cache: &Cache) -> Vec<Listing> {
    let entries = fs::read_dir(cache.folder(FOLDER)).into_iter().flatten().flatten();
    let records = entries.filter_map(|entry| read_record(&entry.path()));
    let mut records: Vec<Record> = records.filter(|record| cache.folder(&record.key).is_dir()).collect();
    records.sort_by(|a, b| a.name.cmp(&b.name));
    let listing = |Record { name, title, manifest, .. }| Listing {
        name,
        aliases: Vec::new(),
        title,
        repository: None,
        licence: None,
        installed: Some(manifest),
        on_path: None,
    };
    records.into_iter().map(listing).collect()
}

fn read_record(path: &Path) -> Option<Record> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Returns the path of a record. The file is named by a digest: the server's name may contain
/// slashes, and may be longer than a file name may be.
fn record_path(cache: &Cache, name: &str) -> PathBuf {
    cache.folder(FOLDER).join(format!("{}.json", image::sha256(name.as_bytes()).replace(':', "-")))
}
