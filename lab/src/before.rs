//! `cargo xtask before COMMIT`: times the engine against an older commit's, in one program, so that
//! a change of the machine's speed affects both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

#[derive(clap::Args)]
pub struct Arguments {
    /// Commit to compare with, as git names it; must have Collation::by_name
    commit: String,
}

const PROGRAM: &str = include_str!("../before/main.rs");

/// Version of the older library, and of the program that times both. Cargo links two packages of
/// one name only if their versions differ.
const VERSION: &str = "0.0.0";

/// Prints the ratio of the new time to the old one, for each operation.
pub fn run(arguments: &Arguments) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let folder = root.join("target/before");
    let (source, program) = (folder.join("source"), folder.join("program"));
    if folder.exists() {
        for old in [&source, &program].into_iter().filter(|old| old.exists()) {
            fs::remove_dir_all(old).with_context(|| format!("cannot remove {}", old.display()))?;
        }
    }
    fs::create_dir_all(&source)?;
    fs::create_dir_all(program.join("src"))?;
    unpack(&root, &arguments.commit, &source)?;
    let before = find_library(&source)?;
    set_version(&before.join("Cargo.toml"))?;
    fs::write(program.join("src/main.rs"), PROGRAM)?;
    fs::write(program.join("Cargo.toml"), program_manifest(&find_library(&root)?, &before))?;
    let mut cargo = Command::new(crate::cargo());
    cargo.args(["run", "--release", "--quiet"]).env("CARGO_TARGET_DIR", folder.join("target")).current_dir(&program);
    let ran = cargo.status().context("cargo could not be started")?;
    ensure!(ran.success(), "the engine of {} could not be compared with this one: {cargo:?} failed", arguments.commit);
    Ok(())
}

/// Unpacks the whole commit, because the library's manifest inherits from the workspace's.
fn unpack(root: &Path, commit: &str, to: &Path) -> Result<()> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["archive", "--format=tar", "--end-of-options", commit]).stdout(Stdio::piped());
    let mut git = git.spawn().context("git could not be started")?;
    let Some(archive) = git.stdout.take() else { bail!("git archive has no output") };
    let unpacked = Command::new("tar").arg("-x").arg("-C").arg(to).stdin(archive).status();
    let archived = git.wait()?;
    ensure!(archived.success(), "git archive {commit} failed: is there such a commit?");
    ensure!(unpacked.context("tar could not be started")?.success(), "tar could not unpack the commit");
    Ok(())
}

/// Returns the library's folder in a checkout. Old commits have it in `crates/collation`.
fn find_library(root: &Path) -> Result<PathBuf> {
    let places = ["engine/mysql-collation", "crates/collation"].map(|place| root.join(place));
    places.into_iter().find(|place| place.exists()).with_context(|| format!("no mysql-collation in {}", root.display()))
}

fn set_version(manifest: &Path) -> Result<()> {
    let text = fs::read_to_string(manifest).with_context(|| format!("the commit has no {}", manifest.display()))?;
    let lines = text.lines().map(|line| match line.split(['.', ' ', '=']).next() {
        Some("version") => format!("version = \"{VERSION}\"\n"),
        _ => format!("{line}\n"),
    });
    Ok(fs::write(manifest, lines.collect::<String>())?)
}

/// Returns the manifest of the program. The benches' harness needs rustix for its clock.
fn program_manifest(now: &Path, before: &Path) -> String {
    format!(
        "[package]\nname = \"beside\"\nversion = \"{VERSION}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         now = {{ path = {now:?}, package = \"mysql-collation\" }}\n\
         before = {{ path = {before:?}, package = \"mysql-collation\" }}\n\
         rustix = {{ version = \"1\", features = [\"time\"] }}\n\n\
         [profile.release]\ndebug = 1\n"
    )
}
