//! Server binaries on disk: where the program, its messages and its bootstrap SQL are, and how to run it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::flavour::{Flavour, Version};
use crate::{Error, command};

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
}

/// Where builds put the program, below a basedir. MariaDB's name first: its packages keep `mysqld` as a link.
const LAYOUTS: [&str; 11] = [
    "bin/mariadbd",
    "bin/mysqld",
    "usr/sbin/mariadbd",
    "usr/sbin/mysqld",
    "sbin/mariadbd",
    "sbin/mysqld",
    "libexec/mariadbd",
    "libexec/mysqld",
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

    /// A server of the catalogue, in the folder that it was installed into, run by the loader that came with it.
    pub fn with_own_loader(folder: &Path, name: &str) -> Result<Self, Error> {
        let broken = |reason: &str| Error::NoServer {
            path: folder.to_owned(),
            reason: format!("{reason}; remove the folder and try again"),
        };
        let root = folder.join("root");
        let mysqld = find_in(&root).or_else(|| find_in(folder)).ok_or_else(|| broken("the package held no mysqld"))?;
        let libraries = library_folders(&root, &mysqld);
        let loader = find_loader(&libraries).ok_or_else(|| broken("the packages held no dynamic loader"))?;
        let mut program = Self::probe(mysqld, Some((loader, libraries)))?;
        program.label = name.to_owned();
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
        let mut program =
            Self { label: String::new(), flavour: Flavour::MySql, version: unknown, mysqld, loader, basedir };
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

    /// Whether it came from the catalogue, with a loader of its own.
    pub fn is_of_catalogue(&self) -> bool {
        self.loader.is_some()
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
        folders.into_iter().find(|folder| folder.join(file).exists())
    }

    fn plugin_folder(&self) -> Option<PathBuf> {
        let folders = ["lib/mariadb/plugin", "lib/mysql/plugin", "lib/plugin", "lib64/mysql/plugin"];
        folders.into_iter().map(|name| self.basedir.join(name)).find(|folder| folder.is_dir())
    }
}

/// Every folder below an unpacked root that holds libraries, and the program's own.
fn library_folders(root: &Path, mysqld: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for base in ["usr/lib", "lib", "usr/lib64", "lib64"].map(|name| root.join(name)) {
        let below = fs::read_dir(&base).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_multiarch = |path: &PathBuf| path.to_string_lossy().ends_with("-linux-gnu") && path.is_dir();
        folders.extend(below.filter(is_multiarch));
        folders.extend(base.is_dir().then_some(base));
    }
    folders.extend(mysqld.parent().map(Path::to_owned));
    folders
}

/// The dynamic loader among the libraries. A link will not do: an absolute one leads to the host's loader.
fn find_loader(libraries: &[PathBuf]) -> Option<PathBuf> {
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let named = name.starts_with("ld-linux") || (name.starts_with("ld-2.") && name.ends_with(".so"));
        named && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    };
    let files = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    libraries.iter().flat_map(files).find(is_loader)
}
