//! Servers, tools and libraries from apt repositories, without root and without changing the
//! host's own apt state.
//!
//! apt-get runs with a private state in which no package is installed. A download therefore
//! includes all dependencies, the C library and its loader among them. The host's proxies and
//! credentials apply. The host's hooks do not apply. Its pinning applies only to its own sources.

mod mirror;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{InstalledPackage, Source, Target};
use crate::catalogue::Entry;
use crate::{Error, Progress, command};

const MARIADB_PACKAGE: &str = "mariadb-server-core";

pub(crate) static ENTRIES: [Entry; 5] = [
    Entry {
        name: "mariadb",
        title: "MariaDB of this machine: from PATH, else from its own packages",
        aliases: &[],
        repository: "packages of this machine",
        source: &AptPackage { suite: None, package: MARIADB_PACKAGE },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@trixie",
        title: "MariaDB 11.8, Debian 13's build",
        aliases: &["mariadb@11.8"],
        repository: "Debian trixie",
        source: &AptPackage { suite: Some("trixie"), package: MARIADB_PACKAGE },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@bookworm",
        title: "MariaDB 10.11, Debian 12's build",
        aliases: &["mariadb@10.11"],
        repository: "Debian bookworm",
        source: &AptPackage { suite: Some("bookworm"), package: MARIADB_PACKAGE },
        mebibytes: 200,
    },
    Entry {
        name: "mariadb@bullseye",
        title: "MariaDB 10.5, Debian 11's build",
        aliases: &["mariadb@10.5"],
        repository: "Debian bullseye",
        source: &AptPackage { suite: Some("bullseye"), package: MARIADB_PACKAGE },
        mebibytes: 200,
    },
    Entry {
        name: "mysql@sid",
        title: "MySQL 9, the build of Debian unstable",
        aliases: &["mysql@9", "mysql"],
        repository: "Debian sid",
        source: &AptPackage { suite: Some("sid"), package: "mysql-server-core" },
        mebibytes: 600,
    },
];

/// Installs a catalogue entry from an apt package.
#[derive(Debug)]
struct AptPackage {
    /// Suite of the Debian mirror that this machine uses. `None`: this machine's own sources.
    suite: Option<&'static str>,
    /// Package name. The repository may add a version: `mariadb-server-core-10.6`.
    package: &'static str,
}

impl Source for AptPackage {
    type Download = DownloadedPackages;

    fn download(&self, target: &Target) -> Result<DownloadedPackages, Error> {
        let state = target.folder.join("apt");
        let apt = match self.suite {
            None => Apt::for_host(&state, target.progress)?,
            Some(suite) => Apt::for_suite(&state, suite, target.progress)?,
        };
        let package = apt.find_newest(self.package)?;
        apt.download(&[&package], target.name, target.progress)
    }

    fn verify(&self, _download: &DownloadedPackages, _target: &Target) -> Result<(), Error> {
        // apt verifies packages while it downloads them; for a Debian suite see
        // `REQUIRE_SIGNATURES`.
        Ok(())
    }

    fn unpack(&self, download: DownloadedPackages, target: &Target) -> Result<InstalledPackage, Error> {
        let package = download.requested.clone();
        let version = download.unpack(&target.folder.join("root"), target.progress)?;
        Ok(InstalledPackage { package, version })
    }
}

/// Requires valid signatures for a suite that was asked for by name, even if the host allows
/// unsigned ones.
const REQUIRE_SIGNATURES: &str = "Acquire::AllowInsecureRepositories \"false\";\n\
                                  Acquire::AllowWeakRepositories \"false\";\n\
                                  Acquire::AllowDowngradeToInsecureRepositories \"false\";\n\
                                  APT::Get::AllowUnauthenticated \"false\";\n";

/// apt with a private state and configuration in one folder.
pub(crate) struct Apt {
    folder: PathBuf,
    /// Why some package lists of the host could not be read. It becomes the error only if a later
    /// download fails: one broken third-party source does no harm if other sources have the
    /// package.
    failed_update: Option<Error>,
}

impl Apt {
    /// Reads the package lists of this machine's sources.
    pub fn for_host(folder: &Path, progress: &dyn Progress) -> Result<Self, Error> {
        let mut apt = Self { folder: folder.to_owned(), failed_update: None };
        apt.configure("")?;
        match apt.update("this machine's packages", progress) {
            Err(error @ Error::Command { .. }) => apt.failed_update = Some(error),
            result => result?,
        }
        Ok(apt)
    }

    /// Reads the package list of one Debian suite, from the mirror that this machine uses.
    pub fn for_suite(folder: &Path, suite: &str, progress: &dyn Progress) -> Result<Self, Error> {
        Self::for_suite_with(folder, suite, "", progress)
    }

    /// Reads the package list of one Debian suite, with settings of apt.
    fn for_suite_with(folder: &Path, suite: &str, settings: &str, progress: &dyn Progress) -> Result<Self, Error> {
        let host = mirror::Release::read_host();
        let Some((uri, mut options)) = mirror::find_debian_mirror(&mirror::read_host_sources()?, &host) else {
            let reason = "the apt sources of this machine name no Debian mirror.\n\
                          Give --server `mariadb`, a basedir, a tarball of server binaries, or the URL of a running server.";
            return Err(Error::Install { name: format!("packages of {suite}"), reason: reason.into() });
        };
        let keyring = Path::new("/usr/share/keyrings/debian-archive-keyring.gpg");
        if keyring.exists() && !options.iter().any(|field| field.starts_with("signed-by:")) {
            // Without this field, apt accepts the key of any third party that this machine trusts.
            options.push(format!("signed-by: {}", keyring.display()));
        }
        let apt = Self { folder: folder.to_owned(), failed_update: None };
        let parts = apt.folder.join("sources.d");
        fs::create_dir_all(&parts).map_err(Error::io("create", &parts))?;
        let mut stanza = format!("Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: main\n");
        options.iter().for_each(|field| stanza.push_str(&format!("{field}\n")));
        write(&parts.join("mirror.sources"), &stanza)?;
        apt.configure(&format!(
            "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{}\";\n\
             Dir::Etc::Preferences \"/dev/null\";\nDir::Etc::PreferencesParts \"/dev/null\";\n{REQUIRE_SIGNATURES}{settings}",
            parts.display()
        ))?;
        apt.update(&format!("the package list of Debian {suite}"), progress)?;
        Ok(apt)
    }

    /// Writes a configuration that replaces the host's, except for its network access and keys.
    /// `sources` replaces its package sources; empty, they stay.
    fn configure(&self, sources: &str) -> Result<(), Error> {
        for name in ["state/lists/partial", "cache/archives/partial"] {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        }
        write(&self.folder.join("status"), "")?;
        let mut command = Command::new("apt-config");
        command.arg("dump");
        let host = command::output(command, "read apt's configuration")?;
        let is_network = |line: &&str| {
            let is_kept =
                ["Acquire::", "Dir::Etc::netrc", "Dir::Etc::trusted"].iter().any(|name| line.starts_with(name));
            is_kept && !line.starts_with("Acquire::IndexTargets") && !line.starts_with("Acquire::Languages")
        };
        let mut text: String = host.lines().filter(is_network).flat_map(|line| [line, "\n"]).collect();
        let folder = self.folder.display();
        text.push_str(&format!(
            "Dir::Etc::Main \"/dev/null\";\nDir::Etc::Parts \"/dev/null\";\n\
             Dir::State \"{folder}/state\";\nDir::State::Status \"{folder}/status\";\nDir::Cache \"{folder}/cache\";\n\
             Dir::Log \"{folder}\";\nAcquire::Languages \"none\";\n\
             APT::Update::Error-Mode \"any\";\n{sources}"
        ));
        if rustix::process::geteuid().is_root() {
            // apt's own user cannot enter root's home, which may contain the cache.
            text.push_str("APT::Sandbox::User \"root\";\n");
        }
        write(&self.folder.join("apt.conf"), &text)
    }

    fn update(&self, what: &str, progress: &dyn Progress) -> Result<(), Error> {
        progress.step(&format!("reading {what}"));
        let mut command = self.command("apt-get");
        command.args(["-q", "-oAPT::Status-Fd=1", "update"]);
        command::run(command, &format!("read {what}"), |line| report_progress(line, progress))
    }

    /// Finds the package `name`, or else the newest package with a version suffix, such as
    /// `mariadb-server-core-10.6`. Returns `name` if neither exists: apt-get reports that later.
    pub fn find_newest(&self, name: &str) -> Result<String, Error> {
        let mut command = self.command("apt-cache");
        command.args(["pkgnames", name]);
        let names = command::output(command, &format!("look for {name}"))?;
        let version = |candidate: &str| -> Option<Vec<u32>> {
            let suffix = candidate.strip_prefix(name)?;
            if suffix.is_empty() {
                return Some(vec![u32::MAX]);
            }
            suffix.strip_prefix('-')?.split('.').map(|number| number.parse().ok()).collect()
        };
        let newest = names.lines().filter_map(|line| Some((version(line)?, line))).max();
        Ok(newest.map_or(name, |(_, line)| line).to_owned())
    }

    /// Adds one package, without its dependencies, to those that [`DownloadedPackages::unpack`]
    /// unpacks after a later [`download`](Self::download).
    pub fn download_without_dependencies(&self, package: &str) -> Result<(), Error> {
        let mut command = self.command("apt-get");
        command.args(["-q", "download", package]).current_dir(self.archive_folder());
        command::run(command, &format!("download {package}"), |_| {})
    }

    /// Downloads packages with all dependencies. `title` names them in messages.
    pub fn download(
        self,
        packages: &[&str],
        title: &str,
        progress: &dyn Progress,
    ) -> Result<DownloadedPackages, Error> {
        progress.step(&format!("downloading {title}"));
        let mut command = self.command("apt-get");
        command.args(["-q", "-y", "-oAPT::Status-Fd=1", "--download-only", "--no-install-recommends", "install"]);
        command.args(packages);
        match command::run(command, &format!("download {title}"), |line| report_progress(line, progress)) {
            // A package list that could not be read is the likely cause.
            Err(error @ Error::Command { .. }) => return Err(self.failed_update.unwrap_or(error)),
            result => result?,
        }
        let folder = self.archive_folder();
        let entries = fs::read_dir(&folder).map_err(Error::io("read", &folder))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
        files.sort();
        Ok(DownloadedPackages { title: title.to_owned(), requested: packages[0].to_owned(), state: self.folder, files })
    }

    /// Downloads a file with apt's own client and proxies, and verifies its hash.
    pub fn download_file(&self, uri: &str, file: &Path, sha512: &str, task: &str) -> Result<(), Error> {
        let mut command = self.command("/usr/lib/apt/apt-helper");
        command.args(["-q", "download-file", uri]).arg(file).arg(format!("SHA512:{sha512}"));
        command::run(command, task, |_| {})
    }

    fn archive_folder(&self) -> PathBuf {
        self.folder.join("cache/archives")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf")).env("DEBIAN_FRONTEND", "noninteractive");
        command
    }
}

/// Downloaded packages: the requested ones and their dependencies.
pub(crate) struct DownloadedPackages {
    title: String,
    /// The first requested package.
    requested: String,
    /// Folder of apt's private state, which contains the files.
    state: PathBuf,
    files: Vec<PathBuf>,
}

impl DownloadedPackages {
    /// Removes downloaded packages, such as the C library, that the host's own packages replace.
    pub fn exclude(&mut self, packages: &[&str]) {
        self.files.retain(|file| !packages.contains(&package_name(file)));
    }

    /// Unpacks all packages into `root` and removes apt's private state. Returns the version of the
    /// first requested package.
    pub fn unpack(self, root: &Path, progress: &dyn Progress) -> Result<String, Error> {
        progress.step(&format!("unpacking {}", self.title));
        fs::create_dir_all(root).map_err(Error::io("create", root))?;
        for (index, file) in self.files.iter().enumerate() {
            let mut command = Command::new("dpkg-deb");
            command.arg("-x").args([file.as_path(), root]);
            command::run(command, &format!("unpack {}", self.title), |_| {})?;
            progress.fraction((index + 1) as f64 / self.files.len() as f64);
        }
        fs::remove_dir_all(&self.state).map_err(Error::io("remove", &self.state))?;
        Ok(self.version())
    }

    /// Reads the version in a file name such as `package_1%3a2.3_amd64.deb`: `1:2.3`.
    fn version(&self) -> String {
        let names = self.files.iter().filter_map(|path| path.file_name()?.to_str());
        let mut fields = names.map(|name| name.split('_').collect::<Vec<_>>());
        let fields = fields.find(|fields| fields.first() == Some(&self.requested.as_str()));
        let version = fields.and_then(|fields| fields.get(1).copied());
        version.unwrap_or_default().replace("%3a", ":")
    }
}

/// Reports the percentage in a line of apt's status protocol: `dlstatus:item:percent:text`.
fn report_progress(line: &str, progress: &dyn Progress) {
    let percent = line.strip_prefix("dlstatus:").and_then(|rest| rest.split(':').nth(1));
    if let Some(percent) = percent.and_then(|percent| percent.parse::<f64>().ok()) {
        progress.fraction(percent / 100.0);
    }
}

fn package_name(file: &Path) -> &str {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('_').next().unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(Error::io("write", path))
}

/// Returns the URI of the Debian mirror that this machine uses. `None` if its apt sources name
/// none.
pub fn debian_mirror() -> Result<Option<String>, Error> {
    let host = mirror::Release::read_host();
    Ok(mirror::find_debian_mirror(&mirror::read_host_sources()?, &host).map(|(uri, _)| uri))
}

/// Unpacks packages of a suite of Debian into a folder: the first with all that it depends on, the
/// others alone. Their installation scripts don't run. `architecture` has Debian's name, such as
/// `arm64`.
pub fn unpack_debian(
    suite: &str,
    architecture: &str,
    packages: &[&str],
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let settings = format!("APT::Architecture \"{architecture}\";\nAPT::Architectures {{ \"{architecture}\"; }};\n");
    let apt = Apt::for_suite_with(&folder.join(".apt"), suite, &settings, progress)?;
    let (first, others) = packages.split_at(packages.len().min(1));
    others.iter().try_for_each(|package| apt.download_without_dependencies(package))?;
    apt.download(first, &format!("packages of Debian {suite}"), progress)?.unpack(folder, progress).map(drop)
}
