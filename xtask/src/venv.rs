//! Virtual environments of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use fetch::Tool;
use progress::Bar;

use crate::bindings::{create_empty_folder, succeed};

/// Python program that executes its arguments in place of itself.
const EXEC_PROGRAM: &str = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])";

/// A virtual environment. The interpreter starts the environment's Python: an interpreter in the
/// cache sets the library path that this needs.
pub struct Environment {
    pub interpreter: PathBuf,
    pub folder: PathBuf,
}

impl Environment {
    /// Finds or installs Python. Doesn't create the environment.
    pub fn find(folder: PathBuf) -> Result<Self> {
        Ok(Self { interpreter: Tool::Python.find_or_install(&Bar::with_steps_printed())?, folder })
    }

    pub fn create(&self) -> Result<()> {
        create_empty_folder(&self.folder)?;
        // Debian's venv lacks pip. The interpreter's own pip installs into any environment.
        succeed(Command::new(&self.interpreter).args(["-m", "venv", "--without-pip"]).arg(&self.folder))
    }

    /// Installs the packages of a requirements file, after `prepare`. Does nothing if this was done
    /// with the same file content.
    pub fn install_requirements(
        &self,
        file: &Path,
        options: &[&str],
        prepare: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<()> {
        let wanted = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        // Written last: an interrupted installation starts again.
        let installed = self.folder.join(file.file_name().context("a requirements file has a name")?);
        if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        prepare(self)?;
        succeed(self.pip_install().arg("--require-hashes").args(options).arg("-r").arg(file))?;
        fs::write(&installed, &wanted).with_context(|| format!("cannot write {}", installed.display()))
    }

    /// Returns a `pip install` into the environment.
    pub fn pip_install(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-m", "pip", "--python"]).arg(self.folder.join("bin/python"));
        command.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check", "--no-input"]);
        command
    }

    /// Returns a command that runs the environment's Python.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.args(["-c", EXEC_PROGRAM]).arg(self.folder.join("bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}
