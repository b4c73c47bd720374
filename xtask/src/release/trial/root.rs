//! Roots of Debian: folders with a minimal system, in which programs run by `chroot`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fetch::Tool;
use progress::Bar;

use crate::bindings::{create_empty_folder, root as project, succeed};

pub struct Root {
    pub suite: String,
    pub folder: PathBuf,
}

impl Root {
    /// Creates the root of a suite of Debian with debootstrap, unless it exists.
    pub fn find_or_create(suite: &str) -> Result<Self> {
        let roots = project().join("target/release-roots");
        let root = Self { suite: suite.to_owned(), folder: roots.join(suite) };
        if root.folder.exists() {
            return Ok(root);
        }
        ensure!(rustix::process::geteuid().is_root(), "roots of Debian are made and entered as root");
        let debootstrap = Tool::Debootstrap.find_or_install(&Bar::with_steps_printed())?;
        let unfinished = roots.join(format!("{suite}.unfinished"));
        create_empty_folder(&unfinished)?;
        let mut make = Command::new(debootstrap);
        make.args(["--variant=minbase", "--include=rpm", suite]).arg(&unfinished).args(fetch::debian_mirror()?);
        succeed(make.stdout(std::process::Stdio::null()))?;
        fs::rename(&unfinished, &root.folder)?;
        Ok(root)
    }

    /// Creates an empty folder in the root.
    pub fn empty_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        create_empty_folder(&folder)?;
        Ok(folder)
    }

    /// Runs a command in the root and returns what it prints. The exit status must be one of
    /// `codes`.
    pub fn output(&self, words: &[&str], codes: &[i32]) -> Result<String> {
        self.output_as("0:0", words, codes)
    }

    /// Runs a command as a user and group, given as numbers.
    pub fn output_as(&self, user: &str, words: &[&str], codes: &[i32]) -> Result<String> {
        let mut command = enter(&self.folder, user);
        let output = command.args(words).output().context("cannot run unshare (package util-linux)")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let code = output.status.code().unwrap_or(-1);
        ensure!(
            codes.contains(&code),
            "{} ended with {}:\n{printed}{}",
            words.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(printed.into_owned())
    }
}

/// Returns a command that runs its arguments in a root with its own processes, without this
/// process's variables.
fn enter(folder: &Path, user: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork"]).arg(format!("--mount-proc={}", folder.join("proc").display()));
    command.args(["chroot", "--userspec", user]).arg(folder);
    command.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    command.env("LC_ALL", "C.UTF-8").env("DEBIAN_FRONTEND", "noninteractive").env("HOME", "/root");
    command
}
