//! Tools: programs other than servers, from `PATH` or from packages.
//!
//! A server of the catalogue comes from any suite and runs with the loader that was installed with
//! it. A [`Tool`] comes from the host's own suite and runs with the host's loader and C library.
//! `LD_LIBRARY_PATH` names the folders of its other libraries. The reason is Chromium: it starts
//! itself again as `/proc/self/exe`, which would be the loader.

mod axe;
mod java;
mod rustc;

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

pub use self::axe::find_or_install_axe;
pub use self::rustc::find_or_install_wasm_rustc;
use crate::program::library_folders;
use crate::source::apt::Apt;
use crate::{Cache, Error, Progress, command};

/// A program that `weigh`, its tests or its build run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Browser without windows, for tests of HTML pages.
    Chromium,
    /// MariaDB's command-line client.
    Client,
    /// CMake, for tests of the library's C interface.
    Cmake,
    /// debootstrap, for roots of Debian in which releases are tried.
    Debootstrap,
    /// Go, for tests and examples of the library.
    Go,
    /// Runtime of Java 17 or later, for Spark.
    Java,
    /// Maven with a JDK, for tests of the library in Java.
    Maven,
    /// Linux's perf, which samples profiles.
    Perf,
    /// pkg-config, for tests of the library's C interface.
    PkgConfig,
    /// Python 3.11 or later with venv and pip, for tests of the library.
    Python,
    /// QEMU's emulation of 64-bit ARM, for tests on other machines.
    Qemu,
    /// sysbench 1.0, for `--driver sysbench`.
    Sysbench,
    /// Valgrind, for `weigh count` and tests of the library's C interface.
    Valgrind,
}

/// Debian package of a tool.
struct ToolPackage {
    name: &'static str,
    /// Packages that the tool needs and its package doesn't depend on.
    others: &'static [&'static str],
    /// Path of the program in the package or in a dependency.
    file: &'static str,
    /// Shell assignments that name the locations of the tool's files below `$root`.
    environment: &'static str,
    /// Disk space during the installation, in MiB.
    mebibytes: u64,
}

/// Returns a package whose program runs without settings.
const fn plain_package(name: &'static str, file: &'static str, mebibytes: u64) -> ToolPackage {
    ToolPackage { name, others: &[], file, environment: "", mebibytes }
}

/// Packages of the C library. The host's own are used: they must fit the host's loader.
const C_LIBRARY: [&str; 2] = ["libc6", "libc-bin"];

impl Tool {
    pub const ALL: [Self; 13] = [
        Self::Chromium,
        Self::Client,
        Self::Cmake,
        Self::Debootstrap,
        Self::Go,
        Self::Java,
        Self::Maven,
        Self::Perf,
        Self::PkgConfig,
        Self::Python,
        Self::Qemu,
        Self::Sysbench,
        Self::Valgrind,
    ];

    /// Name of the program on `PATH`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Client => "mariadb",
            Self::Cmake => "cmake",
            Self::Debootstrap => "debootstrap",
            Self::Go => "go",
            Self::Java => "java",
            Self::Maven => "mvn",
            Self::Perf => "perf",
            Self::PkgConfig => "pkg-config",
            Self::Python => "python3",
            Self::Qemu => "qemu-aarch64",
            Self::Sysbench => "sysbench",
            Self::Valgrind => "valgrind",
        }
    }

    fn package(self) -> ToolPackage {
        match self {
            Self::Chromium => ToolPackage {
                name: "chromium-headless-shell",
                others: &[],
                file: "usr/lib/chromium/chromium-headless-shell",
                environment: "FONTCONFIG_SYSROOT=\"$root\"",
                mebibytes: 900,
            },
            Self::Client => ToolPackage {
                name: "mariadb-client-core",
                others: &[],
                file: "usr/bin/mariadb",
                // Contains the plugins for logging in to MySQL.
                environment: "MARIADB_PLUGIN_DIR=\"$(echo \"$root\"/usr/lib/*/libmariadb3/plugin)\"",
                mebibytes: 60,
            },
            Self::Cmake => ToolPackage {
                name: "cmake",
                others: &[],
                file: "usr/bin/cmake",
                environment: "CMAKE_ROOT=\"$(echo \"$root\"/usr/share/cmake-*)\"",
                mebibytes: 150,
            },
            Self::Debootstrap => ToolPackage {
                name: "debootstrap",
                others: &[],
                file: "usr/sbin/debootstrap",
                environment: "DEBOOTSTRAP_DIR=\"$root/usr/share/debootstrap\"",
                mebibytes: 20,
            },
            Self::Go => ToolPackage {
                name: "golang-go",
                others: &[],
                file: "usr/bin/go",
                environment: "GOROOT=\"$(echo \"$root\"/usr/lib/go-*)\"",
                mebibytes: 700,
            },
            Self::Java => ToolPackage {
                name: "default-jre-headless",
                others: &[],
                file: "usr/lib/jvm/default-java/bin/java",
                environment: "JAVA_HOME=\"$root/usr/lib/jvm/default-java\"",
                mebibytes: 400,
            },
            Self::Maven => ToolPackage {
                name: "maven",
                others: &["default-jdk-headless"],
                file: "usr/share/maven/bin/mvn",
                environment: "JAVA_HOME=\"$root/usr/lib/jvm/default-java\" \
                              MAVEN_OPTS=\"-Djavax.net.ssl.trustStore=$root/truststore ${MAVEN_OPTS:-}\"",
                mebibytes: 800,
            },
            Self::Perf => plain_package("linux-perf", "usr/bin/perf", 250),
            Self::PkgConfig => plain_package("pkg-config", "usr/bin/pkg-config", 10),
            Self::Python => ToolPackage {
                name: "python3-venv",
                others: &[],
                file: "usr/bin/python3",
                // pip, as the wheel that Debian's venv uses.
                environment: "PYTHONPATH=\"$(echo \"$root\"/usr/share/python-wheels/pip-*.whl)\"",
                mebibytes: 150,
            },
            Self::Qemu => plain_package("qemu-user", "usr/bin/qemu-aarch64", 400),
            Self::Sysbench => ToolPackage {
                name: "sysbench",
                others: &[],
                file: "usr/bin/sysbench",
                environment: "LUA_PATH=\"$root/usr/share/sysbench/?.lua;;\"",
                mebibytes: 100,
            },
            Self::Valgrind => ToolPackage {
                name: "valgrind",
                others: &[],
                // bin/valgrind is a script with the installed path.
                file: "usr/bin/valgrind.bin",
                environment: "VALGRIND_LIB=\"$root/usr/libexec/valgrind\" \
                              VALGRIND_OPTS=\"--extra-debuginfo-path=$root/usr/lib/debug\"",
                mebibytes: 250,
            },
        }
    }

    /// Finds the program on `PATH` or in the cache.
    pub fn find(self) -> Option<PathBuf> {
        let on_path = programs_on_path(self.name()).find(|file| self.is_suitable(file));
        on_path.or_else(|| Some(self.wrapper(&Cache::for_user().ok()?)).filter(|file| is_executable(file)))
    }

    /// Returns the program, installed into the cache first if it is neither there nor on `PATH`.
    pub fn find_or_install(self, progress: &dyn Progress) -> Result<PathBuf, Error> {
        if let Some(file) = self.find() {
            return Ok(file);
        }
        let cache = Cache::for_user()?;
        let mebibytes = self.package().mebibytes;
        let installed =
            cache.folder_or_create(&self.cache_key(), mebibytes, progress, |folder| self.install(folder, progress));
        installed.map_err(|error| match error {
            Error::Command { task, source, .. } => {
                let reason = format!("cannot {task}: {source}");
                Error::Tool { name: self.name(), package: self.package().name, reason }
            }
            error => error,
        })?;
        Ok(self.wrapper(&cache))
    }

    /// Returns another program of the tool's package, by name: next to the program that
    /// [`find`](Self::find) returns, or in the cache.
    pub fn find_companion(self, name: &str) -> Option<PathBuf> {
        let folder = self.find()?.parent()?.to_owned();
        [folder.join(name), folder.join("root/usr/bin").join(name)].into_iter().find(|file| is_executable(file))
    }

    /// True if a program on `PATH` has the version and modules that are needed.
    fn is_suitable(self, file: &Path) -> bool {
        let run = |arguments: &[&str]| {
            Command::new(file).args(arguments).output().ok().filter(|output| output.status.success())
        };
        match self {
            // Debian's python3 lacks pip and venv.
            Self::Python => run(&["-c", "import pip, sys, venv; sys.exit(sys.version_info < (3, 11))"]).is_some(),
            // Prints `openjdk 17.0.15 2025-04-15`. Java 8 rejects the option.
            Self::Java => run(&["--version"]).is_some_and(|output| {
                let text = String::from_utf8_lossy(&output.stdout);
                let version = text.split_whitespace().nth(1).and_then(|version| version.split(['.', '-']).next());
                version.and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= 17)
            }),
            // Prints `…, runtime: /usr/lib/jvm/java-17-openjdk-amd64`, which may lack the compiler.
            Self::Maven => run(&["--version"]).is_some_and(|output| {
                let text = String::from_utf8_lossy(&output.stdout);
                let runtime = text.lines().find_map(|line| Some(line.split_once("runtime: ")?.1.trim().to_owned()));
                runtime.is_some_and(|runtime| is_executable(&Path::new(&runtime).join("bin/javac")))
            }),
            _ => true,
        }
    }

    fn cache_key(self) -> String {
        format!("tools/{}", self.name())
    }

    fn wrapper(self, cache: &Cache) -> PathBuf {
        cache.folder(&self.cache_key()).join(self.name())
    }

    fn install(self, folder: &Path, progress: &dyn Progress) -> Result<(), Error> {
        let package = self.package();
        let root = folder.join("root");
        let apt = Apt::for_host(&folder.join("apt"), progress)?;
        let mut packages = apt.download(&[&[package.name], package.others].concat(), self.name(), progress)?;
        packages.exclude(&C_LIBRARY);
        packages.unpack(&root, progress)?;
        match self {
            Self::Valgrind => move_debug_files(&root)?,
            Self::Java => java::relink_settings(&root, "usr/lib/jvm")?,
            Self::Maven => java::prepare_maven(&root)?,
            _ => {}
        }
        let wrapper = folder.join(self.name());
        fs::write(&wrapper, wrapper_script(&root, &package)).map_err(Error::io("write", &wrapper))?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&wrapper, executable).map_err(Error::io("make executable", &wrapper))?;
        // Fails now, not during a measurement, if the tool does not run on this machine.
        let mut version = Command::new(&wrapper);
        version.arg(if self == Self::Go { "version" } else { "--version" });
        command::output(version, &format!("run {}", self.name())).map(drop)
    }
}

/// Moves the debug information of the C library to where Valgrind finds it. Valgrind does not start
/// without this information. Debian names the files by build id, which Valgrind looks up in the
/// system's folder only. In other folders, Valgrind looks for the library's path and name.
fn move_debug_files(root: &Path) -> Result<(), Error> {
    let debug = root.join("usr/lib/debug");
    // The first folder is that of this machine's architecture, such as usr/lib/x86_64-linux-gnu.
    let libraries = library_folders(root).into_iter().next().unwrap_or_else(|| root.join("usr/lib"));
    let to = debug.join(libraries.strip_prefix(root).unwrap_or(&libraries));
    fs::create_dir_all(&to).map_err(Error::io("create", &to))?;
    for folder in entries(&debug.join(".build-id"))? {
        for file in entries(&folder)? {
            fs::rename(&file, to.join(file.file_name().unwrap_or_default())).map_err(Error::io("move", &file))?;
        }
    }
    // For hosts whose /lib is no link to /usr/lib.
    let lib = debug.join("lib");
    symlink("usr/lib", &lib).map_err(Error::io("link", &lib))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(Error::io("read", folder))
}

/// Returns a script that runs the program. The script finds the program relative to its own path.
fn wrapper_script(root: &Path, package: &ToolPackage) -> String {
    let ToolPackage { file, environment, .. } = package;
    let folders = library_folders(root).into_iter().flat_map(|folder| [folder.join("pulseaudio"), folder]);
    let below_root = |folder: PathBuf| folder.strip_prefix(root).map(Path::to_owned).ok();
    let libraries: Vec<String> = folders
        .filter(|folder| folder.is_dir())
        .filter_map(below_root)
        .map(|folder| format!("$root/{}", folder.display()))
        .collect();
    format!(
        "#!/bin/sh\nroot=$(dirname \"$(readlink -f \"$0\")\")/root\n\
         export LD_LIBRARY_PATH=\"{}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\" {environment}\n\
         exec \"$root/{file}\" \"$@\"\n",
        libraries.join(":")
    )
}

/// Finds the program that a command of this name runs.
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    programs_on_path(name).next()
}

/// Returns the programs of a name on `PATH`, in the order of its folders.
fn programs_on_path(name: &str) -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let files: Vec<PathBuf> = env::split_paths(&path).map(|folder| folder.join(name)).collect();
    files.into_iter().filter(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
