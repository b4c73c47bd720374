//! Server binaries on disk: where the program, its messages and its bootstrap SQL are, and how to run it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::flavour::{Flavour, Version};
use crate::{Error, command, loader};

/// A server program that runs on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// For people: the catalogue's name, else flavour and version.
    pub label: String,
    pub flavour: Flavour,
    pub version: Version,
    /// The program file.
    mysqld: PathBuf,
    /// The dynamic loader that came with it, and the folders of its libraries.
    loader: Option<(PathBuf, Vec<PathBuf>)>,
    basedir: PathBuf,
    /// The name of its folder in the cache, where it runs by a loader that came with it.
    installed: Option<String>,
}

/// Where builds put the program, below a basedir. MariaDB's name first: its packages keep `mysqld` as a link.
const LAYOUTS: [&str; 18] = [
    "bin/mariadbd",
    "bin/mysqld",
    "usr/sbin/mariadbd",
    "usr/sbin/mysqld",
    "sbin/mariadbd",
    "sbin/mysqld",
    "libexec/mariadbd",
    "libexec/mysqld",
    // Red Hat's packages, Oracle's images of old versions, Bitnami's images.
    "usr/libexec/mariadbd",
    "usr/libexec/mysqld",
    "usr/bin/mariadbd",
    "usr/bin/mysqld",
    "usr/local/mysql/bin/mysqld",
    "opt/bitnami/mariadb/sbin/mariadbd",
    "opt/bitnami/mysql/bin/mysqld",
    "server/mysqld",
    "mariadbd",
    "mysqld",
];

/// Folders of daemons that a user's PATH often lacks.
const DAEMON_FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/usr/libexec"];

/// The program below a basedir.
pub(crate) fn find_in(basedir: &Path) -> Option<PathBuf> {
    LAYOUTS.iter().map(|layout| basedir.join(layout)).find(|path| path.is_file())
}

impl Program {
    /// The server of a basedir, run as it is.
    pub fn in_basedir(basedir: &Path) -> Result<Self, Error> {
        let none = |reason: &str| Error::NoServer { path: basedir.to_owned(), reason: reason.into() };
        if !basedir.is_dir() {
            return Err(none("there is no such folder"));
        }
        let found =
            find_in(basedir).ok_or_else(|| none("no mysqld or mariadbd in its bin, sbin or usr/sbin folder"))?;
        Self::from_file(&found)
    }

    /// `mariadbd` or `mysqld` from PATH.
    pub fn on_path() -> Result<Option<Self>, Error> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&path).chain(DAEMON_FOLDERS.map(PathBuf::from)).collect();
        let mut files = folders.iter().flat_map(|folder| ["mariadbd", "mysqld"].map(|name| folder.join(name)));
        files.find(|file| file.is_file()).map(|file| Self::from_file(&file)).transpose()
    }

    /// A server of the catalogue or of an image, in the folder that it was installed into, run by the loader that came
    /// with it. Without a name it is called by flavour and version.
    pub fn with_own_loader(folder: &Path, name: Option<&str>) -> Result<Self, Error> {
        let broken = |reason: &str| Error::NoServer {
            path: folder.to_owned(),
            reason: format!("{reason}; remove the folder and try again"),
        };
        let root = folder.join("root");
        let mysqld = find_in(&root).or_else(|| find_in(folder)).ok_or_else(|| broken("the package held no mysqld"))?;
        let mut libraries = library_folders(&root);
        libraries.extend(mysqld.parent().map(Path::to_owned));
        let loader = loader::of(&mysqld, &root).or_else(|| loader::among(&libraries));
        let loader = loader.ok_or_else(|| broken("the packages held no dynamic loader"))?;
        let mut program = Self::probe(mysqld, Some((loader, libraries)))?;
        program.installed = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name {
            program.label = name.to_owned();
        }
        Ok(program)
    }

    fn from_file(file: &Path) -> Result<Self, Error> {
        // `mysqld` may be a link to `mariadbd`, and the basedir is where the file is, not the link.
        let file = fs::canonicalize(file).map_err(Error::io("find", file))?;
        Self::probe(file, None)
    }

    /// Asks the program for its version, which also shows whether it runs here at all.
    fn probe(mysqld: PathBuf, loader: Option<(PathBuf, Vec<PathBuf>)>) -> Result<Self, Error> {
        let folder = mysqld.parent().unwrap_or(Path::new("/"));
        let in_bin = ["bin", "sbin", "libexec"].iter().any(|name| folder.ends_with(name));
        let basedir = if in_bin { folder.parent().unwrap_or(folder) } else { folder }.to_owned();
        let unknown = Version::new(0, 0, 0);
        let (label, flavour, installed) = (String::new(), Flavour::MySql, None);
        let mut program = Self { label, flavour, version: unknown, mysqld, loader, basedir, installed };
        let mut command = program.command();
        command.args(["--no-defaults", "--version"]);
        let text = command::output(command, &format!("run {}", program.mysqld.display()))?;
        // "…/mysqld  Ver 10.11.11-MariaDB for …": the path before it may hold anything.
        let text = text.rsplit_once(" Ver ").map_or(text.as_str(), |(_, text)| text);
        program.flavour = Flavour::of(text);
        program.version = Version::find(text).ok_or_else(|| Error::NoServer {
            path: program.mysqld.clone(),
            reason: "it does not tell its version".into(),
        })?;
        program.label = format!("{} {}", program.flavour, program.version);
        Ok(program)
    }

    /// The name of its folder in the cache, where it was installed from the catalogue or an image: what is under that
    /// name does not change.
    pub fn installed(&self) -> Option<&str> {
        self.installed.as_deref()
    }

    /// The files that must be readable to run it.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let loader = self.loader.iter().map(|(loader, _)| loader.as_path());
        loader.chain([self.mysqld.as_path(), self.basedir.as_path()])
    }

    /// A command that runs the server, without arguments yet.
    pub fn command(&self) -> Command {
        let Some((loader, libraries)) = &self.loader else { return Command::new(&self.mysqld) };
        let mut command = Command::new(loader);
        // Colons separate the folders, so join_paths can fail only on a cache folder with a colon in its name.
        let path = env::join_paths(libraries).unwrap_or_default();
        command.arg("--library-path").arg(path).arg(&self.mysqld);
        command
    }

    /// The options that tell a relocated server where its own files are.
    pub fn own_files(&self) -> Vec<String> {
        let mut options = vec![format!("--basedir={}", self.basedir.display())];
        let mut add = |option: &str, folder: Option<PathBuf>| {
            options.extend(folder.map(|folder| format!("--{option}={}", folder.display())));
        };
        add("lc-messages-dir", self.share_with("english/errmsg.sys"));
        add("character-sets-dir", self.share_with("charsets/Index.xml").map(|share| share.join("charsets")));
        add("plugin-dir", self.plugin_folder());
        options
    }

    /// A script that fills the system tables, under either vendor's name.
    pub fn script(&self, name: &str) -> Option<PathBuf> {
        let vendors = [format!("mariadb_{name}"), format!("mysql_{name}")];
        vendors.iter().find_map(|file| Some(self.share_with(file)?.join(file)))
    }

    fn share_with(&self, file: &str) -> Option<PathBuf> {
        let folders = ["share/mariadb", "share/mysql", "share", "scripts"].map(|name| self.basedir.join(name));
        // Oracle's and Percona's packages: share/mysql-8.0, share/percona-server.
        let named = || subfolders(&self.basedir.join("share"));
        folders
            .into_iter()
            .find(|folder| folder.join(file).exists())
            .or_else(|| named().into_iter().find(|folder| folder.join(file).exists()))
    }

    fn plugin_folder(&self) -> Option<PathBuf> {
        let vendors = ["mariadb/plugin", "mysql/plugin", "plugin"];
        let folders =
            ["lib", "lib64"].into_iter().flat_map(|lib| vendors.map(|name| self.basedir.join(lib).join(name)));
        folders.into_iter().find(|folder| folder.is_dir())
    }
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Every folder below an unpacked root that holds libraries.
pub(crate) fn library_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for base in ["usr/lib", "lib", "usr/lib64", "lib64"].map(|name| root.join(name)) {
        let is_multiarch = |path: &PathBuf| path.to_string_lossy().ends_with("-linux-gnu");
        folders.extend(subfolders(&base).into_iter().filter(is_multiarch));
        // Oracle's packages keep libraries of their own.
        folders.extend(Some(base.join("mysql/private")).filter(|folder| folder.is_dir()));
        folders.extend(base.is_dir().then_some(base));
    }
    folders
}
