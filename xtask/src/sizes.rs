//! `cargo xtask sizes`: what the library adds to a program, as linked.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

/// A program of `xtask/sizes`, what it has, and the most bytes that this may add.
const PROGRAMS: [(&str, &str, u64); 3] = [
    ("one", "utf8mb4_0900_ai_ci by its constant", 300 << 10),
    ("chinese", "utf8mb4_zh_0900_as_cs by its constant", 512 << 10),
    ("all", "every collation of both flavours, by name", 4 << 20),
];

/// A program of the same shape that has none of the library.
const NOTHING: &str = "none";

/// Builds the programs, without symbols, prints how much larger than one without the library each is, and returns whether all are
/// below their limits.
pub fn run(_: &Arguments) -> Result<bool> {
    let folder = build()?;
    let size = |name: &str| -> Result<u64> {
        let path = folder.join(name);
        Ok(path.metadata().with_context(|| format!("no {}", path.display()))?.len())
    };
    let nothing = size(NOTHING)?;
    let mut all_below = true;
    for (name, what, limit) in PROGRAMS {
        let added = size(name)?.saturating_sub(nothing);
        let is_below = added < limit;
        all_below &= is_below;
        let verdict = if is_below { "" } else { "  TOO MUCH" };
        println!("{what:44} {added:>9} bytes, at most {limit:>9}{verdict}");
    }
    Ok(all_below)
}

/// Builds the programs, and says where they are.
fn build() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("sizes");
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/sizes");
    let mut command = Command::new(crate::cargo());
    command.current_dir(&package).args(["build", "--quiet", "--locked", "--release", "--target-dir"]).arg(&target);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "the programs of {} don't build", package.display());
    Ok(target.join("release"))
}
