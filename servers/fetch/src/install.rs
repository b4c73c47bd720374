//! Installation of servers, and the list of installed ones.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalogue::Entry;
use crate::origin::{archive, image as container_image};
use crate::source::Target;
use crate::store::{Cache, records};
use crate::{CatalogueName, Error, Flavour, Origin, Program, Progress};

/// An installed package.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Package name; for an image or a download its digest, for an archive its name, size and time.
    pub package: String,
    /// Version of the package or server.
    pub version: String,
    /// Time of the installation, in seconds since 1970.
    pub installed: u64,
}

/// File in the folder of a catalogue server.
const MANIFEST: &str = "manifest.json";

/// Licence of MySQL and MariaDB.
const LICENCE: &str = "GPL-2.0-only";

/// Returns the program of an origin, installed first if it is missing.
pub fn find_or_install(origin: &Origin, progress: &dyn Progress) -> Result<Program, Error> {
    match origin {
        Origin::Basedir(path) if image::Layout::exists_in(path) => {
            container_image::open_layout(&Cache::for_user()?, path, progress)
        }
        Origin::Basedir(path) => Program::in_basedir(path),
        Origin::Archive(path) => archive::open_local(&Cache::for_user()?, path, progress),
        Origin::Download(download) => archive::open_download(&Cache::for_user()?, download, progress),
        Origin::Image(name) => container_image::open(&Cache::for_user()?, name, progress),
        Origin::Catalogue(name) if name.is_host() => match Program::on_path()? {
            Some(program) if program.flavour == Flavour::MariaDb => Ok(program.with_label(name.as_str())),
            _ => open_catalogue(&Cache::for_user()?, *name, progress),
        },
        Origin::Catalogue(name) => open_catalogue(&Cache::for_user()?, *name, progress),
        Origin::Host => match Program::on_path()? {
            Some(program) => {
                let label = program.flavour.to_string().to_lowercase();
                Ok(program.with_label(&label))
            }
            None => open_catalogue(&Cache::for_user()?, CatalogueName::host(), progress),
        },
    }
}

fn open_catalogue(cache: &Cache, name: CatalogueName, progress: &dyn Progress) -> Result<Program, Error> {
    let entry = name.entry();
    let install = |folder: &Path| install_entry(folder, entry, progress);
    let folder = cache.folder_or_create(&cache_key(name), entry.mebibytes, progress, install)?;
    let program = Program::with_bundled_loader(&folder, Some(&name.to_string()))?;
    name.check_version(&program)?;
    Ok(program)
}

/// A server of the catalogue, or another installed server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listing {
    /// Value for `--server`.
    pub name: String,
    /// Other names for `--server`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Short description.
    pub title: String,
    /// Repository, for some with the package; absent for an image, archive or download, whose name
    /// says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Licence of the program, as SPDX expression; absent if weigh does not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Installed package; `null` if the server is not installed.
    pub installed: Option<Manifest>,
    /// Flavour and version of a server on `PATH` that is used instead; `null` if there is none.
    pub on_path: Option<String>,
}

/// Lists all servers of the catalogue, then the installed images, archives and downloads.
pub fn list_servers() -> Result<Vec<Listing>, Error> {
    let cache = Cache::for_user()?;
    let on_path = Program::on_path()?.filter(|program| program.flavour == Flavour::MariaDb);
    let listing = |name: CatalogueName| Listing {
        name: name.to_string(),
        aliases: name.entry().aliases.iter().map(|&alias| alias.to_owned()).collect(),
        title: name.title().to_owned(),
        repository: Some(name.entry().repository.to_owned()),
        licence: Some(LICENCE.to_owned()),
        installed: read_manifest(&cache, name),
        on_path: on_path.as_ref().filter(|_| name.is_host()).map(|program| program.label.clone()),
    };
    Ok(CatalogueName::all().map(listing).chain(records::list(&cache)).collect())
}

/// Installs a server, unless it is installed. A tag such as `mariadb:11` that now means a newer
/// image installs that image.
pub fn install(origin: &Origin, progress: &dyn Progress) -> Result<Manifest, Error> {
    let cache = Cache::for_user()?;
    let name = match origin {
        Origin::Image(name) => return container_image::install(&cache, name, progress),
        Origin::Catalogue(name) => *name,
        Origin::Archive(_) | Origin::Download(_) => return install_recorded(&cache, origin, progress),
        Origin::Basedir(path) if image::Layout::exists_in(path) => return install_recorded(&cache, origin, progress),
        Origin::Basedir(path) => {
            Program::in_basedir(path)?;
            return Err(Error::nothing_to_install(&origin.to_string()));
        }
        Origin::Host => return Err(Error::nothing_to_install(&origin.to_string())),
    };
    open_catalogue(&cache, name, progress)?;
    read_manifest(&cache, name).ok_or_else(|| Error::Install {
        name: name.to_string(),
        reason: format!(
            "its {MANIFEST} cannot be read; remove {} and try again",
            cache.folder(&cache_key(name)).display()
        ),
    })
}

fn install_recorded(cache: &Cache, origin: &Origin, progress: &dyn Progress) -> Result<Manifest, Error> {
    find_or_install(origin, progress)?;
    records::find_manifest(cache, &origin.to_string())
}

fn read_manifest(cache: &Cache, name: CatalogueName) -> Option<Manifest> {
    let text = fs::read(cache.folder(&cache_key(name)).join(MANIFEST)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn cache_key(name: CatalogueName) -> String {
    format!("servers/{}", name.as_str())
}

fn install_entry(folder: &Path, entry: &Entry, progress: &dyn Progress) -> Result<(), Error> {
    let installed = entry.source.install(&Target { name: entry.name, folder, progress })?;
    // Fails now, not at the first benchmark, if the program does not run on this machine.
    Program::with_bundled_loader(folder, Some(entry.name))?;
    let manifest =
        Manifest { package: installed.package, version: installed.version, installed: records::seconds_since_1970() };
    let path = folder.join(MANIFEST);
    fs::write(&path, serde_json::to_vec_pretty(&manifest).unwrap_or_default()).map_err(Error::io("write", &path))
}
