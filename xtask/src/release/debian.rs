//! Debian packages of the command and of the C library.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::payload::{File, LINK_MODE, compress};
use crate::bindings::succeed;

/// Contents of a package, besides its files.
pub struct Control<'a> {
    pub package: &'a Package,
    pub version: &'a str,
    /// Debian's name of the architecture.
    pub architecture: &'a str,
    /// Packages that the program needs, in the syntax of `Depends`.
    pub depends: &'a str,
    /// Time of all files in seconds since 1970.
    pub time: u64,
}

/// Name and description of a package.
pub struct Package {
    pub name: &'static str,
    section: &'static str,
    /// Lines about related packages, such as `Recommends: linux-perf\n`.
    others: &'static str,
    /// A line of summary, then Debian's lines of description.
    description: &'static str,
    /// Other control files, as name and content.
    control_files: &'static [(&'static str, &'static str)],
}

/// The command.
pub const COMMAND: Package = Package {
    name: "weighbridge",
    section: "database",
    others: "Recommends: linux-perf\nSuggests: sysbench\n",
    description: "measures the cost of character sets and collations
 Measures what character sets and collations cost MySQL and MariaDB servers,
 in turns of milliseconds on the same cores, with 95 % intervals. Checks
 servers and dumps before a conversion or an upgrade, and compares, sorts and
 explains strings as the servers do.
",
    control_files: &[],
};

/// The C library with its header.
pub const C_LIBRARY: Package = Package {
    name: "libmysql-collation-dev",
    section: "libdevel",
    others: "",
    description: "collations of MySQL and MariaDB, exact to the last weight
 Compares, sorts and hashes strings as the servers do, without a server. This
 package has the header, the static and the shared library, and files for
 pkg-config and CMake.
",
    control_files: &[
        ("shlibs", "libmysql_collation 1 libmysql-collation-dev\n"),
        ("triggers", "activate-noawait ldconfig\n"),
    ],
};

/// Builds a package with `dpkg-deb`.
pub fn pack(control: &Control, files: &[File], package: &Path) -> Result<()> {
    let tree = tempfile::tempdir().context("cannot create a temporary folder")?;
    let path = format!("usr/share/doc/{}/changelog.gz", control.package.name);
    let changelog = File::new(path, compress(changelog(control)?.as_bytes())?);
    for file in files.iter().chain([&changelog]) {
        write_file(&tree.path().join(&file.path), &file.bytes, file.mode)?;
    }
    let kibibytes = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    write_file(&tree.path().join("DEBIAN/control"), render_control(control, kibibytes).as_bytes(), 0o644)?;
    for (name, content) in control.package.control_files {
        write_file(&tree.path().join("DEBIAN").join(name), content.as_bytes(), 0o644)?;
    }
    set_folder_modes(tree.path())?;
    let mut dpkg = Command::new("dpkg-deb");
    // Compression by several threads depends on their number.
    dpkg.env("SOURCE_DATE_EPOCH", control.time.to_string()).env("DPKG_DEB_THREADS_MAX", "1");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(tree.path()).arg(package);
    succeed(dpkg.stdout(std::process::Stdio::null())).context("the Debian package needs dpkg-deb (on Debian: dpkg)")
}

fn render_control(control: &Control, kibibytes: usize) -> String {
    let Control { package, version, architecture, depends, .. } = control;
    let Package { name, section, others, description, .. } = package;
    let depends = if depends.is_empty() { String::new() } else { format!("Depends: {depends}\n") };
    format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: {MAINTAINER}\nInstalled-Size: {kibibytes}\n\
         Section: {section}\nPriority: optional\n{depends}{others}Description: {description}"
    )
}

/// The publisher of the packages sets the address.
const MAINTAINER: &str = "The Weighbridge developers <weighbridge@localhost>";

/// Returns a changelog in Debian's format, which refers to the project's.
fn changelog(control: &Control) -> Result<String> {
    let mut date = Command::new("date");
    let output = date.args(["--utc", "--rfc-email", "--date"]).arg(format!("@{}", control.time)).output()?;
    Ok(format!(
        "{} ({}) unstable; urgency=medium\n\n  * Changes are listed in CHANGELOG.md.\n\n \
         -- {MAINTAINER}  {}",
        control.package.name,
        control.version,
        String::from_utf8(output.stdout)?
    ))
}

/// Returns Debian's name of this machine's architecture.
pub fn host_architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("no Debian architecture is known for {other}"),
    }
}

/// Gives folders the mode 755, independent of this process's umask.
fn set_folder_modes(folder: &Path) -> Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            set_folder_modes(&path)?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    if mode == LINK_MODE {
        return Ok(std::os::unix::fs::symlink(OsStr::from_bytes(bytes), path)?);
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_package() {
        let control =
            Control { package: &COMMAND, version: "1", architecture: "amd64", depends: "", time: 1_700_000_000 };
        let files =
            [File::new("usr/bin/weigh", vec![7; 100_000]), File::new("usr/share/doc/weighbridge/copyright", vec![])];
        let packages = [(); 2].map(|()| {
            let folder = tempfile::tempdir().unwrap();
            let package = folder.path().join("weighbridge.deb");
            pack(&control, &files, &package).unwrap();
            fs::read(package).unwrap()
        });
        assert!(packages[0] == packages[1]);
    }
}
