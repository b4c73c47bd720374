//! `cargo xtask test release`: builds the files of a release, and tries each as its users would: in
//! Debian chroots, in fresh Python environments, in empty npm and cargo projects.

mod arm64;
mod crates;
mod debian;
mod first_steps;
mod image;
mod python;
mod root;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{ALL, Arguments, DEFAULT_OUT};
use crate::bindings::{c, create_empty_folder, succeed};
use root::Root;

/// Debian suites in whose chroots the program is tried: 11, 12 and 13.
const SUITES: [&str; 3] = ["bullseye", "bookworm", "trixie"];

/// Builds all files and, unless `no_run`, tries them.
pub fn run_trials(no_run: bool) -> Result<()> {
    let out = crate::bindings::root().join(DEFAULT_OUT);
    let arm64 = std::env::var_os("RELEASE_ARM64").is_some();
    super::run(&Arguments { parts: ALL.to_vec(), out: out.clone(), arm64 })?;
    let roots = SUITES.iter().map(|suite| Root::find_or_create(suite)).collect::<Result<Vec<_>>>()?;
    if no_run {
        return Ok(());
    }
    let files = Files::read(&out)?;
    check_sums(&out)?;
    for root in &roots {
        try_archive(root, &files).with_context(|| format!("the archive in {}", root.suite))?;
    }
    let newest = roots.last().context("no root")?;
    debian::try_command(newest, &files).context("the Debian package")?;
    debian::try_c_library(newest, &files).context("the Debian package of the C library")?;
    first_steps::run(newest, &files).context("the first steps with the program alone")?;
    try_rpm(newest, &files).context("the RPM package")?;
    image::try_image(&files).context("the image")?;
    if arm64 {
        arm64::try_program(&files).context("the program for arm64")?;
    }
    try_c_library(&files).context("the C library")?;
    try_npm(&files).context("the npm package")?;
    crates::try_crates(&files).context("the packages for crates.io")?;
    python::try_wheels(&files)
}

/// Files of a release.
pub struct Files {
    folder: PathBuf,
    names: Vec<String>,
}

impl Files {
    fn read(folder: &Path) -> Result<Self> {
        let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        Ok(Self { folder: folder.to_owned(), names: fs::read_dir(folder)?.map(name).collect::<Result<_>>()? })
    }

    /// Returns the only file whose name begins and ends so.
    pub fn find(&self, start: &str, end: &str) -> Result<PathBuf> {
        let mut found = self.names.iter().filter(|name| name.starts_with(start) && name.ends_with(end));
        let name = found.next().with_context(|| format!("the release has no file {start}…{end}"))?;
        ensure!(found.next().is_none(), "the release has several files {start}…{end}");
        Ok(self.folder.join(name))
    }
}

fn check_sums(folder: &Path) -> Result<()> {
    succeed(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(folder))
}

/// Unpacks the archive in a root, and runs the program there.
fn try_archive(root: &Root, files: &Files) -> Result<()> {
    let archive = files.find("weighbridge-", "x86_64-unknown-linux-gnu.tar.gz")?;
    let folder = root.empty_folder("trial")?;
    succeed(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(&archive).arg("-C").arg(&folder))?;
    for name in
        ["man/weigh-bench.1", "completions/weigh.bash", "docs/README.md", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt"]
    {
        ensure!(fs::metadata(folder.join(name)).is_ok_and(|file| file.len() > 0), "{name} is missing");
    }
    let notices = fs::read_to_string(folder.join("THIRD-PARTY-LICENSES.txt"))?;
    ensure!(notices.contains("COMMON DEVELOPMENT AND DISTRIBUTION LICENSE"), "inferno's licence is missing");
    try_program(root, "/trial/weigh")?;
    Ok(fs::remove_dir_all(folder)?)
}

/// Runs an installed program: version, a comparison, and a sort.
fn try_program(root: &Root, program: &str) -> Result<()> {
    let version = root.output(&[program, "--version", "--verbose"], &[0])?;
    ensure!(version.contains(concat!("weigh ", env!("CARGO_PKG_VERSION"))), "{version}");
    let explained = root.output(&[program, "explain", "-c", "utf8mb4_general_ci", "a", "A"], &[0])?;
    ensure!(explained.contains("a = b"), "{explained}");
    let folder = root.empty_folder("trial-words")?;
    fs::write(folder.join("words"), "Zug\nSTRASSE\nÄhre\nStraße\n")?;
    let sorted =
        root.output(&[program, "sort", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql", "/trial-words/words"], &[0])?;
    ensure!(sorted.lines().eq(["Ähre", "STRASSE", "Straße", "Zug"]), "{sorted}");
    eprintln!("{}: {} runs", root.suite, version.lines().next().unwrap_or_default());
    Ok(fs::remove_dir_all(folder)?)
}

/// Installs without checking dependencies: the RPM database of a Debian chroot doesn't list libc.
fn try_rpm(root: &Root, files: &Files) -> Result<()> {
    let folder = root.empty_folder("trial")?;
    fs::copy(files.find("weighbridge-", ".x86_64.rpm")?, folder.join("weighbridge.rpm"))?;
    let requires = root.output(&["rpm", "-qp", "--requires", "/trial/weighbridge.rpm"], &[0])?;
    ensure!(requires.contains("libc.so.6(GLIBC_2.17)(64bit)"), "{requires}");
    root.output(&["rpm", "--checksig", "--verbose", "/trial/weighbridge.rpm"], &[0])?;
    root.output(&["rpm", "-i", "--nodeps", "/trial/weighbridge.rpm"], &[0])?;
    try_program(root, "/usr/bin/weigh")?;
    root.output(&["rpm", "-e", "weighbridge"], &[0])?;
    ensure!(!root.folder.join("usr/bin/weigh").exists(), "the program is left after rpm -e");
    Ok(fs::remove_dir_all(folder)?)
}

/// Unpacks the C library in a folder, and builds the examples against it.
fn try_c_library(files: &Files) -> Result<()> {
    let prefix = crate::bindings::root().join("target/release-roots/c");
    create_empty_folder(&prefix)?;
    let archive = files.find("mysql-collation-c-", "x86_64-unknown-linux-gnu.tar.gz")?;
    succeed(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&prefix))?;
    c::run_examples(&crate::bindings::root().join("engine/bindings/c"), &prefix)
}

/// Installs the npm package into an empty project, and runs its tests there.
fn try_npm(files: &Files) -> Result<()> {
    let project = tempfile::tempdir().context("cannot create a temporary folder")?;
    fs::write(project.path().join("package.json"), "{ \"private\": true, \"type\": \"module\" }")?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--offline", "--no-audit"]).arg(files.find("mysql-collation-", ".tgz")?);
    succeed(install.current_dir(project.path())).context("Node 20 or later with npm must be on the PATH")?;
    fs::copy(crate::bindings::root().join("engine/bindings/web/npm/test.mjs"), project.path().join("test.mjs"))?;
    succeed(Command::new("node").args(["--test", "test.mjs"]).current_dir(project.path()))
}
