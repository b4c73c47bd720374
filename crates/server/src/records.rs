//! What was installed beside the catalogue, by the name that it was installed under.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::cache::Cache;
use crate::install::{Listing, Manifest};
use crate::program::Program;

const FOLDER: &str = "installed";

/// Why an installation failed whose record is not there.
pub(crate) const UNREADABLE: &str = "what was noted of it cannot be read; try again";

/// One name, and where in the cache the server is that it led to.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    name: String,
    title: String,
    key: String,
    manifest: Manifest,
}

/// Notes that `name` leads to the server in the folder of `key`.
pub(crate) fn note(cache: &Cache, name: &str, key: &str, program: &Program) -> Result<(), Error> {
    if read(&path(cache, name)).is_some_and(|record| record.key == key) {
        return Ok(());
    }
    let installed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let package = key.rsplit('/').next().unwrap_or(key).replacen("sha256-", "sha256:", 1);
    let kind = match key.split('/').next() {
        Some("images") => "from an image",
        Some("downloads") => "from a download",
        _ => "from an archive",
    };
    let record = Record {
        name: name.to_owned(),
        title: format!("{} {}, {kind}", program.flavour, program.version),
        key: key.to_owned(),
        manifest: Manifest { package, version: program.version.to_string(), installed },
    };
    let path = path(cache, name);
    let folder = cache.folder(FOLDER);
    fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    // Whoever reads it meanwhile gets the old one or the new one.
    let fresh = tempfile::NamedTempFile::new_in(&folder).map_err(Error::io("create a file in", &folder))?;
    fs::write(fresh.path(), serde_json::to_vec_pretty(&record).unwrap_or_default())
        .map_err(Error::io("write", &path))?;
    fresh.persist(&path).map(drop).map_err(|error| Error::io("write", &path)(error.error))
}

/// The folder of the cache that a name leads to.
pub(crate) fn key(cache: &Cache, name: &str) -> Option<String> {
    read(&path(cache, name)).map(|record| record.key)
}

/// What a name leads to.
pub(crate) fn find(cache: &Cache, name: &str) -> Option<Manifest> {
    read(&path(cache, name)).map(|record| record.manifest)
}

/// Everything that is still there, by name.
pub(crate) fn all(cache: &Cache) -> Vec<Listing> {
    let entries = fs::read_dir(cache.folder(FOLDER)).into_iter().flatten().flatten();
    let records = entries.filter_map(|entry| read(&entry.path()));
    let mut records: Vec<Record> = records.filter(|record| cache.folder(&record.key).is_dir()).collect();
    records.sort_by(|one, other| one.name.cmp(&other.name));
    let listing =
        |Record { name, title, manifest, .. }| Listing { name, title, installed: Some(manifest), on_path: None };
    records.into_iter().map(listing).collect()
}

fn read(path: &PathBuf) -> Option<Record> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Names hold slashes, and may be longer than a file's name; so the file has a digest of it.
fn path(cache: &Cache, name: &str) -> PathBuf {
    cache.folder(FOLDER).join(format!("{}.json", image::sha256(name.as_bytes()).replace(':', "-")))
}
