//! apt-get beside the system: a package and all it needs, without root and without touching the host's own state.
//!
//! The private state knows of no installed package, so a download brings the whole closure, the C library and its
//! loader included. The host's proxies and credentials apply; its hooks and its pinning of other suites do not.

mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Progress, command};

/// A suite that is not the host's own is taken only where its signature is good, whatever the host puts up with.
const SIGNED: &str = "Acquire::AllowInsecureRepositories \"false\";\nAcquire::AllowWeakRepositories \"false\";\n\
                      Acquire::AllowDowngradeToInsecureRepositories \"false\";\nAPT::Get::AllowUnauthenticated \"false\";\n";

/// A private apt state.
pub(crate) struct Apt<'a> {
    folder: PathBuf,
    progress: &'a dyn Progress,
    /// Why not every list of the host's sources could be read. One broken source of a third party is no matter as long
    /// as the others have what is asked for.
    failed_update: Option<Error>,
}

impl<'a> Apt<'a> {
    /// A state that reads the host's own sources.
    pub fn of_host(folder: &Path, progress: &'a dyn Progress) -> Result<Self, Error> {
        let mut apt = Self { folder: folder.to_owned(), progress, failed_update: None };
        apt.configure("")?;
        match apt.update("this machine's packages") {
            Err(error @ Error::Helper { .. }) => apt.failed_update = Some(error),
            result => result?,
        }
        Ok(apt)
    }

    /// A state that reads one Debian suite, from the mirror that the host uses.
    pub fn of_suite(folder: &Path, suite: &str, progress: &'a dyn Progress) -> Result<Self, Error> {
        let host = sources::Release::of_host();
        let Some((uri, mut options)) = sources::debian_mirror(&sources::of_host()?, &host) else {
            let reason = "the apt sources of this machine name no Debian mirror.\n\
                          Give --server `mariadb`, a basedir, a tarball of server binaries, or the URL of a running server.";
            return Err(Error::Install { name: format!("packages of {suite}"), reason: reason.into() });
        };
        let keyring = Path::new("/usr/share/keyrings/debian-archive-keyring.gpg");
        if keyring.exists() && !options.iter().any(|field| field.starts_with("signed-by:")) {
            // Else the key of any third party that this machine trusts would do.
            options.push(format!("signed-by: {}", keyring.display()));
        }
        let apt = Self { folder: folder.to_owned(), progress, failed_update: None };
        let parts = apt.folder.join("sources.d");
        fs::create_dir_all(&parts).map_err(Error::io("create", &parts))?;
        let mut stanza = format!("Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: main\n");
        options.iter().for_each(|field| stanza.push_str(&format!("{field}\n")));
        write(&parts.join("mirror.sources"), &stanza)?;
        apt.configure(&format!(
            "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{}\";\n\
             Dir::Etc::Preferences \"/dev/null\";\nDir::Etc::PreferencesParts \"/dev/null\";\n{SIGNED}",
            parts.display()
        ))?;
        apt.update(&format!("the package list of Debian {suite}"))?;
        Ok(apt)
    }

    /// Writes the configuration, which replaces the host's but for how it reaches the network.
    fn configure(&self, sources: &str) -> Result<(), Error> {
        for name in ["state/lists/partial", "cache/archives/partial"] {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        }
        write(&self.folder.join("status"), "")?;
        let mut command = Command::new("apt-config");
        command.arg("dump");
        let host = command::output(command, "read apt's configuration")?;
        let network = |line: &&str| {
            let kept = ["Acquire::", "Dir::Etc::netrc", "Dir::Etc::trusted"].iter().any(|name| line.starts_with(name));
            kept && !line.starts_with("Acquire::IndexTargets") && !line.starts_with("Acquire::Languages")
        };
        let mut text: String = host.lines().filter(network).flat_map(|line| [line, "\n"]).collect();
        let folder = self.folder.display();
        text.push_str(&format!(
            "Dir::Etc::Main \"/dev/null\";\nDir::Etc::Parts \"/dev/null\";\n\
             Dir::State \"{folder}/state\";\nDir::State::Status \"{folder}/status\";\nDir::Cache \"{folder}/cache\";\n\
             Dir::Log \"{folder}\";\nAcquire::Languages \"none\";\n\
             APT::Update::Error-Mode \"any\";\n{sources}"
        ));
        if rustix::process::geteuid().is_root() {
            // apt's own user may not enter root's home, where the cache is.
            text.push_str("APT::Sandbox::User \"root\";\n");
        }
        write(&self.folder.join("apt.conf"), &text)
    }

    fn update(&self, what: &str) -> Result<(), Error> {
        self.progress.step(&format!("reading {what}"));
        let mut command = self.command("apt-get");
        command.args(["-q", "-oAPT::Status-Fd=1", "update"]);
        command::run(command, &format!("read {what}"), |line| self.report(line))
    }

    /// The package of this name, else the newest of those that carry a version behind it (`mariadb-server-core-10.6`).
    pub fn newest_of(&self, name: &str) -> Result<String, Error> {
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
        // Without one, apt-get says itself that there is none.
        Ok(newest.map_or(name, |(_, line)| line).to_owned())
    }

    /// Downloads a package without what it needs, to be unpacked with the next packages.
    pub fn download_alone(&self, package: &str) -> Result<(), Error> {
        let mut command = self.command("apt-get");
        command.args(["-q", "download", package]).current_dir(self.folder.join("cache/archives"));
        command::run(command, &format!("download {package}"), |_| {})
    }

    /// Downloads packages with all they need and unpacks them into `root`. Returns the version of the first.
    pub fn unpack(self, packages: &[&str], title: &str, root: &Path) -> Result<String, Error> {
        self.unpack_without(packages, &[], title, root)
    }

    /// The same, less some of the packages that they need, which the host's own stand in for.
    pub fn unpack_without(
        self,
        packages: &[&str],
        left_out: &[&str],
        title: &str,
        root: &Path,
    ) -> Result<String, Error> {
        self.progress.step(&format!("downloading {title}"));
        let mut command = self.command("apt-get");
        command.args(["-q", "-y", "-oAPT::Status-Fd=1", "--download-only", "--no-install-recommends", "install"]);
        command.args(packages);
        match command::run(command, &format!("download {title}"), |line| self.report(line)) {
            // A package that was not found is best explained by the list that could not be read.
            Err(error @ Error::Helper { .. }) => return Err(self.failed_update.unwrap_or(error)),
            result => result?,
        }

        self.progress.step(&format!("unpacking {title}"));
        fs::create_dir_all(root).map_err(Error::io("create", root))?;
        let mut archives = self.archives()?;
        archives.retain(|archive| !left_out.contains(&package_of(archive)));
        for (index, archive) in archives.iter().enumerate() {
            let mut command = Command::new("dpkg-deb");
            command.arg("-x").args([archive.as_path(), root]);
            command::run(command, &format!("unpack {title}"), |_| {})?;
            self.progress.fraction((index + 1) as f64 / archives.len() as f64);
        }
        Ok(self.version_of(packages[0], &archives))
    }

    fn archives(&self) -> Result<Vec<PathBuf>, Error> {
        let folder = self.folder.join("cache/archives");
        let entries = fs::read_dir(&folder).map_err(Error::io("read", &folder))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
        paths.sort();
        Ok(paths)
    }

    /// Downloads a file and holds it against its hash, with apt's own client and through apt's proxies.
    pub fn download(&self, uri: &str, file: &Path, sha512: &str, what: &str) -> Result<(), Error> {
        let mut command = self.command("/usr/lib/apt/apt-helper");
        command.args(["-q", "download-file", uri]).arg(file).arg(format!("SHA512:{sha512}"));
        command::run(command, what, |_| {})
    }

    /// An archive is named `package_version_architecture.deb`, with a colon written `%3a`.
    fn version_of(&self, package: &str, archives: &[PathBuf]) -> String {
        let names = archives.iter().filter_map(|path| path.file_name()?.to_str());
        let mut fields = names.map(|name| name.split('_').collect::<Vec<_>>());
        let version = fields.find(|fields| fields.first() == Some(&package)).and_then(|fields| fields.get(1).copied());
        version.unwrap_or_default().replace("%3a", ":")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf")).env("DEBIAN_FRONTEND", "noninteractive");
        command
    }

    /// apt's machine-readable lines: `dlstatus:item:percent:text`.
    fn report(&self, line: &str) {
        let percent = line.strip_prefix("dlstatus:").and_then(|rest| rest.split(':').nth(1));
        if let Some(percent) = percent.and_then(|percent| percent.parse::<f64>().ok()) {
            self.progress.fraction(percent / 100.0);
        }
    }
}

/// The package that an archive holds.
fn package_of(archive: &Path) -> &str {
    let name = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('_').next().unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(Error::io("write", path))
}
