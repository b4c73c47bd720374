//! Tools that build a release. Zig links programs against an old C library, so that they run on old
//! distributions.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bindings::{root, succeed};
use crate::venv::Environment;

/// Tools from PyPI in an environment of Python.
pub struct Tools {
    environment: Environment,
}

impl Tools {
    pub fn install() -> Result<Self> {
        let environment = Environment::find(root().join("target/release-tools"))?;
        let requirements = root().join("xtask/release/requirements.txt");
        environment.install_requirements(&requirements, &["--only-binary", ":all:"], Environment::create)?;
        Ok(Self { environment })
    }

    pub fn python(&self) -> Command {
        self.environment.command()
    }

    /// Returns a command of the environment, such as `cargo-zigbuild`, that finds its other tools
    /// and cargo.
    pub fn command(&self, program: &str) -> Result<Command> {
        let folder = self.environment.folder.join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let cargo = PathBuf::from(crate::cargo());
        let folders = [Some(folder.clone()), cargo.parent().map(PathBuf::from)].into_iter().flatten();
        let mut command = Command::new(folder.join(program));
        command.env("PATH", std::env::join_paths(folders.chain(std::env::split_paths(&path)))?);
        command.current_dir(root()).env("RUSTFLAGS", rust_flags()?);
        Ok(command)
    }
}

/// Flags that keep the paths of this machine out of programs.
pub fn rust_flags() -> Result<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).context("no home folder")?;
    let flag = |from: PathBuf, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    Ok([flag(home.join("registry/src"), "/registry"), flag(root(), "/weighbridge")].join(" "))
}

/// Installs a target's standard library if the toolchain lacks it.
pub fn add_standard_library(triple: &str) -> Result<()> {
    let mut rustc = Command::new("rustc");
    let library = rustc.args(["--print", "target-libdir", "--target", triple]).output()?;
    if PathBuf::from(String::from_utf8(library.stdout)?.trim()).is_dir() {
        return Ok(());
    }
    succeed(Command::new("rustup").args(["target", "add", triple]).current_dir(root()))
}

/// Returns the commit that is built, as programs show it: `WEIGH_COMMIT`, or the one in git.
pub fn commit() -> Result<String> {
    if let Ok(commit) = std::env::var("WEIGH_COMMIT") {
        return Ok(commit);
    }
    let changes = git(&["status", "--porcelain"])?;
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    Ok(if changes.is_empty() { commit } else { commit + "+changes" })
}

pub fn git(words: &[&str]) -> Result<String> {
    let output = Command::new("git").args(words).current_dir(root()).output().context("cannot run git")?;
    ensure!(output.status.success(), "git {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
