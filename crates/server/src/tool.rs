//! Programs that run beside a server: from PATH, else from this machine's packages, unpacked into the cache without root.
//!
//! Servers run by the loader that came with them, from any suite. A tool comes from the host's own suite and runs by the host's
//! loader and C library, with its other libraries found by `LD_LIBRARY_PATH`: Chromium starts itself again by
//! `/proc/self/exe`, which would be the loader.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Apt;
use crate::cache::Cache;
use crate::{Error, Progress, command, program};

/// A program that `weigh` or its tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The browser that the tests open pages in, without windows.
    Chromium,
    /// MariaDB's command-line client, by which the tests run what users would.
    Client,
    /// Go, which an example of the library's C interface is written in.
    Go,
    /// Java 17 or later, which Spark runs in.
    Java,
    /// Linux's perf, which takes the samples of a profile.
    Perf,
    /// pkg-config, by which programs find the library's C interface.
    PkgConfig,
    /// Python 3.11 or later with venv and pip, which the library's Python module is tested in.
    Python,
    /// QEMU's emulation of ARM, which the library's vectors of NEON are tested under where the machine is another.
    Qemu,
    /// sysbench 1.0, for `--driver sysbench`.
    Sysbench,
    /// Valgrind, which the library's C interface is tested under.
    Valgrind,
}

/// Where a tool comes from.
struct Package {
    /// The Debian package.
    name: &'static str,
    /// The program in it.
    file: &'static str,
    /// What tells it where its own files are, `$root` being where they are.
    environment: &'static str,
    /// What it takes on disk while it is unpacked, in MiB.
    mebibytes: u64,
}

/// What the host has in any case, and what its loader must fit.
const C_LIBRARY: [&str; 2] = ["libc6", "libc-bin"];

impl Tool {
    /// Every tool.
    pub const ALL: [Self; 10] = [
        Self::Chromium,
        Self::Client,
        Self::Go,
        Self::Java,
        Self::Perf,
        Self::PkgConfig,
        Self::Python,
        Self::Qemu,
        Self::Sysbench,
        Self::Valgrind,
    ];

    /// The program's name on PATH.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Client => "mariadb",
            Self::Go => "go",
            Self::Java => "java",
            Self::Perf => "perf",
            Self::PkgConfig => "pkg-config",
            Self::Python => "python3",
            Self::Qemu => "qemu-aarch64",
            Self::Sysbench => "sysbench",
            Self::Valgrind => "valgrind",
        }
    }

    fn package(self) -> Package {
        match self {
            Self::Chromium => Package {
                name: "chromium-headless-shell",
                file: "usr/lib/chromium/chromium-headless-shell",
                environment: "FONTCONFIG_SYSROOT=\"$root\"",
                mebibytes: 900,
            },
            Self::Client => Package {
                name: "mariadb-client-core",
                file: "usr/bin/mariadb",
                // Where the plugins are by which it logs in to MySQL.
                environment: "MARIADB_PLUGIN_DIR=\"$(echo \"$root\"/usr/lib/*/libmariadb3/plugin)\"",
                mebibytes: 60,
            },
            Self::Go => Package {
                name: "golang-go",
                file: "usr/bin/go",
                environment: "GOROOT=\"$(echo \"$root\"/usr/lib/go-*)\"",
                mebibytes: 700,
            },
            Self::Java => Package {
                name: "default-jre-headless",
                file: "usr/lib/jvm/default-java/bin/java",
                environment: "JAVA_HOME=\"$root/usr/lib/jvm/default-java\"",
                mebibytes: 400,
            },
            Self::Perf => Package { name: "linux-perf", file: "usr/bin/perf", environment: "", mebibytes: 250 },
            Self::PkgConfig => {
                Package { name: "pkg-config", file: "usr/bin/pkg-config", environment: "", mebibytes: 10 }
            }
            Self::Python => Package {
                name: "python3-venv",
                file: "usr/bin/python3",
                // As a wheel, which Debian keeps for venv.
                environment: "PYTHONPATH=\"$(echo \"$root\"/usr/share/python-wheels/pip-*.whl)\"",
                mebibytes: 150,
            },
            Self::Qemu => Package { name: "qemu-user", file: "usr/bin/qemu-aarch64", environment: "", mebibytes: 400 },
            Self::Sysbench => Package {
                name: "sysbench",
                file: "usr/bin/sysbench",
                environment: "LUA_PATH=\"$root/usr/share/sysbench/?.lua;;\"",
                mebibytes: 100,
            },
            Self::Valgrind => Package {
                name: "valgrind",
                // What is in bin is a script that knows where it is installed.
                file: "usr/bin/valgrind.bin",
                environment: "VALGRIND_LIB=\"$root/usr/libexec/valgrind\" \
                              VALGRIND_OPTS=\"--extra-debuginfo-path=$root/usr/lib/debug\"",
                mebibytes: 250,
            },
        }
    }

    /// The program, where it is on PATH or has been installed into the cache.
    pub fn find(self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).map(|folder| folder.join(self.name()));
        let on_path = on_path.into_iter().find(|file| is_executable(file) && self.will_do(file));
        on_path.or_else(|| Some(self.wrapper(&Cache::of_user().ok()?)).filter(|file| is_executable(file)))
    }

    /// The program, installed into the cache first where it is neither there nor on PATH.
    pub fn find_or_install(self, progress: &dyn Progress) -> Result<PathBuf, Error> {
        if let Some(file) = self.find() {
            return Ok(file);
        }
        let cache = Cache::of_user()?;
        let mebibytes = self.package().mebibytes;
        let made = cache.folder_or_make(&self.key(), mebibytes, progress, |folder| self.install_into(folder, progress));
        made.map_err(|error| match error {
            Error::Helper { what, source, .. } => {
                let reason = format!("cannot {what}: {source}");
                Error::Tool { name: self.name(), package: self.package().name, reason }
            }
            error => error,
        })?;
        Ok(self.wrapper(&cache))
    }

    /// Whether a program of the right name can do what it is wanted for.
    fn will_do(self, file: &Path) -> bool {
        let run = |arguments: &[&str]| {
            Command::new(file).args(arguments).output().ok().filter(|output| output.status.success())
        };
        match self {
            // Debian's python3 comes without pip.
            Self::Python => run(&["-c", "import pip, sys, venv; sys.exit(sys.version_info < (3, 11))"]).is_some(),
            // `openjdk 17.0.15 2025-04-15`; before Java 9 there is no such option.
            Self::Java => run(&["--version"]).is_some_and(|output| {
                let text = String::from_utf8_lossy(&output.stdout);
                let version = text.split_whitespace().nth(1).and_then(|version| version.split(['.', '-']).next());
                version.and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= 17)
            }),
            _ => true,
        }
    }

    fn key(self) -> String {
        format!("tools/{}", self.name())
    }

    fn wrapper(self, cache: &Cache) -> PathBuf {
        cache.folder(&self.key()).join(self.name())
    }

    fn install_into(self, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
        let package = self.package();
        let root = folder.join("root");
        let state = folder.join("apt");
        Apt::of_host(&state, progress)?.unpack_without(&[package.name], &C_LIBRARY, self.name(), &root)?;
        fs::remove_dir_all(&state).map_err(Error::io("remove", &state))?;
        match self {
            Self::Valgrind => place_debug_files(&root)?,
            Self::Java => place_settings(&root)?,
            _ => {}
        }
        let wrapper = folder.join(self.name());
        fs::write(&wrapper, script(&root, &package)).map_err(Error::io("write", &wrapper))?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&wrapper, executable).map_err(Error::io("make executable", &wrapper))?;
        // Whether it runs at all is known now, not in the middle of a measurement.
        let mut version = Command::new(&wrapper);
        version.arg(if self == Self::Go { "version" } else { "--version" });
        command::output(version, &format!("run {}", self.name())).map(drop)
    }
}

/// Moves the C library's debug information, without which Valgrind doesn't start, to where it finds it. By build id, as Debian has it, it
/// looks in the system's folder only; in another one by name, under the path of what it belongs to.
fn place_debug_files(root: &Path) -> Result<(), Error> {
    let debug = root.join("usr/lib/debug");
    // The first is that of the machine's own libraries, such as usr/lib/x86_64-linux-gnu.
    let libraries = program::library_folders(root).into_iter().next().unwrap_or_else(|| root.join("usr/lib"));
    let to = debug.join(libraries.strip_prefix(root).unwrap_or(&libraries));
    fs::create_dir_all(&to).map_err(Error::io("create", &to))?;
    for folder in entries(&debug.join(".build-id"))? {
        for file in entries(&folder)? {
            fs::rename(&file, to.join(file.file_name().unwrap_or_default())).map_err(Error::io("move", &file))?;
        }
    }
    // Where the host's /lib is a folder of its own.
    let lib = debug.join("lib");
    symlink("usr/lib", &lib).map_err(Error::io("link", &lib))
}

/// Leads Java's settings, which Debian keeps in /etc and links to from its own folder, to those below `root`.
fn place_settings(root: &Path) -> Result<(), Error> {
    let mut folders = vec![root.join("usr/lib/jvm")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_symlink() {
                let target = fs::read_link(&path).map_err(Error::io("read", &path))?;
                let Ok(below) = target.strip_prefix("/etc") else { continue };
                // Relative, since the folder is moved when it is whole.
                let up: PathBuf = folder.strip_prefix(root).unwrap_or(&folder).components().map(|_| "..").collect();
                fs::remove_file(&path).map_err(Error::io("remove", &path))?;
                symlink(up.join("etc").join(below), &path).map_err(Error::io("link", &path))?;
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(Error::io("read", folder))
}

/// A script that runs the program, wherever its folder is moved to.
fn script(root: &Path, package: &Package) -> String {
    let Package { file, environment, .. } = package;
    let folders = program::library_folders(root).into_iter().flat_map(|folder| [folder.join("pulseaudio"), folder]);
    let below = |folder: PathBuf| folder.strip_prefix(root).map(Path::to_owned).ok();
    let libraries: Vec<String> = folders
        .filter(|folder| folder.is_dir())
        .filter_map(below)
        .map(|folder| format!("$root/{}", folder.display()))
        .collect();
    format!(
        "#!/bin/sh\nroot=$(dirname \"$(readlink -f \"$0\")\")/root\n\
         export LD_LIBRARY_PATH=\"{}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\" {environment}\n\
         exec \"$root/{file}\" \"$@\"\n",
        libraries.join(":")
    )
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
