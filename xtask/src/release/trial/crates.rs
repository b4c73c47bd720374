//! The packages for crates.io: a new crate depends on the libraries by version, and the command is
//! installed. An option of cargo replaces the packages of crates.io by these files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Files;
use crate::bindings::{succeed, target};

const MANIFEST: &str = r#"[package]
name = "consumer"
version = "0.0.0"
edition = "2024"

[dependencies]
mysql-collation = "0.1.0"
datafusion-mysql-collation = "0.1.0"

[workspace]
"#;

const PROGRAM: &str = r#"use mysql_collation::mysql::UTF8MB4_0900_AI_CI;

fn main() {
    assert!(UTF8MB4_0900_AI_CI.equals("Straße".as_bytes(), b"STRASSE"));
    println!("{}", datafusion_mysql_collation::mysql_sort_key().name());
}
"#;

pub fn try_crates(files: &Files) -> Result<()> {
    // Outside the project: cargo takes a package inside for one of its workspace.
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let folder = folder.path();
    let packages = unpack(files, folder)?;
    let consumer = folder.join("consumer");
    fs::create_dir_all(consumer.join("src"))?;
    fs::write(consumer.join("Cargo.toml"), MANIFEST)?;
    fs::write(consumer.join("src/main.rs"), PROGRAM)?;
    let mut run = cargo(&packages);
    // Shares the packages that DataFusion's tests compiled.
    run.args(["run", "--quiet"]).current_dir(&consumer).env("CARGO_TARGET_DIR", target());
    succeed(&mut run).context("a crate that depends on the libraries")?;

    let command = packages.iter().find(|(name, _)| name == "weighbridge").context("no package weighbridge")?;
    let mut install = cargo(&packages);
    // Without optimisation, which takes minutes.
    install
        .args(["install", "--quiet", "--debug", "--path"])
        .arg(&command.1)
        .arg("--root")
        .arg(folder.join("installed"));
    install.env("CARGO_TARGET_DIR", target()).env_remove("WEIGH_COMMIT");
    succeed(&mut install).context("cargo install weighbridge")?;
    let output = Command::new(folder.join("installed/bin/weigh")).arg("--version").output()?;
    let version = String::from_utf8_lossy(&output.stdout);
    let commit = fs::read_to_string(command.1.join("commit"))?;
    ensure!(version.contains(commit.trim_end_matches("+changes")), "{version}, not {commit}");
    eprintln!("crates: {}", version.trim());
    Ok(())
}

/// Unpacks the packages, and returns their names and folders.
fn unpack(files: &Files, folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let extract = |archive: &Path| succeed(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder));
    extract(&files.find("weighbridge-", "-crates.tar.gz")?)?;
    let packed = folder.join(format!("weighbridge-{}-crates", env!("CARGO_PKG_VERSION")));
    let mut packages = Vec::new();
    for package in fs::read_dir(packed)? {
        let package = package?.path();
        extract(&package)?;
        let stem = package.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = stem.strip_suffix(concat!("-", env!("CARGO_PKG_VERSION"))).context("a package's name")?;
        packages.push((name.to_owned(), folder.join(&stem)));
    }
    Ok(packages)
}

/// Returns a cargo that finds the packages.
fn cargo(packages: &[(String, PathBuf)]) -> Command {
    let mut command = Command::new(crate::cargo());
    for (name, folder) in packages {
        command.arg("--config").arg(format!("patch.crates-io.{name}.path='{}'", folder.display()));
    }
    command
}
