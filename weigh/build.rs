//! Passes the target and the commit to the program. Debug builds have only a commit that the
//! environment or the package names.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=WEIGH_COMMIT");
    println!("cargo::rustc-env=WEIGH_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=WEIGH_COMMIT={}", commit().unwrap_or_default());
}

/// Returns the commit that the environment or the package names, otherwise git's. Debug builds
/// don't ask git: they would be compiled again after every commit.
fn commit() -> Option<String> {
    if let Ok(commit) = std::env::var("WEIGH_COMMIT") {
        return Some(commit);
    }
    // In the package of crates.io, which has no repository.
    if let Ok(commit) = std::fs::read_to_string("commit") {
        return Some(commit);
    }
    let reflog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.git/logs/HEAD");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return None;
    }
    if !reflog.exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={}", reflog.display());
    let git = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    git.status.success().then(|| String::from_utf8_lossy(&git.stdout).trim().to_owned())
}
