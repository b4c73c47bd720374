//! Server programs on disk: finding the program and its files, and running it.

pub(crate) mod loader;
mod probe;

use std::env;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use lifecycle::{Account, find_unreadable};

use crate::{Error, Flavour, Version};

/// A server program that runs on this machine.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name for users, such as `mysql@sid`, `mysql:8.0` or `MySQL 8.0.36`.
    pub label: String,
    pub flavour: Flavour,
    pub version: Version,
    mysqld: PathBuf,
    /// `None` if the program is run directly, by the host's loader.
    loader: Option<BundledLoader>,
    basedir: PathBuf,
    /// Folder with all files of the program: the basedir, or the program's folder in the cache.
    root: PathBuf,
    /// Name of the program's folder in the cache. `None` for a basedir, also from a tarball, and
    /// for a server on `PATH`: the host's loader runs these.
    cache_folder_name: Option<String>,
}

/// Dynamic loader of a program in the cache, and folders of libraries installed with the program.
/// If no libraries are installed with it, the loader can be the host's.
#[derive(Clone, Debug)]
struct BundledLoader {
    path: PathBuf,
    library_folders: Vec<PathBuf>,
}

/// Names of folders that hold programs only.
const PROGRAM_FOLDERS: [&str; 3] = ["bin", "sbin", "libexec"];

/// Folders of a basedir that servers read.
const BASEDIR_FOLDERS: [&str; 8] = ["bin", "sbin", "libexec", "lib", "lib64", "share", "scripts", "support-files"];

/// Paths of the program below a basedir, in the order of search. In each folder, MariaDB's name
/// comes first: its packages keep `mysqld` as a link.
const PROGRAM_PATHS: [&str; 19] = [
    "bin/mariadbd",
    "bin/mysqld",
    "usr/sbin/mariadbd",
    "usr/sbin/mysqld",
    "sbin/mariadbd",
    "sbin/mysqld",
    "libexec/mariadbd",
    "libexec/mysqld",
    // Red Hat's packages, Oracle's images of old versions.
    "usr/libexec/mariadbd",
    "usr/libexec/mysqld",
    "usr/bin/mariadbd",
    "usr/bin/mysqld",
    // Oracle's tarballs, as installed by its manual; jars; Bitnami's images; npm's package.
    "usr/local/mysql/bin/mariadbd",
    "usr/local/mysql/bin/mysqld",
    "opt/bitnami/mariadb/sbin/mariadbd",
    "opt/bitnami/mysql/bin/mysqld",
    "server/mysqld",
    "mariadbd",
    "mysqld",
];

/// Folders of daemons that are often missing in a user's `PATH`.
const DAEMON_FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/usr/libexec"];

/// Finds the server program below a basedir.
pub(crate) fn find_in(basedir: &Path) -> Option<PathBuf> {
    PROGRAM_PATHS.iter().map(|path| basedir.join(path)).find(|path| path.is_file())
}

impl Program {
    /// Finds the server of a basedir. The host's loader runs it.
    pub(crate) fn in_basedir(basedir: &Path) -> Result<Self, Error> {
        let missing = |reason: &str| Error::NoServer { path: basedir.to_owned(), reason: reason.into() };
        if basedir.metadata().is_ok_and(|file| file.file_type().is_socket()) {
            return Err(missing("it is the socket of a running server: name it by --socket, and --user"));
        }
        if !basedir.is_dir() {
            return Err(missing("there is no such folder; name a running server by --socket or --host, and --user"));
        }
        let file = find_in(basedir)
            .ok_or_else(|| missing("no mysqld or mariadbd in bin, sbin, libexec or another usual folder"))?;
        Self::from_file(&file)
    }

    /// Finds `mariadbd` or `mysqld` on `PATH` and in the usual folders of daemons.
    pub(crate) fn on_path() -> Result<Option<Self>, Error> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&path).chain(DAEMON_FOLDERS.map(PathBuf::from)).collect();
        let mut files = folders.iter().flat_map(|folder| ["mariadbd", "mysqld"].map(|name| folder.join(name)));
        files.find(|file| file.is_file()).map(|file| Self::from_file(&file)).transpose()
    }

    /// Finds the server of the catalogue or of an image in its cache folder. The bundled loader
    /// runs the program, or the host's if no libraries are bundled. Without `name`, the label is
    /// flavour and version.
    pub(crate) fn with_bundled_loader(folder: &Path, name: Option<&str>) -> Result<Self, Error> {
        let broken = |reason: &str| Error::NoServer {
            path: folder.to_owned(),
            reason: format!("{reason}; remove the folder and try again"),
        };
        let root = folder.join("root");
        let mysqld =
            find_in(&root).or_else(|| find_in(folder)).ok_or_else(|| broken("the package contains no mysqld"))?;
        let mut libraries = library_folders(&root);
        let has_libraries = !libraries.is_empty();
        libraries.extend(mysqld.parent().map(Path::to_owned));
        libraries.extend(mysqld.ancestors().nth(2).map(|folder| folder.join("lib")).filter(|folder| folder.is_dir()));
        let path = loader::find_named(&mysqld, &root).or_else(|| loader::find_in(&libraries));
        // A jar, on a machine without apt: the host's loader also finds the host's libraries.
        let path = path.or_else(|| loader::find_named(&mysqld, Path::new("/")).filter(|_| !has_libraries));
        let path = path.ok_or_else(|| broken("the packages contain no dynamic loader"))?;
        let loader = BundledLoader { path, library_folders: libraries };
        let mut program = Self::probe(mysqld, Some((loader, folder)))?;
        program.cache_folder_name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name {
            program.label = name.to_owned();
        }
        Ok(program)
    }

    /// Sets the name that messages and reports give to the server.
    pub(crate) fn with_label(mut self, label: &str) -> Self {
        label.clone_into(&mut self.label);
        self
    }

    fn from_file(file: &Path) -> Result<Self, Error> {
        // `mysqld` may be a link to `mariadbd`. The file's place tells the basedir, not the link's.
        let file = fs::canonicalize(file).map_err(Error::io("find", file))?;
        Self::probe(file, None)
    }

    /// Runs the program with `--version`, under the account of
    /// [`reserve_account`](Self::reserve_account) if there is one. `bundled` is the loader of a
    /// program in the cache, and the program's folder there. Fails if the program cannot run on
    /// this machine.
    fn probe(mysqld: PathBuf, bundled: Option<(BundledLoader, &Path)>) -> Result<Self, Error> {
        let folder = mysqld.parent().unwrap_or(Path::new("/"));
        let in_bin = PROGRAM_FOLDERS.iter().any(|name| folder.ends_with(name));
        let basedir = if in_bin { folder.parent().unwrap_or(folder) } else { folder }.to_owned();
        let unknown = Version::new(0, 0, 0);
        let root = bundled.as_ref().map_or(basedir.as_path(), |(_, folder)| folder).to_owned();
        let mut program = Self {
            label: String::new(),
            flavour: Flavour::MySql,
            version: unknown,
            mysqld,
            loader: bundled.map(|(loader, _)| loader),
            basedir,
            root,
            cache_folder_name: None,
        };
        let text = probe::read_version(&program)?;
        // "…/mysqld  Ver 10.11.11-MariaDB for …". The path may contain digits and "mariadb".
        let text = text.rsplit_once(" Ver ").map_or(text.as_str(), |(_, text)| text);
        program.flavour = Flavour::from_version(text);
        program.version = Version::find(text).ok_or_else(|| Error::NoServer {
            path: program.mysqld.clone(),
            reason: "it does not report its version".into(),
        })?;
        program.label = format!("{} {}", program.flavour, program.version);
        Ok(program)
    }

    /// Name of the program's folder in the cache, if the program was installed from the catalogue
    /// or an image. The content of such a folder never changes.
    pub fn cache_folder_name(&self) -> Option<&str> {
        self.cache_folder_name.as_deref()
    }

    /// Reserves an account for processes of the program. `None` if they run as this process's user:
    /// see [`Account::reserve`]. Fails if the account cannot read the program.
    pub fn reserve_account(&self) -> Result<Option<Account>, Error> {
        let account = Account::reserve().map_err(Error::io("reserve a user id for", &self.mysqld))?;
        if account.is_none() {
            return Ok(None);
        }
        let loader = self.loader.iter().map(|loader| loader.path.as_path());
        let mut required = loader.chain([self.mysqld.as_path(), self.basedir.as_path()]);
        match required.find_map(find_unreadable) {
            Some(closed) => Err(Error::NoServer { path: self.mysqld.clone(), reason: explain_unreadable(&closed) }),
            None => Ok(account),
        }
    }

    /// Returns the files and folders that the server reads, besides those of the system: its
    /// program, libraries and messages, not all of a basedir that may be `/` or a home folder. The
    /// paths have no links. Links out of the program's folder are left out: its maker could name
    /// any path.
    pub fn readable_paths(&self) -> Vec<PathBuf> {
        let Ok(root) = fs::canonicalize(&self.root) else { return Vec::new() };
        let resolved = self.named_paths().into_iter().filter_map(|path| fs::canonicalize(path).ok());
        resolved.filter(|path| path.starts_with(&root)).collect()
    }

    fn named_paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = BASEDIR_FOLDERS.iter().map(|name| self.basedir.join(name)).collect();
        paths.push(self.mysqld.clone());
        if let Some(folder) = self.mysqld.parent() {
            // Another folder may be a home folder, with its owner's keys.
            let is_for_programs = PROGRAM_FOLDERS.iter().any(|name| folder.ends_with(name));
            paths.extend(if is_for_programs { vec![folder.to_owned()] } else { libraries_in(folder) });
        }
        if let Some(loader) = &self.loader {
            paths.push(loader.path.clone());
            paths.extend(loader.library_folders.iter().cloned());
        }
        paths
    }

    /// Returns a command that runs the server, without arguments.
    pub fn command(&self) -> Command {
        let Some(loader) = &self.loader else { return Command::new(&self.mysqld) };
        let mut command = Command::new(&loader.path);
        // Empty if a path contains a colon, as that of the cache may.
        let path = env::join_paths(&loader.library_folders).unwrap_or_default();
        command.arg("--library-path").arg(path).arg(&self.mysqld);
        command
    }

    /// Returns the options that name the locations of a relocated server's files.
    pub fn location_options(&self) -> Vec<String> {
        let mut options = vec![format!("--basedir={}", self.basedir.display())];
        let mut add = |option: &str, folder: Option<PathBuf>| {
            options.extend(folder.map(|folder| format!("--{option}={}", folder.display())));
        };
        add("lc-messages-dir", self.find_share_folder("english/errmsg.sys"));
        add("character-sets-dir", self.find_share_folder("charsets/Index.xml").map(|share| share.join("charsets")));
        add("plugin-dir", self.find_plugin_folder());
        options
    }

    /// Reads a script that fills the system tables: `mariadb_{name}` or `mysql_{name}`. `None` if
    /// there is none. Fails if a link leads out of the program's folder to the script.
    pub fn read_script(&self, name: &str, max_bytes: u64) -> Option<Result<Vec<u8>, Error>> {
        let vendors = [format!("mariadb_{name}"), format!("mysql_{name}")];
        let path = vendors.iter().find_map(|file| Some(self.find_share_folder(file)?.join(file)))?;
        Some(files::read_small_below(&self.root, &path, max_bytes).map_err(Error::io("read", &path)))
    }

    fn find_share_folder(&self, file: &str) -> Option<PathBuf> {
        let folders = ["share/mariadb", "share/mysql", "share", "scripts"].map(|name| self.basedir.join(name));
        // Oracle's and Percona's packages: share/mysql-8.0, share/percona-server.
        let versioned = || subfolders(&self.basedir.join("share"));
        folders
            .into_iter()
            .find(|folder| folder.join(file).exists())
            .or_else(|| versioned().into_iter().find(|folder| folder.join(file).exists()))
    }

    fn find_plugin_folder(&self) -> Option<PathBuf> {
        let vendors = ["mariadb/plugin", "mysql/plugin", "plugin"];
        let folders =
            ["lib", "lib64"].into_iter().flat_map(|lib| vendors.map(|name| self.basedir.join(lib).join(name)));
        folders.into_iter().find(|folder| folder.is_dir())
    }
}

/// Lists the shared libraries that lie directly in a folder: `libcrypto.so.1.1`, not links to
/// elsewhere.
fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = &fs::canonicalize(folder) else { return Vec::new() };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_library = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let resolved = fs::canonicalize(entry.path());
        (name.ends_with(".so") || name.contains(".so."))
            && resolved.is_ok_and(|path| path.parent() == Some(folder.as_path()) && path.is_file())
    };
    entries.filter(is_library).map(|entry| entry.path()).collect()
}

/// Explains that the account of a server may not read or enter `path`.
pub fn explain_unreadable(path: &Path) -> String {
    format!(
        "root starts servers as a user of their own, who may not read {0}; open it (chmod o+rX {0}), set WEIGH_CACHE or \
         TMPDIR to a folder that every user may enter, or run weigh as another user",
        path.display()
    )
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Lists the folders below an unpacked root that hold libraries.
pub(crate) fn library_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for base in ["usr/lib", "lib", "usr/lib64", "lib64"].map(|name| root.join(name)) {
        let is_multiarch = |path: &PathBuf| path.to_string_lossy().ends_with("-linux-gnu");
        folders.extend(subfolders(&base).into_iter().filter(is_multiarch));
        // Oracle's packages keep private libraries there.
        folders.extend(Some(base.join("mysql/private")).filter(|folder| folder.is_dir()));
        folders.extend(base.is_dir().then_some(base));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(mysqld: &Path, basedir: &Path) -> Program {
        Program {
            label: String::new(),
            flavour: Flavour::MySql,
            version: Version::new(8, 0, 0),
            mysqld: mysqld.to_owned(),
            loader: None,
            basedir: basedir.to_owned(),
            root: basedir.to_owned(),
            cache_folder_name: None,
        }
    }

    #[test]
    fn a_program_reads_only_libraries_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(place.path()).unwrap();
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::create_dir_all(home.join("share")).unwrap();
        for file in ["mysqld", "libcrypto.so.3", "libssl.so", "notes.sock", "mail.soap", ".ssh/id_rsa", "bin/mysqld"] {
            fs::write(home.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(".ssh/id_rsa", home.join("key.so")).unwrap();
        let readable = program(&home.join("mysqld"), &home).readable_paths();
        let has = |path: &str| readable.iter().any(|readable| home.join(path).starts_with(readable));
        assert!(has("mysqld") && has("libcrypto.so.3") && has("libssl.so") && has("share/errmsg.sys"));
        for closed in ["", ".ssh/id_rsa", "key.so", "notes.sock", "mail.soap"] {
            assert!(!has(closed), "{closed}");
        }
        let readable = program(&home.join("bin/mysqld"), &home).readable_paths();
        assert!(readable.contains(&home.join("bin")) && !readable.contains(&home));
    }

    #[test]
    fn links_lead_nowhere_out_of_the_programs_folder() {
        let place = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(place.path()).unwrap();
        let basedir = home.join("server");
        for folder in ["server/bin", "server/lib", "server/scripts", "server/messages", "keys"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("keys/id_rsa"), "key").unwrap();
        fs::write(basedir.join("scripts/mysql_a.sql"), "script").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, basedir.join(name)).unwrap();
        link("messages", "share");
        link(home.to_str().unwrap(), "lib64");
        link("../keys", "libexec");
        link("bin/../..", "support-files");
        link("../../keys/id_rsa", "scripts/mysql_b.sql");
        let program = program(&basedir.join("bin/mysqld"), &basedir);
        let readable = program.readable_paths();
        assert!(readable.contains(&basedir.join("messages")), "{readable:?}");
        assert!(readable.iter().all(|path| path.starts_with(&basedir)), "{readable:?}");
        assert_eq!(program.read_script("a.sql", 99).unwrap().unwrap(), b"script");
        assert!(program.read_script("b.sql", 99).unwrap().is_err());
        assert!(program.read_script("c.sql", 99).is_none());
    }
}
