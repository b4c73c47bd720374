//! The Debian packages, checked by lintian, installed and removed in a root.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::{Files, Root, try_program};
use crate::bindings::{c, root as project};

/// Tags of lintian that are accepted, with the reason.
const ACCEPTED: [(&str, &str); 7] = [
    ("bogus-mail-host", "the maintainer's address is for whoever publishes the packages to set"),
    ("bogus-mail-host-in-debian-changelog", "the same address"),
    ("copyright-file-contains-full-apache-2-license", "the RPM and the archive have the same text"),
    ("copyright-not-using-common-license-for-apache2", "the same text"),
    ("link-to-shared-library-in-wrong-package", "one package has the library and what is built with it"),
    ("package-name-doesnt-match-sonames", "the same package"),
    ("pkg-config-unavailable-for-cross-compilation", "the files lie below /usr/lib as in the archive"),
];

/// Installs the command, runs it, and removes it.
pub fn try_command(root: &Root, files: &Files) -> Result<()> {
    let package = copy(root, &files.find("weighbridge_", "_amd64.deb")?)?;
    check(root, &package)?;
    root.output(&["apt-get", "install", "--yes", "--no-install-recommends", &package], &[0])?;
    try_program(root, "/usr/bin/weigh")?;
    for file in ["usr/share/man/man1/weigh.1.gz", "usr/share/bash-completion/completions/weigh"] {
        // Debian's containers leave out manual pages by a rule of dpkg; debootstrap does not.
        ensure!(root.folder.join(file).exists(), "{file} is missing");
    }
    root.output(&["apt-get", "purge", "--yes", "weighbridge"], &[0])?;
    ensure!(!root.folder.join("usr/bin/weigh").exists(), "the program is left after purge");
    Ok(fs::remove_dir_all(root.folder.join("trial"))?)
}

/// Installs the C library, and builds and runs its example with pkg-config.
pub fn try_c_library(root: &Root, files: &Files) -> Result<()> {
    let package = copy(root, &files.find("libmysql-collation-dev_", "_amd64.deb")?)?;
    check(root, &package)?;
    let install = ["apt-get", "install", "--yes", "--no-install-recommends", "gcc", "libc6-dev", "pkg-config"];
    root.output(&[&install[..], &[&package]].concat(), &[0])?;
    fs::copy(project().join("engine/bindings/c/examples/words.c"), root.folder.join("trial/words.c"))?;
    let build = "gcc /trial/words.c $(pkg-config --cflags --libs mysql_collation) -o /trial/words";
    root.output(&["sh", "-c", build], &[0])?;
    let printed = root.output(&[&["/trial/words"][..], &c::EXAMPLE_ARGUMENTS].concat(), &[0])?;
    ensure!(printed == c::EXAMPLE_OUTPUT, "{printed}");
    root.output(&["apt-get", "purge", "--yes", "libmysql-collation-dev"], &[0])?;
    Ok(fs::remove_dir_all(root.folder.join("trial"))?)
}

/// Copies a package into the root and returns its path there.
fn copy(root: &Root, package: &Path) -> Result<String> {
    let folder = root.empty_folder("trial")?;
    let name = package.file_name().unwrap_or_default();
    fs::copy(package, folder.join(name))?;
    Ok(format!("/trial/{}", name.to_string_lossy()))
}

/// Runs lintian, whose errors and warnings are failures but for those accepted.
fn check(root: &Root, package: &str) -> Result<()> {
    root.output(&["apt-get", "install", "--yes", "--no-install-recommends", "lintian"], &[0])?;
    let accepted = ACCEPTED.map(|(tag, _)| tag).join(",");
    root.output(&["lintian", "--fail-on", "error,warning", "--suppress-tags", &accepted, package], &[0])?;
    Ok(())
}
