//! `cargo xtask before COMMIT`: the engine held against that of an older commit, so that a change that makes it slower is seen whatever the machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The older commit.
#[derive(clap::Args)]
pub struct Arguments {
    /// The commit to hold the engine against, as git names it: one that has Collation::by_name.
    commit: String,
}

const PROGRAM: &str = include_str!("../before/main.rs");

/// Packages of one name have to differ in version.
const VERSION: &str = "0.0.0";

/// Prints how many times as long each operation takes as it did.
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
    set_version(&source.join("crates/collation/Cargo.toml"))?;
    fs::write(program.join("src/main.rs"), PROGRAM)?;
    fs::write(program.join("Cargo.toml"), manifest(&root, &source))?;
    let mut cargo = Command::new(crate::cargo());
    cargo.args(["run", "--release", "--quiet"]).env("CARGO_TARGET_DIR", folder.join("target")).current_dir(&program);
    let ran = cargo.status().context("cargo could not be started")?;
    ensure!(ran.success(), "the engine of {} could not be held against this one: {cargo:?} failed", arguments.commit);
    Ok(())
}

/// All of the commit: the library's manifest takes what it says from the workspace's.
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

fn set_version(manifest: &Path) -> Result<()> {
    let text = fs::read_to_string(manifest).with_context(|| format!("the commit has no {}", manifest.display()))?;
    let lines = text.lines().map(|line| match line.split(['.', ' ', '=']).next() {
        Some("version") => format!("version = \"{VERSION}\"\n"),
        _ => format!("{line}\n"),
    });
    Ok(fs::write(manifest, lines.collect::<String>())?)
}

/// That of the program. Rustix is what the benches' harness reads clocks by.
fn manifest(root: &Path, source: &Path) -> String {
    let [now, before] = [root, source].map(|root| root.join("crates/collation"));
    format!(
        "[package]\nname = \"beside\"\nversion = \"{VERSION}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         now = {{ path = {now:?}, package = \"mysql-collation\" }}\n\
         before = {{ path = {before:?}, package = \"mysql-collation\" }}\n\
         rustix = {{ version = \"1\", features = [\"time\"] }}\n\n\
         [profile.release]\ndebug = 1\n"
    )
}
