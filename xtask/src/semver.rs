//! `cargo xtask semver`: compares the library's interface with an earlier version, with
//! cargo-semver-checks, which is built from crates.io into target/semver.

use std::process::Command;

use anyhow::Result;

use crate::bindings::{root, succeed};

#[derive(clap::Args)]
pub struct Arguments {
    /// Commit or tag to compare with [default: the newest version on crates.io].
    #[arg(long, value_name = "REVISION")]
    baseline: Option<String>,
}

/// Version of cargo-semver-checks.
const VERSION: &str = "0.51.0";

/// Returns whether the interface breaks nothing that the version number promises.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let folder = root().join("target/semver");
    let mut install = Command::new(crate::cargo());
    install.args(["install", "--quiet", "--locked", "--debug", "cargo-semver-checks", "--version", VERSION]);
    // Does nothing if this version is there. The build's own folder keeps what an interruption leaves.
    succeed(install.arg("--root").arg(&folder).env("CARGO_TARGET_DIR", folder.join("build")))?;
    let mut check = Command::new(folder.join("bin/cargo-semver-checks"));
    check.args(["semver-checks", "--package", "mysql-collation"]).current_dir(root());
    if let Some(revision) = &arguments.baseline {
        check.args(["--baseline-rev", revision]);
    }
    Ok(check.env("CARGO", crate::cargo()).status()?.success())
}
